/**
 * What reports know of a set: plain data, however it came (from the store, from a program in progress, from an imported
 * file). Nothing here can be called, and nothing refers to a store.
 */
import type {
  Blame,
  Fault,
  LimitName,
  OutcomeError,
  Sample,
  Score,
  TaskSpec,
  TrialKey,
} from "../plan/index.ts";

export type SetState =
  | "planning"
  | "running"
  | "done"
  | "incomplete"
  | "paused"
  | "waiting"
  | "stopped"
  | "failed";

export type TrialState = "pending" | "running" | "waiting" | "paused" | "done" | "errored" | "skipped";

export interface RecordedSet {
  readonly name: string;
  readonly state: SetState;
  /** Why it is not complete: `budget`, `openai has answered nothing for 10 min`; null when there is nothing to say. */
  readonly why: string | null;
  /** Milliseconds since 1970; null when it is not known (imported sets). */
  readonly began: number | null;
  readonly ended: number | null;
  /** US dollars of all trials and judges, errored attempts included; null when a price is unknown. */
  readonly costUsd: number | null;
  /** What the set may cost, in US dollars; null: no limit. */
  readonly costLimit: number | null;
  readonly receipt: string | null;
  /** Names of the files of its program; absent when they are not known (imported sets). */
  readonly program?: readonly string[];
  /** Finished trials that were kept although task or row changed since. */
  readonly stale: number;
  readonly tasks: readonly RecordedTask[];
  /** Changes of the limits of connections, oldest first. */
  readonly limits: readonly LimitChange[];
}

export interface LimitChange {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly provider: string;
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

/** What reports need of a task; imported sets have no more. */
export type ReportedSpec = Pick<
  TaskSpec,
  | "name"
  | "description"
  | "groupBy"
  | "scorers"
  | "success"
  | "epochs"
  | "variants"
  | "metrics"
  | "reduce"
  | "gates"
  | "baseline"
  | "onUserFault"
  | "race"
> &
  /** What sets that were made elsewhere do not say. */
  Partial<Pick<TaskSpec, "tags" | "dataset" | "roles" | "solver">>;

/** A task that says nothing of itself besides its name, and what `more` says. */
export const reportedSpec = (name: string, more: Partial<ReportedSpec> = {}): ReportedSpec => ({
  name,
  description: null,
  groupBy: [],
  scorers: [],
  success: [],
  epochs: 1,
  variants: [],
  metrics: null,
  reduce: {},
  gates: [],
  baseline: null,
  race: null,
  onUserFault: { kind: "keep" },
  ...more,
});

export interface RecordedTask {
  readonly spec: ReportedSpec;
  /** Those in the metrics, in the planned order; samples that left the dataset are not among them. */
  readonly samples: readonly Sample[];
  /** The ordinary ones: forks and crossed re-runs are never in the figures. */
  readonly trials: readonly RecordedTrial[];
}

export interface RecordedTrial extends Omit<TrialKey, "task"> {
  readonly state: TrialState;
  /** Of an errored trial: what went wrong, and whose matter it is (`provider`, `environment`, `config`, `harness`). */
  readonly error: OutcomeError | null;
  /** The limit that ended it. */
  readonly limit: LimitName | null;
  readonly stopReason: string | null;
  readonly faults: readonly Fault[];
  readonly blame: Blame | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars, without judges; null when a price is unknown. */
  readonly costUsd: number | null;
  readonly turns: number;
  readonly workingMs: number;
  readonly wallMs: number;
  /** How often it was begun. */
  readonly attempts: number;
  /** Figures that the trial measured itself (`eval_metric`). */
  readonly metrics: Readonly<Record<string, number>>;
  /** The tool that failed last. */
  readonly failedTool: string | null;
  /** The newest version of each scorer's, every draw. */
  readonly scores: readonly Score[];
}

/** The trial as if only these scores had been made. */
export const withScores = (trial: RecordedTrial, scores: readonly Score[]): RecordedTrial => ({
  sample: trial.sample,
  variant: trial.variant,
  epoch: trial.epoch,
  state: trial.state,
  error: trial.error,
  limit: trial.limit,
  stopReason: null,
  faults: trial.faults,
  blame: trial.blame,
  inputTokens: trial.inputTokens,
  outputTokens: trial.outputTokens,
  costUsd: trial.costUsd,
  turns: trial.turns,
  workingMs: trial.workingMs,
  wallMs: trial.wallMs,
  attempts: trial.attempts,
  get metrics() {
    return trial.metrics;
  },
  failedTool: null,
  scores,
});

/** What stands as the reason in the row of a set whose figures were imported. */
export const withoutJournals = "imported";

/** Nothing goes on with such a set, and nothing is added to it: it has no program, no rows and no journals. */
export const hasOnlyFigures = ({ why }: { readonly why: string | null }): boolean => why === withoutJournals;
