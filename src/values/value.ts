/**
 * Script values and how they are represented (language.md §4). One table, so that everybody agrees:
 *
 *   nil        `null` (JavaScript `undefined` is never a script value: it marks "no such slot/argument yet")
 *   bool       `boolean`
 *   int        `number` while it is a safe integer, `bigint` from there to 64 bits; never `-0`, never a bigint that is safe
 *   float      `Float` (so that 5.0 and 5 stay apart)
 *   decimal    `Decimal`: exact, with its scale
 *   string     `string` (indices that scripts see are code points)
 *   others     one class each; `type` on the prototype is what `type_of` says
 *
 * All of them are immutable for scripts, except the handles (channel, atomic, iterator, generator, stream, task, rng).
 */

import type { Callable } from "./callable.ts";
import type { Dict } from "./collections/dict.ts";
import type { HandleValue } from "./collections/handle.ts";
import type { List } from "./collections/list.ts";
import type { SetValue } from "./collections/set.ts";
import type { Atomic, Bytes, Duration, EnumValue, Float, Pair, Range, StructValue } from "./scalars.ts";
import type { Decimal } from "./text/decimal.ts";

export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Float
  | Decimal
  | List
  | Dict
  | SetValue
  | Bytes
  | Duration
  | Range
  | Pair
  | EnumValue
  | StructValue
  | Callable
  | Atomic
  | HandleValue;

/** Synchronous until it cannot be: a value, or the promise of one where something waits. */
export type MaybePromise<T> = T | Promise<T>;
