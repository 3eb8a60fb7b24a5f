/**
 * What each model call of a session was made of, kept so that somebody can ask why (docs/control-plane.md). The log only grows
 * and plans are immutable, so a call is a length of the one and a version of the other: the view can be made again, and a
 * turn costs the same however long the conversation is. Texts of system parts, and lists that callbacks or projections made,
 * are kept only while somebody watches.
 */
import type { Json } from "../../effects/index.ts";
import type { CompactionPlan, LoggedMessage } from "./compaction-plan.ts";

/** A part of the system text. */
export interface SystemPart {
  /** `preamble`, `caller` … or the id of a context provider. */
  readonly id: string;
  readonly text: string;
}

export interface SeenPart {
  readonly id: string;
  readonly chars: number;
  /** Null where nobody watched. */
  readonly text: string | null;
}

export interface SeenCall {
  /** `lN` of the run. */
  readonly loop: string;
  /** From 1. */
  readonly turn: number;
  /** Messages in the log when the call went out. */
  readonly log: number;
  readonly plan: CompactionPlan;
  readonly system: readonly SeenPart[];
  /** What was sent where it was not the view; null: the view, or nobody watched. */
  readonly sent: readonly LoggedMessage[] | null;
  readonly tools: readonly string[];
  /** Tools of the loop that the model was not told of, and why; empty where nobody watched. */
  readonly hidden: readonly { readonly name: string; readonly by: string }[];
  /** Number of the last intervention before it. */
  readonly interventions: number;
}

/** What was decided after a turn, by which row of the stop table. */
export interface SeenDecision {
  readonly loop: string;
  readonly turn: number;
  readonly row: number;
  readonly verdict: string;
  readonly gate: string | null;
  readonly status: string | null;
  readonly reason: string | null;
}

/** A model call that failed for good, in a line. */
export interface SeenFailure {
  readonly loop: string;
  readonly turn: number;
  readonly text: string;
}

/** What the rules of just-in-time instructions looked at before a turn. */
export interface SeenFacts {
  readonly loop: string;
  readonly turn: number;
  readonly facts: { readonly [name: string]: Json };
}

/** A look of a contract at one of its requirements. */
export interface SeenCheck {
  readonly turn: number;
  readonly requirement: string;
  readonly status: string;
  readonly notes: string;
  readonly cached: boolean;
}

/** Calls that are kept where nobody watches: enough to look at a session from inside of it. */
const keptUnwatched = 1000;

export class SeenCalls {
  calls: SeenCall[] = [];
  readonly decisions: SeenDecision[] = [];
  readonly failures: SeenFailure[] = [];
  readonly facts: SeenFacts[] = [];
  readonly checks: SeenCheck[] = [];
  watched = false;

  /** A call goes out. `sent`: null where it is the view. */
  call(made: Omit<SeenCall, "system"> & { readonly system: readonly SystemPart[] }): void {
    const before = this.calls.at(-1);
    const system = made.system.map(({ id, text }): SeenPart => {
      const same = before?.system.find((part) => part.id === id && part.text === text);
      return same ?? { id, chars: text.length, text: this.watched ? text : null };
    });
    this.calls.push({ ...made, system, sent: this.watched ? (made.sent?.slice() ?? null) : null });
    if (!this.watched && this.calls.length >= 2 * keptUnwatched)
      this.calls = this.calls.slice(-keptUnwatched);
  }

  decided(decision: SeenDecision): void {
    if (this.watched) this.decisions.push(decision);
  }

  failed(failure: SeenFailure): void {
    if (this.watched) this.failures.push(failure);
  }

  looked(facts: SeenFacts): void {
    if (this.watched) this.facts.push(facts);
  }

  checked(check: SeenCheck): void {
    if (this.watched) this.checks.push(check);
  }

  clear(): void {
    this.calls = [];
    this.decisions.length = 0;
    this.failures.length = 0;
    this.facts.length = 0;
    this.checks.length = 0;
  }
}
