/** What `agent_trace()` lists of an event (agents.md §1.10). */
import { expect, test } from "vitest";
import { agentTraceRow, type EmittedEvent, traceSummary } from "../../../../src/events/index.ts";
import { Dict, jsonStringify } from "../../../../src/values/index.ts";
import {
  loopEnd,
  loopStart,
  named,
  report,
  toolEnd,
  toolStart,
  turnEnd,
  usage,
} from "../../../support/run-event.ts";

const shown = (event: EmittedEvent): unknown => {
  const row = agentTraceRow(event);
  return row === null ? null : JSON.parse(jsonStringify(row));
};

const table: readonly (readonly [string, EmittedEvent, unknown])[] = [
  ["a loop begins", report("loop.start", loopStart), null],
  ["a turn ends", report("turn.end", turnEnd), null],
  ["a call begins", report("tool.start", toolStart), null],
  [
    "an answer in a turn",
    report("usage", usage),
    {
      type: "llm_call",
      call_id: "call_7",
      provider: "mock",
      model: "m",
      input_tokens: 7,
      output_tokens: 2,
      cache_tokens: 1,
      duration_ms: 8,
      iteration: 3,
    },
  ],
  [
    "an answer beside the conversation is of no turn",
    report("usage", { ...usage, of: "aside" }),
    {
      type: "llm_call",
      call_id: "call_7",
      provider: "mock",
      model: "m",
      input_tokens: 7,
      output_tokens: 2,
      cache_tokens: 1,
      duration_ms: 8,
      iteration: 0,
    },
  ],
  [
    "a call that ran",
    report("tool.end", toolEnd),
    {
      type: "tool_execution",
      tool_name: "look",
      tool_use_id: "call_1",
      duration_ms: 12,
      status: "ok",
      classification: "harn",
      iteration: 3,
    },
  ],
  [
    "a call that was refused",
    report("tool.end", { ...toolEnd, status: "rejected", error: "no" }),
    { type: "tool_rejected", tool_name: "look", reason: "no", iteration: 3 },
  ],
  ["a call that was not begun", report("tool.end", { ...toolEnd, begun: false, status: "rejected" }), null],
  ["a call that was broken off", report("tool.end", { ...toolEnd, status: "interrupted" }), null],
  [
    "a loop ends",
    report("loop.end", loopEnd),
    {
      type: "loop_complete",
      status: "done",
      iterations: 3,
      total_duration_ms: 40,
      tools_used: ["look"],
      successful_tools: [],
    },
  ],
  ["an event that is only live", report("trace", named("cache_hit")), null],
  [
    "one under a type of the list's own",
    report("trace", named("schema_retry", Dict.of({ attempt: 1 }), { live: false, listed: "schema_retry" })),
    { attempt: 1, type: "schema_retry" },
  ],
  [
    "a reorganization, without the pad",
    report(
      "trace",
      named(
        "agent_scratchpad_reorganization",
        Dict.of({ iteration: 2, status: "reorganized", details: "x", scratchpad: null }),
        { listed: "scratchpad_reorganization" },
      ),
    ),
    { status: "reorganized", iteration: 2, type: "scratchpad_reorganization" },
  ],
];

test.each(table)("%s", (_what, event, expected) => {
  expect(shown(event)).toEqual(expected);
});

test("the summary counts what is listed", () => {
  const rows = table.flatMap(([, event]) => agentTraceRow(event) ?? []);
  expect(JSON.parse(jsonStringify(traceSummary(rows)))).toMatchObject({
    status: "done",
    iterations: 3,
    llm_calls: 2,
    tool_executions: 1,
    tool_rejections: 1,
    total_input_tokens: 14,
    total_tool_duration_ms: 12,
    tools_used: ["look"],
  });
});
