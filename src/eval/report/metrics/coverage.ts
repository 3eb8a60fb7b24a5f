/** What the figures of a task do not hold: trials that errored, that nobody could score, that a user's fault touches. */

import type { Blame } from "../../plan/index.ts";
import { mean } from "../../stats/index.ts";
import { isHelped, redoneIn } from "../../users/index.ts";
import type { RecordedTask, RecordedTrial, TrialState } from "../recorded-set.ts";
import { hasUserFault, successOf } from "../trial-facts.ts";
import { type SampleTrials, trialsBySample } from "./selection.ts";

export const noStates = (): Record<TrialState, number> => ({
  pending: 0,
  running: 0,
  waiting: 0,
  paused: 0,
  done: 0,
  errored: 0,
  skipped: 0,
});

/** How many trials are in each state. */
export function statesOf(trials: readonly RecordedTrial[]): Record<TrialState, number> {
  const states = noStates();
  for (const { state } of trials) states[state]++;
  return states;
}

export function coverageOf(task: RecordedTask, variant: string | null): TrialCoverage {
  const samples = trialsBySample(task, { variant, group: null });
  const known = covered.get(samples) ?? coverageAmong(task, samples);
  covered.set(samples, known);
  return known;
}

/** All variants of a task with a single one are found once. */
const covered = new WeakMap<readonly SampleTrials[], TrialCoverage>();

function coverageAmong(task: RecordedTask, found: readonly SampleTrials[]) {
  const samples = found.map(({ trials }) => trials);
  const trials = samples.flat();
  const states = statesOf(trials);
  const blame = new Map<Blame, number>();
  const faults: Record<string, number> = {};
  let unscored = 0;
  let helped = 0;
  let redone = 0;
  for (const trial of trials) {
    const success = successOf(trial, task.spec);
    if (trial.state === "done" && success === undefined) unscored++;
    if (trial.blame !== null && success === 0) blame.set(trial.blame, (blame.get(trial.blame) ?? 0) + 1);
    if (isHelped(success ?? null, trial.faults)) helped++;
    redone += redoneIn(trial.faults).length;
    for (const { kind } of trial.faults) faults[kind] = (faults[kind] ?? 0) + 1;
  }
  const userFaults = trials.filter((trial) => trial.state === "done" && hasUserFault(trial)).length;
  const successWith = (value: (trial: RecordedTrial) => number | undefined): number | null =>
    meanOverSamples(samples, value);
  const asErrored =
    (value: number) =>
    (trial: RecordedTrial): number | undefined =>
      trial.state === "errored" ? value : successOf(trial, task.spec);
  const [low, high] =
    states.errored === 0 ? [null, null] : [successWith(asErrored(0)), successWith(asErrored(1))];
  return {
    trials: trials.length,
    states,
    /** Done, but neither a success nor a failure. */
    unscored,
    userFaults,
    /** Successes that a fault of the user helped to. */
    helped,
    /** Attempts that were given up for a fault of their user. */
    redone,
    /** Success with all errored trials as failures and as successes; null when none errored. */
    errored: low === null || high === null ? null : { low, high },
    /** Success without the trials with a user's fault; null when nothing is left. */
    withoutFaults: successWith((trial) => (hasUserFault(trial) ? undefined : successOf(trial, task.spec))),
    /** Who is to blame for those that did not succeed, the commonest first. */
    blame: [...blame].sort(([, a], [, b]) => b - a),
    faults,
  };
}

export type TrialCoverage = Readonly<ReturnType<typeof coverageAmong>>;

function meanOverSamples(
  samples: readonly (readonly RecordedTrial[])[],
  value: (trial: RecordedTrial) => number | undefined,
): number | null {
  const means: number[] = [];
  for (const trials of samples) {
    const values: number[] = [];
    for (const trial of trials) {
      const own = value(trial);
      if (own !== undefined) values.push(own);
    }
    if (values.length > 0) means.push(mean(values));
  }
  return means.length === 0 ? null : mean(means);
}
