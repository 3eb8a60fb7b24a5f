/**
 * Calls builtins without a program: arguments as plain JavaScript, results and errors as scripts see them. `machine()` is a
 * run of its own, whose calls are bound as those of programs are; `callBuiltin` calls the implementation on a task that a
 * test has already.
 */
import { builtinTable } from "../../src/builtins/index.ts";
import type { Effects } from "../../src/effects/index.ts";
import { bindBuiltin, type Task } from "../../src/interp/index.ts";
import type { BuiltinSpec } from "../../src/table/index.ts";
import {
  caughtValue,
  type Dict,
  display,
  fromJson,
  type MaybePromise,
  ScriptError,
  type Value,
} from "../../src/values/index.ts";
import { liveEffects, type TestRun, testRun } from "./concurrent.ts";
import { createMemoryHost, type MemoryHost } from "./memory-host.ts";

/** A run on a machine in memory. */
export interface Machine extends TestRun {
  /** The value of a call; script values pass, plain data is converted. */
  call(name: string, ...args: readonly unknown[]): MaybePromise<Value>;
  /** The display form of a call's result, or `! ` and what `catch` would bind. */
  show(name: string, ...args: readonly unknown[]): string;
  showLater(name: string, ...args: readonly unknown[]): Promise<string>;
  /** Standard output so far. */
  output(): string;
}

/** A machine with a task that can call every builtin. */
export function machine(host: MemoryHost = createMemoryHost(), effects: Effects = liveEffects()): Machine {
  const run = testRun(effects, host);
  const call = (name: string, ...args: readonly unknown[]): MaybePromise<Value> => {
    return bindBuiltin(specOf(name)).call(run.task, args.map(toValue));
  };
  return {
    ...run,
    call,
    show: (name, ...args) => shown(() => call(name, ...args) as Value),
    showLater: (name, ...args) => shownLater(() => call(name, ...args)),
    output: () => run.printed.join(""),
  };
}

function specOf(name: string): BuiltinSpec {
  const spec = builtinTable().get(name);
  if (spec === undefined) throw new Error(`no builtin ${name}`);
  return spec;
}

/** Plain objects and arrays become dicts and lists; whatever is a script value already stays. */
export function toValue(plain: unknown): Value {
  const isPlain =
    Array.isArray(plain) || (plain !== null && Object.getPrototypeOf(plain) === Object.prototype);
  return isPlain ? fromJson(plain as never) : (plain as Value);
}

function failure(error: unknown): string {
  if (error instanceof ScriptError) return `! ${display(caughtValue(error))}`;
  throw error;
}

function shown(call: () => Value): string {
  try {
    return display(call());
  } catch (error) {
    return failure(error);
  }
}

async function shownLater(call: () => MaybePromise<Value>): Promise<string> {
  try {
    return display(await call());
  } catch (error) {
    return failure(error);
  }
}

/** Calls the implementation on a task. */
export async function callBuiltin(task: Task, name: string, ...args: readonly unknown[]): Promise<Value> {
  return await specOf(name).run(task, ...args.map(toValue));
}

/** The same where a dict comes back. */
export const callForDict = async (task: Task, name: string, ...args: readonly unknown[]): Promise<Dict> =>
  (await callBuiltin(task, name, ...args)) as Dict;

/** What the call throws. */
export async function thrownBy(task: Task, name: string, ...args: readonly unknown[]): Promise<Value> {
  try {
    await callBuiltin(task, name, ...args);
  } catch (error) {
    if (error instanceof ScriptError) return error.value;
    throw error;
  }
  throw new Error(`${name} did not throw`);
}

export type { Task };
