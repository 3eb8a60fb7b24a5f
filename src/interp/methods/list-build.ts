/** Methods of lists that build new collections (language.md §22.2). */
import {
  add,
  type Callable,
  compare,
  Decimal,
  Dict,
  display,
  Float,
  hashKey,
  invoke1,
  isInt,
  List,
  type MaybePromise,
  proceed,
  sortTexts,
  toKey,
  truthy,
  type Value,
} from "../../values/index.ts";
import type { Task } from "../task.ts";

/** The results of a callback for each element. */
export function mapItems(
  task: Task,
  items: ArrayLike<Value>,
  count: number,
  f: Callable,
): MaybePromise<Value[]> {
  // Made in its final length: growing it step by step cost more than the calls.
  const results = new Array<Value>(count);
  for (let i = 0; i < count; i++) {
    const result = invoke1(task, f, items[i] as Value);
    if (result instanceof Promise) return mapListRest(task, items, f, results, i, result);
    results[i] = result;
  }
  return results;
}

async function mapListRest(
  task: Task,
  items: ArrayLike<Value>,
  f: Callable,
  results: Value[],
  at: number,
  pending: Promise<Value>,
): Promise<Value[]> {
  results[at] = await pending;
  for (let i = at + 1; i < results.length; i++) {
    const result = invoke1(task, f, items[i] as Value);
    results[i] = result instanceof Promise ? await result : result;
  }
  return results;
}

/** The elements that a callback accepts. The list is a value, so verdicts may all be collected first. */
export function filterItems(
  task: Task,
  items: ArrayLike<Value>,
  count: number,
  f: Callable,
): MaybePromise<Value[]> {
  const kept: Value[] = [];
  for (let i = 0; i < count; i++) {
    const item = items[i] as Value;
    const verdict = invoke1(task, f, item);
    if (verdict instanceof Promise) return filterRest(task, items, count, f, kept, i, verdict);
    if (truthy(verdict)) kept.push(item);
  }
  return kept;
}

async function filterRest(
  task: Task,
  items: ArrayLike<Value>,
  count: number,
  f: Callable,
  kept: Value[],
  at: number,
  pending: Promise<Value>,
): Promise<Value[]> {
  if (truthy(await pending)) kept.push(items[at] as Value);
  for (let i = at + 1; i < count; i++) {
    const item = items[i] as Value;
    const verdict = invoke1(task, f, item);
    if (truthy(verdict instanceof Promise ? await verdict : verdict)) kept.push(item);
  }
  return kept;
}

/** A list whose list elements are replaced by their elements. */
export function flattenItems(items: ArrayLike<Value>, count: number): List {
  const flat: Value[] = [];
  for (let i = 0; i < count; i++) {
    const item = items[i] as Value;
    if (item instanceof List) for (const inner of item) flat.push(inner);
    else flat.push(item);
  }
  return new List(flat);
}

/** Sorts an array that the caller owns, ascending and stable. Ints alone and strings alone take a short way. */
export function sortItems(items: Value[]): List {
  if (items.every((item) => typeof item === "number"))
    return new List(Array.from(Float64Array.from(items).sort()));
  if (items.every((item) => typeof item === "string")) return new List(sortTexts(items));
  return new List(items.sort(compare));
}

const isNumbers = (keys: readonly Value[]): keys is number[] => keys.every((key) => typeof key === "number");

/** Elements in the order of their keys. */
export function sortByKeys(items: readonly Value[], keys: readonly Value[]): List {
  if (isNumbers(keys)) {
    const order = numberOrder(keys);
    const sorted = new Array<Value>(order.length);
    for (let i = 0; i < order.length; i++) sorted[i] = items[order[i]!] as Value;
    return new List(sorted);
  }
  const order = keys.map((_key, i) => i);
  order.sort((a, b) => compare(keys[a] as Value, keys[b] as Value));
  return new List(order.map((i) => items[i] as Value));
}

/** Elements without those equal to an earlier one. */
export function uniqueItems(list: List): List {
  const seen = new Set<unknown>();
  const kept: Value[] = [];
  for (const item of list) {
    const key = hashKey(item);
    if (key !== undefined) {
      if (seen.has(key)) continue;
      seen.add(key);
    }
    kept.push(item);
  }
  return new List(kept);
}

/** The sum of the numbers among some values; a float when one of them is. */
export function sumOf(values: Iterable<Value>): Value {
  let sum: Value = 0;
  for (const value of values)
    if (isInt(value) || value instanceof Float || value instanceof Decimal) sum = add(sum, value);
  return sum;
}

/** Lists of `size` elements; the last may be shorter. */
export function chunkItems(list: List, size: number): List {
  const step = Math.max(size, 1);
  const chunks: Value[] = [];
  for (let i = 0; i < list.length; i += step)
    chunks.push(new List(list.buffer.slice(i, Math.min(i + step, list.length))));
  return new List(chunks);
}

/** Lists of `size` neighbours, `step` apart; full ones only. */
export function windowItems(list: List, size: number, step: number): List {
  const width = Math.max(size, 1);
  const stride = Math.max(step, 1);
  const windows: Value[] = [];
  for (let i = 0; i + width <= list.length; i += stride)
    windows.push(new List(list.buffer.slice(i, i + width)));
  return new List(windows);
}

/** Elements by the display of their key. */
export function groupByKeys(items: ArrayLike<Value>, keys: readonly Value[]): Dict {
  const groups = new Map<string, Value[]>();
  for (let i = 0; i < keys.length; i++) {
    const key = toKey(keys[i] as Value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [items[i] as Value]);
    else group.push(items[i] as Value);
  }
  return Dict.fromArrays(
    [...groups.keys()],
    [...groups.values()].map((group) => new List(group)),
  );
}

/** How often each display form occurs. */
export function countByKeys(keys: Iterable<Value>): Dict {
  const counts = new Map<string, number>();
  for (const value of keys) {
    const key = toKey(value);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return Dict.fromArrays([...counts.keys()], [...counts.values()]);
}

/** Displays joined by a separator. */
export function joinItems(list: List, separator: string): string {
  const { buffer, length } = list;
  const parts = new Array<string>(length);
  for (let i = 0; i < length; i++) parts[i] = display(buffer[i] as Value);
  return parts.join(separator);
}

/** How many leading elements a callback accepts. */
export function countWhile(task: Task, list: List, f: Callable): MaybePromise<number> {
  const { buffer, length } = list;
  for (let i = 0; i < length; i++) {
    const verdict = invoke1(task, f, buffer[i] as Value);
    if (verdict instanceof Promise) return countRest(task, list, f, i, verdict);
    if (!truthy(verdict)) return i;
  }
  return length;
}

async function countRest(
  task: Task,
  list: List,
  f: Callable,
  at: number,
  pending: Promise<Value>,
): Promise<number> {
  if (!truthy(await pending)) return at;
  for (let i = at + 1; i < list.length; i++) {
    if (!truthy(await invoke1(task, f, list.buffer[i] as Value))) return i;
  }
  return list.length;
}

/** `[[truthy…], [falsy…]]`. */
export function partitionItems(task: Task, list: List, f: Callable): MaybePromise<[Value[], Value[]]> {
  return proceed(mapItems(task, list.buffer, list.length, f), (verdicts) => {
    const halves: [Value[], Value[]] = [[], []];
    for (let i = 0; i < verdicts.length; i++) {
      halves[truthy(verdicts[i] as Value) ? 0 : 1].push(list.buffer[i] as Value);
    }
    return halves;
  });
}

/**
 * The indices of `keys` in ascending order of the keys; equal ones keep their order. NaN must not occur. Typed arrays are merged
 * bottom up: no comparator is called, which makes it about three times as fast as `Array.sort` over indices (20,000 keys: 1.7 ms
 * instead of 4.8).
 */
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
