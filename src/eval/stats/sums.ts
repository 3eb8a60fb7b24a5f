/**
 * Sums that do not depend on the order of their terms: every figure of an evaluation is the same however its rows came in.
 * The partial sums of Shewchuk's algorithm are exact; they are rounded once, at the end.
 */

/** The exact sum, rounded once to the nearest double. NaN and infinities as in plain addition. */
export function exactSum(values: readonly number[]): number {
  // One addition is rounded once as it is.
  if (values.length === 2) return (values[0] as number) + (values[1] as number);
  if (values.length === 1) return values[0] as number;
  const partials = new Float64Array(maxPartials);
  let count = 0;
  let special = 0;
  // What is whole in units adds up exactly as it is, as long as the sum is one that doubles count to.
  let units = 0;
  let hasUnits = false;
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as number;
    const inUnits = value * unitsInOne;
    if (
      Number.isInteger(inUnits) &&
      value !== 0 &&
      Math.abs(inUnits) <= largestTerm &&
      Math.abs(units) <= largestTerm
    ) {
      units += inUnits;
      hasUnits = true;
    } else if (value !== 0 || !hasUnits) {
      if (Number.isFinite(value)) count = addExactly(partials, count, value);
      else special += value;
    }
  }
  if (hasUnits) count = addExactly(partials, count, units / unitsInOne);
  return special === 0 ? roundOnce(partials, count) : special;
}

/** A power of two: means of two, four and eight trials are whole numbers of these. */
const unitsInOne = 1024;

/** Two of these are no more than doubles count to, 2^53. */
const largestTerm = 2 ** 52;

/** Numbers that do not overlap have 53 binary digits each, of the 2,098 that doubles can have. */
const maxPartials = 48;

/**
 * Adds to partial sums that do not overlap, in growing order; what rounding drops becomes a partial of its own. Gives how many
 * there are now.
 */
function addExactly(partials: Float64Array, count: number, value: number): number {
  let high = value;
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const partial = partials[at] as number;
    const isLarger = Math.abs(high) < Math.abs(partial);
    const large = isLarger ? partial : high;
    const small = isLarger ? high : partial;
    const sum = large + small;
    const lost = small - (sum - large);
    if (lost !== 0) partials[kept++] = lost;
    high = sum;
  }
  partials[kept] = high;
  return kept + 1;
}

/** The sum of the partials from the largest on; a tie is decided by what lies below it. */
function roundOnce(partials: Float64Array, count: number): number {
  let at = count - 1;
  let high = count === 0 ? 0 : (partials[at] as number);
  let low = 0;
  while (at > 0 && low === 0) {
    const before = high;
    const next = partials[--at] as number;
    high = before + next;
    low = next - (high - before);
  }
  const below = at > 0 ? (partials[at - 1] as number) : 0;
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

function sumOfSquares(values: readonly number[], centre: number): number {
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
