/** What `harn run --events` prints of an event, and what the event log keeps of it. */
import { describe, expect, test } from "vitest";
import { type EmittedEvent, eventLineTexts, mirroredEvents } from "../../../../src/events/index.ts";
import { Dict } from "../../../../src/values/index.ts";
import {
  loopEnd,
  loopStart,
  named,
  report,
  retry,
  toolEnd,
  toolStart,
  usage,
} from "../../../support/run-event.ts";

const totals = { input_tokens: 9, output_tokens: 4, cost_usd: null };

const table: readonly (readonly [string, EmittedEvent, readonly unknown[], readonly string[]])[] = [
  [
    "a loop below a call",
    report("loop.start", loopStart),
    [
      {
        type: "loop_start",
        session_id: "s2",
        parent_session_id: "s1",
        parent_tool_call: { session: "s1", turn: 1, index: 0 },
        task: "Count",
        provider: "mock",
        model: "m",
        tool_format: "native",
      },
    ],
    [],
  ],
  [
    "an outermost loop",
    report("loop.start", { ...loopStart, parent_session: null, parent_tool_call: null }, { parent: null }),
    [
      {
        type: "loop_start",
        session_id: "s2",
        task: "Count",
        provider: "mock",
        model: "m",
        tool_format: "native",
      },
    ],
    [],
  ],
  [
    "a loop ends",
    report("loop.end", loopEnd),
    [
      {
        type: "loop_end",
        session_id: "s2",
        status: "done",
        stop_reason: "natural",
        iterations: 3,
        duration_ms: 40,
        total: { input_tokens: 9, output_tokens: 4, cost_usd: 0.5 },
      },
    ],
    [],
  ],
  [
    "text",
    report("message.delta", { text: "x" }),
    [{ session_id: "s2", iteration: 3, type: "agent_message_chunk", content: "x" }],
    [],
  ],
  [
    "thinking",
    report("thought.delta", { text: "x" }),
    [{ session_id: "s2", iteration: 3, type: "agent_thought_chunk", content: "x" }],
    [],
  ],
  [
    "the whole message: it came in pieces",
    report("message.end", { message: "msg_1", role: "assistant", text: "x" }),
    [],
    [],
  ],
  [
    "tokens",
    report("usage", usage),
    [
      {
        type: "usage",
        session_id: "s2",
        iteration: 3,
        turn: { input_tokens: 7, output_tokens: 2, cost_usd: null },
        total: totals,
      },
    ],
    [],
  ],
  ["tokens of a judge", report("usage", { ...usage, of: "aside" }), [], []],
  [
    "a retry",
    report("retry", retry),
    [
      {
        type: "retry",
        session_id: "s2",
        iteration: 3,
        what: "model",
        attempt: 1,
        delay_ms: 250,
        reason: "busy",
      },
    ],
    [],
  ],
  [
    "a notice",
    report("notice", { level: "warning", text: "careful" }),
    [{ type: "notice", session_id: "s2", message: "careful" }],
    [],
  ],
  [
    "a call, as scripts are told it",
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
    ["agent.events tool_call", "agent.events tool_call_update"],
  ],
  ["a call of a script's own batch", report("tool.end", { ...toolEnd, script: true }), [], []],
  [
    "a reminder, in two topics",
    report("trace", named("transcript.reminder.fired", Dict.of({ reminder_id: "r" }))),
    [{ reminder_id: "r", type: "transcript.reminder.fired", session_id: "s2" }],
    ["agent.events transcript.reminder.fired", "transcript.reminder.lifecycle transcript.reminder.fired"],
  ],
];

describe("--events", () => {
  test.each(table)("%s", (_what, event, lines) => {
    expect(eventLineTexts(event).map((text) => JSON.parse(text))).toEqual(lines);
  });
});

describe("the event log", () => {
  test.each(table)("%s", (_what, event, _lines, kept) => {
    expect(mirroredEvents(event).map(({ topic, kind }) => `${topic} ${kind}`)).toEqual(kept);
  });

  test("a copy is what scripts are told", () => {
    const [copy] = mirroredEvents(report("trace", named("cache_hit", Dict.of({ key: "k" }))));
    expect(copy?.payload()).toEqual({ key: "k", type: "cache_hit", session_id: "s2" });
  });
});
