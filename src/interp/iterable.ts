/** What `for`, spread and `parallel each` go over (language.md §10). */
import {
  Dict,
  Float,
  isInt,
  List,
  Pullable,
  Range,
  runtimeError,
  type ScriptError,
  SetValue,
  typeOf,
  type Value,
} from "../values/index.ts";
import { entryDict } from "./methods/dict.ts";

/** What can be indexed: a list, a snapshot of other collections, or the numbers of a range. */
export interface IndexedItems {
  readonly length: number;
  at(index: number): Value | undefined;
}

export const numbersFrom = (from: number, end: number): IndexedItems => ({
  length: end - from,
  at: (index) => from + index,
});

const nothing: IndexedItems = { length: 0, at: () => undefined };

/** The elements of a collection that is held whole; nil has none. Raises for what is no collection, and what is pulled. */
export function elementsIn(over: Value): IndexedItems {
  if (over instanceof List) return over;
  if (over === null) return nothing;
  if (over instanceof Range) return numbersFrom(over.from, over.end);
  if (over instanceof SetValue) return new List([...over.items]);
  if (!(over instanceof Dict)) throw notIterable(over);
  const keys = over.keys();
  const values = over.sortedValues();
  return { length: keys.length, at: (i) => entryDict(keys[i]!, values[i] as Value) };
}

function notIterable(value: Value): ScriptError {
  const said = `cannot iterate over ${typeOf(value)}`;
  if (typeof value === "string") return runtimeError(`${said}; use s.chars()`);
  if (isInt(value) || value instanceof Float) {
    const end = value instanceof Float ? Math.trunc(value.value) : value;
    return runtimeError(`${said}; write 0 to ${end} exclusive`);
  }
  return runtimeError(value instanceof Pullable ? `${said} here; use .to_list()` : said);
}
