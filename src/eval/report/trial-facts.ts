/** What follows from a trial and its scores alone. */
import type { Score } from "../plan/index.ts";
import type { RecordedTrial, ReportedSpec } from "./recorded-set.ts";

export interface CombinedScore {
  /** Null: unscored, or a label without a number. */
  readonly value: number | null;
  readonly pass: boolean | null;
  readonly parts: Readonly<Record<string, number>>;
}

/**
 * What a scorer says after all its draws: the mean of their values; it passes when more than half of those that say
 * anything pass. Undefined when it has not scored the trial at all.
 */
export function combinedScore(trial: RecordedTrial, scorer: string): CombinedScore | undefined {
  const draws = trial.scores.filter((score) => score.scorer === scorer);
  const [first] = draws;
  if (first === undefined || draws.length === 1) return first;
  const values = draws.flatMap(({ value }) => value ?? []);
  const passes = draws.flatMap(({ pass }) => pass ?? []);
  return {
    value: values.length === 0 ? null : meanOf(values),
    pass: passes.length === 0 ? null : passes.filter((pass) => pass).length * 2 > passes.length,
    parts: partsOf(draws),
  };
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function partsOf(draws: readonly Score[]): Readonly<Record<string, number>> {
  const names = new Set(draws.flatMap(({ parts }) => Object.keys(parts)));
  return Object.fromEntries(
    [...names].map((name) => [name, meanOf(draws.flatMap(({ parts }) => parts[name] ?? []))]),
  );
}

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
  let isUnscored = false;
  for (const scorer of rule.success) {
    const pass = combinedScore(trial, scorer)?.pass ?? undefined;
    if (pass === false) return 0;
    isUnscored ||= pass === undefined;
  }
  return isUnscored ? undefined : 1;
}

/** Whether a fault of its user takes a trial out of the figures. */
export const isDropped = (trial: RecordedTrial, rule: SuccessRule): boolean =>
  rule.onUserFault.kind === "drop" && hasUserFault(trial);

/** The scorers for which a trial failed. */
export const failingScorers = (trial: RecordedTrial, rule: SuccessRule): string[] =>
  rule.success.filter((scorer) => combinedScore(trial, scorer)?.pass === false);
