/** What people are asked (agents.md §20): one request, as event log, stores and terminals see it. */

import { newId, type Task } from "../../interp/index.ts";
import { conversations } from "../../model/index.ts";
import { Dict, List } from "../../values/index.ts";
import { noteQuestion } from "../../work/index.ts";
import type { Argument } from "../arguments.ts";
import { traceIdFor } from "../observe/trace-ids.ts";
import { realTime, wallClock } from "../time/clock-state.ts";
import { isoTime } from "../time/iso-time.ts";

export type HumanKind = "question" | "approval" | "dual_control" | "escalation";

export interface HumanRequest {
  readonly id: string;
  readonly kind: HumanKind;
  readonly prompt: string;
  /** Who may answer; empty: anybody. */
  readonly approvers: readonly string[];
  readonly traceId: string;
  /** How long people have. */
  readonly limitMs: number;
  /** When that is over, on the machine's clock. */
  readonly dueMs: number;
  /** The row that `hitl_pending` gives, and what mocks, stores and terminals are shown. */
  readonly row: Dict;
}

/** A day: what people get when a program sets no limit. */
export const usualLimitMs = 24 * 60 * 60 * 1000;

export interface RequestText {
  readonly kind: HumanKind;
  readonly prompt: string;
  readonly limitMs: number;
  readonly approvers?: readonly string[];
  readonly metadata: Dict;
}

/** A request with an identity of its own, or with that of the one which it repeats. */
export function newRequest(task: Task, text: RequestText, formerId?: string): HumanRequest {
  const { kind, prompt, limitMs, approvers = [], metadata } = text;
  const id = formerId ?? `hitl_${kind}_${newId(task)}`;
  const traceId = traceIdFor(task);
  const row = Dict.of({
    request_id: id,
    request_kind: kind,
    agent: task.runtime.state(conversations).current(task),
    prompt,
    trace_id: traceId,
    timestamp: isoTime(wallClock(task)),
    approvers: new List([...approvers]),
    metadata,
  });
  noteQuestion(task, row);
  return { id, kind, prompt, approvers, traceId, limitMs, dueMs: realTime(task) + limitMs, row };
}

/** The options that were given, without nil and without what the request says elsewhere. */
export function metadataOf(options: Argument, without: readonly string[]): Dict {
  if (!(options instanceof Dict)) return new Dict();
  const kept = [...options.entries()].filter(([key, value]) => value !== null && !without.includes(key));
  return Dict.from(kept);
}
