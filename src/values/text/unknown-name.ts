/** The errors of methods and properties that a value does not have (language.md §9). */
import { nearest } from "../../diagnostics/index.ts";
import { EnumValue, StructValue } from "../scalars.ts";
import { runtimeError, type ScriptError, typeError } from "../script-error.ts";
import { typeOf } from "../type-name.ts";
import type { Value } from "../value.ts";

/** Properties of values that are no dicts, besides the fields of structs. */
export const listProperties: readonly string[] = ["count", "empty", "first", "last"];
export const stringProperties: readonly string[] = ["count", "empty"];
export const enumProperties: readonly string[] = ["variant", "fields"];

/** Names of other languages, and what they are here. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ["length", "count"],
  ["size", "count"],
  ["append", "push"],
  ["includes", "contains"],
  ["substr", "substring"],
  ["concat", "merge"],
  ["forEach", "for_each"],
  ["foreach", "for_each"],
]);

/** What was probably meant. */
function likely(name: string, names: readonly string[]): string | undefined {
  const known = elsewhere.get(name);
  if (known !== undefined && names.includes(known)) return known;
  return name.length > 1 ? nearest(name, names) : undefined;
}

/** `list has no method 'fliter'; did you mean 'filter'?`; `what` is `method` or `property`. */
export function hasNo(
  of: string,
  what: "method" | "property",
  name: string,
  names: Iterable<string>,
  instead?: string,
): string {
  const near = instead === undefined ? likely(name, [...names]) : undefined;
  const hint = instead ?? (near === undefined ? undefined : `did you mean '${near}'?`);
  return `${of} has no ${what} '${name}'${hint === undefined ? "" : `; ${hint}`}`;
}

/** What messages call a value's type: structs and enums by their own names. */
export function nominalType(value: Value): string {
  if (value instanceof StructValue) return value.struct.name;
  return value instanceof EnumValue ? value.enumName : typeOf(value);
}

/** `names`: the methods that there are. `instead`: what to write, when somebody knows better than the nearest name. */
export function unknownMethod(
  receiver: Value,
  name: string,
  names: Iterable<string>,
  instead?: string,
): ScriptError {
  if (receiver === null) return typeError(`cannot access property \`${name}\` on nil`);
  return runtimeError(hasNo(nominalType(receiver), "method", name, names, instead));
}

export function unknownProperty(
  value: Value,
  name: string,
  names: Iterable<string>,
  instead?: string,
): ScriptError {
  return runtimeError(hasNo(nominalType(value), "property", name, names, instead));
}
