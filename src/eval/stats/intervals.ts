/** Intervals for shares and means. Which one is used follows from the kind of data. */
import { bootstrap } from "./bootstrap.ts";
import { type ClusteredMean, clusteredMean } from "./clusters.ts";
import { normalQuantile, studentQuantile } from "./distributions.ts";

export interface Interval {
  readonly value: number;
  readonly low: number | undefined;
  readonly high: number | undefined;
}

/** Critical value of a two-sided interval. */
export const zOf = (level: number): number => normalQuantile((1 + level) / 2);

/** Wilson's score interval with any critical value and any (also fractional) number of trials. */
export function scoreInterval(share: number, n: number, critical: number): { low: number; high: number } {
  const square = critical * critical;
  const centre = (share + square / (2 * n)) / (1 + square / n);
  const half = (critical / (1 + square / n)) * Math.sqrt((share * (1 - share)) / n + square / (4 * n * n));
  return {
    low: share <= 0 ? 0 : Math.max(0, centre - half),
    high: share >= 1 ? 1 : Math.min(1, centre + half),
  };
}

/** `x` successes of `n`. */
export function wilson(x: number, n: number, level = 0.95): Interval {
  return { value: x / n, ...scoreInterval(x / n, n, zOf(level)) };
}

export type IntervalMethod = "wilson" | "wilson_eff" | "t" | "bootstrap";

export interface MeanOptions {
  /** The cluster of each value. */
  readonly clusters?: readonly string[] | undefined;
  /**
   * Trials that the values are means of; above their number it means epochs. Shares of trials hold no more than they were;
   * scores on a scale may, so that their number is not given.
   */
  readonly trials?: number | undefined;
  readonly level?: number | undefined;
  readonly method?: IntervalMethod | undefined;
  readonly seed?: number | bigint | undefined;
  readonly resamples?: number | undefined;
}

export interface MeanInterval extends Interval {
  readonly se: number | undefined;
  readonly n: number;
  readonly clusters: number;
  readonly method: IntervalMethod;
  readonly n_eff?: number;
}

export function meanInterval(values: readonly number[], options: MeanOptions = {}): MeanInterval {
  const method = options.method ?? methodFor(values, options);
  const at = clusteredMean(values, options.clusters);
  const facts = { value: at.mean, se: at.se, n: at.n, clusters: at.clusters, method };
  return { ...facts, ...boundsOf(method, values, at, options) };
}

/** Failures and successes, as far as values say. */
export const isBinary = (values: readonly number[]): boolean =>
  values.every((value) => value === 0 || value === 1);

export const isWithinUnit = (values: readonly number[]): boolean =>
  values.every((value) => value >= 0 && value <= 1);

function methodFor(values: readonly number[], { clusters, trials }: MeanOptions): IntervalMethod {
  const isPlain = clusters === undefined && (trials ?? values.length) <= values.length;
  if (isPlain && isBinary(values)) return "wilson";
  return isWithinUnit(values) ? "wilson_eff" : "t";
}

type IntervalBounds = Pick<MeanInterval, "low" | "high" | "n_eff">;
const unknown: IntervalBounds = { low: undefined, high: undefined };

function boundsOf(
  method: IntervalMethod,
  values: readonly number[],
  at: ClusteredMean,
  options: MeanOptions,
): IntervalBounds {
  const level = options.level ?? 0.95;
  if (values.length === 0) return unknown;
  if (method === "wilson") return scoreInterval(at.mean, at.n, zOf(level));
  if (method === "bootstrap") return bootstrap(values, { ...options, alpha: 1 - level });
  if (at.se === undefined) return unknown;
  const critical = studentQuantile((1 + level) / 2, at.clusters - 1);
  if (method === "t") return { low: at.mean - critical * at.se, high: at.mean + critical * at.se };
  const n_eff = effectiveTrials(at, options.trials ?? (isBinary(values) ? at.n : Number.POSITIVE_INFINITY));
  return { ...scoreInterval(at.mean, n_eff, critical), n_eff };
}

/** How many independent trials would have this standard error; never more than `most`. */
function effectiveTrials(at: ClusteredMean, most: number): number {
  if (at.se === undefined || at.se === 0) return at.clusters;
  return Math.min((at.mean * (1 - at.mean)) / at.se ** 2, most);
}
