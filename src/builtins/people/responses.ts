/** What people answer, brought into one shape whoever passed it on: a mock, a terminal, a store, a server. */
import { type Json, shape } from "../../effects/index.ts";
import type { Task } from "../../interp/index.ts";
import { Dict, decodeValue, encodeValue, hexText, List, truthy, type Value } from "../../values/index.ts";
import { option, textOf, utf8 } from "../arguments.ts";
import type { HumanRequest } from "./request.ts";

export interface HumanResponse {
  /** Of a question. */
  readonly answer: Value;
  readonly approved: boolean;
  readonly reviewer: string;
  readonly reason: Value;
  readonly respondedAt: string;
}

/** What came of asking. */
export type HumanOutcome =
  | { readonly kind: "answered"; readonly answers: readonly Value[] }
  /** The time was over. */
  | { readonly kind: "timed_out" }
  /** `--on-approval deny`. */
  | { readonly kind: "denied" }
  /** There is no terminal, and the run cannot park. */
  | { readonly kind: "nobody" };

export const outcomeShape = shape.json.as<HumanOutcome>(encodeOutcome, decodeOutcome);

/** Answers as they are stored; also what `harn hitl` and servers pass in: a response, a list of them, a plain answer. */
function encodeOutcome(outcome: HumanOutcome): Json {
  return outcome.kind === "answered" ? outcome.answers.map(encodeValue) : { outcome: outcome.kind };
}

function decodeOutcome(stored: Json): HumanOutcome {
  const value = decodeValue(stored);
  if (value instanceof List) return { kind: "answered", answers: value.toArray() };
  const outcome = option(value, "outcome");
  if (outcome === "timed_out" || outcome === "nobody" || outcome === "denied") return { kind: outcome };
  return { kind: "answered", answers: [value] };
}

/** One response read leniently: a dict, or the bare answer or decision. */
export function responseOf(request: HumanRequest, value: Value, nowText: string): HumanResponse {
  const dict = value instanceof Dict ? value : undefined;
  const decision = dict === undefined ? value : (dict.get("approved") ?? dict.get("accepted"));
  const fallback = request.approvers[0] ?? "reviewer";
  return {
    answer: dict?.has("answer") === true ? (dict.get("answer") ?? null) : value,
    // Who takes on an escalation need not say so twice.
    approved: decision === undefined ? request.kind === "escalation" : isYes(decision),
    reviewer: textOf(option(dict, "reviewer") ?? option(dict, "approver"), fallback),
    reason: option(dict, "reason") ?? null,
    respondedAt: textOf(option(dict, "responded_at"), nowText),
  };
}

const noWords: ReadonlySet<string> = new Set([
  "",
  "no",
  "n",
  "false",
  "deny",
  "denied",
  "reject",
  "rejected",
]);

const isYes = (decision: Value): boolean =>
  typeof decision === "string" ? !noWords.has(decision.trim().toLowerCase()) : truthy(decision);

export const personResponseDict = (response: HumanResponse): Dict =>
  Dict.of({
    approved: response.approved,
    reviewer: response.reviewer,
    reason: response.reason,
    responded_at: response.respondedAt,
  });

/** Binds a decision to its request: the same request, person, time, decision and reason give the same text. */
export function signatureOf(task: Task, request: HumanRequest, response: HumanResponse): string {
  const { reviewer, respondedAt, approved, reason } = response;
  const decision = approved ? "approved" : "denied";
  const signed = JSON.stringify([
    request.id,
    reviewer,
    respondedAt,
    decision,
    reason === null ? null : textOf(reason),
  ]);
  const digest = task.runtime.host.crypto.hash("sha256", utf8(signed));
  return `sha256:${hexText(digest)}`;
}
