/** What is asked of a run of a set, what is told while it runs, and how it ended. */
import type { EvalSetRow } from "../../../durable/index.ts";
import type { RoleRules } from "../../../model/index.ts";
import type { Dict } from "../../../values/index.ts";
import type { GovernedFigures } from "../governors.ts";
import type { ForkStart, TrialRuns } from "../ports.ts";
import type { PlannedTrial } from "../set-plan.ts";
import type { Solver } from "../solve.ts";
import type { TrialJob } from "../trial-job.ts";
import type { CallsInFlight } from "./calls-in-flight.ts";
import type { TrialExecutor, WhySetEnds } from "./trial-executor.ts";

export interface SetEnd extends WhySetEnds {
  readonly set: EvalSetRow;
}

/** Each field says what is so when it is read. */
export interface SetProgress {
  readonly done: number;
  readonly errored: number;
  readonly total: number;
  /** `since`: milliseconds since 1970. */
  readonly running: readonly { readonly path: string; readonly since: number }[];
  readonly spentUsd: number;
  readonly limitUsd: number | null;
  readonly connections: readonly GovernedFigures[];
  /** The set stops: calls that may end first, and how long it waits for them. */
  readonly ending?: CallsInFlight["ending"];
}

export interface RunSetRequest {
  readonly runs: TrialRuns;
  readonly set: EvalSetRow;
  /** Trials that are followed under a changed program first. */
  readonly follow?: ReadonlySet<number>;
  /** Called before the first trial begins, and for every trial that ended. */
  readonly onProgress?: (progress: SetProgress, ended: PlannedTrial | null) => void;
  /** Called once with what does not stop the set, and is most likely not meant. */
  readonly onWarning?: (text: string) => void;
  /** Aborted when somebody wants the set to stop; its reason is a `StopRequest`. */
  readonly signal?: AbortSignal;
  /** From 0 to 1, for the jitter of pauses. */
  readonly random: () => number;
  /** Only scores are made, anew: of these scorers, or of all. The scores that there are stay as older versions. */
  readonly rescore?: { readonly scorers: readonly string[] | null };
  /** Who does the trials; the task's solver unless said otherwise. */
  readonly as?: Solver;
  /** Whether a trial is among those asked for; the others stay as they are. Absent: all are. */
  readonly isAsked?: (trial: PlannedTrial) => boolean;
  /** Other trials than the set's own: nothing of the set itself changes. */
  readonly beside?: TrialsBeside;
  /** Who does the trials in the place of this process. */
  readonly executor?: TrialExecutor;
  /**
   * Only some trials of a set that lies elsewhere: what all its trials decide together (races, how many errors there may be) is decided
   * there. `name`: of their runs and sandboxes, in the place of the set's.
   */
  readonly part?: { readonly name: string };
}

/** Trials beside those of the set, with money of their own. */
export interface TrialsBeside {
  readonly trials: readonly PlannedTrial[];
  /** How often each scorer judges a trial; undefined: as the task has it. */
  readonly judgements?: number;
  /** US dollars, what was spent on them before included; null: no limit. */
  readonly costUsd: number | null;
  /** What one trial of a sample draws, the next one finds: they run one after the other. Absent: nothing is drawn again. */
  readonly draw?: (trial: PlannedTrial, job: TrialJob) => NonNullable<RoleRules["draw"]>;
  /** Of trials that begin in another run. */
  readonly fork?: (trial: PlannedTrial) => TrialFork;
}

export interface TrialFork {
  readonly start: ForkStart;
  /** What calls of the agent use from the step on, whatever they name. */
  readonly forced: Dict;
}
