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
export class UnfitResult extends Error {}

/** How results of one type are recorded and what they are in a journal. Made by `shape`, so that none trusts what it reads. */
export class ResultShape<T> {
  /** For people: what a fitting one is. */
  readonly words: string;
  readonly fits: (stored: unknown) => boolean;
  readonly encode: (result: T) => Json;
  private readonly read: (stored: Json) => T;

  constructor(
    words: string,
    fits: (stored: unknown) => boolean,
    encode: (result: T) => Json = (result) => result as unknown as Json,
    read: (stored: Json) => T = (stored) => stored as unknown as T,
  ) {
    this.words = words;
    this.fits = fits;
    this.encode = encode;
    this.read = read;
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
    );
  }
}

type JsonTable = { readonly [name: string]: Json };
type ShapeFields<T> = { readonly [K in keyof T]-?: ResultShape<T[K]> };

const isTable = (stored: unknown): stored is Readonly<Record<string, unknown>> =>
  typeof stored === "object" && stored !== null && !Array.isArray(stored);

const text = new ResultShape<string>("a text", (stored) => typeof stored === "string");
const table = new ResultShape<JsonTable>("an object", isTable);

/** The items of a list have one shape. */
const listOf = <L extends readonly unknown[]>(item: ResultShape<L[number]>): ResultShape<L> =>
  new ResultShape<L>(
    `a list of ${item.words.replace(/^an? /, "")}s`,
    (stored) => Array.isArray(stored) && stored.every(item.fits),
  );

const fieldsFit =
  (fields: Readonly<Record<string, { fits(stored: unknown): boolean }>>) =>
  (stored: unknown): boolean =>
    isTable(stored) &&
    Object.entries(fields).every(([name, field]) =>
      field.fits(Object.hasOwn(stored, name) ? stored[name] : undefined),
    );

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
  texts: listOf<string[]>(text),
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
    ),
  /** A field that may be missing. */
  optional: <T>(of: ResultShape<T>): ResultShape<T | undefined> =>
    new ResultShape<T | undefined>(of.words, (stored) => stored === undefined || of.fits(stored)),
  either: <A, B>(one: ResultShape<A>, other: ResultShape<B>): ResultShape<A | B> =>
    new ResultShape<A | B>(
      `${one.words} or ${other.words}`,
      (stored) => one.fits(stored) || other.fits(stored),
    ),
  /** All fields of `T`; what an object has besides is nobody's. */
  record: <T>(fields: ShapeFields<T>): ResultShape<T> =>
    new ResultShape<T>("an object", fieldsFit(fields as never)),
  /** Of `T` the fields that code relies on; the others are only handed on. */
  someFields: <T>(fields: Partial<ShapeFields<T>>): ResultShape<T> =>
    new ResultShape<T>("an object", fieldsFit(fields as never)),
  pair: <A, B>(first: ResultShape<A>, second: ResultShape<B>): ResultShape<readonly [A, B]> =>
    new ResultShape<readonly [A, B]>(
      "a pair",
      (stored) =>
        Array.isArray(stored) && stored.length === 2 && first.fits(stored[0]) && second.fits(stored[1]),
    ),
};
