/** What `type_of` says, and truthiness (language.md §4.1, §4.2). */

import { Dict } from "./collections/dict.ts";
import { List } from "./collections/list.ts";
import { SetValue } from "./collections/set.ts";
import { Bytes, Duration, Float, StructValue } from "./scalars.ts";
import { Decimal } from "./text/decimal.ts";
import type { Value } from "./value.ts";

/** Everything that `type_of` may say, besides the types of the host's handles. */
export const typeNames: readonly string[] = (
  "int float string bool nil list dict set closure builtin struct enum bytes duration decimal pair range iter " +
  "generator stream channel atomic task_handle rng sync_permit mcp_client"
).split(" ");

/** The runtime type of a value. */
export function typeOf(value: Value): string {
  switch (typeof value) {
    case "number":
    case "bigint":
      return "int";
    case "string":
      return "string";
    case "boolean":
      return "bool";
    default:
      return value === null ? "nil" : (value as { type: string }).type;
  }
}

/** Falsy: false, nil, zero, and whatever is empty except ranges and handles. */
export function truthy(value: Value): boolean {
  switch (typeof value) {
    case "boolean":
      return value;
    case "number":
      return value !== 0;
    case "string":
      return value !== "";
    case "bigint":
      return true;
  }
  if (value === null) return false;
  if (value instanceof Float) return value.value !== 0;
  if (value instanceof List) return value.length !== 0;
  if (value instanceof Dict || value instanceof SetValue) return value.size !== 0;
  if (value instanceof Bytes) return value.data.length !== 0;
  if (value instanceof Duration) return value.ms !== 0;
  if (value instanceof Decimal) return value.unscaled !== 0n;
  return true;
}

/** Whether a value is an int. */
export const isInt = (value: Value | undefined): value is number | bigint =>
  typeof value === "number" || typeof value === "bigint";

/** Whether a value has fields: structs count as dicts (language.md §16). */
export const isDictLike = (value: Value | undefined): value is Dict | StructValue =>
  value instanceof Dict || value instanceof StructValue;
