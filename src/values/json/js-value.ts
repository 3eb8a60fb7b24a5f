/**
 * Values of JavaScript and of scripts, for programs around a runtime: what their functions give to scripts and get from them. Unlike
 * plain JSON (`plain-json.ts`) nothing is lost silently: what has no form on the other side is refused, with the place where it
 * stands. Data is copied, never shared.
 *
 *     script          to JavaScript                        from JavaScript
 *     nil             null                                 null, undefined, holes (a key whose value is undefined is left out)
 *     bool, string    the same                             the same; a lone half of a surrogate pair becomes U+FFFD
 *     int             number, bigint beyond ±2^53          whole numbers within ±2^53, bigint within 64 bits
 *     float           number                               all other numbers, -0, NaN; `float(1)`
 *     decimal         text                                 –
 *     duration        milliseconds                         –
 *     bytes           Uint8Array                           Uint8Array, Buffer, ArrayBuffer
 *     list            array                                arrays
 *     set             array                                Set
 *     dict            object                               plain objects, Map with texts as keys
 *     struct          object, `$type` is not enumerable    –
 *     enum            {$case, fields}, `$enum` likewise    –
 *     pair, range     [first, second], the text            –
 *     text            –                                    Date (ISO), URL and whatever else has `toJSON`
 *     dict            –                                    Error: name, message, code, cause
 */
import { Dict } from "../collections/dict.ts";
import { List } from "../collections/list.ts";
import { SetValue } from "../collections/set.ts";
import { fitsInt, intFromBig } from "../operators.ts";
import { Bytes, Duration, EnumValue, Float, numberValue, Pair, Range, StructValue } from "../scalars.ts";
import { maxItems } from "../sizes.ts";
import { Decimal } from "../text/decimal.ts";
import { display } from "../text/display.ts";
import { nominalType } from "../text/unknown-name.ts";
import type { Value } from "../value.ts";
import { numberOfFloat } from "./whole-float.ts";

/** What can't pass between JavaScript and scripts, and where in the data it stands. */
export class UnfitValue extends TypeError {
  override name = "TypeError";
  /** `$.items[3].owner` */
  readonly path: string;
  readonly why: string;
  constructor(path: string, why: string) {
    super(`${path}: ${why}`);
    this.path = path;
    this.why = why;
  }
}

/** Levels of lists and dicts. */
const maxLevels = 256;
/** Characters of a text, bytes of bytes. */
const maxLength = 64 * 1024 * 1024;

/** Lists, dicts and sets of the whole. */
const maxCollections: number = 2 ** 21;

/** Where a part stands in the whole. */
type Place = { readonly in: Place | undefined; readonly step: string | number };

/** The value of a JavaScript value. Throws an `UnfitValue`, or what a getter or `toJSON` throws. */
export function fromJs(data: unknown): Value {
  return new Reader().read(data, { in: undefined, step: "$" }, 0);
}

const unfitAt = (place: Place, why: string): UnfitValue => new UnfitValue(placePath(place), why);

function placePath(place: Place): string {
  const steps: string[] = [];
  for (let at: Place | undefined = place; at !== undefined; at = at.in)
    steps.push(typeof at.step === "number" ? `[${at.step}]` : at.step);
  return steps.reverse().join("");
}

const keyStep = (key: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;

class Reader {
  /** What is being read, and where: what leads back into itself would have no end. */
  private readonly open = new Map<object, Place>();
  private collections = 0;

  read(data: unknown, place: Place, depth: number): Value {
    switch (typeof data) {
      case "undefined":
        return null;
      case "boolean":
        return data;
      case "string":
        return textValue(data, place);
      case "number":
        return Object.is(data, -0) ? new Float(data) : numberValue(data);
      case "bigint":
        if (!fitsInt(data))
          throw unfitAt(place, "an int has 64 bits, and this bigint needs more; give it as text");
        return intFromBig(data);
      case "symbol":
      case "function":
        throw unfitAt(place, cannotBeGiven(`a ${typeof data}`));
      case "object":
        return data === null ? null : this.object(data, place, depth);
    }
  }

  private object(data: object, place: Place, depth: number): Value {
    const number = numberOfFloat(data);
    if (number !== undefined) return new Float(number);
    if (data instanceof Date) return textOfDate(data, place);
    const bytes = viewedBytes(data);
    if (bytes !== undefined) {
      if (bytes.length > maxLength) throw unfitAt(place, tooLongText("bytes", bytes.length));
      return new Bytes(bytes.slice());
    }
    const before = this.open.get(data);
    if (before !== undefined) throw unfitAt(place, `it leads back to ${placePath(before)}`);
    if (depth >= maxLevels) throw unfitAt(place, `it is nested more than ${maxLevels} levels deep`);
    // The same part may stand in many places, and others many times in it.
    if (++this.collections > maxCollections)
      throw unfitAt(place, `the whole holds more than ${maxCollections} lists and objects`);
    this.open.set(data, place);
    const value = this.collection(data, place, depth + 1);
    this.open.delete(data);
    return value;
  }

  private collection(data: object, place: Place, depth: number): Value {
    if (Array.isArray(data)) return new List(this.items(data, place, depth));
    if (data instanceof Set) return new SetValue(this.items(data, place, depth));
    if (data instanceof Map) return this.dict(this.mapEntries(data, place), place, depth);
    if ("toJSON" in data && typeof data.toJSON === "function") return this.read(data.toJSON(), place, depth);
    if (data instanceof Error) return this.dict(errorEntries(data), place, depth);
    if (isPlainObject(data)) return this.dict(plainEntries(data, place), place, depth);
    throw unfitAt(place, cannotBeGiven(instanceName(data), helpForUnfit(data)));
  }

  private items(items: Iterable<unknown>, place: Place, depth: number): Value[] {
    const read: Value[] = [];
    for (const item of items) {
      if (read.length === maxItems) throw unfitAt(place, `it holds more than ${maxItems} items`);
      read.push(this.read(item, { in: place, step: read.length }, depth));
    }
    return read;
  }

  private dict(entries: Iterable<readonly [string, unknown]>, place: Place, depth: number): Dict {
    const read = new Map<string, Value>();
    for (const [key, item] of entries) {
      if (item === undefined) continue;
      read.set(textValue(key, place), this.read(item, { in: place, step: keyStep(key) }, depth));
    }
    return Dict.from(read);
  }

  private *mapEntries(data: ReadonlyMap<unknown, unknown>, place: Place): Generator<[string, unknown]> {
    for (const [key, item] of data) {
      if (typeof key !== "string")
        throw unfitAt(place, `a Map given to a script has texts as keys, not ${kindInWords(key)}`);
      yield [key, item];
    }
  }
}

/** What scripts see of an error: what `catch` gives. */
function errorEntries(error: Error): [string, unknown][] {
  const { name, message, cause } = error;
  const { code, category } = error as { readonly code?: unknown; readonly category?: unknown };
  const entries: [string, unknown][] = [
    ["name", String(name)],
    ["message", String(message)],
  ];
  if (typeof code === "string" || typeof code === "number") entries.push(["code", code]);
  if (typeof category === "string") entries.push(["category", category]);
  if (cause instanceof Error) entries.push(["cause", cause]);
  else if (typeof cause === "string") entries.push(["cause", cause]);
  return entries;
}

/** `RangeError: too far`, of what scripts see of an error; undefined for any other value. */
export function jsErrorText(value: Value): string | undefined {
  const [name, message] = value instanceof Dict ? [value.get("name"), value.get("message")] : [];
  if (typeof name !== "string" || typeof message !== "string") return undefined;
  if (message === "") return `${name} (without a message)`;
  return name === "Error" ? message : `${name}: ${message}`;
}

function plainEntries(data: object, place: Place): [string, unknown][] {
  const symbol = Object.getOwnPropertySymbols(data).find(
    (key) => Object.getOwnPropertyDescriptor(data, key)?.enumerable,
  );
  if (symbol !== undefined) throw unfitAt(place, `it has the key ${String(symbol)}, and keys are texts`);
  return Object.entries(data);
}

/** Made by `{…}`, in whichever realm, or without a prototype. */
function isPlainObject(data: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(data);
  return (
    prototype === null ||
    (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, "hasOwnProperty"))
  );
}

function textValue(data: string, place: Place): string {
  if (data.length > maxLength) throw unfitAt(place, tooLongText("characters", data.length));
  return data.isWellFormed() ? data : data.toWellFormed();
}

const tooLongText = (unit: string, length: number): string =>
  `it has ${length} ${unit}, and at most ${maxLength} can be given at once`;

function textOfDate(date: Date, place: Place): string {
  if (Number.isNaN(date.getTime())) throw unfitAt(place, "an invalid Date has no text");
  return date.toISOString();
}

/** `Buffer` is a `Uint8Array`, in whichever realm. */
function viewedBytes(data: object): Uint8Array | undefined {
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (!ArrayBuffer.isView(data) || Object.prototype.toString.call(data) !== "[object Uint8Array]")
    return undefined;
  return new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
}

const cannotBeGiven = (what: string, help = ""): string => `${what} cannot be given to a script${help}`;

function helpForUnfit(data: object): string {
  if (typeof (data as { then?: unknown }).then === "function") return "; await it";
  if (ArrayBuffer.isView(data)) return "; give `Array.from` of it, or its bytes as a Uint8Array";
  if (Symbol.iterator in data) return "; give `[...it]`";
  return "; give a plain object with what scripts need, or give its class a `toJSON`";
}

function instanceName(data: object): string {
  const name: unknown = (Object.getPrototypeOf(data) as { constructor?: { name?: unknown } } | null)
    ?.constructor?.name;
  return withArticle(typeof name === "string" && name !== "" ? name : "object of a class without a name");
}

const kindInWords = (data: unknown): string =>
  data === null || data === undefined
    ? String(data)
    : typeof data === "object"
      ? instanceName(data)
      : withArticle(typeof data);
const withArticle = (word: string): string => `${/^[AEIOUaeiou]/.test(word) ? "an" : "a"} ${word}`;

// ── to JavaScript ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** A script value as JavaScript has it. Throws an `UnfitValue` for functions, handles and iterators. */
export function toJs(value: Value): unknown {
  return writeJs(value, { in: undefined, step: "$" }, 0);
}

function writeJs(value: Value, place: Place, depth: number): unknown {
  if (value === null || typeof value !== "object") return value;
  if (value instanceof Float) return value.value;
  if (value instanceof Bytes) return value.data.slice();
  if (value instanceof Duration) return value.ms;
  if (value instanceof Decimal) return value.toString();
  if (value instanceof Range) return display(value);
  if (depth >= maxLevels) throw unfitAt(place, `it is nested more than ${maxLevels} levels deep`);
  const all = (items: Iterable<Value>): unknown[] =>
    Array.from(items, (item, at) => writeJs(item, { in: place, step: at }, depth + 1));
  const table = (entries: Iterable<readonly [string, Value]>): object =>
    // fromEntries defines properties, so that a key `__proto__` is one like any other.
    Object.fromEntries(
      Array.from(entries, ([key, item]) => [
        key,
        writeJs(item, { in: place, step: keyStep(key) }, depth + 1),
      ]),
    );
  if (value instanceof List || value instanceof SetValue) return all(value);
  if (value instanceof Pair) return all([value.first, value.second]);
  if (value instanceof Dict) return table(value.entries());
  if (value instanceof StructValue) return namedObject(table(value.entries()), "$type", value.struct.name);
  if (value instanceof EnumValue)
    return namedObject({ $case: value.variant, fields: all(value.fields) }, "$enum", value.enumName);
  throw unfitAt(place, `a ${nominalType(value)} cannot be given to JavaScript: only data can`);
}

/** Seen by whoever looks for it, and by no comparison. */
const namedObject = (data: object, key: string, name: string): object =>
  Object.defineProperty(data, key, { value: name, enumerable: false });
