/** What a native method of a built-in type is. */

import type { Callable, MaybePromise, Value } from "../../values/index.ts";
import { Callable as CallableClass, toKey } from "../../values/index.ts";
import type { Task } from "../task.ts";

/** Runs a method. Missing arguments are absent from `args`, extra ones are ignored. Never writes to `args`. */
export type MethodRun<R = Value> = (task: Task, receiver: R, args: readonly Value[]) => MaybePromise<Value>;

export interface Method {
  readonly name: string;
  /** Whether a call can give a promise: never, only through its callable arguments, or by itself. */
  readonly suspends: "never" | "callback" | "may";
  readonly run: MethodRun;
}

export type MethodTable = ReadonlyMap<string, Method>;

type MethodRuns<R> = Readonly<Record<string, MethodRun<R>>>;

/** Builds the table of a type from its methods by group. */
export function methodTable<R>(groups: {
  readonly never?: MethodRuns<R>;
  readonly callback?: MethodRuns<R>;
  readonly may?: MethodRuns<R>;
}): MethodTable {
  const table = new Map<string, Method>();
  for (const suspends of ["never", "callback", "may"] as const) {
    for (const [name, run] of Object.entries(groups[suspends] ?? {})) {
      table.set(name, { name, suspends, run: run as MethodRun });
    }
  }
  return table;
}

/** The argument as a callable; `undefined` when missing or something else. */
export const callableArg = (value: Value | undefined): Callable | undefined =>
  value instanceof CallableClass ? value : undefined;

/** The argument as an int (clamped to safe ones); the fallback when missing or something else. */
export function intArg(value: Value | undefined, fallback: number): number {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return value < 0n ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
  return fallback;
}

/** The display of an argument that may be left out; the fallback when it is missing or nil. */
export const textOr = (value: Value | undefined, fallback: string): string =>
  value === undefined || value === null ? fallback : toKey(value);
