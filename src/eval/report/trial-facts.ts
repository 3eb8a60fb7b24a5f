/** What follows from a trial and its scores alone. */
import { type CombinedScore, drawsOf, successOfScores } from "../plan/index.ts";
import type { RecordedTrial, ReportedSpec } from "./recorded-set.ts";

/** What a scorer says after all its draws. Undefined when it has not scored the trial at all. */
export const combinedScore = (trial: RecordedTrial, scorer: string): CombinedScore | undefined =>
  drawsOf(trial.scores, scorer);

/** A fault that changed what the agent had to do, in its favour or against it. */
export const hasUserFault = (trial: RecordedTrial): boolean =>
  trial.faults.some(({ severity }) => severity !== "minor");

export type SuccessRule = Pick<ReportedSpec, "success" | "onUserFault">;

/**
 * 1 when every scorer that decides passes, 0 when one does not; undefined when one of them is unscored and none fails,
 * when the trial is not done, and when a user's fault takes it out of the figures.
 */
export function successOf(trial: RecordedTrial, rule: SuccessRule): 0 | 1 | undefined {
  if (trial.state !== "done" || rule.success.length === 0) return undefined;
  if (isDropped(trial, rule)) return undefined;
  return successOfScores(trial.scores, rule.success) ?? undefined;
}

/** Whether a fault of its user takes a trial out of the figures. */
export const isDropped = (trial: RecordedTrial, rule: SuccessRule): boolean =>
  rule.onUserFault.kind === "drop" && hasUserFault(trial);

/** The scorers for which a trial failed. */
export const failingScorers = (trial: RecordedTrial, rule: SuccessRule): string[] =>
  rule.success.filter((scorer) => combinedScore(trial, scorer)?.pass === false);
