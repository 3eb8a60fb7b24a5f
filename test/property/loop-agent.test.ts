/**
 * Whole agent loops under random weather: what models answer (calls of all kinds, broken ones, failures, silence), what
 * handlers do, what hooks and callbacks say, which limits there are. Whatever happens: a documented status, a
 * conversation that a vendor would accept, an event log that gives back the state, counts that agree with it.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { replayEvents } from "../../src/agent/contract/index.ts";
import { loadAgentLoop } from "../../src/skills/index.ts";
import { thrown, toJson } from "../../src/values/index.ts";
import { agentRun, fn, options, type Plain, tool } from "../support/agent-run.ts";
import { viewOf } from "../support/control-view.ts";

const statuses = new Set([
  "done",
  "stuck",
  "budget_exhausted",
  "verify_capped",
  "verify_exhausted",
  "provider_error",
  "suspended",
  "failed",
  "incomplete",
]);

const call = (name: string, x = "1"): Plain => ({ name, arguments: { x } });
const answers: readonly Plain[] = [
  { text: "" },
  { text: "thinking aloud" },
  { text: "finished ##DONE##" },
  { text: "<done>##DONE##</done>" },
  { text: "<tool_call>good({ x: 'a' })</tool_call>" },
  { text: "<tool_call>good({ x: </tool_call> <tool_call>good(" },
  { text: "<assistant_prose>hm</assistant_prose> stray <tool_call>nope({})</tool_call>" },
  { tool_calls: [call("good")] },
  { tool_calls: [call("good"), call("bad"), call("good", "2")] },
  { tool_calls: [call("nope"), { name: "strict", arguments: {} }] },
  { tool_calls: [call("good"), call("good")], text: "two of them" },
  { error: { category: "auth", message: "no" } },
  { error: { category: "rate_limit", message: "slow down" } },
  { text: '{"verdict":"continue","next_step":"more"}' },
  { text: '{"verdict":"done"}' },
];

interface Weather {
  readonly answers: readonly number[];
  readonly format: string;
  readonly tools: boolean;
  readonly until: boolean;
  readonly max: number;
  readonly concurrent: number;
  readonly fallback: string;
  readonly judge: number;
  readonly meddle: readonly number[];
  readonly toolLimit: number | null;
  readonly required: boolean;
}

const weather: fc.Arbitrary<Weather> = fc.record({
  answers: fc.array(fc.nat(answers.length - 1), { maxLength: 25 }),
  format: fc.constantFrom("native", "text"),
  tools: fc.boolean(),
  until: fc.boolean(),
  max: fc.integer({ min: 1, max: 12 }),
  concurrent: fc.integer({ min: 1, max: 3 }),
  fallback: fc.constantFrom("allow", "allow_once", "reject"),
  judge: fc.nat(4),
  meddle: fc.array(fc.nat(12), { minLength: 1, maxLength: 12 }),
  toolLimit: fc.option(fc.nat(6)),
  required: fc.boolean(),
});

function hooksOf(meddle: readonly number[]): Plain {
  let at = 0;
  const one = (payload: Plain): Plain => {
    switch (meddle[at++ % meddle.length]) {
      case 0:
        throw thrown("hook");
      case 1:
        return { skip: true };
      case 2:
        return { pause: "review" };
      case 3:
        return {
          payload: {
            ...payload,
            call: { id: "x", name: "good", arguments: { x: "hooked" } },
            plan: 3,
            result: null,
          },
        };
      case 4:
        return 7;
      default:
        return null;
    }
  };
  const topics = [
    "before_plan",
    "after_plan",
    "before_step",
    "after_step",
    "before_tool_call",
    "after_tool_call",
    "on_error",
    "on_pause",
  ];
  return Object.fromEntries(topics.map((topic) => [topic, fn(one)]));
}

async function session(w: Weather, hooked: boolean): Promise<void> {
  const run = agentRun();
  run.mock(...w.answers.map((n) => answers[n]));
  const tools = [
    tool("good", (args) => `good ${args.x}`),
    tool("bad", () => {
      throw thrown("bad handler");
    }),
    tool("strict", () => 1, { parameters: { path: { type: "string" } } }),
  ];
  const events: Plain[] = [];
  const entries = options({
    provider: "mock",
    session_id: "s",
    tools: w.tools ? tools : null,
    tool_format: w.format,
    loop_until_done: w.until,
    max_iterations: w.max,
    max_nudges: 3,
    llm_retries: 0,
    max_concurrent_tools: w.concurrent,
    native_tool_fallback: w.fallback,
    stall_diagnostics: true,
    done_judge: w.judge === 1 ? { max_invocations: 2 } : w.judge === 2,
    verify_completion_judge: w.judge === 3,
    step_judge: w.judge === 4,
    limits: w.toolLimit === null ? null : { tool_calls: w.toolLimit },
    require_successful_tools: w.required ? ["good"] : null,
    on_event: fn((event) => void events.push(event)),
    hooks: hooked ? hooksOf(w.meddle) : null,
  });
  const { runAgentLoop } = await loadAgentLoop();
  const result: Plain = toJson(
    await runAgentLoop(run.task, { prompt: "go", system: null, options: entries, caller: "agent_loop" }),
  );
  expect(statuses).toContain(result.status);
  expect(result.llm.iterations).toBeLessThanOrEqual(w.max);
  checkEvents(events, result);
  checkMessages(result.transcript.messages);
  // The session is intact: the next loop on it repairs what a stop left open, and answers.
  run.builtin("agent_session_inject", "s", { role: "user", content: "again" });
  const next = toJson(
    await runAgentLoop(run.task, {
      prompt: "and now",
      system: null,
      options: options({ provider: "mock", session_id: "s", llm_retries: 0, max_iterations: 1 }),
      caller: "agent_loop",
    }),
  ) as Plain;
  checkMessages(next.transcript.messages);
}

function checkEvents(events: readonly Plain[], result: Plain): void {
  expect(events.map((event) => event.n)).toEqual(events.map((_, n) => n));
  const count = (type: string): number => events.filter((event) => event.type === type).length;
  expect([count("session.start"), count("session.complete")]).toEqual([1, 1]);
  expect(events.at(-1).type).toBe("session.complete");
  // Of a call that a hook refused only the error is told.
  expect(count("tool.call")).toBeLessThanOrEqual(count("tool.result") + count("tool.error"));
  expect(count("step.start") - count("step.end")).toBeLessThanOrEqual(1);
  expect(result.trace.tool_executions).toBe(count("tool.result") + count("tool.error"));
}

/** As vendors want it: every native call is answered behind its message, no answer without a call. */
function checkMessages(messages: readonly Plain[]): void {
  let open = new Set<string>();
  for (const message of messages) {
    if (message.role === "tool") {
      expect(open.delete(message.tool_call_id)).toBe(true);
      continue;
    }
    expect([...open]).toEqual([]);
    open = new Set((message.tool_calls ?? []).map((one: Plain) => one.id));
  }
  expect([...open]).toEqual([]);
}

test("loops end in a documented status with the session intact", async () => {
  await fc.assert(
    fc.asyncProperty(weather, (w) => session(w, false)),
    { numRuns: 120 },
  );
});

test("also when hooks change, skip, throw, pause and answer nonsense", async () => {
  await fc.assert(
    fc.asyncProperty(weather, (w) => session(w, true)),
    { numRuns: 120 },
  );
});

test("one session lives through a thousand turns of it", async () => {
  const run = agentRun();
  const entries = answers.filter((entry) => !entry.text?.includes("verdict"));
  for (let n = 0; n < 1000; n++) run.mock(entries[(n * 7 + (n >> 3)) % entries.length]);
  const events: Plain[] = [];
  const tools = [
    tool("good", (args) => `good ${args.x}`),
    tool("bad", () => {
      throw thrown("bad handler");
    }),
    tool("strict", () => 1, { parameters: { path: { type: "string" } } }),
  ];
  const meddle = hooksOf([9, 8, 0, 7, 1, 6, 9, 9, 3, 5, 9, 4, 9]);
  const { before_tool_call, after_tool_call, after_step, on_error } = meddle;
  const result = await run.loop("go", {
    session_id: "s",
    tools,
    tool_format: "native",
    loop_until_done: true,
    done_sentinel: "NEVER",
    max_iterations: 1001,
    max_nudges: 1000,
    llm_retries: 0,
    max_concurrent_tools: 2,
    iteration_budget: { max: 1001, consecutive_failures: { max: 9 } },
    compaction: "truncate",
    compact_threshold: 3000,
    stall_diagnostics: true,
    on_event: fn((event) => void events.push(event)),
    hooks: { before_tool_call, after_tool_call, after_step, on_error },
  });
  // The last turn may be one that says nothing.
  expect(["max_iterations", "empty_answer"]).toContain(result.stop_reason);
  expect(events.filter((event) => event.type === "step.start").length).toBe(1001);
  checkEvents(events, result);
  checkMessages(result.transcript.messages);
  expect(viewOf(replayEvents(events)).turns).toBe(1001);
});
