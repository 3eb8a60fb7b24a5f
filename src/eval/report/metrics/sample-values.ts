/** What a metric is for one sample: its trials (epochs, and variants where they are taken together) made one number. */

import type { CombinedScore, MetricName, Reduce, UsageField } from "../../plan/index.ts";
import { mean, passAtK, passCaretK, quantile } from "../../stats/index.ts";
import type { RecordedTrial, ReportedSpec } from "../recorded-set.ts";
import { combinedScore, hasUserFault, isDropped, successOf } from "../trial-facts.ts";

/** What a trial says to a metric. */
interface TrialReader {
  /** Undefined: nothing. */
  readonly value: (trial: RecordedTrial) => number | undefined;
  /** Of a trial that says something. */
  readonly passes: (trial: RecordedTrial) => boolean;
}

export interface SampleValue {
  /** Undefined: the sample is missing from the metric. */
  readonly value: number | undefined;
  /** Trials that the value is made of. */
  readonly trials: number;
  /** Whether it is missing because it has fewer scored epochs than `pass@k` asks for. */
  readonly isShort?: boolean;
}

export type SampleReader = (trials: readonly RecordedTrial[]) => SampleValue;

/** How a metric reads a sample; undefined for those that are not means over samples. */
export function sampleReader(name: MetricName, spec: ReportedSpec): SampleReader | undefined {
  switch (name.kind) {
    case "success":
      return reducedBy(successReader(spec), spec.reduce.success ?? "mean");
    case "score":
      return reducedBy(scoreReader(name.scorer, name.part, spec), spec.reduce[name.scorer] ?? "mean");
    case "pass":
      return passReader(name, spec);
    case "usage":
      return name.percentile === null ? reducedBy(usageReader(name.field), "mean") : undefined;
    case "share":
      return name.of === "flaky" ? flakyReader(spec) : reducedBy(shareReader(name.of, spec), "mean");
    default:
      return undefined;
  }
}

/** What says 1 passes. */
const passingWithOne = (value: TrialReader["value"]): TrialReader => ({
  value,
  passes: (trial) => value(trial) === 1,
});

export const successReader = (spec: ReportedSpec): TrialReader =>
  passingWithOne((trial) => successOf(trial, spec));

/** A scorer's value, one of its parts, or a figure that the trial measured under this name. */
function scoreReader(scorer: string, part: string | null, spec: ReportedSpec): TrialReader {
  const figure = part === null ? scorer : `${scorer}.${part}`;
  const isScorer = spec.scorers.some(({ name }) => name === scorer);
  const own = (trial: RecordedTrial): CombinedScore | undefined =>
    part === null ? combinedScore(trial, scorer) : undefined;
  const value = (trial: RecordedTrial): number | undefined => {
    if (trial.state !== "done" || isDropped(trial, spec)) return undefined;
    const score = own(trial);
    if (score !== undefined) return score.value ?? undefined;
    const said = part === null ? undefined : combinedScore(trial, scorer)?.parts[part];
    return said ?? (isScorer ? undefined : trial.metrics[figure]);
  };
  const passes = (trial: RecordedTrial): boolean => {
    const score = own(trial);
    return score === undefined ? value(trial) === 1 : score.pass === true;
  };
  return { value, passes };
}

export const usageOf = (trial: RecordedTrial, field: UsageField): number | undefined => {
  if (trial.state !== "done") return undefined;
  if (field === "tokens") return trial.inputTokens + trial.outputTokens;
  if (field === "cost_usd") return trial.costUsd ?? undefined;
  return field === "turns" ? trial.turns : trial.workingMs;
};

const usageReader = (field: UsageField): TrialReader => passingWithOne((trial) => usageOf(trial, field));

function shareReader(of: "errors" | "unscored" | "user_faults", spec: ReportedSpec): TrialReader {
  return passingWithOne((trial) => {
    const { state } = trial;
    if (of === "errors")
      return state === "done" || state === "errored" ? Number(state === "errored") : undefined;
    if (state !== "done") return undefined;
    return Number(of === "unscored" ? successOf(trial, spec) === undefined : hasUserFault(trial));
  });
}

function passReader(name: Extract<MetricName, { kind: "pass" }>, spec: ReportedSpec): SampleReader {
  const read = name.scorer === null ? successReader(spec) : scoreReader(name.scorer, null, spec);
  const share = name.of === "any" ? passAtK : passCaretK;
  return (trials) => {
    const { said, passed } = passesOf(trials, read);
    if (said < name.k) return { value: undefined, trials: 0, isShort: true };
    return { value: share(said, passed, name.k), trials: said };
  };
}

function flakyReader(spec: ReportedSpec): SampleReader {
  const read = successReader(spec);
  return (trials) => {
    const { said, passed } = passesOf(trials, read);
    if (said === 0) return { value: undefined, trials: 0 };
    return { value: Number(passed > 0 && passed < said), trials: 1 };
  };
}

/** How many of these trials say something, and how many of those pass. */
function passesOf(
  trials: readonly RecordedTrial[],
  read: TrialReader,
): { readonly said: number; readonly passed: number } {
  let said = 0;
  let passed = 0;
  for (const trial of trials) {
    if (read.value(trial) === undefined) continue;
    said++;
    if (read.passes(trial)) passed++;
  }
  return { said, passed };
}

const reducedBy =
  (read: TrialReader, how: Reduce): SampleReader =>
  (trials) => {
    const values: number[] = [];
    for (const trial of trials) {
      const value = read.value(trial);
      if (value !== undefined) values.push(value);
    }
    if (values.length === 0) return { value: undefined, trials: 0 };
    const value =
      typeof how === "object" ? Number(passesOf(trials, read).passed >= how.k) : reduced(values, how);
    return { value, trials: how === "mean" ? values.length : 1 };
  };

function reduced(numbers: readonly number[], how: Exclude<Reduce, object>): number {
  switch (how) {
    case "mean":
      return mean(numbers);
    case "median":
      return quantile(numbers, 0.5);
    case "max":
      return Math.max(...numbers);
    case "min":
      return Math.min(...numbers);
    case "first":
      return numbers[0] as number;
    case "mode":
      return commonest(numbers);
  }
}

/** The least of those that occur most often. */
function commonest(values: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const highest = Math.max(...counts.values());
  return Math.min(...[...counts].flatMap(([value, count]) => (count === highest ? value : [])));
}
