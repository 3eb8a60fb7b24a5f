/** Who does the trials of a set in the place of the process that has it: on other machines, many at a time. */
import type { SetOptions } from "../../sets/set-spec.ts";
import type { PlannedTrial } from "../set-plan.ts";
import type { TrialEnd } from "../trial-job.ts";
import type { SetMoney } from "./set-money.ts";

/** How a set ends. `paused` goes on with `resume`. */
export interface WhySetEnds {
  readonly state: "done" | "incomplete" | "paused" | "waiting" | "stopped" | "failed";
  readonly why: string | null;
  /** 0, 2 (wrong task or configuration), 5 (not complete), 75 (waits for a person), 130 … of a signal. */
  readonly exitCode: number;
}

/** What a trial came to, as far as it matters to its set; of what was stopped nothing is decided. */
export type TrialResult =
  | Pick<Extract<TrialEnd, { kind: "done" }>, "kind" | "outcome" | "scores">
  | Pick<Extract<TrialEnd, { kind: "errored" }>, "kind" | "error">
  | { readonly kind: "stopped" }
  | Pick<Extract<TrialEnd, { kind: "broken" }>, "kind" | "message" | "isMismatch">;

/** Nobody could do it, for a reason that is not the trial's: an error of the environment. */
interface LostTrial {
  readonly kind: "lost";
  readonly message: string;
}

/** The set that is executed, to its executor. */
export interface ExecutedSet {
  readonly trials: readonly PlannedTrial[];
  /** Trials of which something is to do, when it begins. */
  readonly open: number;
  readonly money: Pick<SetMoney, "unspent" | "setAside" | "settle" | "expected">;
  /** As they are now: `harn eval tune` changes them. */
  options(): SetOptions;
  /** Ends the set; the first reason counts. */
  stop(end: WhySetEnds): void;
  /** There is room for trials. */
  wake(): void;
}

export interface TrialExecutor {
  /** Called once, before anything else; gives the trials that are in progress already: those are asked for first. */
  begin(set: ExecutedSet): readonly PlannedTrial[];
  /** Whether it takes this trial now. */
  hasRoomFor(trial: PlannedTrial): boolean;
  /** When this resolves, the row of the trial is what it came to, in the store and at hand. */
  perform(trial: PlannedTrial): Promise<TrialResult | LostTrial>;
  /** The set stops: what it performs resolves soon, as far as it has come. */
  stop(): void;
  /** No further trial comes; resolves when nothing of it is in progress any more. */
  over(): Promise<void>;
}
