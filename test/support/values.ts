/** Short constructors for script values in tests. */
import { Dict, Float, List, type Value } from "../../src/values/index.ts";

export const list = (...items: Value[]): List => new List(items);
export const float = (value: number): Float => new Float(value);
export const dict = (entries: Record<string, Value>): Dict => Dict.of(entries);

/** A list nested `depth` levels deep. */
export function nested(depth: number, inner: Value = 1): Value {
  let value = inner;
  for (let i = 0; i < depth; i++) value = new List([value]);
  return value;
}
