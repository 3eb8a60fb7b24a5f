/** `harn view`: the events of a recorded run as lines, as one file, and over HTTP. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { inProcess } from "../../../../src/process/index.ts";
import { madeProcess } from "../../../../src/process/made-process.ts";
import { recordedEvents } from "../../../../src/server/local/index.ts";
import type { DurableEnvelope } from "../../../../src/server/protocol/index.ts";
import { foldAll } from "../../../../src/server/protocol/index.ts";
import { openStore } from "../../../../src/store/index.ts";
import { harnHere } from "../../../support/harn-here.ts";
import { projectRoot } from "../../../support/project.ts";
import { startHarn } from "../../../support/start-cli.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const freshFolder = tempFolders("view");
const program = join(projectRoot, "test/unit/cli/programs/traced.harn");

let folder: string;
let options: { cwd: string; env: Record<string, string> };

beforeEach(() => {
  folder = freshFolder();
  options = { cwd: folder, env: { HARN_STATE_DIR: join(folder, "state") } };
});

const eventsOf = async (which: string): Promise<DurableEnvelope[]> => {
  const { stdout, stderr, status } = await harnHere(["view", which, "--json"], options);
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as DurableEnvelope);
};

test("the log of a recorded run: numbered, dated, sub-agents below their call, twice the same", async () => {
  await harnHere(["run", program], options);
  const events = await eventsOf("last");
  expect(events.map((event) => event.seq)).toEqual(events.map((_, at) => at + 1));
  expect(events.at(0)?.type).toBe("run.start");
  expect(events.at(-1)).toMatchObject({ type: "run.end", data: { status: "done", exit_code: 0 } });
  const view = foldAll(events);
  const [run] = Object.values(view.runs);
  expect(run?.status).toBe("done");
  const calls = Object.values(view.calls);
  expect(calls.find((call) => call.name === "ask_helper")?.loops).toHaveLength(1);
  expect(calls.map((call) => call.status)).toContain("rejected");
  expect(events.every((event) => event.at > 1_600_000_000_000)).toBe(true);
  expect(await eventsOf("last")).toEqual(events);
});

test("the same of a file that a run was exported to", async () => {
  await harnHere(["run", program, "--record", "run.jsonl"], options);
  expect((await eventsOf("run.jsonl")).at(-1)).toMatchObject({ type: "run.end" });
});

test("secrets stay names", async () => {
  const file = join(folder, "secret.harn");
  writeFileSync(
    file,
    `llm_mock({text: "done ##DONE##"})
agent_loop("use " + env_or("MY_API_KEY", ""), nil, {provider: "mock"})
`,
  );
  options.env.MY_API_KEY = "sk-very-secret-value-123456";
  await harnHere(["run", file], options);
  const { stdout } = await harnHere(["view", "last", "--json"], options);
  expect(stdout).toContain('"loop.start"');
  expect(stdout).not.toContain("sk-very-secret");
});

test("a report is one file", async () => {
  await harnHere(["run", program], options);
  const { stdout, status } = await harnHere(["view", "last", "--html", "report.html"], options);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^report\.html: \d+ events, \d\.\d MiB\n$/);
  const html = readFileSync(join(folder, "report.html"), "utf8");
  expect(html.includes('id="harn-report"')).toBe(true);
  expect(html.includes("ask_helper")).toBe(true);
});

test("without a run it is the newest, and exports are of the same events", async () => {
  expect(await harnHere(["view", "--json"], options)).toMatchObject({ status: 1, stdout: "" });
  await harnHere(["run", program], options);
  const events = await eventsOf("last");
  const newest = await harnHere(["view", "--json"], options);
  expect(newest.stderr).toMatch(/^harn view: the newest run, run-\S+ \(traced\.harn\)\n$/);
  expect(newest.stdout.trimEnd().split("\n")).toHaveLength(events.length);
  const exported = await harnHere(["export", "run", "last", "--to", "json"], options);
  expect(JSON.parse(exported.stdout)).toEqual({ id: events[0]?.run, title: "traced.harn", events });
  await harnHere(["export", "run", "last", "--to", "html", "-o", "one.html"], options);
  await harnHere(["view", "last", "--html", "two.html"], options);
  expect(readFileSync(join(folder, "one.html"), "utf8")).toBe(readFileSync(join(folder, "two.html"), "utf8"));
  const said = (await harnHere(["export", "run", "last", "--to", "md"], options)).stdout;
  expect(said).toMatch(/^## ask\\_helper: ok \(l1, turn \d\)$/m);
  expect(said).toMatch(/^## assistant \(l1, turn 1\)$/m);
});

/** An agent whose rules look where paths lead: relative ones, below the folder that it works in. */
const policed = `
let tools = tool_define(tool_registry(), "read_it", "Reads.", {
  parameters: {path: "string"},
  annotations: {kind: "read", side_effect_level: "read_only"},
  handler: { a -> a.path },
})
write_file("seen.txt", cwd())
llm_mock({tool_calls: [{name: "read_it", arguments: {path: "notes/a.md"}}]})
llm_mock({text: "done"})
println(agent_loop("go", nil, {tools: tools, tool_format: "native", approval_policy: {auto_approve: ["*"]}}).status)
`;

test("paths of a run are judged where it was recorded, wherever somebody looks at it", async () => {
  const workspace = join(folder, "workspace");
  mkdirSync(workspace);
  writeFileSync(join(folder, "policed.harn"), policed);
  const run = await harnHere(["run", join(folder, "policed.harn")], { ...options, cwd: workspace });
  expect(run.stdout).toBe("done\n");
  expect(await harnHere(["replay", "last"], options)).toMatchObject({
    stdout: "done\n",
    stderr: "",
    status: 0,
  });
  expect((await eventsOf("last")).at(-1)).toMatchObject({ type: "run.end", data: { status: "done" } });
  expect(await harnHere(["trace", "last"], options)).toMatchObject({ stderr: "", status: 0 });
  expect(await harnHere(["why", "last"], options)).toMatchObject({ stderr: "", status: 0 });
  expect(await harnHere(["view", "last", "--html", "x.html"], options)).toMatchObject({
    stderr: "",
    status: 0,
  });
  expect(await harnHere(["export", "run", "last", "--to", "md"], options)).toMatchObject({
    stderr: "",
    status: 0,
  });
});

test("a run that can't be played to its end is no success in any form, with what could be shown of it", async () => {
  writeFileSync(join(folder, "policed.harn"), policed);
  await harnHere(["run", "policed.harn"], options);
  const store = openStore(options.env.HARN_STATE_DIR as string);
  const name = store.runs.list()[0]?.name ?? "";
  const { header, records, ...journal } = store.runs.read(name);
  const lacking = records.filter((record) => !("k" in record && record.k === "policy.paths"));
  store.runs.add({ ...journal, header: { ...header, run: "run-lacking" }, records: lacking });
  store.close();
  for (const form of [
    ["view", "run-lacking", "--json"],
    ["view", "run-lacking", "--html", "x.html"],
  ]) {
    const { stderr, status } = await harnHere(form, options);
    expect({ form, status }).toEqual({ form, status: 1 });
    expect(stderr).toContain("the replay asks for an effect that was not recorded");
  }
  expect(readFileSync(join(folder, "x.html"), "utf8")).toContain('"tool.start"');
});

test("what can't be done is said", async () => {
  expect(await harnHere(["view", "nothing"], options)).toMatchObject({
    status: expect.not.stringMatching(/^0$/) as number,
  });
  await harnHere(["run", program], options);
  const both = await harnHere(["view", "last", "--json", "--html", "x.html"], options);
  expect(both).toMatchObject({ status: 2 });
  expect(both.stderr).toContain("--html and --json are two forms: name one");
  const nowhere = await harnHere(["view", "last", "--html", "no/such/folder/x.html"], options);
  expect(nowhere.status).toBe(1);
  expect(nowhere.stderr).toContain("no/such/folder/x.html can't be written");
});

test("the page is there for who has the address, and ends with Ctrl-C", async () => {
  await harnHere(["run", program], options);
  const view = startHarn(["view", "last"], options);
  const said: string[] = [];
  view.child.stderr?.on("data", (text: string) => said.push(text));
  await view.shows("harn view: http://127.0.0.1:");
  await expect.poll(() => said.join("")).toMatch(/\/\n/);
  const address = /http:\S+/.exec(said.join(""))?.[0] as string;
  const page = await fetch(address);
  expect(page.status).toBe(200);
  expect((await page.text()).includes('id="harn-report"')).toBe(true);
  expect((await fetch(new URL("/", address))).status).toBe(404);
  expect((await fetch(address, { method: "POST" })).status).toBe(404);
  view.child.kill("SIGINT");
  expect(await view.ended).toMatchObject({ status: 0, signal: null });
});

test("a run that is at work has no end yet, one that has ended since is shown with its end", async () => {
  writeFileSync(join(folder, "waits.harn"), 'write_file("seen.txt", "x")\nprintln("at work")\nsleep(1h)\n');
  const run = startHarn(["run", "waits.harn"], options);
  await run.shows("at work");
  const name = nameOfNewest();
  const seen = await harnHere(["view", name, "--json"], options);
  expect(seen.stderr).toBe(`harn view: ${name} is at work: this is what it has done so far\n`);
  expect(seen.stdout).toContain('"run.start"');
  expect(seen.stdout).not.toContain('"run.end"');
  run.child.kill("SIGINT");
  await run.ended;
  expect((await eventsOf(name)).at(-1)).toMatchObject({ type: "run.end", data: { status: "interrupted" } });

  await harnHere(["run", program], options);
  const own = madeProcess({
    cwd: folder,
    env: options.env,
    stdout: () => {},
    stderr: () => {},
    exit: () => new Error(),
  });
  const ended = await inProcess(own, () => recordedEvents(nameOfNewest(), { began: 0, isAtWork: true }));
  expect(ended?.events.at(-1)).toMatchObject({ type: "run.end", data: { status: "done" } });
  expect(ended?.isAtWork).toBe(false);
});

function nameOfNewest(): string {
  const store = openStore(join(folder, "state"));
  try {
    return store.runs.list()[0]?.name ?? "";
  } finally {
    store.close();
  }
}
