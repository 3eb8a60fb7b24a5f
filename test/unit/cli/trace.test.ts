/** `harn trace` and `harn run --events`: what agents did, seen afterwards and while they do it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { harnHere } from "../../support/harn-here.ts";
import { projectRoot } from "../../support/project.ts";
import { startHarn } from "../../support/start-cli.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("trace");

const program = join(projectRoot, "test/unit/cli/programs/traced.harn");

let folder: string;
let options: { cwd: string; env: Record<string, string> };

beforeEach(() => {
  folder = freshFolder();
  options = { cwd: folder, env: { HARN_STATE_DIR: join(folder, "state") } };
});

/** The lines of the tree without durations, which differ from run to run. */
const steady = (text: string): string[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => line.replaceAll(/ \d+(\.\d+)? (ms|s)\b/g, " T"));

test("a recorded run is shown as a tree, sub-agents below the call that started them", async () => {
  expect(await harnHere(["run", program], options)).toMatchObject({ stdout: "done\n", status: 0 });
  const { stdout, stderr, status } = await harnHere(["trace", "last"], options);
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  const lines = steady(stdout);
  expect(lines[0]).toMatch(/^agent "Which licence\?" {2}\S+ \(\w+\)$/);
  expect(lines[1]).toMatch(/^├─ turn 1 {2}\d+ in, \d+ out, \$0\.0000$/);
  expect(lines[2]).toBe("│  ├─ “Looking.”");
  expect(lines[3]).toBe('│  └─ ✓ ask_helper T {"about":"the licence"}');
  expect(lines[4]).toMatch(/^│ {5}└─ agent sub-agent "the licence" {2}\S+ \(\w+\)$/);
  expect(lines[5]).toMatch(/^│ {8}├─ turn 1 {2}5 in, 3 out/);
  expect(lines[6]).toBe("│        │  └─ “It is MIT.”");
  expect(lines[7]).toMatch(/^│ {8}└─ done \(natural\), 1 turn, T, 5 in, 3 out/);
  const text = lines.join("\n");
  expect(text).toContain("✗ break T: Thrown: no disk");
  expect(text).toContain("✗ nowhere rejected");
  expect(text).toContain("◆ judge_decision");
  expect(lines.at(-1)).toMatch(/^└─ done \(.*\), 3 turns, T, /);
});

test("a run that was killed and stopped, and went on, is shown with where it did, and how it had ended", async () => {
  writeFileSync(
    join(folder, "long.harn"),
    `let tools = tool_define(tool_registry(), "wait", "Waits.", {parameters: {file: "string"}, handler: { a ->
  println("waits for \${a.file}")
  while !file_exists(a.file) { sleep(20) }
  return "there"
}})
for name in ["one", "two", "three"] { llm_mock({tool_calls: [{name: "wait", arguments: {file: name}}]}) }
llm_mock({text: "done"})
agent_loop("Wait.", nil, {provider: "mock", tools: tools, tool_format: "native"})
`,
  );
  const first = startHarn(["run", "long.harn"], options);
  await first.shows("waits for one");
  first.child.kill("SIGKILL");
  await first.ended;
  writeFileSync(join(folder, "one"), "");
  const second = startHarn(["run", "--resume", "last"], options);
  await second.shows("waits for two");
  second.child.kill("SIGTERM");
  await second.ended;
  for (const name of ["two", "three"]) writeFileSync(join(folder, name), "");
  expect((await startHarn(["run", "--resume", "last"], options).ended).status).toBe(0);
  const lines = steady((await harnHere(["trace", "last"], options)).stdout);
  const shown = lines
    .filter((line) => /turn \d|resumed|✓/.test(line))
    .map((line) => line.replace(/ {2}\d+ in.*/, ""));
  expect(shown).toEqual([
    "├─ turn 1",
    '│  ├─ ✓ wait T {"file":"one"}',
    "│  └─ ◆ resumed after=crash",
    "├─ turn 2",
    '│  ├─ ✓ wait T {"file":"two"}',
    "│  └─ ◆ resumed after=terminate",
    "├─ turn 3",
    '│  └─ ✓ wait T {"file":"three"}',
    "├─ turn 4",
  ]);
});

test("a worker is called by the first line of its task, not by its prompt", async () => {
  const file = join(folder, "worker.harn");
  writeFileSync(
    file,
    `llm_mock({text: "Fine."})
wait_agent(spawn_agent({task: "Look at the cart\\nand then at the rest", node: {kind: "subagent", mode: "agent"}}))
`,
  );
  expect((await harnHere(["run", file], options)).status).toBe(0);
  expect((await harnHere(["trace", "last"], options)).stdout).toMatch(/^agent worker "Look at the cart" {2}/);
  expect((await harnHere(["trace", "last", "--full"], options)).stdout).toContain("<workflow_task>");
});

test("delegates, sub-agents and workers are called by their names, in the tree and in the events", async () => {
  const file = join(folder, "named.harn");
  writeFileSync(
    file,
    `import { delegate_tools } from "std/agent/delegates"
let look = tool_define(tool_registry(), "look", "Looks.", {annotations: {kind: "read", side_effect_level: "read_only"}, handler: { _ -> "seen" }})
let route = {provider: "mock", tool_format: "native"}
llm_mock({tool_calls: [{name: "explore", arguments: {question: "Where?"}}]})
for _ in 1 to 4 { llm_mock({text: "Here."}) }
agent_loop("Find.", nil, route.merge({tools: delegate_tools(look, {only: ["explore"]})}))
sub_agent_run("Count.", route.merge({name: "counter"}))
wait_agent(spawn_agent({name: "writer", task: "Write.", node: {kind: "subagent", mode: "agent", model_policy: route}}))
`,
  );
  expect(await harnHere(["run", file], options)).toMatchObject({ stderr: "", status: 0 });
  const tree = (await harnHere(["trace", "last"], options)).stdout;
  for (const title of [
    'agent "Find."',
    'agent explore "Where?"',
    'agent counter "Count."',
    'agent writer "Write."',
  ])
    expect(tree).toContain(`${title}  `);
  const events = (await harnHere(["trace", "last", "--json"], options)).stdout;
  for (const name of ["explore", "counter", "writer"]) expect(events).toContain(`"name": "${name}"`);
});

test("--json gives the same tree as data", async () => {
  await harnHere(["run", program], options);
  const { loops } = JSON.parse((await harnHere(["trace", "last", "--json"], options)).stdout);
  expect(loops).toHaveLength(1);
  expect(loops[0]).toMatchObject({ task: "Which licence?", status: "done" });
  const [first, second] = loops[0].turns;
  expect(first.steps[0]).toMatchObject({ tool_name: "ask_helper", status: "ok" });
  expect(first.steps[0].loops[0]).toMatchObject({
    task: "the licence",
    total: { input_tokens: 5, output_tokens: 3 },
  });
  expect(second.steps.map((step: { status: string }) => step.status).sort()).toEqual(["error", "rejected"]);
});

test("--full shows texts, arguments and results whole, with their lines", async () => {
  const script = join(folder, "long.harn");
  const long = "y".repeat(600);
  writeFileSync(
    script,
    `tool look(at: string) -> string {
  description "Looks."
  "first\\nsecond " + at
}
llm_mock({text: "One line.\\nAnd another.", tool_calls: [{name: "look", arguments: {at: "${long}"}}]})
llm_mock({text: "Done."})
agent_loop("Go on.", nil, {tools: look, tool_format: "native"})
`,
  );
  expect(await harnHere(["run", script], options)).toMatchObject({ stderr: "", status: 0 });
  const { stdout } = await harnHere(["trace", "last", "--full"], options);
  expect(stdout).toContain("│  ├─ “One line.\n│  │    And another.”\n");
  expect(stdout).toContain(`{"at":"${long}"}\n│     └─ → first\n│          second ${long}\n`);
  expect((await harnHere(["trace", "last"], options)).stdout).not.toContain("second");
  const call = async (...flags: string[]): Promise<object> =>
    JSON.parse((await harnHere(["trace", "last", "--json", ...flags], options)).stdout).loops[0].turns[0]
      .steps[0];
  expect(await call("--full")).toMatchObject({ tool_name: "look", result: `first\nsecond ${long}` });
  expect(await call()).not.toHaveProperty("result");
});

test("a run that was not recorded in the store, one without agents, one that does not exist", async () => {
  const journal = join(folder, "run.journal");
  await harnHere(["run", "--record", journal, program], options);
  expect((await harnHere(["trace", journal], options)).stdout).toContain("turn 3");
  const plain = join(folder, "plain.harn");
  writeFileSync(plain, "println(now_ms() > 0)\n");
  await harnHere(["run", plain], options);
  expect(await harnHere(["trace", "last"], options)).toMatchObject({
    stdout: "No agents in this run.\n",
    status: 0,
  });
  const none = await harnHere(["trace", "nothing-like-that"], options);
  expect(none.status).toBe(1);
  expect(none.stderr).not.toContain("    at ");
});

test("a run that ended in an error is shown up to there", async () => {
  const broken = join(folder, "broken.harn");
  writeFileSync(broken, 'llm_mock({text: "one"})\nagent_loop("First.")\nthrow "after it"\n');
  expect((await harnHere(["run", broken], options)).status).toBe(1);
  const { stdout, status } = await harnHere(["trace", "last"], options);
  expect(status).toBe(0);
  expect(stdout).toContain("done (natural), 1 turn");
});

test("--events writes numbered lines of JSON to standard error, nothing else there", async () => {
  const { stdout, stderr } = await harnHere(["run", "--no-record", "--events", program], options);
  expect(stdout).toBe("done\n");
  const events = stderr
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { n: number; type: string; session_id: string });
  expect(events.map(({ n }) => n)).toEqual(events.map((_, at) => at + 1));
  const types = new Set(events.map(({ type }) => type));
  for (const type of [
    "loop_start",
    "iteration_start",
    "agent_message_chunk",
    "tool_call",
    "tool_call_update",
    "usage",
    "judge_decision",
    "iteration_end",
    "loop_end",
  ])
    expect(types).toContain(type);
  expect(new Set(events.map((event) => event.session_id)).size).toBe(2);
});

test("interventions are drawn, and the tree is a document with --markdown", async () => {
  const file = join(folder, "repaired.harn");
  writeFileSync(
    file,
    `let id = agent_session_open("s")
let tools = tool_define(tool_registry(), "look", "Looks.", {parameters: {n: "int"}, handler: { _ -> agent_session_inject(id, {role: "tool", tool_call_id: "ghost", content: "forged"}); "seen" }})
llm_mock({text: "I *look*.", tool_calls: [{name: "look", arguments: {n: 1}}]})
llm_mock({text: "end"})
agent_loop("Look <once>", nil, {provider: "mock", session_id: id, tools: tools, tool_format: "native"})
`,
  );
  expect((await harnHere(["run", file], options)).status).toBe(0);
  expect((await harnHere(["trace", "last"], options)).stdout).toContain(
    "⚑ repair/result_without_call: a result had no call: it is out of view",
  );
  const { stdout, status } = await harnHere(["trace", "last", "--markdown"], options);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^# Look \\<once\\>\n\n\S+ \(mock\), 2 turns, /);
  expect(stdout).toContain('## Turn 1\n\nI \\*look\\*.\n\n- `look` `{"n":1}`: ok\n\n');
  expect(stdout).toContain("> **repair/result\\_without\\_call** a result had no call: it is out of view\n");
  expect(stdout.trimEnd().endsWith("**done** (natural)")).toBe(true);
  expect((await harnHere(["trace", "last", "--markdown", "--json"], options)).status).toBe(2);
});
