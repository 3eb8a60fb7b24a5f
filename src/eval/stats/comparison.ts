/** Two variants on the same samples, or on different ones: differences, their intervals, and how likely chance is. */
import { type Cluster, clusteredMean, clustersOf } from "./clusters.ts";
import {
  binomialCdf,
  binomialPmf,
  logChoose,
  normalQuantile,
  studentQuantile,
  studentTail,
} from "./distributions.ts";
import { type Interval, scoreInterval, zOf } from "./intervals.ts";
import { exactSum } from "./sums.ts";

/** Exact tests over sign patterns are made up to here: a million patterns. */
const maxSignFlipClusters = 20;

export interface McNemar {
  /** Mid-p: the exact test gives away half the probability of what was observed. */
  readonly p: number;
  readonly p_exact: number;
}

/** Of the samples on which two variants differ, `b` passed with A only and `c` with B only. */
export function mcnemar(b: number, c: number): McNemar {
  const n = b + c;
  if (n === 0) return { p: 1, p_exact: 1 };
  const least = Math.min(b, c);
  const tail = 2 * binomialCdf(least, n, 0.5);
  return { p: Math.min(1, tail - binomialPmf(least, n, 0.5)), p_exact: Math.min(1, tail) };
}

export interface Difference extends Interval {
  readonly phi?: number;
}

/**
 * Newcombe's paired score interval (method 10) of share B less share A: both passed `e`, only A `f`, only B `g`, none `h`.
 */
export function newcombePaired(e: number, f: number, g: number, h: number, level = 0.95): Difference {
  const n = e + f + g + h;
  const [shareA, shareB] = [(e + f) / n, (e + g) / n];
  const critical = zOf(level);
  const [a, b] = [scoreInterval(shareA, n, critical), scoreInterval(shareB, n, critical)];
  const phi = correctedPhi(e, f, g, h);
  const value = shareB - shareA;
  const half = (x: number, y: number): number => Math.sqrt(Math.max(0, x * x - 2 * phi * x * y + y * y));
  return {
    value,
    low: value - half(shareB - b.low, a.high - shareA),
    high: value + half(b.high - shareB, shareA - a.low),
    phi,
  };
}

/** The correlation of the two outcomes, drawn towards 0 by half a sample when it is positive. */
function correctedPhi(e: number, f: number, g: number, h: number): number {
  const margins = (e + f) * (g + h) * (e + g) * (f + h);
  if (margins === 0) return 0;
  const product = e * h - f * g;
  const n = e + f + g + h;
  return (product > 0 ? Math.max(0, product - n / 2) : product) / Math.sqrt(margins);
}

/** Newcombe's interval for independent shares, the second less the first. */
export function newcombe(x1: number, n1: number, x2: number, n2: number, level = 0.95): Difference {
  const critical = zOf(level);
  const [first, second] = [x1 / n1, x2 / n2];
  const [a, b] = [scoreInterval(first, n1, critical), scoreInterval(second, n2, critical)];
  const value = second - first;
  return {
    value,
    low: value - Math.hypot(second - b.low, a.high - first),
    high: value + Math.hypot(b.high - second, first - a.low),
  };
}

/** Fisher's exact test, two-sided: `a` of `a + b` against `c` of `c + d`. */
export function fisher(a: number, b: number, c: number, d: number): number {
  const passed = a + c;
  const first = a + b;
  const all = first + c + d;
  const chance = (x: number): number =>
    Math.exp(logChoose(first, x) + logChoose(all - first, passed - x) - logChoose(all, passed));
  const observed = chance(a) * (1 + 1e-7);
  const tables: number[] = [];
  for (let x = Math.max(0, passed - (all - first)); x <= Math.min(first, passed); x++) tables.push(chance(x));
  return Math.min(1, exactSum(tables.filter((p) => p <= observed)));
}

const sumsOf = (clusters: readonly Cluster[]): number[] => clusters.map(({ values }) => exactSum(values));

/** The share of the sign patterns of cluster sums whose sum is at least as large as the observed one; undefined above 20. */
export function signFlip(differences: readonly number[], names?: readonly string[]): number | undefined {
  if (names === undefined && differences.length > maxSignFlipClusters) return undefined;
  const sums = sumsOf(clustersOf(differences, names));
  if (sums.length > maxSignFlipClusters) return undefined;
  const observed = Math.abs(exactSum(sums)) - 1e-9;
  const patterns = 2 ** sums.length;
  let asLarge = 0;
  let sum = exactSum(sums);
  const signs = sums.map(() => 1);
  // A Gray code: from one pattern to the next a single sign turns.
  for (let pattern = 0; pattern < patterns; pattern++) {
    if (Math.abs(sum) >= observed) asLarge++;
    const turned = Math.log2((pattern + 1) & -(pattern + 1));
    if (turned >= sums.length) break;
    signs[turned] = -(signs[turned] as number);
    sum += 2 * (signs[turned] as number) * (sums[turned] as number);
  }
  return asLarge / patterns;
}

export interface PairedOptions {
  readonly clusters?: readonly string[] | undefined;
  readonly level?: number | undefined;
  /** False: 0 and 1 are amounts like any other, not failure and success. */
  readonly shares?: boolean | undefined;
}

export interface Paired extends Interval {
  readonly se: number | undefined;
  readonly n: number;
  readonly clusters: number;
  readonly method: "mcnemar" | "t";
  readonly p: number | undefined;
  readonly p_exact?: number;
  readonly p_t?: number;
  readonly p_sign_flip?: number;
  readonly phi?: number;
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
}

const isBinary = (values: readonly number[]): boolean => values.every((value) => value === 0 || value === 1);

/** B less A on the same samples. */
export const paired = (a: readonly number[], b: readonly number[], options: PairedOptions = {}): Paired =>
  pairedAt(a, b, options, [options.level])[0] as Paired;

/** The same with an interval of each of these levels. */
export function pairedAt(
  a: readonly number[],
  b: readonly number[],
  options: Omit<PairedOptions, "level">,
  levels: readonly (number | undefined)[],
): Paired[] {
  const differences = a.map((value, at) => (b[at] as number) - value);
  const at = clusteredMean(differences, options.clusters);
  const facts = {
    se: at.se,
    n: at.n,
    clusters: at.clusters,
    wins: differences.filter((d) => d > 0).length,
    losses: differences.filter((d) => d < 0).length,
    ties: differences.filter((d) => d === 0).length,
  };
  if (
    options.clusters === undefined &&
    options.shares !== false &&
    isBinary(a) &&
    isBinary(b) &&
    a.length > 0
  ) {
    const both = a.filter((value, index) => value === 1 && b[index] === 1).length;
    const none = at.n - both - facts.wins - facts.losses;
    const chance = mcnemar(facts.losses, facts.wins);
    return levels.map((level) => ({
      ...facts,
      method: "mcnemar",
      ...newcombePaired(both, facts.losses, facts.wins, none, level),
      ...chance,
    }));
  }
  return levels.map((level) => ({
    ...facts,
    method: "t",
    ...pairedT(differences, at.mean, at.se, at.clusters, { ...options, level }),
  }));
}

function pairedT(
  differences: readonly number[],
  value: number,
  se: number | undefined,
  clusters: number,
  { clusters: names, level = 0.95 }: PairedOptions,
): Pick<Paired, "value" | "low" | "high" | "p" | "p_t" | "p_sign_flip"> {
  if (se === undefined) return { value, low: undefined, high: undefined, p: undefined };
  const df = clusters - 1;
  const p_t = se === 0 ? Number(value === 0) : 2 * studentTail(Math.abs(value) / se, df);
  const p_sign_flip = signFlip(differences, names);
  const half = studentQuantile((1 + level) / 2, df) * se;
  return {
    value,
    low: value - half,
    high: value + half,
    p: Math.max(p_t, p_sign_flip ?? 0),
    p_t,
    ...(p_sign_flip === undefined ? {} : { p_sign_flip }),
  };
}

/** Holm's correction for several comparisons, in the order given. */
export function holm(ps: readonly number[]): number[] {
  const order = ps.map((_p, at) => at).sort((x, y) => (ps[x] as number) - (ps[y] as number));
  const corrected = ps.map(() => 1);
  let least = 0;
  order.forEach((at, rank) => {
    least = Math.max(least, Math.min(1, (ps.length - rank) * (ps[at] as number)));
    corrected[at] = least;
  });
  return corrected;
}

/** The smallest difference that is found with this power. */
export function minDetectable(se: number, { power = 0.8, alpha = 0.05 } = {}): number {
  return (normalQuantile(1 - alpha / 2) + normalQuantile(power)) * se;
}

export interface SampleSize {
  readonly delta: number;
  /** Variance of true differences between samples. */
  readonly omega2: number;
  /** Variance within samples, and epochs, of each variant. */
  readonly sigma2_a: number;
  readonly k_a: number;
  readonly sigma2_b: number;
  readonly k_b: number;
  readonly power?: number;
  readonly alpha?: number;
}

/** Samples that a difference needs to be found, not rounded. */
export function samplesNeeded(plan: SampleSize): number {
  const quantiles = normalQuantile(1 - (plan.alpha ?? 0.05) / 2) + normalQuantile(plan.power ?? 0.8);
  const spread = plan.omega2 + plan.sigma2_a / plan.k_a + plan.sigma2_b / plan.k_b;
  return (quantiles ** 2 * spread) / plan.delta ** 2;
}
