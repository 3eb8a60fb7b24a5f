/** What a control plane did to a session and why: the list that `agent_interventions` gives and `harn why` follows. */
import type { Json } from "../../effects/index.ts";

/** What each kind is. */
export const interventionMeanings = {
  repair: "the history was mended before a call",
  pressure: "the request came near its budget",
  compaction: "the view was made shorter",
  rollback: "a compaction was taken back",
  recall: "something that had left the view was brought back",
  provider: "a part of the system text was left out: its provider failed",
  instruction: "a rule spoke (`jit`)",
  narrowing: "tools were hidden, or shown again",
  continuation: "a silent turn was told to go on",
  refusal: "the end was refused; the rule is the gate",
  hook: "a hook refused a call",
  contract: "the contract was set, replaced or removed",
  stall_warning: "the model was told that nothing new comes",
  stall_stop: "the loop was ended or parked for it",
  stop: "the loop ended; the rule is the row of the stop table",
} as const;
export type InterventionKind = keyof typeof interventionMeanings;
export const interventionKinds = Object.keys(interventionMeanings) as readonly InterventionKind[];

/** What whoever intervenes says of it. */
export interface InterventionInput {
  readonly kind: InterventionKind;
  /** Which rule of its kind, in snake case: "call_without_result", "soft", "planning_only". */
  readonly rule: string;
  /** A sentence for people. */
  readonly reason: string;
  /** What the rule rested on. */
  readonly facts: { readonly [name: string]: Json };
  /** Ids of the messages that exist, or look as they do, because of it. Default: none. */
  readonly messages?: readonly string[];
  /** The id of the tool call that it is about. Default: none. */
  readonly call?: string | null;
}

/** Where it happened. */
export interface InterventionPlace {
  /** `lN` of the run; null outside of every loop, and of another run. */
  readonly loop: string | null;
  /** From 1: the loop's turn in which it happened; 0 outside of every turn. */
  readonly turn: number;
  /** Contract events that the session's loops had told before (`LoopLogs`). */
  readonly event: number;
}

export interface Intervention extends Required<InterventionInput>, InterventionPlace {
  /** From 1, counted in the session for ever. */
  readonly n: number;
}

/** As many as are kept in memory. */
const kept = 10_000;

/** The interventions of a session, oldest first. Old ones go when there are too many; numbers go on. */
export class Interventions {
  private held: Intervention[] = [];
  private last = 0;

  /** How many there have been. */
  get count(): number {
    return this.last;
  }

  add(place: InterventionPlace, value: InterventionInput): Intervention {
    const { kind, rule, reason, facts, messages = [], call = null } = value;
    const made: Intervention = { n: ++this.last, ...place, kind, rule, reason, facts, messages, call };
    this.held.push(made);
    // Twice as many before anything is cut: a cut costs one copy for as many additions.
    if (this.held.length >= 2 * kept) this.held = this.held.slice(-kept);
    return made;
  }

  /** Those from number `from` on that are kept, oldest first. */
  list(from = 1): Intervention[] {
    return this.held.slice(-kept).filter(({ n }) => n >= from);
  }

  /** Puts back what a snapshot has; numbers go on after the last. */
  restore(interventions: readonly Intervention[]): void {
    this.held = interventions.slice(-kept);
    this.last = this.held.at(-1)?.n ?? 0;
  }

  clear(): void {
    this.held = [];
    this.last = 0;
  }
}
