/** Loops under the parts of the control plane, with models that answer anything. */
import fc from "fast-check";
import { isSound } from "../../src/agent/context/repair/examine.ts";
import { thrown } from "../../src/values/index.ts";
import { agentRun, fn, type Plain, tool } from "./agent-run.ts";

/** Each part, as it is switched on. */
export const controlParts: Readonly<Record<string, () => Record<string, Plain>>> = {
  completion: () => ({ completion: { require_work_complete: true } }),
  evidence: () => ({ completion: { evidence: "cited" } }),
  stall: () => ({ stall: { threshold: 2 } }),
  jit: () => ({ jit: true }),
  ladder: () => ({ compaction: { strategy: "ladder", max_input_tokens: 900, summarizer: false } }),
  truncate: () => ({ compaction: { strategy: "truncate", keep_last_n: 3 }, compact_threshold: 200 }),
  provider: () => ({ context_providers: [{ id: "own", provide: fn(() => "where you are") }] }),
  hook: () => ({ hooks: { agent_stop: [fn(() => ({ decision: "allow" }))] } }),
};

const said: Readonly<Record<string, Plain>> = {
  call: { tool_calls: [{ name: "good", arguments: { x: "1" } }] },
  other: { tool_calls: [{ name: "good", arguments: { x: "2" } }] },
  fails: { tool_calls: [{ name: "bad", arguments: {} }] },
  breaks: { tool_calls: [{ name: "breaks", arguments: {} }] },
  claim: { tool_calls: [{ name: "work_complete", arguments: { summary: "Done." } }] },
  cited: { tool_calls: [{ name: "work_complete", arguments: { summary: "Done.", evidence: ["good"] } }] },
  both: {
    tool_calls: [
      { name: "bad", arguments: {} },
      { name: "work_complete", arguments: { summary: "Done." } },
    ],
  },
  text: { text: "I think so." },
  empty: { text: "" },
};

/** What a model says, turn by turn; it repeats the last for ever where `stubborn`. */
export const modelWeather = fc.record({
  answers: fc.array(fc.constantFrom(...Object.keys(said)), { minLength: 1, maxLength: 12 }),
  stubborn: fc.boolean(),
});

export interface ControlledRun {
  readonly result: Plain;
  readonly calls: readonly Plain[];
  /** Every request was one that a vendor takes. */
  readonly sound: boolean;
}

/** Runs a loop with these options, at most `turns` long. */
export async function controlledRun(
  options: Record<string, Plain>,
  { answers, stubborn }: { readonly answers: readonly string[]; readonly stubborn: boolean },
  turns: number,
): Promise<ControlledRun> {
  const run = agentRun();
  const last = answers.at(-1) as string;
  const all = stubborn ? [...answers, ...Array.from({ length: turns }, () => last)] : answers;
  run.mock(...all.map((name) => said[name]));
  run.builtin("agent_session_open", "s");
  const result = await run.loop("the task", {
    session_id: "s",
    tools: [
      tool("good", (args) => `fine ${args.x} ${"word ".repeat(60)}`),
      tool("bad", () => {
        throw thrown("it broke");
      }),
      tool("breaks", () => {
        run.builtin("agent_session_inject", "s", { role: "tool", tool_call_id: "ghost", content: "forged" });
        run.builtin("agent_session_inject", "s", { role: "assistant", content: "" });
        return "broken";
      }),
    ],
    tool_format: "native",
    loop_until_done: true,
    max_iterations: turns,
    llm_retries: 0,
    ...options,
  });
  const calls = run.calls();
  const reader = { message: (message: Plain) => message, fits: () => true };
  return { result, calls, sound: calls.every((call: Plain) => isSound(call.messages, 0, reader)) };
}
