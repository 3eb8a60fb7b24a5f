/**
 * What results of effects are. A checksum says that nobody changed a record by accident; a journal from elsewhere may be sealed
 * rightly and still hold anything. So every effect says what its result is (`EffectCall.result`), and what is recorded is looked
 * at before anybody works with it.
 */
import {
  Dict,
  decodeValue,
  encodeValue,
  fromBase64,
  type Json,
  type StructLookup,
  toBase64,
  type Value,
} from "../values/index.ts";

/** What can't be a result of its effect: whoever reads the journal says where it stands. */
class UnfitResult extends Error {}

/** How results of one type are recorded and what they are in a journal. Made by `shape`, so that none trusts what it reads. */
export class ResultShape<T> {
  /** For people: what a fitting one is. */
  readonly words: string;
  readonly fits: (stored: unknown) => boolean;
  readonly encode: (result: T) => Json;
  private readonly read: (stored: Json) => T;
  /** Of data that does not fit, the part that is why: `response.text is not a text`; undefined where it is all of it. */
  readonly unfitPart: (stored: unknown) => string | undefined;

  constructor(
    words: string,
    fits: (stored: unknown) => boolean,
    encode: (result: T) => Json = (result) => result as unknown as Json,
    read: (stored: Json) => T = (stored) => stored as unknown as T,
    unfitPart: ResultShape<T>["unfitPart"] = () => undefined,
  ) {
    this.words = words;
    this.fits = fits;
    this.encode = encode;
    this.read = read;
    this.unfitPart = unfitPart;
  }

  /** The result that was recorded. Throws an `UnfitResult`, or what `read` throws, for what is none. */
  decode(stored: Json): T {
    if (!this.fits(stored)) throw new UnfitResult(`it is not ${this.words}`);
    return this.read(stored);
  }

  /** Recorded in this shape, of another type in memory. */
  as<U>(encode: (result: U) => T, read: (stored: T) => U): ResultShape<U> {
    return new ResultShape<U>(
      this.words,
      this.fits,
      (result) => this.encode(encode(result)),
      (stored) => read(this.read(stored)),
      this.unfitPart,
    );
  }
}

/** What results of a shape are. */
export type ResultOf<S> = S extends ResultShape<infer T> ? Readonly<T> : never;

type JsonTable = { readonly [name: string]: Json };
type ShapeFields<T> = { readonly [K in keyof T]-?: ResultShape<T[K]> };

const isTable = (stored: unknown): stored is Readonly<Record<string, unknown>> =>
  typeof stored === "object" && stored !== null && !Array.isArray(stored);

const text = new ResultShape<string>("a text", (stored) => typeof stored === "string");
const table = new ResultShape<JsonTable>("an object", isTable);

/** The items of a list have one shape. */
const listOf = <T, L extends readonly T[] = readonly T[]>(item: ResultShape<T>): ResultShape<L> =>
  new ResultShape<L>(
    /^an? \w+$/.test(item.words)
      ? `a list of ${item.words.replace(/^an? /, "")}s`
      : `a list, each ${item.words}`,
    (stored) => Array.isArray(stored) && stored.every(item.fits),
  );

const fieldsFit =
  (fields: Readonly<Record<string, { fits(stored: unknown): boolean }>>) =>
  (stored: unknown): boolean =>
    isTable(stored) &&
    Object.entries(fields).every(([name, field]) =>
      field.fits(Object.hasOwn(stored, name) ? stored[name] : undefined),
    );

const depthOf = (part = ""): number => part.split(".").length;

const fieldsShape = <T>(fields: Readonly<Record<string, ResultShape<unknown>>>): ResultShape<T> =>
  new ResultShape<T>(shapeText(fields), fieldsFit(fields), undefined, undefined, (stored) => {
    if (!isTable(stored)) return undefined;
    for (const [name, field] of Object.entries(fields)) {
      const value = Object.hasOwn(stored, name) ? stored[name] : undefined;
      if (field.fits(value)) continue;
      const part = field.unfitPart(value);
      return part === undefined ? `${name} is not ${field.words}` : `${name}.${part}`;
    }
    return undefined;
  });

const shapeText = (fields: object): string => {
  const names = Object.keys(fields).map((name) => `\`${name}\``);
  return names.length === 0 ? "an object" : `an object with ${names.join(", ")}`;
};

/** The stored forms of script values, with the program's own struct types. */
const valueShape = (structs?: StructLookup): ResultShape<Value> =>
  new ResultShape<Value>(
    "a value",
    () => true,
    encodeValue,
    (stored) => decodeValue(stored, structs),
  );

export const shape = {
  text,
  table,
  listOf,
  value: valueShape,
  dict: new ResultShape<Dict>("an object", isTable, encodeValue, (stored) => {
    const read = decodeValue(stored);
    if (read instanceof Dict) return read;
    throw new UnfitResult("it is not a dict");
  }),
  texts: listOf<string, string[]>(text),
  base64: text.as<Uint8Array>(toBase64, fromBase64),
  flag: new ResultShape<boolean>("true or false", (stored) => typeof stored === "boolean"),
  number: new ResultShape<number>("a number", (stored) => typeof stored === "number"),
  integer: new ResultShape<number>("a whole number", (stored) => Number.isSafeInteger(stored)),
  count: new ResultShape<number>(
    "a whole number from 0 on",
    (stored) => Number.isSafeInteger(stored) && (stored as number) >= 0,
  ),
  /** What whoever performs the effect reads as it comes: any JSON. */
  json: new ResultShape<Json>("data", () => true),
  /** It happened: nothing comes of it. */
  nothing: new ResultShape<null>(
    "null",
    (stored) => stored === null,
    () => null,
    () => null,
  ),
  names: new ResultShape<Readonly<Record<string, string>>>(
    "an object of texts",
    (stored) => isTable(stored) && Object.values(stored).every(text.fits),
  ),
  numbers: new ResultShape<Readonly<Record<string, number>>>(
    "an object of numbers",
    (stored) => isTable(stored) && Object.values(stored).every((item) => typeof item === "number"),
  ),
  only: <const V extends boolean>(word: V): ResultShape<V> =>
    new ResultShape<V>(String(word), (stored) => stored === word),
  /** Inferred of the words alone: one that is left out is an error where the type has it. */
  oneOf: <const W extends readonly string[]>(...words: W): ResultShape<W[number]> =>
    new ResultShape<W[number]>(words.join(" or "), (stored) =>
      (words as readonly unknown[]).includes(stored),
    ),
  orNull: <T>(of: ResultShape<T>): ResultShape<T | null> =>
    new ResultShape<T | null>(
      of.words,
      (stored) => stored === null || of.fits(stored),
      (result) => (result === null ? null : of.encode(result)),
      (stored) => (stored === null ? null : of.decode(stored)),
      of.unfitPart,
    ),
  /** A field that may be missing. */
  optional: <T>(of: ResultShape<T>): ResultShape<T | undefined> =>
    new ResultShape<T | undefined>(of.words, (stored) => stored === undefined || of.fits(stored)),
  either: <A, B>(one: ResultShape<A>, other: ResultShape<B>): ResultShape<A | B> =>
    new ResultShape<A | B>(
      `${one.words} or ${other.words}`,
      (stored) => one.fits(stored) || other.fits(stored),
      undefined,
      undefined,
      // Of the one that it is more like.
      (stored) => {
        const [first, second] = [one.unfitPart(stored), other.unfitPart(stored)];
        return depthOf(second) > depthOf(first) ? second : first;
      },
    ),
  /** All fields of `T`; what an object has besides is nobody's. */
  record: <T>(fields: ShapeFields<T>): ResultShape<T> => fieldsShape<T>(fields as never),
  /** Of `T` the fields that code relies on; the others are only handed on. */
  someFields: <T>(fields: Partial<ShapeFields<T>>): ResultShape<T> => fieldsShape<T>(fields as never),
  pair: <A, B>(first: ResultShape<A>, second: ResultShape<B>): ResultShape<readonly [A, B]> =>
    new ResultShape<readonly [A, B]>(
      "a pair",
      (stored) =>
        Array.isArray(stored) && stored.length === 2 && first.fits(stored[0]) && second.fits(stored[1]),
    ),
};
