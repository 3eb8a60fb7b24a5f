/** A judge against people: how far it agrees, and what its score is worth after correction by labels. */
import {
  alpha,
  bootstrapStatistic,
  type CorrectedMean,
  kappa,
  mean,
  ppi,
  roganGladen,
} from "../../stats/index.ts";
import type { RecordedSet, RecordedTrial } from "../recorded-set.ts";
import { combinedScore } from "../trial-facts.ts";

export interface Label {
  readonly trial: RecordedTrial;
  readonly rater: string;
  readonly value: number;
}

export interface Calibration {
  readonly scorer: string;
  readonly agreements: readonly Agreement[];
  /** Krippendorff's α of the raters; null with fewer than two. */
  readonly betweenRaters: number | null;
  /** Krippendorff's α of the judge's own draws; null with a single one. */
  readonly betweenDraws: number | null;
  /** Mean of the judge over all trials, then corrected by the labels; null, or why that can't be. */
  readonly raw: number | null;
  readonly roganGladen: CorrectedMean | string | null;
  readonly predictionPowered: CorrectedMean | null;
  readonly warnings: readonly string[];
}

const fewLabels = 50;

export function calibrationOf(set: RecordedSet, scorer: string, labels: readonly Label[]): Calibration {
  const known = labels.filter(({ trial }) => judgedValue(trial, scorer) !== undefined);
  const raters = [...new Set(known.map(({ rater }) => rater))];
  const pooled = pooledLabels(known);
  const agreements = [
    ...(raters.length > 1
      ? raters.map((rater) =>
          agreementOf(
            rater,
            scorer,
            known.filter((one) => one.rater === rater),
          ),
        )
      : []),
    agreementOf(raters.length === 1 ? (raters[0] as string) : "pooled", scorer, pooled),
  ];
  const all = set.tasks.flatMap(({ trials }) => trials.flatMap((trial) => judgedValue(trial, scorer) ?? []));
  const labelled = new Set(pooled.map(({ trial }) => trial));
  const rest = set.tasks.flatMap(({ trials }) =>
    trials.filter((trial) => !labelled.has(trial)).flatMap((trial) => judgedValue(trial, scorer) ?? []),
  );
  return {
    scorer,
    agreements: pooled.length === 0 ? [] : agreements,
    betweenRaters: raterAgreement(known, raters),
    betweenDraws: drawAgreement(set, scorer),
    raw: all.length === 0 ? null : mean(all),
    roganGladen: corrected(pooled, scorer, all),
    predictionPowered:
      pooled.length < 2 || rest.length < 2
        ? null
        : ppi(
            pooled.map(({ value }) => value),
            pooled.map(({ trial }) => judgedValue(trial, scorer) as number),
            rest,
          ),
    warnings: calibrationWarnings(pooled),
  };
}

function calibrationWarnings(pooled: readonly { readonly value: number }[]): string[] {
  const base = pooled.length === 0 ? Number.NaN : mean(pooled.map(({ value }) => value));
  return [
    ...(pooled.length < fewLabels
      ? [
          `${pooled.length === 1 ? "1 label is" : `${pooled.length} labels are`} few: ${fewLabels} or more tell something`,
        ]
      : []),
    ...(base < 0.1 || base > 0.9
      ? [`${(base * 100).toFixed(0)} % of the labels pass: agreement by chance is high there`]
      : []),
  ];
}

const judgedValue = (trial: RecordedTrial, scorer: string): number | undefined =>
  trial.state === "done" ? (combinedScore(trial, scorer)?.value ?? undefined) : undefined;

/** A label a trial: the mean of its raters', rounded where all labels are 0 and 1. */
function pooledLabels(labels: readonly Label[]): Label[] {
  const isBinary = labels.every(({ value }) => value === 0 || value === 1);
  const byTrial = new Map<RecordedTrial, number[]>();
  for (const { trial, value } of labels) {
    const values = byTrial.get(trial);
    if (values === undefined) byTrial.set(trial, [value]);
    else values.push(value);
  }
  return [...byTrial].map(([trial, values]) => {
    const value = mean(values);
    return { trial, rater: "pooled", value: isBinary ? Number(value > 0.5) : value };
  });
}

/** How many of these pairs of label and verdict have this verdict, of 1; null without any. */
const shareWithVerdict = (pairs: readonly (readonly [number, number])[], wanted: number): number | null =>
  pairs.length === 0 ? null : pairs.filter(([, verdict]) => verdict === wanted).length / pairs.length;

function agreementOf(rater: string, scorer: string, labels: readonly Label[]) {
  const people = labels.map(({ value }) => value);
  const judge = labels.map(({ trial }) => judgedValue(trial, scorer) as number);
  const isBinary = people.every((value) => value === 0 || value === 1);
  const verdicts = isBinary
    ? labels.map(({ trial }) => Number(combinedScore(trial, scorer)?.pass === true))
    : judge;
  const weights = isBinary ? "none" : "quadratic";
  const pairs = people.map((value, at) => [value, verdicts[at] as number] as const);
  const kappaOf = (chosen: readonly (readonly [number, number])[]): number =>
    kappa(
      chosen.map(([value]) => value),
      chosen.map(([, verdict]) => verdict),
      weights,
    ) ?? Number.NaN;
  const value = kappaOf(pairs);
  const interval = Number.isNaN(value) ? undefined : bootstrapStatistic(pairs, kappaOf);
  const base = mean(people);
  const passed = pairs.filter(([label]) => label === 1);
  const failed = pairs.filter(([label]) => label === 0);
  const agreed = pairs.filter(([label, verdict]) => label === verdict).length;
  return {
    /** `pooled`, or the name of a rater. */
    rater,
    n: labels.length,
    /** Share of labels that pass. */
    baseRate: base,
    /** Share on which the judge says the same; null for scales. */
    accuracy: isBinary ? agreed / pairs.length : null,
    /** The accuracy of always saying the commoner label. */
    alwaysAccuracy: isBinary ? Math.max(base, 1 - base) : null,
    /** Null: chance alone explains all agreement. */
    kappa: Number.isNaN(value) ? null : value,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    sensitivity: isBinary ? shareWithVerdict(passed, 1) : null,
    specificity: isBinary ? shareWithVerdict(failed, 0) : null,
    disagreements: labels.filter((_label, at) => pairs[at]?.[0] !== pairs[at]?.[1]).map(({ trial }) => trial),
  };
}

export type Agreement = Readonly<ReturnType<typeof agreementOf>>;

function raterAgreement(labels: readonly Label[], raters: readonly string[]): number | null {
  if (raters.length < 2) return null;
  const trials = [...new Set(labels.map(({ trial }) => trial))];
  const rows = raters.map((rater) => {
    const own = new Map(
      labels.filter((one) => one.rater === rater).map(({ trial, value }) => [trial, value]),
    );
    return trials.map((trial) => own.get(trial));
  });
  return alpha(rows, "interval") ?? null;
}

function drawAgreement(set: RecordedSet, scorer: string): number | null {
  const units = set.tasks.flatMap(({ trials }) =>
    trials.map(({ scores }) => scores.filter((score) => score.scorer === scorer)),
  );
  const draws = Math.max(0, ...units.map((unit) => unit.length));
  if (draws < 2) return null;
  const raters = Array.from({ length: draws }, (_, draw) =>
    units.map((unit) => unit[draw]?.value ?? undefined),
  );
  return alpha(raters, "interval") ?? null;
}

function corrected(
  labels: readonly Label[],
  scorer: string,
  all: readonly number[],
): Calibration["roganGladen"] {
  if (labels.length === 0 || !labels.every(({ value }) => value === 0 || value === 1)) return null;
  if (!all.every((value) => value === 0 || value === 1)) return null;
  const count = (label: number, verdict: number): number =>
    labels.filter(({ trial, value }) => value === label && judgedValue(trial, scorer) === verdict).length;
  const [tp, fn, tn, fp] = [count(1, 1), count(1, 0), count(0, 0), count(0, 1)];
  if (tp + fn === 0 || tn + fp === 0) return "labels of both kinds are needed";
  return (
    roganGladen({ q: mean(all), n: all.length, tp, fn, tn, fp }) ?? "the judge is not better than chance"
  );
}
