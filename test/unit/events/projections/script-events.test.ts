/** What script subscribers are told of an event (agents.md §4.2). */
import { expect, test } from "vitest";
import {
  type EmittedEvent,
  type RunEventType,
  scriptEvents,
  scriptTypes,
} from "../../../../src/events/index.ts";
import { Dict, jsonStringify } from "../../../../src/values/index.ts";
import {
  loopEnd,
  loopStart,
  named,
  report,
  retry,
  toolEnd,
  toolStart,
  turnEnd,
  usage,
} from "../../../support/run-event.ts";

const shown = (event: EmittedEvent): unknown[] =>
  scriptEvents(event).map((dict) => JSON.parse(jsonStringify(dict)));

const table: readonly (readonly [string, EmittedEvent, readonly unknown[]])[] = [
  ["a loop begins: nothing", report("loop.start", loopStart), []],
  ["a loop ends: nothing", report("loop.end", loopEnd), []],
  ["streamed text: nothing, the whole message comes", report("message.delta", { text: "x" }), []],
  ["tokens: nothing", report("usage", usage), []],
  ["a retry: nothing", report("retry", retry), []],
  [
    "a turn begins",
    report("turn.start", { provider: "mock", model: "m" }),
    [{ iteration: 3, provider: "mock", model: "m", type: "iteration_start", session_id: "s2" }],
  ],
  [
    "a turn ends",
    report("turn.end", turnEnd),
    [
      {
        iteration: 3,
        iteration_info: {
          tool_count: 1,
          text: "said",
          provider: "mock",
          model: "m",
          response_ms: 5,
          input_tokens: 7,
          output_tokens: 2,
          thinking_chars: 0,
          cost_usd: 0,
          wall_clock_ms: 6,
        },
        type: "iteration_end",
        session_id: "s2",
      },
    ],
  ],
  [
    "a message of the model",
    report("message.end", { message: "msg_2", role: "assistant", text: "Hi" }),
    [{ content: "Hi", type: "agent_message_chunk", session_id: "s2" }],
  ],
  ["a message without text", report("message.end", { message: "msg_2", role: "assistant", text: "" }), []],
  ["a message of somebody else", report("message.end", { message: "msg_1", role: "user", text: "Do" }), []],
  [
    "a thought",
    report("thought.end", { text: "hm" }),
    [{ content: "hm", type: "agent_thought_chunk", session_id: "s2" }],
  ],
  [
    "a call begins: two events",
    report("tool.start", toolStart),
    [
      {
        tool_call_id: "call_1",
        tool_name: "look",
        kind: "read",
        status: "pending",
        raw_input: { path: "/a" },
        type: "tool_call",
        session_id: "s2",
      },
      {
        tool_call_id: "call_1",
        tool_name: "look",
        status: "in_progress",
        type: "tool_call_update",
        session_id: "s2",
      },
    ],
  ],
  [
    "a call ends well",
    report("tool.end", toolEnd),
    [
      {
        tool_call_id: "call_1",
        tool_name: "look",
        status: "completed",
        raw_input: { path: "/a" },
        raw_output: "found",
        execution_duration_ms: 12,
        executor: { kind: "harn_builtin" },
        type: "tool_call_update",
        session_id: "s2",
      },
    ],
  ],
  [
    "a call of a server fails",
    report("tool.end", {
      ...toolEnd,
      status: "error",
      error: "no",
      category: "tool_error",
      executor: "mcp_server",
      server: "git",
    }),
    [
      {
        tool_call_id: "call_1",
        tool_name: "look",
        status: "failed",
        raw_input: { path: "/a" },
        raw_output: "found",
        error: "no",
        error_category: "tool_error",
        execution_duration_ms: 12,
        executor: { kind: "mcp_server", server_name: "git" },
        type: "tool_call_update",
        session_id: "s2",
      },
    ],
  ],
  [
    "a refused call has no executor",
    report("tool.end", { ...toolEnd, status: "rejected", error: "denied", executor: null }),
    [
      {
        tool_call_id: "call_1",
        tool_name: "look",
        status: "failed",
        raw_input: { path: "/a" },
        raw_output: "found",
        error: "denied",
        execution_duration_ms: 12,
        type: "tool_call_update",
        session_id: "s2",
      },
    ],
  ],
  [
    "an event under a name of its own",
    report("trace", named("cache_hit", Dict.of({ key: "k" }))),
    [{ key: "k", type: "cache_hit", session_id: "s2" }],
  ],
  [
    "one that only agent_trace() lists",
    report("trace", named("schema_retry", Dict.of({ attempt: 1 }), { live: false, listed: "schema_retry" })),
    [],
  ],
  [
    "a decision",
    report("decision", {
      ...named("judge_decision", Dict.of({ verdict: "done" })),
      about: "judge",
      verdict: "done",
      why: "",
      by: "judge",
      considered: [],
    }),
    [{ verdict: "done", type: "judge_decision", session_id: "s2" }],
  ],
];

test.each(table)("%s", (_what, event, expected) => {
  expect(shown(event)).toEqual(expected);
});

test("types that scripts may be told of are those that give something", () => {
  const giving = new Set<RunEventType>(
    table.filter(([, event]) => shown(event).length > 0).map(([, event]) => event.type),
  );
  for (const type of giving) expect(scriptTypes.has(type), type).toBe(true);
  for (const [, event] of table) if (!scriptTypes.has(event.type)) expect(shown(event)).toEqual([]);
});
