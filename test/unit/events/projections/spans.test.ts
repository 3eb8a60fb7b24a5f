/** What an event means for OpenTelemetry spans (GenAI semantic conventions). */
import { expect, test } from "vitest";
import { type EmittedEvent, type SpanStep, spanSteps } from "../../../../src/events/index.ts";
import { Dict, Float } from "../../../../src/values/index.ts";
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

const inCall = { call: "l2.3.0" };

const table: readonly (readonly [string, EmittedEvent, readonly Partial<SpanStep>[]])[] = [
  [
    "a loop begins in the call that started it",
    report("loop.start", loopStart),
    [
      {
        step: "start",
        id: "l2",
        within: ["l1.1.0", "l1"],
        alone: "root",
        name: "invoke_agent",
        kind: "internal",
        attributes: {
          "gen_ai.operation.name": "invoke_agent",
          "gen_ai.provider.name": "mock",
          "gen_ai.request.model": "m",
          "gen_ai.conversation.id": "s2",
        },
      },
    ],
  ],
  [
    "an outermost loop begins a trace",
    report("loop.start", loopStart, { parent: null }),
    [expect.objectContaining({ id: "l2", within: [], alone: "root" })],
  ],
  [
    "a turn begins: a model call of the loop",
    report("turn.start", { provider: "mock", model: "m" }),
    [
      expect.objectContaining({
        step: "start",
        id: "l2 chat",
        within: ["l2"],
        name: "chat m",
        kind: "client",
      }),
    ],
  ],
  [
    "tokens end it",
    report("usage", { ...usage, answer: { ...usage.answer, cost_usd: 0.25 } }),
    [
      {
        step: "set",
        id: "l2 chat",
        attributes: {
          "gen_ai.usage.input_tokens": 7,
          "gen_ai.usage.output_tokens": 2,
          "harn.cost_usd": 0.25,
        },
      },
      { step: "end", id: "l2 chat" },
    ],
  ],
  ["those of a judge do not", report("usage", { ...usage, of: "aside" }), []],
  [
    "a retry is noted on the model call, or on the loop",
    report("retry", retry),
    [
      {
        step: "note",
        on: ["l2 chat", "l2"],
        name: "harn.model_retry",
        attributes: { attempt: 1, reason: "busy" },
      },
    ],
  ],
  [
    "a tool call begins",
    report("tool.start", toolStart, inCall),
    [
      expect.objectContaining({
        step: "start",
        id: "l2.3.0",
        within: ["l2"],
        alone: "skip",
        name: "execute_tool look",
      }),
    ],
  ],
  ["a tool call ends well", report("tool.end", toolEnd, inCall), [{ step: "end", id: "l2.3.0" }]],
  [
    "a tool call fails: the first line of why",
    report("tool.end", { ...toolEnd, status: "error", error: "no\nmore" }, inCall),
    [
      { step: "fail", id: "l2.3.0", type: "error", message: "no" },
      { step: "end", id: "l2.3.0" },
    ],
  ],
  ["a call that was not begun has no span", report("tool.end", { ...toolEnd, begun: false }, inCall), []],
  [
    "a loop ends",
    report("loop.end", loopEnd),
    [expect.objectContaining({ step: "set", id: "l2" }), { step: "close", loop: "l2", status: "done" }],
  ],
  [
    "an event of the loop: numbers and short words only",
    report(
      "trace",
      named("cache_hit", Dict.of({ key: "k", score: new Float(0.5), said: "a whole sentence", list: null })),
    ),
    [
      {
        step: "note",
        on: ["l2"],
        name: "harn.cache_hit",
        attributes: { "harn.key": "k", "harn.score": 0.5 },
      },
    ],
  ],
  ["checkpoints are too many", report("trace", named("loop_checkpoint")), []],
  ["text is not exported", report("message.delta", { text: "secret" }), []],
  ["an event outside of loops has no span", report("trace", named("cache_hit"), { loop: null }), []],
];

test.each(table)("%s", (_what, event, steps) => {
  expect(spanSteps(event)).toEqual(steps);
});
