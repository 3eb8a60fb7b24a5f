/**
 * Property access, indexing and slicing (language.md §9). A dict gives nil for what it does not have; other values raise,
 * unless they are asked with `?.`.
 */
import { Dict } from "./collections/dict.ts";
import { HandleValue } from "./collections/handle.ts";
import { List } from "./collections/list.ts";
import { EnumValue, Pair, Range, StructValue } from "./scalars.ts";
import { runtimeError, typeError } from "./script-error.ts";
import { toKey } from "./text/display.ts";
import { charAt, sliceText, textLength } from "./text/text.ts";
import { enumProperties, listProperties, stringProperties, unknownProperty } from "./text/unknown-name.ts";
import { isInt, typeOf } from "./type-name.ts";
import type { Value } from "./value.ts";

/** `value.name`. */
export function getProperty(value: Value, name: string): Value {
  const found = findProperty(value, name);
  if (found !== undefined) return found;
  if (value instanceof StructValue) {
    if (value.struct.slots.has(name)) return null;
    const { slots, methods } = value.struct;
    const fields = [...slots.keys(), ...(value.extra?.keys() ?? [])];
    if (methods.has(name)) throw unknownProperty(value, name, fields, `write '${name}()' to call the method`);
    throw unknownProperty(value, name, fields);
  }
  if (value instanceof List) throw unknownProperty(value, name, listProperties);
  if (typeof value === "string") throw unknownProperty(value, name, stringProperties);
  if (value instanceof EnumValue) throw unknownProperty(value, name, enumProperties);
  if (value instanceof Pair) {
    throw typeError(`cannot access property \`${name}\` on pair (expected \`first\` or \`second\`)`);
  }
  throw typeError(`cannot access property \`${name}\` on ${typeOf(value)}`);
}

/** `value?.name`: nil instead of an error. */
export function getPropertyOptional(value: Value, name: string): Value {
  return findProperty(value, name) ?? null;
}

/** `undefined` where plain access is an error, and for fields of structs that are not there. */
function findProperty(value: Value, name: string): Value | undefined {
  if (value instanceof Dict) return value.get(name) ?? null;
  if (value instanceof StructValue) return value.get(name);
  if (value instanceof List) return listProperty(value, name);
  if (typeof value === "string") {
    if (name === "count") return textLength(value);
    return name === "empty" ? value === "" : undefined;
  }
  if (value instanceof EnumValue) {
    if (name === "variant") return value.variant;
    return name === "fields" ? new List([...value.fields]) : undefined;
  }
  if (value instanceof Pair) {
    if (name === "first") return value.first;
    return name === "second" ? value.second : undefined;
  }
  return value instanceof HandleValue ? value.property(name) : undefined;
}

function listProperty(list: List, name: string): Value | undefined {
  switch (name) {
    case "count":
      return list.length;
    case "empty":
      return list.length === 0;
    case "first":
      return list.at(0) ?? null;
    case "last":
      return list.length === 0 ? null : (list.buffer[list.length - 1] as Value);
    default:
      return undefined;
  }
}

/** `value[index]`. */
export function getIndex(value: Value, index: Value): Value {
  if (value instanceof List) {
    if (typeof index === "number") {
      return value.at(index < 0 ? index + value.length : index) ?? null;
    }
    if (typeof index === "bigint") return null;
  } else if (value instanceof Dict) return value.get(toKey(index)) ?? null;
  else if (typeof value === "string") {
    if (typeof index === "number") {
      return charAt(value, index < 0 ? index + textLength(value) : index) ?? null;
    }
    if (typeof index === "bigint") return null;
  } else if (value instanceof Range && isInt(index)) return rangeAt(value, index);
  throw typeError(`cannot index into ${typeOf(value)} with ${typeOf(index)}`);
}

/** `value?[index]`: nil when the value is nil. */
export const getIndexOptional = (value: Value, index: Value): Value =>
  value === null ? null : getIndex(value, index);

function rangeAt(range: Range, index: number | bigint): Value {
  const { length } = range;
  const at = Number(index) < 0 ? Number(index) + length : Number(index);
  if (at >= 0 && at < length) return range.from + at;
  throw runtimeError(`range index out of range: index ${index} for range of length ${length}`);
}

/** `value[from:to]`; `undefined` for an absent bound. */
export function slice(value: Value, from: Value | undefined, to: Value | undefined): Value {
  if (value instanceof List) {
    const start = sliceBound(from, "start", 0, value.length);
    return value.part(start, sliceBound(to, "end", value.length, value.length));
  }
  if (typeof value === "string") {
    const length = textLength(value);
    const start = sliceBound(from, "start", 0, length);
    return sliceText(value, start, sliceBound(to, "end", length, length));
  }
  throw typeError(`cannot slice ${typeOf(value)}`);
}

function sliceBound(
  bound: Value | undefined,
  which: "start" | "end",
  absent: number,
  length: number,
): number {
  if (bound === undefined) return absent;
  if (!isInt(bound)) throw typeError(`slice ${which} must be an integer, got ${typeOf(bound)}`);
  return clampIndex(Number(bound), length);
}

/** A position counted from the end when negative, brought between 0 and the length. */
export function clampIndex(index: number, length: number): number {
  const at = index < 0 ? index + length : index;
  return at < 0 ? 0 : Math.min(at, length);
}
