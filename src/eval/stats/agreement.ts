/** Judges against people, raters against each other, and scores corrected by labels. */

import { isWithinUnit, zOf } from "./intervals.ts";
import { exactSum, mean, variance } from "./sums.ts";

export type KappaWeights = "none" | "linear" | "quadratic";

/** Cohen's κ of two raters; undefined when chance alone explains all agreement. Weights are of the values, not of ranks. */
export function kappa(
  a: readonly (number | string)[],
  b: readonly (number | string)[],
  weights: KappaWeights = "none",
): number | undefined {
  const distance = distanceOf(weights);
  const n = a.length;
  const observed = exactSum(a.map((value, at) => distance(value, b[at] as number | string)));
  const [inA, inB] = [ratingCountsOf(a), ratingCountsOf(b)];
  const chance = [...inA].flatMap(([x, countX]) =>
    [...inB].map(([y, countY]) => countX * countY * distance(x, y)),
  );
  const expected = exactSum(chance) / n;
  return expected === 0 ? undefined : 1 - observed / expected;
}

function distanceOf(weights: KappaWeights): (x: number | string, y: number | string) => number {
  if (weights === "none") return (x, y) => Number(x !== y);
  return weights === "linear"
    ? (x, y) => Math.abs(Number(x) - Number(y))
    : (x, y) => (Number(x) - Number(y)) ** 2;
}

function ratingCountsOf<T>(values: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

export type AlphaLevel = "nominal" | "ordinal" | "interval";
export type Rating = number | string | undefined;

/** Krippendorff's α of any number of raters with missing ratings; a row a rater. Undefined without two ratings of a unit, or when all agree by necessity. */
export function alpha(
  raters: readonly (readonly Rating[])[],
  level: AlphaLevel = "nominal",
): number | undefined {
  const units = raters[0]?.map((_rating, at) => raters.flatMap((row) => row[at] ?? [])) ?? [];
  const pairable = units.filter((ratings) => ratings.length > 1);
  const totals = ratingCountsOf(pairable.flat());
  const distance = alphaDistance(level, totals);
  const n = pairable.reduce((count, ratings) => count + ratings.length, 0);
  const observed = exactSum(
    pairable.map((ratings) => {
      const pairs = ratings.flatMap((x, i) => ratings.map((y, j) => (i === j ? 0 : distance(x, y))));
      return exactSum(pairs) / (ratings.length - 1);
    }),
  );
  const expected = exactSum(
    [...totals].flatMap(([x, countX]) => [...totals].map(([y, countY]) => countX * countY * distance(x, y))),
  );
  return n < 2 || expected === 0 ? undefined : 1 - ((n - 1) * observed) / expected;
}

function alphaDistance(
  level: AlphaLevel,
  totals: ReadonlyMap<number | string, number>,
): (x: number | string, y: number | string) => number {
  if (level === "nominal") return (x, y) => Number(x !== y);
  if (level === "interval") return (x, y) => (Number(x) - Number(y)) ** 2;
  const sorted = [...totals].sort(([x], [y]) => Number(x) - Number(y));
  // Mid-ranks: what lies between two values counts whole, the values themselves by half.
  const ranks = new Map<number | string, number>();
  let below = 0;
  for (const [value, count] of sorted) {
    ranks.set(value, below + count / 2);
    below += count;
  }
  return (x, y) => ((ranks.get(x) ?? 0) - (ranks.get(y) ?? 0)) ** 2;
}

/**
 * The mean over all labels, of either list, of how well each is found: the harmonic mean of precision and recall. A label that is
 * never both expected and given has 0. Undefined for nothing.
 */
export function macroF1(expected: readonly string[], given: readonly string[]): number | undefined {
  const labels = [...new Set([...expected, ...given])];
  const [inExpected, inGiven] = [ratingCountsOf(expected), ratingCountsOf(given)];
  const right = ratingCountsOf(expected.filter((label, at) => given[at] === label));
  const scores = labels.map(
    (label) => (2 * (right.get(label) ?? 0)) / ((inExpected.get(label) ?? 0) + (inGiven.get(label) ?? 0)),
  );
  return scores.length === 0 ? undefined : mean(scores);
}

/** The intraclass correlation ICC(1) of rows of equal length: how much of the spread lies between samples. */
export function icc(rows: readonly (readonly number[])[]): number | undefined {
  const k = rows[0]?.length ?? 0;
  if (rows.length < 2 || k < 2) return undefined;
  const means = rows.map((row) => mean(row));
  const between = k * variance(means);
  const within = exactSum(rows.map((row) => variance(row))) / rows.length;
  const total = between + (k - 1) * within;
  return total === 0 ? undefined : (between - within) / total;
}

export interface JudgedShare {
  /** Share that the judge passed, of n. */
  readonly q: number;
  readonly n: number;
  /** The judge against labels: true and false positives and negatives. */
  readonly tp: number;
  readonly fn: number;
  readonly tn: number;
  readonly fp: number;
}

export interface CorrectedMean {
  readonly value: number;
  readonly se: number;
  readonly low: number;
  readonly high: number;
}

/** Sensitivity plus specificity less one: a judge below it is not better than chance. */
export const leastInformedness = 0.1;

/** The true share behind a judge's share, from what labels say of the judge; undefined when the judge says nothing. */
export function roganGladen(
  judged: JudgedShare,
  level = 0.95,
): (CorrectedMean & { readonly sensitivity: number; readonly specificity: number }) | undefined {
  const positives = judged.tp + judged.fn;
  const negatives = judged.tn + judged.fp;
  const sensitivity = judged.tp / positives;
  const specificity = judged.tn / negatives;
  const informed = sensitivity + specificity - 1;
  if (!(informed > leastInformedness)) return undefined;
  const p = (judged.q + specificity - 1) / informed;
  const terms = [
    (judged.q * (1 - judged.q)) / judged.n,
    (p * p * sensitivity * (1 - sensitivity)) / positives,
    ((1 - p) ** 2 * specificity * (1 - specificity)) / negatives,
  ];
  const se = Math.sqrt(exactSum(terms)) / informed;
  return { ...withinUnit(aroundEstimate(p, se, level)), sensitivity, specificity };
}

/** A share is from 0 to 1, whatever a correction makes of it. */
function withinUnit({ value, se, low, high }: CorrectedMean): CorrectedMean {
  const cut = (x: number): number => Math.min(1, Math.max(0, x));
  return { value: cut(value), se, low: cut(low), high: cut(high) };
}

const aroundEstimate = (value: number, se: number, level: number): CorrectedMean => {
  const half = zOf(level) * se;
  return { value, se, low: value - half, high: value + half };
};

/** Prediction-powered mean: labels `y` with the judge's `f` beside them, and the judge's scores of what nobody labelled. */
export function ppi(
  y: readonly number[],
  f: readonly number[],
  unlabelled: readonly number[],
  level = 0.95,
): CorrectedMean & { readonly lambda: number } {
  const n = y.length;
  const N = unlabelled.length;
  const [meanY, meanF] = [mean(y), mean(f)];
  const covariance = exactSum(y.map((value, at) => (value - meanY) * ((f[at] as number) - meanF))) / (n - 1);
  const spread = (1 + n / N) * variance([...f, ...unlabelled]);
  const lambda = spread === 0 ? 0 : Math.min(1, Math.max(0, covariance / spread));
  const rest = y.map((value, at) => value - lambda * (f[at] as number));
  const value = lambda * mean(unlabelled) + mean(rest);
  const se = Math.sqrt((lambda ** 2 * variance(unlabelled)) / N + variance(rest) / n);
  const found = aroundEstimate(value, se, level);
  return { ...(isWithinUnit([...y, ...f, ...unlabelled]) ? withinUnit(found) : found), lambda };
}
