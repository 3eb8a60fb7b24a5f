/** One misspelt option at each depth: `harn check` reports every one with a suggestion, a run warns or stops. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { harnHere } from "../../support/harn-here.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("options");

const program = `let options = {provider: "mock", tool_retrys: 1, done_judge: {cadense: {}}, step_judge: {on_vetoo: "retain"}}
llm_mock({text: "##DONE##"})
println(agent_loop("x", nil, options).status)
llm_mock({text: "##DONE##", tool_calls: []})
println(agent_loop("x", nil, {provider: "mock", done_judge: {cadence: {evry: 2}}, llm_options: {route_policy: false}}).status)
let entry = { -> workflow_graph({nodes: {a: {model_policy: {done_judge: {cadence: {evry: 2}}}}}}).entry }
println(entry())
let strict = { -> agent_loop("x", nil, {provider: "mock", limit: {tokens: 3}}) }
println(try { strict() } catch e { e })
println(try { agent_loop("x", nil, {provider: "mock", iteration_budget: {consecutive_failures: {maxx: 1}}}) } catch e { e })
println(try { agent_loop("x", nil, {provider: "mock", on_event: 3}) } catch e { e })
println(try { http_get("https://a.test/", {timeout_ms: "soon", _note: 1}) } catch e { e })
`;

writeFileSync(join(folder, "options.harn"), program);
const run = async (...args: string[]) =>
  await harnHere(args, { cwd: folder, env: { XDG_CACHE_HOME: join(folder, "cache") } });

/** The path of a dict and the name of a key in it, as messages show them. */
function unknown(path: string): string {
  const [key, ...outer] = path.split(".").reverse();
  return `: ${outer.length === 0 ? "" : `${outer.reverse().join(".")}: `}unknown option "${key}"`;
}

test("harn check reports each, with a suggestion", async () => {
  const { status, stderr } = await run("check", "options.harn");
  expect(status).toBe(1);
  for (const [path, hint] of [
    ["tool_retrys", "tool_retries"],
    ["done_judge.cadense", "cadence"],
    ["step_judge.on_vetoo", "on_veto"],
    ["done_judge.cadence.evry", "every"],
    ["nodes.a.model_policy.done_judge.cadence.evry", "every"],
    ["limit", "limits"],
    ["iteration_budget.consecutive_failures.maxx", "max"],
  ]) {
    expect(stderr).toContain(unknown(path as string));
    expect(stderr).toContain(`did you mean "${hint}"?`);
  }
  expect(stderr).toContain("http_get: timeout_ms: expected int | duration | float, got string");
  expect(stderr).not.toContain('unknown option "_note"');
});

test("a run warns once of each, and stops at those that bound something", async () => {
  const { stdout, stderr } = await run("run", "--no-record", "options.harn");
  expect(stdout.trimEnd().split("\n")).toEqual([
    // The judge of the mock vetoes.
    "verify_exhausted",
    "verify_exhausted",
    "a",
    'agent_loop: unknown option "limit", did you mean "limits"?',
    'agent_loop: iteration_budget.consecutive_failures: unknown option "maxx", did you mean "max"?',
    "agent_loop: on_event: expected closure, got int 3",
    'http_get: timeout_ms: expected int | duration | float, got string "soon"',
  ]);
  for (const path of [
    "tool_retrys",
    "done_judge.cadense",
    "step_judge.on_vetoo",
    "done_judge.cadence.evry",
    "nodes.a.model_policy.done_judge.cadence.evry",
  ])
    expect(stderr.split(unknown(path)).length - 1).toBe(1);
});

test("harn doc lists every option of a loop", async () => {
  const { stdout } = await run("doc", "agent_loop");
  expect(stdout).toContain(
    "  max_concurrent_tools: int = 1\n      Tool calls of a turn that run at once. At least 1.",
  );
  expect(stdout).toContain("  iteration_budget.consecutive_failures.paused_for_ms: float = 0.0\n");
});
