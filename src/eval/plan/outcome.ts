export type TrialRole = "agent" | "user" | "judge";

/** How sure it is that a fault of a simulated user changed what happened, and in whose favour. */
type FaultSeverity = "hindered" | "helped" | "minor";

export interface Fault {
  /** `invented`, `leaked`, `early_stop`, `repeats`, `silent`, `no_stop`; with a reviewer also others. */
  readonly kind: string;
  readonly severity: FaultSeverity;
  /** Turn of the user, from 1. */
  readonly turn: number;
  /** The words in which it shows. */
  readonly evidence: string;
}

export interface OutcomeError {
  readonly category: string;
  readonly message: string;
}

/** Who is to blame for a trial that did not succeed. */
export type Blame = "harness" | "environment" | "task" | "user" | "judge" | "agent" | "unclear";
