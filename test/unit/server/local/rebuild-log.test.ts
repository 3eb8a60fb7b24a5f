/** The log of a run that no server watched: made before the run went on, it has its real end all the same. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { streamOfRun } from "../../../../src/durable/index.ts";
import { rebuildLog } from "../../../../src/server/local/rebuild-log.ts";
import { type DurableEnvelope, foldAll } from "../../../../src/server/protocol/index.ts";
import { openStore } from "../../../../src/store/index.ts";
import { Conversations } from "../../../../src/threads/index.ts";
import { harnHere } from "../../../support/harn-here.ts";
import { startHarn } from "../../../support/start-cli.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder("rebuild-log");
const state = join(folder, "state");
const options = { cwd: folder, env: { HARN_STATE_DIR: state } };
afterAll(() => vi.unstubAllEnvs());

async function madeLog(run: string): Promise<DurableEnvelope[]> {
  vi.stubEnv("HARN_STATE_DIR", state);
  expect(await rebuildLog(run, state)).toBe(0);
  const store = openStore(state);
  try {
    const stored = new Conversations(store).events(streamOfRun(run), { after: 0, limit: 1000 }).items;
    return stored as unknown as DurableEnvelope[];
  } finally {
    store.close();
  }
}

const newest = (): string => {
  const store = openStore(state);
  try {
    return store.runs.list()[0]?.name ?? "";
  } finally {
    store.close();
  }
};

test("one that is looked at while it works, when it was killed, and when it went on", async () => {
  const text = `write_file("one.txt", "1")
println("at work")
while !file_exists("go.txt") { sleep(20ms) }
llm_mock({text: "done"})
agent_loop("go", nil, {provider: "mock"})
`;
  writeFileSync(join(folder, "a.harn"), text);
  const { child, shows, ended } = startHarn(["run", "a.harn"], options);
  await shows("at work");
  const run = newest();
  const atWork = await madeLog(run);
  child.kill("SIGKILL");
  await ended;
  const killed = await madeLog(run);
  writeFileSync(join(folder, "go.txt"), "");
  expect((await harnHere(["run", "--resume", run], options)).status).toBe(0);
  const over = await madeLog(run);

  const types = (log: readonly DurableEnvelope[]) =>
    log.flatMap(({ type }) => (/^run\./.test(type) ? [type] : []));
  expect(types(atWork)).toEqual(["run.start"]);
  expect(types(killed)).toEqual(["run.start", "run.end"]);
  expect(foldAll(killed).runs[run]).toMatchObject({ status: "interrupted" });
  expect(types(over)).toEqual(["run.start", "run.end", "run.resumed", "run.end"]);
  expect(over.findIndex(({ type }) => type === "loop.start")).toBeGreaterThan(2);
  expect(foldAll(over).runs[run]).toMatchObject({ status: "done", exit_code: 0 });
  expect(await madeLog(run)).toEqual(over);
});
