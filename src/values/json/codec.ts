/**
 * The exact stored form of values, for the journal and the store: tagged JSON.
 *
 * nil, bools, strings, safe ints and lists are themselves; a dict is an object unless it has a key that would be
 * misread. Everything else is an object with the tag `$`. Functions and handles have no stored form: recording one is
 * an error that says so, never a silent nil.
 */

import { Dict } from "../collections/dict.ts";
import { List } from "../collections/list.ts";
import { SetValue } from "../collections/set.ts";
import {
  Bytes,
  Duration,
  EnumValue,
  Float,
  Pair,
  Range,
  type StructType,
  StructValue,
  structType,
} from "../scalars.ts";
import { runtimeError, type ScriptError } from "../script-error.ts";
import { fromBase64, toBase64 } from "../text/base64.ts";
import { Decimal, parseDecimal } from "../text/decimal.ts";
import { typeOf } from "../type-name.ts";
import type { Value } from "../value.ts";
import type { Json } from "./json-value.ts";
import { maxDepth } from "./plain-json.ts";

const TAG = "$";
/** Keys that an object cannot hold as plain data: the tag, and the one that JavaScript treats specially. */
const RESERVED: readonly string[] = [TAG, "__proto__"];

/** Finds the program's own struct type, so that decoded instances have their methods. */
export type StructLookup = (name: string, fields: readonly string[]) => StructType | undefined;

/** The stored form of a value. Throws a `ScriptError` for functions and handles. */
export function encodeValue(value: Value): Json {
  return encode(value, 0);
}

/** The value of a stored form. */
export function decodeValue(stored: Json, structs: StructLookup = () => undefined): Value {
  return decodeRoot(stored, structs);
}

function encode(value: Value, depth: number): Json {
  if (
    value === null ||
    typeof value === "string" ||
    typeof value === "number" ||
    typeof value === "boolean"
  ) {
    return value;
  }
  if (typeof value === "bigint") return { [TAG]: "int", v: String(value) };
  if (depth > maxDepth) throw runtimeError(`cannot record a value nested more than ${maxDepth} levels deep`);
  if (value instanceof Float) return { [TAG]: "float", v: encodeFloat(value.value) };
  if (value instanceof List) return encodeAll(value, depth);
  if (value instanceof Dict) return encodeDict(value, depth);
  if (value instanceof SetValue) return { [TAG]: "set", v: encodeAll(value, depth) };
  if (value instanceof Bytes) return { [TAG]: "bytes", v: toBase64(value.data) };
  if (value instanceof Duration) return { [TAG]: "duration", v: value.ms };
  if (value instanceof Decimal) return { [TAG]: "decimal", v: value.toString() };
  if (value instanceof Range) return { [TAG]: "range", v: [value.from, value.to, value.exclusive] };
  if (value instanceof Pair) return { [TAG]: "pair", v: encodeAll([value.first, value.second], depth) };
  if (value instanceof EnumValue) {
    return { [TAG]: "enum", name: value.enumName, variant: value.variant, v: encodeAll(value.fields, depth) };
  }
  if (value instanceof StructValue) return encodeStruct(value, depth);
  throw runtimeError(`cannot record a ${typeOf(value)}: only data can be stored in a journal`);
}

/** A plain loop: one stack frame per level, so that `maxDepth` levels fit. */
function encodeAll(items: Iterable<Value>, depth: number): Json[] {
  const stored: Json[] = [];
  for (const item of items) stored.push(encode(item, depth + 1));
  return stored;
}

/** A number where JSON keeps it exactly; text for what it lacks. */
function encodeFloat(value: number): Json {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  return Object.is(value, -0) ? "-0" : value;
}

function encodeDict(dict: Dict, depth: number): Json {
  const entries: [string, Json][] = [];
  for (const [key, item] of dict.entries()) entries.push([key, encode(item, depth + 1)]);
  if (RESERVED.some((key) => dict.has(key))) return { [TAG]: "dict", v: entries };
  return Object.fromEntries(entries);
}

function encodeStruct(value: StructValue, depth: number): Json {
  const present: [string, Json][] = [];
  for (const [name, field] of value.entries()) present.push([name, encode(field, depth + 1)]);
  return { [TAG]: "struct", name: value.struct.name, fields: value.struct.fields, v: present };
}

type TaggedJson = { readonly [key: string]: Json };

function decodeRoot(stored: Json, structs: StructLookup): Value {
  if (stored === null || typeof stored !== "object") return stored;
  if (isArray(stored)) return new List(stored.map((item) => decodeRoot(item, structs)));
  const tag = Object.hasOwn(stored, TAG) ? stored[TAG] : undefined;
  if (tag === undefined) {
    const keys = Object.keys(stored);
    return Dict.fromArrays(
      keys,
      keys.map((key) => decodeRoot(stored[key] as Json, structs)),
    );
  }
  return decodeTagged(String(tag), stored, structs);
}

/** What no `encodeValue` gives: a record from elsewhere may hold anything. */
const notStored = (tag: string): ScriptError => runtimeError(`this is not a stored value of kind \`${tag}\``);

function decodeTagged(tag: string, stored: TaggedJson, structs: StructLookup): Value {
  const body = stored.v as Json;
  const refuse = (): never => {
    throw notStored(tag);
  };
  const items = (): Value[] => (isArray(body) ? body.map((item) => decodeRoot(item, structs)) : refuse());
  const text = (from: Json | undefined): string => (typeof from === "string" ? from : refuse());
  switch (tag) {
    case "int":
      return /^-?\d+$/.test(text(body)) ? BigInt(text(body)) : refuse();
    case "float":
      return new Float(decodeFloat(body) ?? refuse());
    case "decimal":
      return parseDecimal(text(body)) ?? refuse();
    case "dict":
      return Dict.from(entriesOf(body)?.map(([key, item]) => [key, decodeRoot(item, structs)]) ?? refuse());
    case "set":
      return new SetValue(items());
    case "bytes":
      return new Bytes(fromBase64(text(body)));
    case "duration":
      return typeof body === "number" ? new Duration(body) : refuse();
    case "range":
      return decodeRange(body) ?? refuse();
    case "pair": {
      const [first, second, ...more] = items();
      if (first === undefined || second === undefined || more.length > 0) return refuse();
      return new Pair(first, second);
    }
    case "enum":
      return new EnumValue(text(stored.name), text(stored.variant), items());
    case "struct":
      return decodeStruct(stored, structs) ?? refuse();
    default:
      return refuse();
  }
}

function decodeFloat(body: Json): number | undefined {
  if (typeof body === "number") return body;
  if (body === "nan") return Number.NaN;
  if (body === "-0") return -0;
  return body === "inf" ? Infinity : body === "-inf" ? -Infinity : undefined;
}

function decodeRange(body: Json): Range | undefined {
  if (!isArray(body)) return undefined;
  const [from, to, exclusive] = body;
  if (typeof from !== "number" || typeof to !== "number" || typeof exclusive !== "boolean") return undefined;
  return new Range(from, to, exclusive);
}

function entriesOf(body: Json | undefined): readonly (readonly [string, Json])[] | undefined {
  if (body === undefined || !isArray(body)) return undefined;
  const isEntry = (item: Json): boolean =>
    Array.isArray(item) && item.length === 2 && typeof item[0] === "string";
  return body.every(isEntry) ? (body as unknown as readonly (readonly [string, Json])[]) : undefined;
}

function decodeStruct({ name, fields, v }: TaggedJson, structs: StructLookup): StructValue | undefined {
  const entries = entriesOf(v);
  if (typeof name !== "string" || entries === undefined) return undefined;
  if (fields === undefined || !isArray(fields)) return undefined;
  const names = fields as readonly string[];
  if (!names.every((field) => typeof field === "string")) return undefined;
  const type = structs(name, names) ?? structType(name, names);
  let value = new StructValue(type, new Array<Value | undefined>(type.fields.length).fill(undefined));
  for (const [field, item] of entries) value = value.with(field, decodeRoot(item, structs));
  return value;
}

const isArray = (json: Json): json is readonly Json[] => Array.isArray(json);
