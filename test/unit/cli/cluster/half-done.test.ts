/** What can't be done whole: stopping while engine or database is away, and a second hand-over that fails. Nothing is taken for done. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, expect, it } from "vitest";
import { connectEngine } from "../../../../src/cluster/engine/index.ts";
import type { ClusterSettings } from "../../../../src/cluster/index.ts";
import { openJournals } from "../../../../src/cluster/journals/index.ts";
import { evalStoreOf } from "../../../../src/eval/local/index.ts";
import { openStore } from "../../../../src/store/index.ts";
import { noteAsOwner } from "../../../support/chunks-here.ts";
import { beginRun, carried, rootsAt } from "../../../support/cluster-journals.ts";
import type { CliResult } from "../../../support/command-environment.ts";
import { harnHere } from "../../../support/harn-here.ts";
import { startPostgres } from "../../../support/postgres-server.ts";
import { tempFolders } from "../../../support/temp-folder.ts";
import { findTemporal, startTemporal } from "../../../support/temporal-server.ts";

const freshFolder = tempFolders("cluster-stop");
const temporal = findTemporal();
const postgres = await startPostgres();
const engine = "path" in temporal ? await startTemporal(temporal.path) : undefined;
afterAll(async () => {
  await engine?.stop();
  await postgres?.stop();
});

const pack = `import "std/eval"
eval_pack t {
  dataset: [{id: "a"}]
  solver: { _s, _t -> "yes" }
  scorers: [includes("yes")]
}
`;
const nowhere = "127.0.0.1:1";

let folder = "";
let projects = 0;
beforeEach(async () => {
  folder = freshFolder();
  projects++;
  writeFileSync(join(folder, "t.harn"), pack);
  writeFileSync(join(folder, "harn.toml"), "");
  expect((await at({}, "eval", "run", "t.harn", "--set", "s", "--quiet")).status).toBe(0);
  const files = openStore(join(folder, ".harn"));
  beginRun(files, "run-x", folder);
  files.runs.elsewhere.note("run-x", { seen: 0, isSent: true });
  const set = evalStoreOf(files).sets()[0]?.id ?? 0;
  const limits = { costUsd: null, tokens: null, connections: {} };
  noteAsOwner(files, "s", { name: "s.c", set, trials: [1], as: "solver", ...limits });
  files.close();
});

const at = (env: Record<string, string>, ...args: string[]): Promise<CliResult> =>
  harnHere(args, { cwd: folder, env });

const settings = (): ClusterSettings => ({
  engine: { address: engine?.address ?? nowhere, namespace: "default", tls: false },
  journals: postgres?.url ?? "",
  queue: "harn",
  leaseMs: 5000,
  project: `stop-${projects}`,
});

/** A command, with an engine and a database at these addresses. */
function withPlaces(address: string, journals: string, ...words: string[]): Promise<CliResult> {
  const toml = `[cluster]\nengine = "temporal://${address}"\nproject = "${settings().project}"\n`;
  writeFileSync(join(folder, "harn.toml"), toml);
  return at({ HARN_JOURNALS: journals }, ...words);
}

const commands = [
  ["run", "run-x", ["runs", "stop", "run-x"]],
  ["trials", "s.c", ["eval", "stop", "s"]],
] as const;

async function expectOnWorkers(): Promise<void> {
  expect((await at({}, "runs", "list")).stdout).toContain("on workers");
  expect((await at({}, "eval", "status", "s")).stdout).toContain("1 trial on workers");
}

it.skipIf(postgres === undefined)(
  "stopping while the engine is away tells them over the database",
  async () => {
    const journals = await openJournals(settings());
    for (const [kind, name, words] of commands) {
      await journals.put({ name, kind, runs: [] });
      const { status, stdout, stderr } = await withPlaces(nowhere, settings().journals, ...words);
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).toMatch(/the engine can't be reached at 127\.0\.0\.1:1: .*\(HARN-CLU-007\)\n/);
      expect(stderr).toContain(`asked to stop over the database alone: ${name}; the same command`);
      expect((await journals.take(name, "w")).stop).toBe(`harn ${words[0]} stop`);
    }
    await journals.close();
    await expectOnWorkers();
  },
);

const why = "missing" in temporal ? ` (skipped: ${temporal.missing})` : "";

it.skipIf(engine === undefined)(
  `stopping while the database is away tells them over the engine${why}`,
  async () => {
    const own = await connectEngine(settings());
    for (const [kind, name, words] of commands) {
      await own.start({ kind, name, flags: null });
      const { status, stdout, stderr } = await withPlaces(
        settings().engine.address,
        `postgres://ann:hush@${nowhere}/harn`,
        ...words,
      );
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).toMatch(/the database at 127\.0\.0\.1:1\/harn can't be reached: .*\(HARN-CLU-011\)\n/);
      expect(stderr).toContain(`asked to stop over the engine alone: ${name}; the same command`);
      expect(await own.ended(name)).toEqual({ kind: "cancelled" });
    }
    await own.close();
    await expectOnWorkers();
  },
);

it.skipIf(engine === undefined || postgres === undefined)(
  `a second hand-over that fails leaves the run to whoever may have it${why}`,
  async () => {
    const files = openStore(join(folder, ".harn"));
    files.runs.elsewhere.note("run-x", { seen: 0, isSent: false });
    const journals = await openJournals(settings(), { roots: rootsAt("/where-it-lay-before") });
    await journals.put({ name: "run-x", kind: "run", runs: [carried(files, "run-x")] });
    files.close();
    const { address } = settings().engine;
    const { status, stderr } = await withPlaces(
      address,
      settings().journals,
      "run",
      "--resume",
      "run-x",
      "--workers",
    );
    expect(stderr).toContain("the run run-x is in the database already, and goes another way than here");
    expect(stderr).toContain("the run run-x is left as it is, for somebody else may have it");
    expect(status).toBe(1);
    await expectOnWorkers();
    expect((await journals.unfinished()).map(({ name }) => name)).toEqual(["run-x"]);
    await journals.close();
  },
);
