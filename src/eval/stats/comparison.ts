/** Two variants on the same samples, or on different ones: differences, their intervals, and how likely chance is. */
import { type Cluster, type ClusteredMean, clusteredMean, clustersOf, isRounding } from "./clusters.ts";
import {
  binomialCdf,
  binomialPmf,
  logChoose,
  normalQuantile,
  studentQuantile,
  studentTail,
} from "./distributions.ts";
import { type Interval, isBinary, isWithinUnit, scoreInterval, zOf } from "./intervals.ts";
import { exactSum, mean } from "./sums.ts";

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

interface Bounds {
  readonly low: number;
  readonly high: number;
}

export type MeanDifference = Bounds & { readonly value: number; readonly phi?: number };

/**
 * Newcombe's paired score interval (method 10) of share B less share A: both passed `e`, only A `f`, only B `g`, none `h`.
 */
export function newcombePaired(e: number, f: number, g: number, h: number, level = 0.95): MeanDifference {
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
export function newcombe(x1: number, n1: number, x2: number, n2: number, level = 0.95): MeanDifference {
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
export function fisher(a: number, b: number, c: number, d: number, look: () => void = () => {}): number {
  const passed = a + c;
  const first = a + b;
  const all = first + c + d;
  const chance = (x: number): number =>
    Math.exp(logChoose(first, x) + logChoose(all - first, passed - x) - logChoose(all, passed));
  const observed = chance(a) * (1 + 1e-7);
  const [least, most] = [Math.max(0, passed - (all - first)), Math.min(first, passed)];
  // From the likeliest table outwards: those beyond the first without a chance have none either, and are most of large ones.
  const likeliest = Math.min(most, Math.max(least, Math.floor(((first + 1) * (passed + 1)) / (all + 2))));
  const sums: number[] = [];
  let tables: number[] = [];
  const add = (x: number): boolean => {
    look();
    const p = chance(x);
    if (p <= observed) tables.push(p);
    if (tables.length >= tablesAtOnce) {
      sums.push(exactSum(tables));
      tables = [];
    }
    return p > 0;
  };
  for (let x = likeliest; x >= least && add(x); x--);
  for (let x = likeliest + 1; x <= most && add(x); x++);
  return Math.min(1, exactSum([...sums, exactSum(tables)]));
}

/** Memory stays bounded, however large the counts. */
const tablesAtOnce = 65_536;

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

/**
 * What values are: shares of trials that each passed or failed; scores on a scale from 0 to 1; amounts without such ends
 * (dollars, turns).
 */
export type ValueKind = "share" | "score" | "amount";

export interface PairedOptions {
  readonly clusters?: readonly string[] | undefined;
  readonly level?: number | undefined;
  /** Unless given, shares where all values lie from 0 to 1, else amounts. */
  readonly kind?: ValueKind | undefined;
}

export interface PairedComparison extends Interval {
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

interface Pairs {
  readonly differences: readonly number[];
  readonly at: ClusteredMean;
  readonly kind: ValueKind;
  readonly means: readonly [number, number];
}

function pairsOf(a: readonly number[], b: readonly number[], options: Omit<PairedOptions, "level">): Pairs {
  const differences = a.map((value, at) => differenceOf(value, b[at] as number));
  return {
    differences,
    at: clusteredMean(differences, options.clusters),
    kind: isWithinUnit(a) && isWithinUnit(b) ? (options.kind ?? "share") : "amount",
    means: [mean(a), mean(b)],
  };
}

/** The interval of a paired comparison by t, without its p. */
export function pairedInterval(
  a: readonly number[],
  b: readonly number[],
  options: PairedOptions = {},
): Pick<PairedComparison, "value" | "low" | "high" | "se"> {
  const { at, kind, means } = pairsOf(a, b, options);
  return { value: at.mean, se: at.se, ...pairedBounds(kind, means, at, options.level ?? 0.95) };
}

/** B less A; what only rounding makes differ does not. */
function differenceOf(a: number, b: number): number {
  const difference = b - a;
  return isRounding(difference, Math.max(Math.abs(a), Math.abs(b))) ? 0 : difference;
}

/** B less A on the same samples. */
export const paired = (
  a: readonly number[],
  b: readonly number[],
  options: PairedOptions = {},
): PairedComparison => pairedAt(a, b, options, [options.level])[0] as PairedComparison;

/** The same with an interval of each of these levels. */
export function pairedAt(
  a: readonly number[],
  b: readonly number[],
  options: Omit<PairedOptions, "level">,
  levels: readonly (number | undefined)[],
): PairedComparison[] {
  const { differences, at, kind, means } = pairsOf(a, b, options);
  const facts = {
    se: at.se,
    n: at.n,
    clusters: at.clusters,
    wins: differences.filter((d) => d > 0).length,
    losses: differences.filter((d) => d < 0).length,
    ties: differences.filter((d) => d === 0).length,
  };
  if (options.clusters === undefined && kind === "share" && isBinary(a) && isBinary(b) && a.length > 0) {
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
  const chance = pairedChance(differences, at, options.clusters);
  return levels.map((level) => ({
    ...facts,
    method: "t",
    value: at.mean,
    ...pairedBounds(kind, means, at, level ?? 0.95),
    ...chance,
  }));
}

/** Student's t, and for few clusters the exact sign flips: the larger p counts. */
function pairedChance(
  differences: readonly number[],
  { mean: value, se, clusters }: ClusteredMean,
  names: readonly string[] | undefined,
): Pick<PairedComparison, "p" | "p_t" | "p_sign_flip"> {
  if (se === undefined) return { p: undefined };
  const p_t = se === 0 ? Number(value === 0) : 2 * studentTail(Math.abs(value) / se, clusters - 1);
  const p_sign_flip = signFlip(differences, names);
  return {
    p: Math.max(p_t, p_sign_flip ?? 0),
    p_t,
    ...(p_sign_flip === undefined ? {} : { p_sign_flip }),
  };
}

/** Below so many clusters, and beyond these means, the spread that was seen says too little of what there is. */
const minClustersForT = 10;
const minMeanForT = 0.05;

/**
 * d ± t·SE. Equal differences are no certainty, though their standard error is 0, and near 0 or 1 few of few differ by chance:
 * there the interval also holds that of as many plain pairs as there are clusters. Amounts have no such pairs: without a spread
 * they have no interval. `dev/evals/simulate.ts` has the chances of gates that pass wrongly.
 */
function pairedBounds(
  kind: ValueKind,
  means: readonly [number, number],
  { mean: value, se, clusters }: ClusteredMean,
  level: number,
): Pick<PairedComparison, "low" | "high"> {
  if (se === undefined || (se === 0 && kind === "amount")) return { low: undefined, high: undefined };
  const half = studentQuantile((1 + level) / 2, clusters - 1) * se;
  const byT = { low: value - half, high: value + half };
  const isNearEnd = means.some((one) => one < minMeanForT || one > 1 - minMeanForT);
  const isDoubtful = se === 0 || (kind === "share" && (clusters < minClustersForT || isNearEnd));
  if (!isDoubtful) return byT;
  const plain = pairsOfMeans(means, clusters, level);
  return { low: Math.min(byT.low, plain.low), high: Math.max(byT.high, plain.high) };
}

/** Newcombe's interval of `count` pairs with these two shares, of which no more differ than must. */
function pairsOfMeans([shareA, shareB]: readonly [number, number], count: number, level: number): Bounds {
  const [both, either] = [Math.min(shareA, shareB), Math.max(shareA, shareB)];
  const cells = [both, either - shareB, either - shareA, 1 - either].map((share) => count * share);
  const [e, f, g, h] = cells as [number, number, number, number];
  return newcombePaired(e, f, g, h, level);
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
