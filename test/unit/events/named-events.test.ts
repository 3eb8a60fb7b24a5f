/** Which durable type an event is that the runtime emits under a name of its own. */
import { expect, test } from "vitest";
import { typedEvent } from "../../../src/events/index.ts";
import { Dict, List, type Value } from "../../../src/values/index.ts";
import { named } from "../../support/run-event.ts";

const table: readonly (readonly [string, Record<string, Value>, string, object])[] = [
  ["cache_hit", { key: "k" }, "trace", {}],
  [
    "judge_decision",
    { verdict: "done", reasoning: "all there" },
    "decision",
    { about: "judge", verdict: "done", why: "all there", by: "judge", considered: [] },
  ],
  [
    "step_judge_decision",
    { verdict: "skipped", reasoning: "", critique: "", skip_reason: "empty_response" },
    "decision",
    { about: "judge", verdict: "skipped", why: "empty_response", by: "step_judge" },
  ],
  [
    "loop_control_decision",
    { action: "extend", reason: "more to do" },
    "decision",
    { about: "budget", verdict: "extend", why: "more to do", by: "loop_control" },
  ],
  [
    "llm_routing_decision",
    {
      policy: "cheapest",
      route_name: "small",
      used_default: false,
      candidates: new List([
        Dict.of({ name: "big", unfit: "too dear" }),
        Dict.of({ name: "small", unfit: null }),
      ]),
    },
    "decision",
    {
      about: "route",
      verdict: "small",
      by: "cheapest",
      considered: [
        { layer: "big", said: "too dear" },
        { layer: "small", said: "fit" },
      ],
    },
  ],
  [
    "skill_narrow",
    { reason: "unused" },
    "decision",
    { about: "narrowing", verdict: "remove", why: "unused" },
  ],
  [
    "skill_activated",
    { name: "tests", reason: "asked", trigger: "match" },
    "decision",
    { about: "skill", verdict: "activate tests", why: "asked", by: "match" },
  ],
  ["skill_deactivated", { name: "tests" }, "decision", { about: "skill", verdict: "deactivate tests" }],
  [
    "transcript_compacted",
    {
      estimated_tokens_before: 90,
      estimated_tokens_after: 30,
      archived_messages: 4,
      strategy: "truncate",
      reason: "threshold",
      new_summary_len: 12,
    },
    "context.compacted",
    { before: 90, after: 30, archived: 4, strategy: "truncate", reason: "threshold", summary_chars: 12 },
  ],
  ["plan", {}, "plan.changed", {}],
  ["progress_reported", {}, "plan.changed", {}],
  [
    "hitl_approval_requested",
    { request_id: "q1", request_kind: "approval", prompt: "May I?" },
    "question.asked",
    { question: "q1", kind: "approval", prompt: "May I?" },
  ],
  ["hitl_response_received", { request_id: "q1", settled: true }, "question.answered", { question: "q1" }],
  ["hitl_response_received", { request_id: "q1", settled: false }, "trace", {}],
  ["hitl_timeout", { request_id: "q1" }, "question.expired", { question: "q1" }],
];

test.each(table)("%s %j is %s", (name, fields, type, data) => {
  const input = named(name, Dict.of(fields));
  const [found, made] = typedEvent(input);
  expect(found).toBe(type);
  expect(made).toMatchObject({ name, live: true, listed: null, ...data });
  expect((made as { fields: Dict }).fields).toBe(input.fields);
});
