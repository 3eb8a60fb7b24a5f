/** Metrics of a set: names in, figures with intervals out. */

import { display, List, type Value } from "../../../values/index.ts";
import type { Sample } from "../../plan/index.ts";
import { type MetricName, parseMetricName } from "../../plan/index.ts";
import type { IntervalMethod, ValueKind } from "../../stats/index.ts";
import { alpha, exactSum, icc, macroF1, mean, meanInterval, quantile } from "../../stats/index.ts";
import type { RecordedTask, RecordedTrial } from "../recorded-set.ts";
import { successOf } from "../trial-facts.ts";
import { kindOf, type SampleReader, sampleReader, usageOf } from "./sample-values.ts";
import {
  clusterNames,
  everything,
  groupValues,
  type SampleTrials,
  type Selection,
  taskVariants,
  trialsBySample,
} from "./selection.ts";

export interface Figure {
  readonly name: string;
  /** Null: no trial says anything. */
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly se: number | null;
  /** Samples that it is of, and their clusters. */
  readonly n: number;
  readonly clusters: number;
  /** `count`: a sum or an order statistic, which has no interval. */
  readonly method: IntervalMethod | "count";
  /** Samples left out because they have fewer scored epochs than `pass@k` asks for. */
  readonly short: number;
}

/** The names that a task shows: its own, or the usual ones. */
export function shownMetrics({ spec }: RecordedTask): readonly string[] {
  if (spec.metrics !== null) return spec.metrics;
  const usual = [
    ...(spec.success.length === 0 ? [] : ["success"]),
    ...(spec.epochs > 1 && spec.success.length > 0 ? [`pass^${spec.epochs}`] : []),
    ...spec.scorers.map(({ name }) => name),
    "cost_usd",
    "tokens",
  ];
  // A scorer may be called `success`, as promptfoo's is.
  return [...new Set(usual)];
}

/** The metric that comparisons and races are about. */
export const primaryMetric = (task: RecordedTask): string => {
  if (task.spec.race !== null) return task.spec.race.metric;
  const names = shownMetrics(task);
  return names.includes("success") || names.length === 0 ? "success" : (names[0] as string);
};

export const metricOf = (task: RecordedTask, name: string): MetricName | undefined =>
  parseMetricName(
    name,
    task.spec.scorers.map((scorer) => scorer.name),
  );

/** The samples that have a value, column by column: there may be many. */
export interface SampleValues {
  readonly samples: readonly Sample[];
  readonly values: readonly number[];
  /** Trials that each value is made of. */
  readonly trials: readonly number[];
  readonly kind: ValueKind;
  /** Samples that are left out for having too few epochs. */
  readonly short: number;
}

export function sampleValues(from: readonly SampleTrials[], read: SampleReader): SampleValues {
  let short = 0;
  const samples: Sample[] = [];
  const values: number[] = [];
  const counts: number[] = [];
  let kind: ValueKind = "share";
  for (const { sample, trials } of from) {
    const one = read(trials);
    if (one.isShort === true && trials.length > 0) short++;
    if (one.value === undefined) continue;
    samples.push(sample);
    values.push(one.value);
    counts.push(one.trials);
    if (kind !== one.kind) kind = kindOf([{ kind }, one]);
  }
  return { samples, values, trials: counts, kind, short };
}

/** A metric of the trials that were chosen; undefined for a name that can't be one. */
export function figureOf(
  task: RecordedTask,
  name: string,
  selection: Selection = everything,
): Figure | undefined {
  const samples = trialsBySample(task, selection);
  const known = figured.get(samples) ?? new Map<string, Figure | undefined>();
  figured.set(samples, known);
  if (!known.has(name)) {
    const metric = metricOf(task, name);
    known.set(name, metric === undefined ? undefined : figureAmong(task, name, metric, samples));
  }
  return known.get(name);
}

/** Figures of the trials that a selection has found: those of all variants are those of the only one. */
const figured = new WeakMap<readonly SampleTrials[], Map<string, Figure | undefined>>();

export function figureAmong(
  task: RecordedTask,
  name: string,
  metric: MetricName,
  samples: readonly SampleTrials[],
): Figure {
  const read = sampleReader(metric, task.spec);
  if (read === undefined) return countFigure(task, name, metric, samples);
  return meanFigure(name, sampleValues(samples, read));
}

function meanFigure(name: string, { samples, values, trials, kind, short }: SampleValues): Figure {
  const interval = meanInterval(values, {
    clusters: clusterNames(samples),
    ...(kind === "share" ? { trials: trials.reduce((sum, count) => sum + count, 0) } : {}),
    ...(kind === "amount" ? { method: "t" as const } : {}),
  });
  const isEmpty = values.length === 0;
  return {
    name,
    value: isEmpty ? null : interval.value,
    low: interval.low ?? null,
    high: interval.high ?? null,
    se: interval.se ?? null,
    n: interval.n,
    clusters: interval.clusters,
    method: interval.method,
    short,
  };
}

/** What is not a mean over samples. */
function countFigure(
  task: RecordedTask,
  name: string,
  metric: MetricName,
  samples: readonly SampleTrials[],
): Figure {
  const found = countValue(
    task,
    metric,
    samples.flatMap(({ trials }) => trials),
    samples,
  );
  return {
    name,
    value: found === undefined || Number.isNaN(found) ? null : found,
    low: null,
    high: null,
    se: null,
    n: samples.length,
    clusters: samples.length,
    method: "count",
    short: 0,
  };
}

function countValue(
  task: RecordedTask,
  metric: MetricName,
  trials: readonly RecordedTrial[],
  samples: readonly SampleTrials[],
): number | undefined {
  switch (metric.kind) {
    case "total_cost_usd":
      return trials.some(({ costUsd }) => costUsd === null)
        ? undefined
        : exactSum(trials.map(({ costUsd }) => costUsd as number));
    case "usage":
      return quantile(
        trials.flatMap((trial) => usageOf(trial, metric.field) ?? []),
        metric.percentile as number,
      );
    case "icc":
      return icc(completeRows(task, samples));
    case "alpha":
      return scorerAgreement(trials, metric.scorer);
    case "macro_f1":
      return macroOf(samples, metric.scorer);
    default:
      return undefined;
  }
}

/** Successes of the samples, each variant by itself, of which every epoch is scored: ICC(1) is of rows of one length. */
function completeRows({ spec }: RecordedTask, samples: readonly SampleTrials[]): number[][] {
  const rows = samples.flatMap(({ trials }) =>
    taskVariants(trials).map((own) => own.flatMap((trial) => successOf(trial, spec) ?? [])),
  );
  const length = Math.max(0, ...rows.map((row) => row.length));
  return rows.filter((row) => row.length === length);
}

/** Krippendorff's α of those that judged together: the draws of a judge, or the members of a panel (parts of its score). */
function scorerAgreement(trials: readonly RecordedTrial[], scorer: string): number | undefined {
  const units = trials.map(({ scores }) => scores.filter((score) => score.scorer === scorer));
  const draws = Math.max(0, ...units.map((unit) => unit.length));
  if (draws > 1) {
    const raters = Array.from({ length: draws }, (_, draw) =>
      units.map((unit) => unit[draw]?.value ?? undefined),
    );
    return alpha(raters, "interval");
  }
  const members = [...new Set(units.flatMap((unit) => Object.keys(unit[0]?.parts ?? {})))];
  if (members.length < 2) return undefined;
  return alpha(
    members.map((member) => units.map((unit) => unit[0]?.parts[member])),
    "interval",
  );
}

/** F1 over labels: what passes has the target's label, else that of the answer. The mean over variants. */
function macroOf(samples: readonly SampleTrials[], scorer: string): number | undefined {
  const pairs = samples.flatMap(({ sample, trials }) => {
    const expected = labelText(firstItem(sample.body.get("target") ?? null));
    if (expected === undefined) return [];
    return trials.flatMap((trial) => {
      const score = trial.scores.find((one) => one.scorer === scorer && one.pass !== null);
      if (trial.state !== "done" || score === undefined) return [];
      const given = score.pass === true ? expected : (labelText(score.label ?? score.answer) ?? "");
      return [{ variant: trial.variant, expected, given }];
    });
  });
  const found = [...Map.groupBy(pairs, ({ variant }) => variant).values()].flatMap(
    (own) =>
      macroF1(
        own.map(({ expected }) => expected),
        own.map(({ given }) => given),
      ) ?? [],
  );
  return found.length === 0 ? undefined : mean(found);
}

const firstItem = (value: Value): Value => (value instanceof List ? (value.toArray()[0] ?? null) : value);

const labelText = (value: Value): string | undefined =>
  value === null ? undefined : display(value).normalize("NFKC").trim().toLowerCase();

/** The value of each group that a task names, for each of its metrics. */
export function groupFigures(
  task: RecordedTask,
  names: readonly string[],
  variant: string | null,
): Record<string, Record<string, Figure[]>> {
  return Object.fromEntries(
    task.spec.groupBy.map((field) => [
      field,
      Object.fromEntries(
        groupValues(task, field).map((value) => [
          value,
          names.flatMap((name) => figureOf(task, name, { variant, group: { field, value } }) ?? []),
        ]),
      ),
    ]),
  );
}
