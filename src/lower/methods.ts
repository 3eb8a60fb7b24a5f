/** Method calls (language.md §8.4, §8.6): struct methods are called like functions, native ones through their table. */
import {
  callMethod,
  enter,
  type Frame,
  type Method,
  type MethodTable,
  methodsOf,
  ownError,
  placeArgs,
  ScriptClosure,
  type Site,
  type Task,
  unwound,
} from "../interp/index.ts";
import type { MethodCall } from "../syntax/index.ts";
import { asUncaught, Dict, ScriptError, StructValue, type Value } from "../values/index.ts";
import { lowerArgs } from "./calls.ts";
import { spreadAll } from "./literals.ts";
import type { Ctx, Ex } from "./node.ts";
import { evaluateAll, withOne } from "./operand.ts";

/** Methods never write to their arguments. */
const NONE: Value[] = [];

/** Methods that only look at their receiver: a variable keeps its right to write in place. */
export const looksOnlyMethods: ReadonlySet<string> = new Set([
  "count",
  "len",
  "empty",
  "contains",
  "has",
  "index_of",
  "join",
  "sum",
]);

export function lowerMethodCall(ctx: Ctx, node: MethodCall, receiver: Ex): Ex {
  const name = node.name.text;
  const args = lowerArgs(ctx, node.args);
  const call = methodCaller(name, ctx.site(node), ctx.traceName);
  const runs = args.all.map((one) => one.run);
  const { spread, sites } = args;
  const { optional } = node;
  const apply = (f: Frame, on: Value): unknown => {
    if (optional && on === null) return null;
    const values = evaluateAll(f, runs);
    if (values instanceof Promise)
      return values.then((values) =>
        call(f, on, spread === undefined ? values : spreadAll(values, spread, sites)),
      );
    return call(f, on, spread === undefined ? values : spreadAll(values, spread, sites));
  };
  if (args.may || spread !== undefined || optional || runs.length > 2) return withOne(receiver, apply, true);
  const [a, b] = runs;
  // Through `withOne`, although it is a level more: asking the receiver's node here was measured slower (13 ms for
  // 8.5 ms of the method kernel).
  if (a === undefined) return withOne(receiver, (f, on) => call(f, on, NONE), true);
  if (b === undefined) return withOne(receiver, (f, on) => call(f, on, [a(f)]), true);
  return withOne(receiver, (f, on) => call(f, on, [a(f), b(f)]), true);
}

/** Calls one method by name, remembering what it was for the last kind of receiver. */
function methodCaller(
  name: string,
  site: Site,
  caller: string,
): (f: Frame, on: Value, args: Value[]) => unknown {
  let table: MethodTable | undefined;
  let method: Method | undefined;
  const late = (error: unknown): never => {
    throw unwound(error, site, caller);
  };
  const lateOfStruct = (error: unknown): never => {
    throw unwound(isolated(error), site, caller);
  };
  /** The receiver is the first argument. What goes wrong inside leaves in its uncaught form (language.md §12.1). */
  const runOfStruct = (f: Frame, on: StructValue, args: Value[]): unknown => {
    const method = on.struct.methods.get(name);
    if (!(method instanceof ScriptClosure)) return null;
    const { code } = method;
    const g = method.frame(f[0], f[1] + 1);
    const { length } = args;
    if (code.exact === length + 1) {
      g[2] = on;
      for (let i = 0; i < length; i++) g[3 + i] = args[i];
    } else placeArgs(code, g, [on, ...args]);
    try {
      const result = enter(code, g);
      return result instanceof Promise ? result.catch(lateOfStruct) : result;
    } catch (error) {
      return lateOfStruct(error);
    }
  };
  const run = (f: Frame, on: Value, args: Value[]): unknown => {
    const task = f[0] as Task;
    task.depth = f[1];
    task.site = site;
    if (on instanceof Dict) return callMethod(task, on, name, args);
    const found = methodsOf(on);
    if (found !== table) {
      table = found;
      method = found.get(name);
    }
    return method !== undefined ? method.run(task, on, args) : callMethod(task, on, name, args);
  };
  return (f, on, args) => {
    if (on instanceof StructValue) return runOfStruct(f, on, args);
    try {
      const result = run(f, on, args);
      return result instanceof Promise ? result.catch(late) : result;
    } catch (error) {
      throw unwound(error, site, caller);
    }
  };
}

/** What leaves a method of a struct. */
function isolated(error: unknown): unknown {
  const own = ownError(error);
  return own instanceof ScriptError ? asUncaught(own) : own;
}
