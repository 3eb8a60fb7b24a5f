/** What a metric is for one sample: its trials (epochs, and variants where they are taken together) made one number. */

import type { MetricName, Reduce, UsageField } from "../../plan/index.ts";
import { mean, passAtK, passCaretK, quantile } from "../../stats/index.ts";
import type { RecordedTrial, ReportedSpec } from "../recorded-set.ts";
import { combinedScore, hasUserFault, isDropped, successOf } from "../trial-facts.ts";

/** What a trial says to a metric; undefined: nothing. */
interface TrialValue {
  readonly value: number;
  readonly pass: boolean;
}

type TrialReader = (trial: RecordedTrial) => TrialValue | undefined;

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

const asValue = (value: number | undefined): TrialValue | undefined =>
  value === undefined ? undefined : { value, pass: value === 1 };

export const successReader =
  (spec: ReportedSpec): TrialReader =>
  (trial) =>
    asValue(successOf(trial, spec));

/** A scorer's value, one of its parts, or a figure that the trial measured under this name. */
function scoreReader(scorer: string, part: string | null, spec: ReportedSpec): TrialReader {
  const figure = part === null ? scorer : `${scorer}.${part}`;
  const isScorer = spec.scorers.some(({ name }) => name === scorer);
  return (trial) => {
    if (trial.state !== "done" || isDropped(trial, spec)) return undefined;
    const score = combinedScore(trial, scorer);
    if (part === null && score !== undefined) {
      return score.value === null ? undefined : { value: score.value, pass: score.pass === true };
    }
    const own = part === null ? undefined : score?.parts[part];
    return asValue(own ?? (isScorer ? undefined : trial.metrics[figure]));
  };
}

export const usageOf = (trial: RecordedTrial, field: UsageField): number | undefined => {
  if (trial.state !== "done") return undefined;
  if (field === "tokens") return trial.inputTokens + trial.outputTokens;
  if (field === "cost_usd") return trial.costUsd ?? undefined;
  return field === "turns" ? trial.turns : trial.workingMs;
};

const usageReader =
  (field: UsageField): TrialReader =>
  (trial) =>
    asValue(usageOf(trial, field));

function shareReader(of: "errors" | "unscored" | "user_faults", spec: ReportedSpec): TrialReader {
  return (trial) => {
    const { state } = trial;
    if (of === "errors")
      return state === "done" || state === "errored" ? asValue(Number(state === "errored")) : undefined;
    if (state !== "done") return undefined;
    return asValue(Number(of === "unscored" ? successOf(trial, spec) === undefined : hasUserFault(trial)));
  };
}

function passReader(name: Extract<MetricName, { kind: "pass" }>, spec: ReportedSpec): SampleReader {
  const read = name.scorer === null ? successReader(spec) : scoreReader(name.scorer, null, spec);
  const share = name.of === "any" ? passAtK : passCaretK;
  return (trials) => {
    const values = saidBy(trials, read);
    const passed = values.filter(({ pass }) => pass).length;
    if (values.length < name.k) return { value: undefined, trials: 0, isShort: true };
    return { value: share(values.length, passed, name.k), trials: values.length };
  };
}

function flakyReader(spec: ReportedSpec): SampleReader {
  const read = successReader(spec);
  return (trials) => {
    const values = saidBy(trials, read);
    if (values.length === 0) return { value: undefined, trials: 0 };
    const passed = values.filter(({ pass }) => pass).length;
    return { value: Number(passed > 0 && passed < values.length), trials: 1 };
  };
}

/** What these trials say, without those that say nothing. */
function saidBy(trials: readonly RecordedTrial[], read: TrialReader): TrialValue[] {
  const values: TrialValue[] = [];
  for (const trial of trials) {
    const value = read(trial);
    if (value !== undefined) values.push(value);
  }
  return values;
}

const reducedBy =
  (read: TrialReader, how: Reduce): SampleReader =>
  (trials) => {
    const values = saidBy(trials, read);
    if (values.length === 0) return { value: undefined, trials: 0 };
    return { value: reduced(values, how), trials: how === "mean" ? values.length : 1 };
  };

function reduced(values: readonly TrialValue[], how: Reduce): number {
  const numbers = values.map(({ value }) => value);
  if (typeof how === "object") return Number(values.filter(({ pass }) => pass).length >= how.k);
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
  const most = Math.max(...counts.values());
  return Math.min(...[...counts].flatMap(([value, count]) => (count === most ? value : [])));
}
