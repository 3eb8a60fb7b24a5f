/** What a metric is for one sample: its trials (epochs, and variants where they are taken together) made one number. */

import type { CombinedScore, MetricName, Reduce, UsageField } from "../../plan/index.ts";
import { isBinary, mean, passAtK, passCaretK, quantile, type ValueKind } from "../../stats/index.ts";
import type { RecordedTrial, ReportedSpec } from "../recorded-set.ts";
import { combinedScore, hasUserFault, isDropped, successOf } from "../trial-facts.ts";
import { taskVariants } from "./selection.ts";

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
  readonly kind: ValueKind;
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
      return eachVariant(passReader(name, spec));
    case "usage":
      return name.percentile === null ? amounts(usageReader(name.field)) : undefined;
    case "share":
      return name.of === "flaky"
        ? eachVariant(flakyReader(spec))
        : reducedBy(shareReader(name.of, spec), "mean");
    default:
      return undefined;
  }
}

/** Epochs are those of a variant: what is more than a mean of them is found for each, and the mean of that is taken. */
const eachVariant =
  (read: SampleReader): SampleReader =>
  (trials) => {
    const [first] = trials;
    if (first === undefined || trials.every(({ variant }) => variant === first.variant)) return read(trials);
    const found = taskVariants(trials).map(read);
    const kind = kindOf(found);
    if (found.some(({ isShort }) => isShort === true))
      return { value: undefined, trials: 0, kind, isShort: true };
    const values = found.flatMap(({ value }) => value ?? []);
    return {
      value: values.length === 0 ? undefined : mean(values),
      trials: found.reduce((sum, one) => sum + one.trials, 0),
      kind,
    };
  };

/** Of values that are taken together. */
export function kindOf(values: readonly { readonly kind: ValueKind }[]): ValueKind {
  if (values.some(({ kind }) => kind === "amount")) return "amount";
  return values.some(({ kind }) => kind === "score") ? "score" : "share";
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
    if (said < name.k) return { value: undefined, trials: 0, kind: "share", isShort: true };
    return { value: share(said, passed, name.k), trials: said, kind: "share" };
  };
}

function flakyReader(spec: ReportedSpec): SampleReader {
  const read = successReader(spec);
  return (trials) => {
    const { said, passed } = passesOf(trials, read);
    if (said === 0) return { value: undefined, trials: 0, kind: "share" };
    return { value: Number(passed > 0 && passed < said), trials: 1, kind: "share" };
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

const reducedBy = (read: TrialReader, how: Reduce): SampleReader =>
  how === "mean" ? meanOf(read) : eachVariant(reducedTo(read, how));

const meanOf =
  (read: TrialReader): SampleReader =>
  (trials) => {
    const values = readerValues(trials, read);
    return {
      value: values.length === 0 ? undefined : mean(values),
      trials: values.length,
      kind: isBinary(values) ? "share" : "score",
    };
  };

const amounts = (read: TrialReader): SampleReader => {
  const readMean = meanOf(read);
  return (trials) => ({ ...readMean(trials), kind: "amount" });
};

const reducedTo =
  (read: TrialReader, how: Exclude<Reduce, "mean">): SampleReader =>
  (trials) => {
    const values = readerValues(trials, read);
    if (values.length === 0) return { value: undefined, trials: 0, kind: "share" };
    if (typeof how === "object")
      return { value: Number(passesOf(trials, read).passed >= how.k), trials: 1, kind: "share" };
    return { value: reduced(values, how), trials: 1, kind: isBinary(values) ? "share" : "score" };
  };

function readerValues(trials: readonly RecordedTrial[], read: TrialReader): number[] {
  const values: number[] = [];
  for (const trial of trials) {
    const value = read.value(trial);
    if (value !== undefined) values.push(value);
  }
  return values;
}

function reduced(numbers: readonly number[], how: Exclude<Reduce, object | "mean">): number {
  switch (how) {
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
