/**
 * Sums that do not depend on the order of their terms: every figure of an evaluation is the same however its rows came in.
 * The partial sums of Shewchuk's algorithm are exact; they are rounded once, at the end.
 */

/** The exact sum, rounded once to the nearest double. NaN and infinities as in plain addition. */
export function exactSum(values: Iterable<number>): number {
  const partials: number[] = [];
  let special = 0;
  // Whole numbers add up exactly as they are, as long as the sum is one that doubles count to.
  let whole = 0;
  let isWhole = false;
  for (const value of values) {
    if (
      Number.isInteger(value) &&
      value !== 0 &&
      Math.abs(value) <= largestTerm &&
      Math.abs(whole) <= largestTerm
    ) {
      whole += value;
      isWhole = true;
    } else if (value !== 0 || !isWhole) {
      if (Number.isFinite(value)) addExactly(partials, value);
      else special += value;
    }
  }
  if (isWhole) addExactly(partials, whole);
  return special === 0 ? roundOnce(partials) : special;
}

/** Two of these are no more than doubles count to, 2^53. */
const largestTerm = 2 ** 52;

/** Adds to partial sums that do not overlap, in growing order; what rounding drops becomes a partial of its own. */
function addExactly(partials: number[], value: number): void {
  let high = value;
  let kept = 0;
  for (const partial of partials) {
    const [large, small] = Math.abs(high) < Math.abs(partial) ? [partial, high] : [high, partial];
    const sum = large + small;
    const lost = small - (sum - large);
    if (lost !== 0) partials[kept++] = lost;
    high = sum;
  }
  partials.length = kept;
  partials.push(high);
}

/** The sum of the partials from the largest on; a tie is decided by what lies below it. */
function roundOnce(partials: readonly number[]): number {
  let at = partials.length - 1;
  let high = partials[at] ?? 0;
  let low = 0;
  while (at > 0 && low === 0) {
    const before = high;
    const next = partials[--at] as number;
    high = before + next;
    low = next - (high - before);
  }
  const below = partials[at - 1] ?? 0;
  if ((low < 0 && below < 0) || (low > 0 && below > 0)) {
    const doubled = low * 2;
    const rounded = high + doubled;
    if (rounded - high === doubled) return rounded;
  }
  return high;
}

/** NaN of nothing. */
export function mean(values: readonly number[]): number {
  return exactSum(values) / values.length;
}

export function sumOfSquares(values: readonly number[], centre: number): number {
  return exactSum(values.map((value) => (value - centre) ** 2));
}

/** Of a sample: divided by one less than the count. NaN below two values. */
export function variance(values: readonly number[]): number {
  return values.length < 2 ? Number.NaN : sumOfSquares(values, mean(values)) / (values.length - 1);
}

/** Linear interpolation between the order statistics; `q` from 0 to 1. NaN of nothing. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = Float64Array.from(values).sort();
  const place = q * (sorted.length - 1);
  const below = Math.floor(place);
  const low = sorted[below] ?? Number.NaN;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? Number.NaN;
  return low + (high - low) * (place - below);
}
