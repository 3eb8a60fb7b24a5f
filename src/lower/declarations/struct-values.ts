/** `Point({x: 1})`: a struct's name used as a function (language.md §8.4). */
import { Dict, type StructType, StructValue, type Value } from "../../values/index.ts";

/** Anything but a dict makes a struct without fields; undeclared fields are dropped. */
export function constructStruct(type: StructType, value: Value | undefined): StructValue {
  const slots = type.fields.map((field) => (value instanceof Dict ? value.get(field) : undefined));
  return new StructValue(type, slots);
}
