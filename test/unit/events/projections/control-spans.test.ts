/** Spans of the control plane: model calls, passes of the ladder, interventions (docs/control-plane.md, "See what happens"). */
import { expect, test } from "vitest";
import { type EmittedEvent, type SpanStep, spanSteps } from "../../../../src/events/index.ts";
import { Dict } from "../../../../src/values/index.ts";
import { named, report, usage } from "../../../support/run-event.ts";

const table: readonly (readonly [string, EmittedEvent, readonly Partial<SpanStep>[]])[] = [
  [
    "a turn says what the request had, and what it took of what it might",
    report("turn.start", { provider: "mock", model: "m", messages: 7 }),
    [
      expect.objectContaining({
        attributes: expect.objectContaining({
          "harn.span": "harness.agent_call",
          "harn.context.messages": 7,
        }),
      }),
    ],
  ],
  [
    "and its usage, of a loop that measures it",
    report("usage", { ...usage, context: { tokens: 900, budget: 12_000 } }),
    [
      expect.objectContaining({
        attributes: expect.objectContaining({ "harn.context.tokens": 900, "harn.context.budget": 12_000 }),
      }),
      { step: "end", id: "l2 chat" },
    ],
  ],
  [
    "a pass of the ladder begins",
    report("trace", named("compaction_started", Dict.of({ trigger: "soft", tokens: 900, budget: 1000 }))),
    [
      {
        step: "start",
        id: "l2 compaction",
        within: ["l2"],
        alone: "skip",
        name: "harness.compaction",
        kind: "internal",
        attributes: {
          "harn.span": "harness.compaction",
          "harn.trigger": "soft",
          "harn.tokens": 900,
          "harn.budget": 1000,
        },
      },
    ],
  ],
  [
    "and ends with what it came to",
    report(
      "trace",
      named("compaction_completed", Dict.of({ before: 900, after: 400, freed: 500, outcome: "committed" })),
    ),
    [
      {
        step: "set",
        id: "l2 compaction",
        attributes: {
          "harn.span": "harness.compaction",
          "harn.before": 900,
          "harn.after": 400,
          "harn.freed": 500,
          "harn.outcome": "committed",
        },
      },
      { step: "end", id: "l2 compaction" },
    ],
  ],
  [
    "an intervention: its rule, never its words",
    report(
      "trace",
      named(
        "control_intervention",
        Dict.of({ n: 3, kind: "refusal", rule: "hook", reason: "secret", turn: 2 }),
      ),
    ),
    [
      {
        step: "note",
        on: ["l2"],
        name: "harn.control_intervention",
        attributes: { "harn.n": 3, "harn.kind": "refusal", "harn.rule": "hook", "harn.turn": 2 },
      },
    ],
  ],
];

test.each(table)("%s", (_what, event, steps) => {
  expect(spanSteps(event)).toEqual(steps);
});
