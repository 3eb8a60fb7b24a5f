/**
 * What a script passed to a builtin, read the way builtins.md §0 wants it: most builtins coerce with the display form
 * instead of rejecting, a missing argument counts as "", an explicit nil reads "nil". Strict families raise their own
 * texts through the `need…` functions.
 */

import { HostError } from "../host/index.ts";
import { type Task, workingFolder } from "../interp/index.ts";
import { at, type Rows, type RowTable, readRows, refusal } from "../table/index.ts";
import {
  type Argument,
  Bytes,
  Callable,
  Dict,
  intOr,
  List,
  option,
  runtimeError,
  textOf,
  thrown,
  typeOf,
} from "../values/index.ts";

export {
  type Argument,
  intOr,
  isInt,
  numericValue as numberOf,
  option,
  textOf,
  withoutNilEntries,
} from "../values/index.ts";

/** The int nearest a finite JavaScript number that has no fraction, kept in 64 bits. */
export function intFrom(value: number): number | bigint {
  if (Number.isSafeInteger(value)) return value === 0 ? 0 : value;
  if (value >= 2 ** 63) return 2n ** 63n - 1n;
  return value <= -(2 ** 63) ? -(2n ** 63n) : BigInt(value);
}

export function typeName(value: Argument): string {
  return typeOf(value ?? null);
}

/** The first argument of a collection function. */
export function needList(name: string, value: Argument): List {
  if (value instanceof List) return value;
  throw refusal(at(name, "first argument"), "list", value);
}

export function needCallback(name: string, value: Argument): Callable {
  if (value instanceof Callable) return value;
  throw refusal(at(name, "callback"), "closure", value);
}

/** The strict `bytes_*` family; `position` counts from 1. */
export function needBytes(name: string, value: Argument, position: number): Uint8Array {
  if (value instanceof Bytes) return value.data;
  if (value === undefined) throw runtimeError(`${name}: missing argument ${position}`);
  throw runtimeError(`${name}: expected bytes at argument ${position}, got ${typeOf(value)}`);
}

const encoder = new TextEncoder();

/** Content of bytes, else the UTF-8 of the display form. */
export function bytesOfArgument(value: Argument): Uint8Array {
  return value instanceof Bytes ? value.data : encoder.encode(textOf(value));
}

/**
 * A limit among options: an int from `least` on, or `standard` when it is not given. What can't be meant is refused: who
 * asked for a limit relies on it.
 */
export function limitOption(
  caller: string,
  options: Argument,
  key: string,
  standard: number,
  least = 0,
): number {
  const input = option(options, key);
  if (input === undefined) return standard;
  const limit = intOr(input, undefined);
  if (limit !== undefined && limit >= least) return limit;
  throw refusal(at(caller, key), `int >= ${least}`, input);
}

/** What signs: never nil, missing or empty, as of a variable that is not set. */
export function needSecret(caller: string, secret: Argument): Uint8Array {
  const data = secret === undefined || secret === null ? undefined : bytesOfArgument(secret);
  if (data === undefined || data.length === 0) throw thrown(`${caller}: secret is required`);
  return data;
}

export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** A path as the host wants it: relative ones lie under the working directory. */
export function hostPath(task: Task, value: Argument): string {
  return underDirectory(workingFolder(task), textOf(value));
}

/** A path under a directory, unless it is absolute. Nothing is folded, so that errors show what was asked. */
export function underDirectory(directory: string, path: string): string {
  if (path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path)) return path;
  if (path === "" || path === ".") return directory;
  return directory.endsWith("/") ? directory + path : `${directory}/${path}`;
}

/** Runs a host call; its failure is thrown as `PREFIX: words of the system`. */
export function attempt<T>(prefix: string, call: () => T, raise: (text: string) => unknown = thrown): T {
  try {
    return call();
  } catch (error) {
    if (error instanceof HostError) throw raise(`${prefix}: ${error.message}`);
    throw error;
  }
}

/** Reads options by their rows; what is no dict counts as none. */
export const optionsOf = <R extends Rows>(caller: string, input: Argument, table: RowTable<R>) =>
  readRows(input instanceof Dict ? input : null, table, at(caller));
