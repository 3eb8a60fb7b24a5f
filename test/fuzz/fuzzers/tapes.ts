/** Files with written answers of models, which `harn run --tape`, `--llm-mock` and `harn test` read. */
import { join } from "node:path";
import type { Dice } from "../../support/fuzz-text.ts";
import { damageJsonLines } from "../damage.ts";
import type { Fuzzer } from "../fuzzer.ts";
import { bytesOf, harnHere, writeFiles } from "../in-folder.ts";

const lines: readonly object[] = [
  {
    text: "I look at it.",
    tool_calls: [{ name: "look", args: { path: "a.txt" } }],
    match: "*Go*",
    input_tokens: 6,
  },
  {
    text: "Two.",
    tool_calls: [
      { name: "look", args: "{bad" },
      { id: "c2", name: "add", args: { a: 1, b: [2] } },
    ],
  },
  { text: "Thought.", thinking: "hm", thinking_summary: "h", stop_reason: "tool_use", output_tokens: 41 },
  { error: { category: "rate_limit", message: "slow down", retry_after_ms: 1, status: 429 } },
  { error: { kind: "permanent", category: "auth", message: "no", reason: "auth_failed" } },
  { text: '{"a": 1}', model: "gpt-4o", provider: "openai", cache_read_tokens: 5, cache_write_tokens: 2 },
  {
    blocks: [
      { type: "text", text: "x" },
      { type: "tool_use", id: "a", name: "look", input: {} },
    ],
    logprobs: [],
  },
  { text: "Done. <done>", match: "*", consume_match: true },
];

const program = `
fn tools() {
  var r = tool_define(tool_registry(), "look", "Looks.", {parameters: {path: {type: "string"}}, handler: { a -> "seen" }})
  return tool_define(r, "add", "Adds.", {parameters: {a: {type: "integer"}}, handler: { a -> a.a }})
}
fn shown(f) { try { println(f()) } catch e { println("caught: \${e}") } }
shown({ -> agent_loop("Go", nil, {tools: tools(), loop_until_done: true, max_iterations: 6, llm_retries: 0}) })
shown({ -> llm_call("Next", nil, {}) })
shown({ -> llm_call("As JSON", nil, {output_schema: {type: "object", properties: {a: {type: "integer"}}}}) })
shown({ -> agent_loop("Again", nil, {tools: tools(), tool_format: "text", max_iterations: 3, llm_retries: 0}) })
`;

function tape(dice: Dice): string {
  const chosen = Array.from({ length: 1 + dice.below(6) }, () => JSON.stringify(dice.pick(lines)));
  const head =
    dice.below(2) === 0 ? [JSON.stringify({ tape: 1, title: "t", provider: "tape", model: "tape" })] : [];
  return bytesOf(damageJsonLines(dice, [...head, ...chosen]));
}

export const tapes: Fuzzer = {
  name: "tapes",
  make: (dice) => ({ flag: dice.pick(["--tape", "--llm-mock"]), tape: tape(dice) }),
  run: async (input, folder) => {
    writeFiles(folder, { "main.harn": program, "tape.jsonl": input.tape! });
    await harnHere("run", input.flag!, join(folder, "tape.jsonl"), join(folder, "main.harn"));
    return "";
  },
};
