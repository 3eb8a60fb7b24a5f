/**
 * Issue 6, "Bad input": callbacks that give what they must not, and hooks that raise late in a long session. A wrong type
 * is an error of the script that names the callback; what a hook raises is told and survived. Either way the session
 * is intact: the next loop on it has its history and ends.
 */
import { describe, expect, test } from "vitest";
import { hookTopics } from "../../../../src/agent/index.ts";
import { ScriptError, thrown, uncaughtText } from "../../../../src/values/index.ts";
import { type AgentRun, agentRun, fn, type Plain, tool } from "../../../support/agent-run.ts";

const echo = () => tool("echo", (args) => `echoed ${args.x}`);
const base = () => ({
  session_id: "s",
  tools: [echo()],
  tool_format: "native",
  loop_until_done: true,
  max_iterations: 3,
});
const answers: readonly Plain[] = [{ tool_calls: [{ name: "echo", arguments: { x: "1" } }] }, "done"];

async function goesOn(run: AgentRun): Promise<void> {
  run.builtin("llm_mock_clear");
  run.mock("again");
  const next = await run.loop("And now?", { session_id: "s", tool_format: "native" });
  expect(next.status).toBe("done");
  const { messages } = next.transcript;
  expect(messages[0].content).toBe("Go.");
  const results = messages.filter((message: Plain) => message.role === "tool");
  const calls = messages.flatMap((message: Plain) => message.tool_calls ?? []);
  expect(results.map((message: Plain) => message.tool_call_id)).toEqual(calls.map((call: Plain) => call.id));
}

/** The text of the script's error that a loop ends with. */
async function errorOf(loop: Promise<Plain>): Promise<string> {
  try {
    await loop;
  } catch (error) {
    if (error instanceof ScriptError) return uncaughtText(error);
    throw error;
  }
  return "";
}

const bad = [7, true, ["a"], { nonsense: 1 }, "text"] as const;
const accepted: Readonly<Record<string, readonly unknown[]>> = {
  verify_completion: [true, { nonsense: 1 }, "text"],
  post_turn_callback: [true, { nonsense: 1 }, "text"],
  loop_control: [{ nonsense: 1 }],
  context_callback: [{ nonsense: 1 }],
  message_decorator: ["text"],
};

describe.each(Object.keys(accepted))("%s", (name) => {
  const wrong = bad.filter(
    (value) => !accepted[name]?.some((one) => JSON.stringify(one) === JSON.stringify(value)),
  );
  test.each(wrong.map((value) => [JSON.stringify(value), value] as const))(
    "gives %s",
    async (_shown, value) => {
      const run = agentRun();
      run.mock(...answers);
      expect(await errorOf(run.loop("Go.", { ...base(), [name]: fn(() => value) }))).toContain(name);
      await goesOn(run);
    },
  );

  test("raises", async () => {
    const run = agentRun();
    run.mock(...answers);
    const failing = fn(() => {
      throw thrown("broken callback");
    });
    expect(await errorOf(run.loop("Go.", { ...base(), [name]: failing }))).toContain("broken callback");
    await goesOn(run);
  });
});

const odd = [
  "not json",
  "[]",
  "{}",
  '{"verdict": 7}',
  '{"verdict": ""}',
  '{"verdict": {"done": true}}',
  "null",
];
const judges = ["done_judge", "verify_completion_judge", "step_judge"];

describe.each(judges)("%s", (name) => {
  test.each(odd)("answers %s: the loop ends in its limits or goes on, the session stays", async (answer) => {
    const run = agentRun();
    run.mock("finished", answer, "finished again", answer, "finished at last", answer);
    const result = await run.loop("Go.", { ...base(), [name]: { max_invocations: 2, max_attempts: 2 } });
    const status = name === "step_judge" ? ["done"] : ["budget_exhausted", "verify_capped"];
    expect(status).toContain(result.status);
    await goesOn(run);
  });
});

describe("a hook that raises two thirds of the way through forty turns", () => {
  test.each(hookTopics)("%s", async (topic) => {
    const run = agentRun();
    const turns = 40;
    for (let n = 0; n < turns - 1; n++)
      run.mock({ tool_calls: [{ name: "echo", arguments: { x: `${n}` } }] });
    run.mock("done", "done", "done");
    let fired = 0;
    const raised: string[] = [];
    const late = fn(() => {
      if (++fired === 27 || topic.startsWith("on_")) throw thrown("late trouble");
      return null;
    });
    const hooks = { on_error: fn((payload) => void raised.push(payload.error)), [topic]: late };
    const result = await run.loop("Go.", { ...base(), max_iterations: 60, max_nudges: 9, hooks });
    expect([result.status, result.stop_reason]).toEqual(["done", "natural"]);
    if (!topic.startsWith("on_")) expect(raised).toEqual([expect.stringContaining("late trouble")]);
    await goesOn(run);
  });
});
