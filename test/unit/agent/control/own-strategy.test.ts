/** Issue 28, item 5: a copy of `std/agent/compaction`, with something else kept, is a strategy like the runtime's own. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withNumberedIds } from "../../../support/compacted-conversations.ts";
import { projectRoot } from "../../../support/project.ts";
import { runScript } from "../../../support/run-script.ts";

const library = readFileSync(join(projectRoot, "stdlib/agent/compaction.harn"), "utf8");

const program = (strategy: string): string => `
import { ladder, truncate, observation_mask, summarize } from "./mine"
let reader = tool_define(tool_registry(), "read_file", "Reads.", {
  parameters: {path: {type: "string"}},
  annotations: {kind: "read", side_effect_level: "read_only", path_params: ["path"]},
  handler: { args -> "text of \${args.path}: " + "line after line ".repeat(40) },
})
for n in 1 to 30 { llm_mock({tool_calls: [{name: "read_file", arguments: {path: "src/f\${n}.ts"}}]}) }
llm_mock({text: "Done."})
let r = agent_loop("Look at the files.", nil, {
  provider: "mock", session_id: "s", tool_format: "native", loop_until_done: true, tools: reader,
  compaction: {strategy: ${strategy}, max_input_tokens: 4000, summarizer: false},
})
println(r.status)
println(json_stringify([r.transcript.messages, r.transcript.compaction_plan.actions]))
for i in agent_interventions("s") { println([i.turn, i.kind, i.rule, i.reason]) }
`;

async function outcome(strategy: string, mine = library): Promise<string> {
  const run = await runScript(program(strategy), { files: { "mine.harn": mine } });
  expect(run.error).toBe("");
  return withNumberedIds(run.stdout);
}

test("an unchanged copy does what the runtime does", async () => {
  const usual = await outcome('"ladder"');
  expect(usual).toMatch(/^done\n/);
  expect(usual).toContain("compaction, soft");
  expect(await outcome("ladder")).toBe(usual);
});

test("a copy that keeps something else keeps it", async () => {
  const kept = library.replace(
    'g.kind != "summary" })\n  let ids',
    'g.kind != "summary" && !g.results.any({ r -> r.text.contains("src/f2.ts") }) })\n  let ids',
  );
  expect(kept).not.toBe(library);
  const [usual, own] = [await outcome('"ladder"'), await outcome("ladder", kept)];
  expect(own).toMatch(/^done\n/);
  expect(own).not.toContain("steps are refused");
  const said = "text of src/f2.ts: line after line";
  expect([usual.includes(said), own.includes(said)]).toEqual([false, true]);
});

test.each(["truncate", "observation_mask", "summarize"])("a copy of %s is carried out", async (name) => {
  const own = await outcome(name);
  expect(own).toMatch(/^done\n/);
  expect(own).toContain("compaction, soft");
  expect(own).not.toContain("steps are refused");
});

test.each([
  ["id", '{by: "drop", id: ["msg_2"]}', 'step 1: unknown option "id", did you mean "ids"?'],
  ["until", '{by: "drop", ids: [], until: "soon"}', 'step 1: until: expected float, got string "soon"'],
  ["ends", '{by: "drop", ids: [], ends: 50}', 'step 1: ends: expected nil beside `by: "drop"`, got int 50'],
  [
    "text",
    '{by: "clear", ids: [], ends: 50, text: "x"}',
    "step 1: ends: expected nil beside `text`, got int 50",
  ],
  ["ids", '{by: "drop", ids: ["a", nil]}', "step 1: ids[1]: expected string, got nil"],
])("a step whose %s nobody can read is refused, and says so", async (_, step, words) => {
  const own = await outcome(`{ _messages, _room -> [${step}] }`);
  expect(own).toMatch(/^done\n/);
  expect(own).toContain(`the strategy's steps are refused, the usual one takes its place: ${words}`);
});

test.each(["mask", "clear", "summarize", "drop"])("a step %s that names nothing does nothing", async (by) => {
  const own = await outcome(`{ messages, room -> [{by: "${by}"}] + ladder(messages, room) }`);
  expect(own).toMatch(/^done\n/);
  expect(own).not.toContain("steps are refused");
});
