/**
 * Which durable type an event is that the runtime emits under a name of its own (agents.md §4.2): a judge's verdict is a
 * `decision`, a compaction `context.compacted`, a question to a person `question.asked`; every other name is a `trace`. The durable
 * events of a tool call are made here and nowhere else; who emits one brings the data and the place.
 */
import { Dict, List, textField, type Value } from "../values/index.ts";
import type {
  DecisionSubject,
  DurableData,
  DurableEventType,
  NamedEvent,
  RunEventData,
} from "./run-event.ts";

/** A type and its data. */
export type TypedEvent = {
  readonly [T in DurableEventType]: readonly [type: T, data: DurableData[T]];
}[DurableEventType];

type EventMaker = (named: NamedEvent) => TypedEvent;

/** What an event under this name is. */
export const typedEvent = (named: NamedEvent): TypedEvent =>
  makers.get(named.name)?.(named) ?? ["trace", named];

const decision =
  (
    about: DecisionSubject,
    said: (fields: Dict) => { readonly verdict: string; readonly why: string; readonly by: string },
    considered: (fields: Dict) => readonly { readonly layer: string; readonly said: string }[] = () => [],
  ): EventMaker =>
  (named) => ["decision", { ...named, about, ...said(named.fields), considered: considered(named.fields) }];

const questionEvent =
  (type: "question.answered" | "question.expired"): EventMaker =>
  (named) => [type, { ...named, question: textField(named.fields, "request_id") }];

const asked: EventMaker = (named) => [
  "question.asked",
  {
    ...named,
    question: textField(named.fields, "request_id"),
    kind: textField(named.fields, "request_kind"),
    prompt: textField(named.fields, "prompt"),
  },
];

const planChanged: EventMaker = (named) => ["plan.changed", named];

const makers: ReadonlyMap<string, EventMaker> = new Map<string, EventMaker>([
  [
    "judge_decision",
    decision("judge", (fields) => ({
      verdict: textField(fields, "verdict"),
      why: textField(fields, "reasoning"),
      by: "judge",
    })),
  ],
  [
    "step_judge_decision",
    decision("judge", (fields) => ({
      verdict: textField(fields, "verdict"),
      why:
        textField(fields, "reasoning") || textField(fields, "critique") || textField(fields, "skip_reason"),
      by: "step_judge",
    })),
  ],
  [
    "loop_control_decision",
    decision("budget", (fields) => ({
      verdict: textField(fields, "action"),
      why: textField(fields, "reason"),
      by: "loop_control",
    })),
  ],
  [
    "llm_routing_decision",
    decision(
      "route",
      (fields) => ({
        verdict: textField(fields, "route_name"),
        why: fields.get("used_default") === true ? "no candidate is fit" : "",
        by: textField(fields, "policy"),
      }),
      (fields) =>
        listedDicts(fields.get("candidates")).map((candidate) => ({
          layer: textField(candidate, "name"),
          said: textField(candidate, "unfit") || "fit",
        })),
    ),
  ],
  [
    "skill_narrow",
    decision("narrowing", (fields) => ({
      verdict: "remove",
      why: textField(fields, "reason"),
      by: "tool_surface_narrowing",
    })),
  ],
  [
    "skill_activated",
    decision("skill", (fields) => ({
      verdict: `activate ${textField(fields, "name")}`,
      why: textField(fields, "reason"),
      by: textField(fields, "trigger"),
    })),
  ],
  [
    "skill_deactivated",
    decision("skill", (fields) => ({
      verdict: `deactivate ${textField(fields, "name")}`,
      why: textField(fields, "reason"),
      by: textField(fields, "trigger"),
    })),
  ],
  [
    "transcript_compacted",
    (named) => [
      "context.compacted",
      {
        ...named,
        before: countField(named.fields, "estimated_tokens_before"),
        after: countField(named.fields, "estimated_tokens_after"),
        archived: countField(named.fields, "archived_messages"),
        strategy: textField(named.fields, "strategy"),
        reason: textField(named.fields, "reason"),
        summary_chars: countField(named.fields, "new_summary_len"),
      },
    ],
  ],
  [
    "mode_changed",
    (named) => [
      "mode.changed",
      {
        ...named,
        from: textField(named.fields, "from") || null,
        to: textField(named.fields, "to"),
        by: textField(named.fields, "by"),
      },
    ],
  ],
  [
    "doom_detected",
    (named) => {
      const calls = named.fields.get("calls");
      const action = textField(named.fields, "action");
      return [
        "doom.detected",
        {
          ...named,
          pattern: textField(named.fields, "pattern") === "cycle" ? "cycle" : "repeat",
          period: countField(named.fields, "period"),
          calls: calls instanceof List ? calls.toArray().filter((name) => typeof name === "string") : [],
          strike: countField(named.fields, "strike"),
          action: action === "stop" || action === "block" ? action : "correct",
        },
      ];
    },
  ],
  ["plan", planChanged],
  ["progress_reported", planChanged],
  ["hitl_question_asked", asked],
  ["hitl_approval_requested", asked],
  ["hitl_dual_control_requested", asked],
  ["hitl_escalation_issued", asked],
  [
    "hitl_response_received",
    // An answer that settles nothing leaves the question open.
    (named) =>
      named.fields.get("settled") === true ? questionEvent("question.answered")(named) : ["trace", named],
  ],
  ["hitl_timeout", questionEvent("question.expired")],
]);

const countField = (fields: Dict, key: string): number => {
  const value = fields.get(key);
  return typeof value === "number" ? value : 0;
};

const listedDicts = (value: Value | undefined): Dict[] =>
  value instanceof List ? value.toArray().filter((item) => item instanceof Dict) : [];

type ToolEvent<T extends "tool.start" | "tool.end"> = readonly [type: T, data: RunEventData[T]];

export const toolStarted = (data: RunEventData["tool.start"]): ToolEvent<"tool.start"> => [
  "tool.start",
  data,
];

export const toolEnded = (data: RunEventData["tool.end"]): ToolEvent<"tool.end"> => ["tool.end", data];

/** What middleware says about a call: its name for scripts, and for the audit part of the transcript. */
export const toolAudited = "tool_call_audit";

/** What hooks of tools get of a call (agents.md §8.5): before it runs, and when it has run. */
export interface HookedCall {
  readonly id: string;
  readonly name: string;
  readonly session: string;
}

export const preToolUse = (call: HookedCall, args: Dict): Dict => hookEvent("PreToolUse", call, args);

export const postToolUse = (
  call: HookedCall,
  outcome: {
    readonly arguments: Dict;
    readonly rendered: string;
    readonly ok: boolean;
    readonly status: string;
  },
): Dict => {
  const { rendered, ok, status } = outcome;
  const result = Dict.of({ text: rendered, ok, status });
  return hookEvent("PostToolUse", call, outcome.arguments).with("result", result);
};

const hookEvent = (event: string, { id, name, session }: HookedCall, args: Dict): Dict =>
  Dict.of({
    event,
    tool: Dict.of({ name, args, tool_call_id: id }),
    tool_call_id: id,
    session: Dict.of({ id: session }),
  });
