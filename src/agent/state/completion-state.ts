/** What a loop with `completion` knows of its claims and of what refused them. Data only. */
import type { Predicate } from "../../model/index.ts";
import type { CallsSeen, CheckedCall, ResultsSeen } from "../checks/index.ts";

/** What came of the work, as a claim says it. */
export interface Deliverable {
  readonly title: string;
  /** The thing itself, or where it is. */
  readonly content: string;
}

/** A call as claims are measured against it. */
export interface CallNote extends CheckedCall {
  /** Paths that it names. */
  readonly paths: readonly string[];
}

export const newCompletionState = () => ({
  /** Claims that were judged. */
  attempts: 0,
  /** Of the last claim. */
  summary: null as string | null,
  evidence: [] as readonly string[],
  deliverables: [] as readonly Deliverable[],
  /** The call that made it; `null`: a sentinel did. */
  callId: null as string | null,
  /** How the end was claimed that was accepted. */
  accepted: null as "claimed" | "unclaimed" | null,
  /** Silent turns in a row that were answered with a continuation prompt. */
  streak: 0,
  /** Continuation prompts of the whole loop. */
  prompts: 0,
  /** How often a claim was demanded. */
  demands: 0,
  /** How often each gate refused. */
  refusals: new Map<string, number>(),
  /** Refusals that count against `max_verify_attempts`. */
  counted: 0,
  /** The same gate with the same reason, while nothing changed. */
  deadlock: { gate: "", digest: "", mark: "", count: 0 },
  /** Why the loop ended as it did, in words. */
  message: null as string | null,
  /** What calls found out or changed so far, by digest. */
  effects: new Set<string>(),
  /** The calls of the loop, newest last; older ones are forgotten. */
  calls: [] as CallNote[],
  /** How many there were. */
  called: 0,
  /** What checks have seen of them, so that each looks at each call once. */
  callsSeen: new Map<Predicate, CallsSeen>(),
  resultsSeen: new Map<Predicate, ResultsSeen>(),
  /** Work items whose check held, and how many calls there were then. */
  heldItems: new Map<string, number>(),
  /** The error that ended the loop, where a check was it. */
  error: null as string | null,
});
