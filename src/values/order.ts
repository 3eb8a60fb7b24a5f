/** Ordering (language.md §4.4): numbers (decimals too), strings, pairs and lists; anything else compares as equal. */

import { List } from "./collections/list.ts";
import { Float, Pair } from "./scalars.ts";
import { compareDecimal, Decimal } from "./text/decimal.ts";
import { compareTexts } from "./text/text-order.ts";
import type { Value } from "./value.ts";

/** Negative, zero or positive, for sorting; NaN and unlike types count as equal. */
export function compare(a: Value, b: Value): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  const order = relate(a, b);
  return Number.isNaN(order) ? 0 : order;
}

/** As `compare`, but NaN where a NaN makes every relation false. */
export function relate(a: Value, b: Value): number {
  if (typeof a === "string") return typeof b === "string" ? compareTexts(a, b) : 0;
  const x = numeric(a);
  if (x !== undefined) {
    const y = numeric(b);
    if (y !== undefined) return relateNumbers(x, y);
    return b instanceof Decimal ? 0 - compareDecimal(b, x) : 0;
  }
  if (a instanceof Decimal) {
    const y = b instanceof Decimal ? b : numeric(b);
    return y === undefined ? 0 : compareDecimal(a, y);
  }
  if (a instanceof List) return b instanceof List ? relateTrees(a, b) : 0;
  if (a instanceof Pair) return b instanceof Pair ? relateTrees(a, b) : 0;
  return 0;
}

export const lessThan = (a: Value, b: Value): boolean => relate(a, b) < 0;
export const lessOrEqual = (a: Value, b: Value): boolean => relate(a, b) <= 0;
export const greaterThan = (a: Value, b: Value): boolean => relate(a, b) > 0;
export const greaterOrEqual = (a: Value, b: Value): boolean => relate(a, b) >= 0;

const numeric = (value: Value): number | bigint | undefined => {
  if (typeof value === "number" || typeof value === "bigint") return value;
  return value instanceof Float ? value.value : undefined;
};

/** Exact also between a bigint and a float. */
function relateNumbers(a: number | bigint, b: number | bigint): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return Number.isNaN(a) || Number.isNaN(b) ? Number.NaN : 0;
}

interface OrderWalk {
  readonly a: ArrayLike<Value>;
  readonly b: ArrayLike<Value>;
  readonly common: number;
  /** Decides when all common elements are equal. */
  readonly rest: number;
  next: number;
}

function walkOrdered(a: List | Pair, b: List | Pair): OrderWalk {
  if (a instanceof List && b instanceof List) {
    const common = Math.min(a.length, b.length);
    return { a: a.buffer, b: b.buffer, common, rest: a.length - b.length, next: 0 };
  }
  const [x, y] = [a as Pair, b as Pair];
  return { a: [x.first, x.second], b: [y.first, y.second], common: 2, rest: 0, next: 0 };
}

/** Lexicographic, without recursion. */
function relateTrees(a: List | Pair, b: List | Pair): number {
  const stack = [walkOrdered(a, b)];
  for (;;) {
    const top = stack[stack.length - 1];
    if (top === undefined) return 0;
    if (top.next === top.common) {
      if (top.rest !== 0) return top.rest;
      stack.pop();
      continue;
    }
    const x = top.a[top.next] as Value;
    const y = top.b[top.next++] as Value;
    if ((x instanceof List && y instanceof List) || (x instanceof Pair && y instanceof Pair)) {
      stack.push(walkOrdered(x, y));
      continue;
    }
    const order = relate(x, y);
    if (order !== 0) return order;
  }
}
