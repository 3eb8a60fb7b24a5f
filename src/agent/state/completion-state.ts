/** What a loop with `completion` knows of its claims and of what refused them. Data only. */
import type { Predicate } from "../../model/index.ts";
import type { CallsSeen, CheckedCall, ResultsSeen } from "../checks/index.ts";

export interface CompletionState {
  /** Claims that were judged. */
  attempts: number;
  /** Of the last claim. */
  summary: string | null;
  evidence: readonly string[];
  deliverables: readonly Deliverable[];
  /** The call that made it; `null`: a sentinel did. */
  callId: string | null;
  /** How the end was claimed that was accepted. */
  accepted: "claimed" | "unclaimed" | null;
  /** Silent turns in a row that were answered with a continuation prompt. */
  streak: number;
  /** Continuation prompts of the whole loop. */
  prompts: number;
  /** How often a claim was demanded. */
  demands: number;
  /** How often each gate refused. */
  readonly refusals: Map<string, number>;
  /** Refusals that count against `max_verify_attempts`. */
  counted: number;
  /** The same gate with the same reason, while nothing changed. */
  deadlock: { gate: string; digest: string; mark: string; count: number };
  /** Why the loop ended as it did, in words. */
  message: string | null;
  /** What calls found out or changed so far, by digest. */
  readonly effects: Set<string>;
  /** The calls of the loop, newest last; older ones are forgotten. */
  readonly calls: CallNote[];
  /** How many there were. */
  called: number;
  /** What checks have seen of them, so that each looks at each call once. */
  readonly callsSeen: Map<Predicate, CallsSeen>;
  readonly resultsSeen: Map<Predicate, ResultsSeen>;
  /** Work items whose check held, and how many calls there were then. */
  readonly heldItems: Map<string, number>;
  /** The error that ended the loop, where a check was it. */
  error: string | null;
}

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

export const newCompletionState = (): CompletionState => ({
  attempts: 0,
  summary: null,
  evidence: [],
  deliverables: [],
  callId: null,
  accepted: null,
  streak: 0,
  prompts: 0,
  demands: 0,
  refusals: new Map(),
  counted: 0,
  deadlock: { gate: "", digest: "", mark: "", count: 0 },
  message: null,
  effects: new Set(),
  calls: [],
  called: 0,
  callsSeen: new Map(),
  resultsSeen: new Map(),
  heldItems: new Map(),
  error: null,
});
