/**
 * Values and plain JSON data: what the agent side, the SDKs and files exchange. Lossy on purpose, in the way of
 * `json_stringify`: a whole float becomes a number like an int, what JSON has no form for becomes null. For exact
 * storage use codec.ts.
 */

import { Dict } from "../collections/dict.ts";
import { List } from "../collections/list.ts";
import { SetValue } from "../collections/set.ts";
import { Bytes, Float, Range, StructValue } from "../scalars.ts";
import { lazyError, runtimeError } from "../script-error.ts";
import { toBase64 } from "../text/base64.ts";
import { Decimal } from "../text/decimal.ts";
import { display } from "../text/display.ts";
import type { Value } from "../value.ts";
import type { Json } from "./json-value.ts";

/** Recursion here and in JavaScript's own `JSON.stringify` must stay within the stack. */
export const maxDepth = 1000;

const tooDeepValue = () => runtimeError(`value is nested more than ${maxDepth} levels deep`);

/** Whether data leads back into itself, as YAML allows (`a: &x [*x]`): nothing here could walk it to its end. */
export function containsItself(data: unknown): boolean {
  const open = new Set<unknown>();
  const clear = new Set<unknown>();
  const steps: { readonly part: unknown; readonly leave: boolean }[] = [{ part: data, leave: false }];
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    const { part, leave } = step;
    if (leave) {
      open.delete(part);
      clear.add(part);
    } else if (typeof part === "object" && part !== null && !clear.has(part)) {
      if (open.has(part)) return true;
      open.add(part);
      steps.push({ part, leave: true });
      const inner = part instanceof Map ? [...part.keys(), ...part.values()] : Object.values(part);
      for (const one of inner) steps.push({ part: one, leave: false });
    }
  }
  return false;
}

/** A value as plain JSON data. */
export function toJson(value: Value): Json {
  return toJsonAt(value, 0);
}

/** The same; null for what has no form as JSON or is nested too deeply. */
export function toJsonOrNull(value: Value): Json {
  try {
    return toJson(value);
  } catch {
    return null;
  }
}

function toJsonAt(value: Value, depth: number): Json {
  if (
    value === null ||
    typeof value === "string" ||
    typeof value === "number" ||
    typeof value === "boolean"
  ) {
    return value;
  }
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Float) return Number.isFinite(value.value) ? value.value : null;
  if (value instanceof Decimal) return value.toString();
  if (depth > maxDepth) throw tooDeepValue();
  if (value instanceof List || value instanceof SetValue) {
    const items: Json[] = [];
    for (const item of value) items.push(toJsonAt(item, depth + 1));
    return items;
  }
  if (value instanceof Dict || value instanceof StructValue) {
    const entries: [string, Json][] = [];
    for (const [key, item] of value.entries()) entries.push([key, toJsonAt(item, depth + 1)]);
    // fromEntries defines properties, so a key `__proto__` is just a key.
    return Object.fromEntries(entries);
  }
  if (value instanceof Bytes) return { $bytes_b64: toBase64(value.data) };
  if (value instanceof Range) return display(value);
  if (value !== null && typeof value === "object" && value.type === "iter")
    throw lazyError("has no JSON form");
  return null;
}

/** Plain JSON data as a value: whole numbers are ints, others floats. `undefined` counts as absent. */
export function fromJson(data: unknown): Value {
  return fromJsonAt(data, 0);
}

function fromJsonAt(data: unknown, depth: number): Value {
  switch (typeof data) {
    case "string":
    case "boolean":
      return data;
    case "number":
      return Number.isSafeInteger(data) ? data + 0 : new Float(data);
    case "bigint":
      return data >= -(2n ** 53n) && data <= 2n ** 53n ? Number(data) : data;
    case "object":
      break;
    default:
      return null;
  }
  if (data === null) return null;
  if (depth > maxDepth) throw tooDeepValue();
  if (Array.isArray(data)) {
    const items: Value[] = [];
    for (const item of data) items.push(fromJsonAt(item, depth + 1));
    return new List(items);
  }
  const keys: string[] = [];
  const values: Value[] = [];
  for (const [key, item] of Object.entries(data)) {
    if (item === undefined) continue;
    keys.push(key);
    values.push(fromJsonAt(item, depth + 1));
  }
  return Dict.fromArrays(keys, values);
}

/** The fields that have a value: what is `undefined` was not given, and must not hide what stands below it. */
export const presentFields = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

const quote = 0x22;
const leftBracket = 0x5b;
const backslash = 0x5c;
const rightBracket = 0x5d;
const leftBrace = 0x7b;
const rightBrace = 0x7d;

/**
 * Whether a JSON text nests deeper than values may, or than `max`, before anybody builds a value of it that nobody can walk; without
 * recursion. Brackets in texts do not count.
 */
export function jsonNestsTooDeep(text: string, max: number = maxDepth): boolean {
  if (text.length <= max) return false;
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (inText) {
      if (char === backslash) at++;
      else if (char === quote) inText = false;
    } else if (char === quote) inText = true;
    else if (char === leftBracket || char === leftBrace) {
      if (++depth > max) return true;
    } else if (char === rightBracket || char === rightBrace) depth--;
  }
  return false;
}

const anyHalf = /\\u[dD][89a-fA-F]/u;
/** Escapes one after the other, so that the second backslash of `\\ud800` begins none. */
const escapes = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|.)/gsu;
const isHalf = /^\\u[dD][89a-fA-F]..$/u;

/**
 * The same text of JSON with U+FFFD for every lone half of a surrogate pair, as other languages write them: `jsonParse` refuses what
 * is written of such values later.
 */
export const wellFormedJson = (text: string): string =>
  anyHalf.test(text) ? text.replaceAll(escapes, (found) => (isHalf.test(found) ? "\\ufffd" : found)) : text;
