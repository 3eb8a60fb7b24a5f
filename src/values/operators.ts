/**
 * Operators (language.md §6). The lowering inlines the fast cases of int with int and comes here for everything else,
 * so each function is complete by itself.
 *
 * Ints: a JavaScript number while safe, a bigint from there to 64 bits. A result past 64 bits becomes a float.
 */

import { Dict } from "./collections/dict.ts";
import { List } from "./collections/list.ts";
import { SetValue } from "./collections/set.ts";
import { indexOfEqual } from "./equality.ts";
import { Duration, Float, Range } from "./scalars.ts";
import { bareError, runtimeError, type ScriptError, typeError } from "./script-error.ts";
import { maxText, textTooLong } from "./sizes.ts";
import {
  addDecimals,
  Decimal,
  DecimalOverflow,
  decimals,
  divideDecimals,
  multiplyDecimals,
  negateDecimal,
  powerOfDecimal,
  remainderOfDecimals,
  subtractDecimals,
} from "./text/decimal.ts";
import { toKey } from "./text/display.ts";
import { isInt, typeOf } from "./type-name.ts";
import type { Value } from "./value.ts";

const maxInt = 2n ** 63n - 1n;
const MIN_INT = -(2n ** 63n);
const maxSafe = BigInt(Number.MAX_SAFE_INTEGER);
const MIN_SAFE = BigInt(Number.MIN_SAFE_INTEGER);

/** The int of an exact result; a float past 64 bits. */
export function intFromBig(value: bigint): Value {
  if (value >= MIN_SAFE && value <= maxSafe) return Number(value);
  return value >= MIN_INT && value <= maxInt ? value : new Float(Number(value));
}

/** Whether a bigint fits an int. */
export const fitsInt = (value: bigint): boolean => value >= MIN_INT && value <= maxInt;

/** A number's value as a JavaScript number; `undefined` for what is no number. */
export function numericValue(value: Value | undefined): number | undefined {
  if (typeof value === "number") return value;
  if (value instanceof Float) return value.value;
  return typeof value === "bigint" ? Number(value) : undefined;
}

/** `a + b`. */
export function add(a: Value, b: Value): Value {
  if (typeof a === "string") {
    if (typeof b === "string") return concatText(a, b);
  } else if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    return Number.isSafeInteger(sum) ? sum : intFromBig(BigInt(a) + BigInt(b));
  } else if (isInt(a) && isInt(b)) return intFromBig(BigInt(a) + BigInt(b));
  else if (a instanceof List) {
    if (b instanceof List) return a.concat(b);
  } else if (a instanceof Dict) {
    if (b instanceof Dict) return a.merge(b);
  } else {
    const x = numericValue(a);
    const y = numericValue(b);
    if (x !== undefined && y !== undefined) return new Float(x + y);
  }
  const sum = inDecimals(a, b, addDecimals);
  if (sum !== undefined) return sum;
  throw typeError(`Cannot add ${typeOf(a)} and ${typeOf(b)}`);
}

/** `a - b`. */
export function subtract(a: Value, b: Value): Value {
  if (typeof a === "number" && typeof b === "number") {
    const difference = a - b;
    return Number.isSafeInteger(difference) ? difference : intFromBig(BigInt(a) - BigInt(b));
  }
  if (isInt(a) && isInt(b)) return intFromBig(BigInt(a) - BigInt(b));
  const x = numericValue(a);
  const y = numericValue(b);
  if (x !== undefined && y !== undefined) return new Float(x - y);
  const difference = inDecimals(a, b, subtractDecimals);
  if (difference !== undefined) return difference;
  throw typeError(`Cannot subtract ${typeOf(b)} from ${typeOf(a)}`);
}

/** `a * b`: numbers, a duration so many times, and repetition of a string. */
export function multiply(a: Value, b: Value): Value {
  if (typeof a === "number" && typeof b === "number") {
    const product = a * b;
    return Number.isSafeInteger(product) ? product + 0 : intFromBig(BigInt(a) * BigInt(b));
  }
  if (isInt(a) && isInt(b)) return intFromBig(BigInt(a) * BigInt(b));
  if (typeof a === "string" && isInt(b)) return repeatText(a, b);
  if (typeof b === "string" && isInt(a)) return repeatText(b, a);
  const x = numericValue(a);
  const y = numericValue(b);
  if (x !== undefined && y !== undefined) return new Float(x * y);
  if (a instanceof Duration && y !== undefined) return timesDuration(a, y);
  if (b instanceof Duration && x !== undefined) return timesDuration(b, x);
  const product = inDecimals(a, b, multiplyDecimals);
  if (product !== undefined) return product;
  throw typeError(`Cannot multiply ${typeOf(a)} and ${typeOf(b)}`);
}

/** To the microsecond, which is what durations are good to. */
function timesDuration({ ms }: Duration, factor: number): Duration {
  const product = Math.round(ms * factor * 1000) / 1000;
  if (Number.isFinite(product)) return new Duration(product + 0);
  throw runtimeError("the product of a duration and a number is too large");
}

/** `a / b`: ints truncate toward zero. */
export function divide(a: Value, b: Value): Value {
  if (isInt(a) && isInt(b)) {
    // biome-ignore lint/suspicious/noDoubleEquals: number or bigint zero.
    if (b == 0) throw divisionByZero();
    // Below 2^53 the rounded quotient can't reach the next integer, so truncating it is exact.
    if (typeof a === "number" && typeof b === "number") return Math.trunc(a / b) + 0;
    return intFromBig(BigInt(a) / BigInt(b));
  }
  const x = numericValue(a);
  const y = numericValue(b);
  if (x !== undefined && y !== undefined) return new Float(x / y);
  const quotient = inDecimals(a, b, nonZero(divideDecimals));
  if (quotient !== undefined) return quotient;
  throw runtimeError(`Cannot divide ${typeOf(a)} by ${typeOf(b)}`);
}

/** `a % b`, with the sign of the dividend. A zero divisor is an error for floats too. */
export function modulo(a: Value, b: Value): Value {
  const x = numericValue(a);
  const y = numericValue(b);
  if (x === undefined || y === undefined) {
    const rest = inDecimals(a, b, nonZero(remainderOfDecimals));
    if (rest !== undefined) return rest;
    throw runtimeError(`Cannot modulo ${typeOf(a)} by ${typeOf(b)}`);
  }
  if (y === 0) throw divisionByZero();
  if (isInt(a) && isInt(b)) {
    return typeof a === "number" && typeof b === "number" ? (a % b) + 0 : intFromBig(BigInt(a) % BigInt(b));
  }
  return new Float(x % y);
}

/** `a ** b`. */
export function power(a: Value, b: Value): Value {
  if (isInt(a) && isInt(b) && b >= 0) return intPower(a, b);
  const x = numericValue(a);
  const y = numericValue(b);
  if (x !== undefined && y !== undefined) return new Float(x ** y);
  const raised = inDecimals(a, b, (base, exponent) =>
    base.unscaled === 0n && exponent.unscaled < 0n ? raiseZero() : powerOfDecimal(base, exponent),
  );
  if (raised !== undefined) return raised;
  throw typeError(`Cannot exponentiate ${typeOf(a)} by ${typeOf(b)}`);
}

/** Exact up to 64 bits; from 2 on no base fits them with an exponent above 63. */
function intPower(base: number | bigint, exponent: number | bigint): Value {
  // biome-ignore lint/suspicious/noDoubleEquals: number or bigint.
  if (base == 0 || base == 1) return exponent == 0 ? 1 : Number(base);
  // biome-ignore lint/suspicious/noDoubleEquals: number or bigint.
  if (base == -1) return BigInt(exponent) % 2n === 0n ? 1 : -1;
  if (exponent > 63) return new Float(Number(base) ** Number(exponent));
  return intFromBig(BigInt(base) ** BigInt(exponent));
}

/** `-a`. */
export function negate(a: Value): Value {
  if (typeof a === "number") return 0 - a;
  if (typeof a === "bigint") return intFromBig(-a);
  if (a instanceof Float) return new Float(-a.value);
  if (a instanceof Decimal) return negateDecimal(a);
  throw runtimeError(`Cannot negate value of type ${typeOf(a)}`);
}

/** `x in container`. */
export function contains(container: Value, x: Value): boolean {
  if (typeof container === "string") return container.includes(toKey(x));
  if (container instanceof List) return indexOfEqual(container.buffer, container.length, x) >= 0;
  if (container instanceof Dict) return container.has(toKey(x));
  if (container instanceof SetValue) return container.has(x);
  if (container instanceof Range) return inRange(container, x);
  return false;
}

/** Whether an int lies in a range. */
export const inRange = (range: Range, x: Value): boolean =>
  typeof x === "number" && x >= range.from && x < range.end;

/** Joins two strings, within the longest length there is. */
export function concatText(a: string, b: string): string {
  if (a.length + b.length > maxText) throw textTooLong(a.length + b.length);
  return a + b;
}

/** A string n times; none for n below one. */
export function repeatText(text: string, times: number | bigint): string {
  if (times <= 0 || text === "") return "";
  const length = text.length * Number(times);
  if (length > maxText) throw textTooLong(length);
  return text.repeat(Number(times));
}

const divisionByZero = (): ScriptError => bareError("Division by zero");

/** An operation of a decimal with a decimal or an int; `undefined` for other operands. */
function inDecimals(
  a: Value,
  b: Value,
  operation: (a: Decimal, b: Decimal) => Decimal | undefined,
): Decimal | undefined {
  const both = decimals(a, b);
  if (both === undefined) return undefined;
  try {
    return operation(...both);
  } catch (error) {
    if (error instanceof DecimalOverflow) throw runtimeError("decimal result is too large");
    throw error;
  }
}

const nonZero =
  (operation: (a: Decimal, b: Decimal) => Decimal) =>
  (a: Decimal, b: Decimal): Decimal =>
    b.unscaled === 0n ? raiseZero() : operation(a, b);

function raiseZero(): never {
  throw divisionByZero();
}
