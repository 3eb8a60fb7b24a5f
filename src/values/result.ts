/** `Result` values: `Ok(v)` and `Err(e)` are values of the built-in enum `Result` (language.md §12.3). */

import { EnumValue } from "./scalars.ts";
import { runtimeError, typeError } from "./script-error.ts";
import { displayAnyway } from "./text/display.ts";
import { typeOf } from "./type-name.ts";
import type { Value } from "./value.ts";

export const okResult = (value: Value): EnumValue => new EnumValue("Result", "Ok", [value]);
export const err = (error: Value): EnumValue => new EnumValue("Result", "Err", [error]);

export const isResult = (value: Value | undefined): value is EnumValue =>
  value instanceof EnumValue && value.enumName === "Result";
export const isOkValue = (value: Value | undefined): value is EnumValue =>
  isResult(value) && value.variant === "Ok";
export const isErr = (value: Value | undefined): value is EnumValue =>
  isResult(value) && value.variant === "Err";

/** What an `Ok` or `Err` carries. */
export const payload = (result: EnumValue): Value => result.fields[0] ?? null;

/** The payload of Ok; what is no Result passes through. */
export function unwrap(value: Value): Value {
  if (isErr(value)) throw runtimeError(`unwrap called on Err: ${displayAnyway(payload(value))}`);
  return isOkValue(value) ? payload(value) : value;
}

/** The payload of Ok, the fallback for Err. */
export function unwrapOr(value: Value, fallback: Value): Value {
  if (isErr(value)) return fallback;
  return isOkValue(value) ? payload(value) : value;
}

/** The payload of Err. */
export function unwrapErr(value: Value): Value {
  if (isErr(value)) return payload(value);
  throw runtimeError("unwrap_err called on non-Err");
}

/** The error of `expr?` on what is no Result. */
export const notAResult = (value: Value) =>
  typeError(`? operator requires a Result value, got ${typeOf(value)}`);
