/** What a trial left. JSON throughout: values of scripts in it are text, numbers, bools, nil, lists and dicts. */
import type { Value } from "../../values/index.ts";
import type { LimitName } from "./limits.ts";

export type TrialRole = "agent" | "user" | "judge";

export interface ToolUse {
  readonly name: string;
  readonly arguments: Value;
  readonly result: Value;
  readonly ok: boolean;
}

export interface OutcomeFile {
  readonly path: string;
  readonly digest: string;
  readonly bytes: number;
}

export interface RoleUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
  /** Calls that succeeded. */
  readonly calls: number;
}

export interface Usage extends RoleUsage {
  readonly byRole: Readonly<Partial<Record<TrialRole, RoleUsage>>>;
}

/** How sure it is that a fault of a simulated user changed what happened, and in whose favour. */
export type FaultSeverity = "hindered" | "helped" | "minor";

export interface Fault {
  /** `invented`, `leaked`, `early_stop`, `repeats`, `silent`, `no_stop`; with a reviewer also others. */
  readonly kind: string;
  readonly severity: FaultSeverity;
  /** Turn of the user, from 1. */
  readonly turn: number;
  /** The words in which it shows. */
  readonly evidence: string;
}

export interface DialogueOutcome {
  readonly endedBy: "user" | "agent" | "limit" | "user_failed";
  readonly userTurns: number;
  readonly agentTurns: number;
  readonly faults: readonly Fault[];
}

export interface OutcomeError {
  readonly category: string;
  readonly message: string;
}

export interface Outcome {
  /** Ids of the sample and the variant, as their authors wrote them. */
  readonly sample: string;
  readonly variant: string;
  readonly epoch: number;
  /** What is judged: the answer of a loop where there is one, else the visible text, else the value as JSON. */
  readonly text: string;
  /** The structured answer, or the dict that a solver returned. */
  readonly data: Value;
  readonly messages: Value;
  readonly tools: readonly ToolUse[];
  readonly status: string | null;
  readonly stopReason: string | null;
  readonly world: Value;
  readonly dialogue: DialogueOutcome | null;
  readonly files: readonly OutcomeFile[] | null;
  /** What `eval_metric` noted in this trial, by name. */
  readonly metrics: Readonly<Record<string, number>>;
  readonly usage: Usage;
  readonly turns: number;
  /** The only two figures that a replay takes from the store. */
  readonly workingMs: number;
  readonly wallMs: number;
  /** The limit that ended it. */
  readonly limit: LimitName | null;
  readonly error: OutcomeError | null;
}

/** Who is to blame for a trial that did not succeed. */
export type Blame = "harness" | "environment" | "task" | "user" | "judge" | "agent" | "unclear";
