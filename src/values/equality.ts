/** Structural equality (language.md §4.3). Works on a list of pairs still to compare, because values nest deeper than the stack. */

import { Callable } from "./callable.ts";
import { Dict } from "./collections/dict.ts";
import { List } from "./collections/list.ts";
import { SetValue } from "./collections/set.ts";
import { hashKey } from "./hash.ts";
import { sameByIdentity } from "./identity.ts";
import { Atomic, Bytes, Duration, EnumValue, Float, Pair, Range, StructValue } from "./scalars.ts";
import { lazyError } from "./script-error.ts";
import { compareDecimal, Decimal } from "./text/decimal.ts";
import { isInt } from "./type-name.ts";
import type { Value } from "./value.ts";

/** Whether two values are equal as `==` sees it. */
export function equals(a: Value, b: Value): boolean {
  if (typeof a !== "object" || a === null || typeof b !== "object" || b === null) return scalarsEqual(a, b);
  if (a instanceof Float && b instanceof Float) return a.value === b.value;
  const todo: Value[] = [];
  if (!pairEqual(a, b, todo)) return false;
  while (todo.length > 0) {
    const right = todo.pop() as Value;
    const left = todo.pop() as Value;
    if (!pairEqual(left, right, todo)) return false;
  }
  return true;
}

/** The position of the first of `count` items that equals a value; -1 for none. */
export function indexOfEqual(items: readonly Value[], count: number, value: Value): number {
  if (typeof value === "string" || typeof value === "boolean" || value === null) {
    const at = items.indexOf(value);
    return at < count ? at : -1;
  }
  for (let i = 0; i < count; i++) {
    const item = items[i] as Value;
    if (typeof item === "number" && typeof value === "number" ? item === value : equals(item, value))
      return i;
  }
  return -1;
}

/** At least one side is not an object. A float may equal an int; JavaScript's `==` compares bigint and number exactly. */
function scalarsEqual(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (a instanceof Float) return (typeof b === "number" || typeof b === "bigint") && numbersEqual(a.value, b);
  if (a instanceof Decimal) return isInt(b) && compareDecimal(a, b) === 0;
  if (b instanceof Decimal) return isInt(a) && compareDecimal(b, a) === 0;
  if (b instanceof Float) return (typeof a === "number" || typeof a === "bigint") && numbersEqual(b.value, a);
  return false;
}

/** A float and an object of another type: only a decimal may equal it. */
function floatsEqual(a: object, b: object): boolean {
  if (a instanceof Decimal) return compareDecimal(a, (b as Float).value) === 0;
  return b instanceof Decimal && compareDecimal(b, (a as Float).value) === 0;
}

// biome-ignore lint/suspicious/noDoubleEquals: across number and bigint only `==` compares by value.
const numbersEqual = (a: number, b: number | bigint): boolean => a == b;

/** Compares two values one level deep; what is below goes to `todo`. */
function pairEqual(a: Value, b: Value, todo: Value[]): boolean {
  if (typeof a !== "object" || a === null || typeof b !== "object" || b === null) return scalarsEqual(a, b);
  if (a.type === "iter" || b.type === "iter") throw lazyError("is not compared");
  if (a.type !== b.type) return a instanceof Float || b instanceof Float ? floatsEqual(a, b) : false;
  if (a instanceof Decimal) return compareDecimal(a, b as Decimal) === 0;
  if (a instanceof Float) return a.value === (b as Float).value;
  if (a instanceof List) {
    const other = b as List;
    return a.length === other.length && elementsEqual(a.buffer, other.buffer, a.length, todo);
  }
  if (a instanceof Dict) return dictsEqual(a, b as Dict, todo);
  if (a instanceof StructValue) return structsEqual(a, b as StructValue, todo);
  if (a instanceof EnumValue) {
    const other = b as EnumValue;
    return (
      a.enumName === other.enumName &&
      a.variant === other.variant &&
      a.fields.length === other.fields.length &&
      elementsEqual(a.fields, other.fields, a.fields.length, todo)
    );
  }
  if (a instanceof Pair) {
    todo.push(a.first, (b as Pair).first, a.second, (b as Pair).second);
    return true;
  }
  if (a instanceof SetValue) return setsEqual(a, b as SetValue);
  if (a instanceof Range) {
    const other = b as Range;
    return a.from === other.from && a.to === other.to && a.exclusive === other.exclusive;
  }
  if (a instanceof Bytes) return bytesEqual(a.data, (b as Bytes).data);
  if (a instanceof Atomic) return a.value === (b as Atomic).value;
  if (a instanceof Duration) return false;
  if (a instanceof Callable) return a.type === "builtin" && a.name === (b as Callable).name;
  return a === b && sameByIdentity(a);
}

function elementsEqual(a: readonly Value[], b: readonly Value[], count: number, todo: Value[]): boolean {
  for (let i = 0; i < count; i++) {
    const x = a[i] as Value;
    const y = b[i] as Value;
    if (typeof x === "object" && x !== null && typeof y === "object" && y !== null) {
      // The same object on both sides is not enough: it may hold a NaN or a closure.
      todo.push(x, y);
    } else if (!scalarsEqual(x, y)) return false;
  }
  return true;
}

function dictsEqual(a: Dict, b: Dict, todo: Value[]): boolean {
  if (a.size !== b.size) return false;
  if (a.shape !== null && a.shape === b.shape) return elementsEqual(a.slots, b.slots, a.slots.length, todo);
  for (const key of a.keys()) {
    const other = b.get(key);
    if (other === undefined) return false;
    todo.push(a.get(key) as Value, other);
  }
  return true;
}

function structsEqual(a: StructValue, b: StructValue, todo: Value[]): boolean {
  if (a.struct.name !== b.struct.name) return false;
  const left = a.entries();
  const right = b.entries();
  if (left.length !== right.length) return false;
  for (let i = 0; i < left.length; i++) {
    const [name, value] = left[i] as [string, Value];
    const [otherName, other] = right[i] as [string, Value];
    if (name !== otherName) return false;
    todo.push(value, other);
  }
  return true;
}

function setsEqual(a: SetValue, b: SetValue): boolean {
  if (a.size !== b.size) return false;
  for (const item of a) if (!b.hasKey(hashKey(item))) return false;
  return true;
}

function bytesEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
