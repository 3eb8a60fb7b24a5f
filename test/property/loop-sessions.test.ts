/**
 * What goes out is sound, whatever happens to a session while a loop runs on it (issue 12, 10): tools, hooks and callbacks
 * inject, reset, trim, compact, fork; other loops want the same session at the same time, from outside and from inside of
 * it. Every request: each call answered once, in order, right behind its message; no result without a call.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { awaitHandle, spawnTask, type Task } from "../../src/interp/index.ts";
import { loadAgentLoop } from "../../src/skills/index.ts";
import { ScriptError, type Value } from "../../src/values/index.ts";
import { agentRun, fn, options, type Plain, raw } from "../support/agent-run.ts";

const acts = [
  "nothing",
  "inject",
  "forge",
  "feedback",
  "reset",
  "trim",
  "compact",
  "fork",
  "inner",
  "inner fork",
  "throw",
] as const;
type Act = (typeof acts)[number];

interface Weather {
  readonly format: string;
  readonly meddle: readonly Act[];
  readonly between: readonly Act[];
  readonly batch: number;
  readonly turns: number;
  readonly loops: number;
  readonly concurrent: number;
}

const weather: fc.Arbitrary<Weather> = fc.record({
  format: fc.constantFrom("native", "text"),
  meddle: fc.array(fc.constantFrom(...acts), { minLength: 1, maxLength: 8 }),
  between: fc.array(fc.constantFrom(...acts), { minLength: 1, maxLength: 5 }),
  batch: fc.integer({ min: 1, max: 3 }),
  turns: fc.integer({ min: 1, max: 4 }),
  loops: fc.integer({ min: 1, max: 3 }),
  concurrent: fc.integer({ min: 1, max: 2 }),
});

/** As vendors want it. Gives how many calls there were. */
function checkRequest(messages: readonly Plain[]): void {
  let open: string[] = [];
  for (const message of messages) {
    const resultOf = message.tool_call_id ?? message.tool_use_id;
    if (message.role === "tool" || message.role === "tool_result") {
      expect(open.shift()).toBe(resultOf);
      continue;
    }
    expect(open).toEqual([]);
    open = (message.tool_calls ?? []).map((call: Plain) => call.id);
  }
  expect(open).toEqual([]);
  expect(messages.length).toBeGreaterThan(0);
}

async function act(run: ReturnType<typeof agentRun>, task: Task, what: Act): Promise<void> {
  switch (what) {
    case "nothing":
      return;
    case "inject":
      return run.builtin("agent_session_inject", "s", { role: "user", content: "psst" });
    case "forge":
      return run.builtin("agent_session_inject", "s", {
        role: "tool",
        tool_call_id: "mock_call_1",
        content: "x",
      });
    case "feedback":
      return run.builtin("agent_inject_feedback", "s", "note", "psst");
    case "reset":
      return run.builtin("agent_session_reset", "s");
    case "trim":
      return run.builtin("agent_session_trim", "s", 1);
    case "compact":
      return void run.builtin("agent_session_trim", "s", 0);
    case "fork":
      return run.builtin("agent_session_fork", "s");
    case "throw":
      throw new ScriptError("thrown", "a tool threw");
    case "inner":
    case "inner fork": {
      const { runAgentLoop } = await loadAgentLoop();
      const entries = { provider: "mock", session_id: "s", session_busy: what === "inner" ? null : "fork" };
      const call = {
        prompt: "inner",
        system: null,
        options: options({ ...entries, max_iterations: 1 }),
        caller: "agent_loop",
      };
      try {
        await runAgentLoop(task, call);
        expect(what).toBe("inner fork");
      } catch (error) {
        expect((error as ScriptError).category).toBe("session_busy");
      }
    }
  }
}

test("every request is sound", () =>
  fc.assert(
    fc.asyncProperty(weather, async (w) => {
      const run = agentRun();
      const { runAgentLoop } = await loadAgentLoop();
      let at = 0;
      let between = 0;
      const calls = Array.from({ length: w.batch }, () => ({ name: "meddle", arguments: {} }));
      for (let n = 0; n < w.loops * w.turns + 6; n++)
        run.mock(
          n % (w.turns + 1) === w.turns
            ? { text: "done" }
            : w.format === "native"
              ? { tool_calls: calls }
              : { text: "<tool_call>meddle({})</tool_call>" },
        );
      const meddle = options({
        name: "meddle",
        description: "Meddles.",
        parameters: {},
        handler: raw(async (task): Promise<Value> => {
          await act(run, task, w.meddle[at++ % w.meddle.length] as Act);
          return "seen";
        }),
      });
      const entries = options({
        provider: "mock",
        session_id: "s",
        tools: [meddle],
        tool_format: w.format,
        max_iterations: w.turns + 2,
        max_concurrent_tools: w.concurrent,
        post_turn_callback: fn(() => {
          const what = w.between[between++ % w.between.length] as Act;
          if (!what.startsWith("inner") && what !== "throw") void act(run, run.task, what);
          return null;
        }),
      });
      const one = (task: Task, prompt: string): Promise<Value> =>
        runAgentLoop(task, { prompt, system: null, options: entries, caller: "agent_loop" });
      const handles = Array.from({ length: w.loops - 1 }, (_, n) =>
        spawnTask(run.task, (task) => one(task, `beside ${n}`)),
      );
      await one(run.task, "first");
      for (const handle of handles) await awaitHandle(run.task, handle);
      for (const { messages } of run.calls()) checkRequest(messages);
    }),
    { numRuns: 300 },
  ));
