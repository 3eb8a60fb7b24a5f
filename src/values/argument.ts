/**
 * Reading what somebody passed: native code that takes arguments and options of scripts. Most of the library coerces
 * with the display form instead of rejecting (builtins.md §0).
 */
import { Dict } from "./collections/dict.ts";
import { thrown } from "./script-error.ts";
import { display } from "./text/display.ts";
import { typeOf } from "./type-name.ts";
import type { Value } from "./value.ts";

/** An argument that may have been left out. */
export type Argument = Value | undefined;

/** Display form; "" (or the given default) when left out. */
export function textOf(value: Argument, missing = ""): string {
  if (typeof value === "string") return value;
  return value === undefined ? missing : display(value);
}

/** A text of a dict; "" for anything else, and where there is none. */
export function textField(dict: Dict, key: string): string {
  const value = dict.get(key);
  return typeof value === "string" ? value : "";
}

/** A small int, else the default. Ints beyond 2^53 are clamped: nothing that is counted is that big. */
export function intOr<T>(value: Argument, fallback: T): number | T {
  if (typeof value === "number") return value;
  if (typeof value !== "bigint") return fallback;
  return value > 0n ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER;
}

/** The entry of an option dict; `undefined` when absent, nil or when the options are no dict. */
export function option(options: Argument, key: string): Value | undefined {
  if (!(options instanceof Dict)) return undefined;
  const value = options.get(key);
  return value === null ? undefined : value;
}

/** An optional dict, an empty one when none is given. Anything else is refused: read as absent, it would be lost silently. */
export function optionsDict(caller: string, argument: Argument, name = "options"): Dict {
  if (argument === undefined || argument === null) return new Dict();
  if (argument instanceof Dict) return argument;
  throw thrown(`${caller}: ${name} must be a dict or nil; got ${typeOf(argument)}`);
}

/** The same without the keys that are nil: such a field counts as not given. */
export function withoutNilEntries(input: Dict): Dict {
  return Dict.from([...input.entries()].filter(([, value]) => value !== null));
}
