/**
 * Canonical JSON, of which digests are made: keys sorted by UTF-16 units, no blanks, strings as `JSON.stringify` writes
 * them, floats shortest and with `.0` when they are whole. Other programs can make the same bytes.
 */
import {
  Dict,
  Float,
  isInt,
  List,
  maxJsonDepth,
  runtimeError,
  typeOf,
  type Value,
} from "../../values/index.ts";

/** Throws for what is no JSON and for what nests more than 1,000 levels deep. */
export const canonicalJson = (value: Value): string => write(value, 0);

function write(value: Value, depth: number): string {
  if (value === null || typeof value === "boolean" || isInt(value)) return String(value);
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof Float) return canonicalFloat(value.value);
  if (depth >= maxJsonDepth) throw runtimeError(`value is nested more than ${maxJsonDepth} levels deep`);
  if (value instanceof List) {
    return `[${value
      .toArray()
      .map((item) => write(item, depth + 1))
      .join(",")}]`;
  }
  if (value instanceof Dict) {
    const names = [...value.keys()].sort();
    return `{${names.map((name) => `${JSON.stringify(name)}:${write(value.get(name) as Value, depth + 1)}`).join(",")}}`;
  }
  throw runtimeError(`a ${typeOf(value)} has no form in JSON`);
}

function canonicalFloat(value: number): string {
  if (!Number.isFinite(value)) throw runtimeError(`${value} has no form in JSON`);
  if (Object.is(value, -0)) return "-0.0";
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
