/** Method calls (language.md §8.4, §8.6): methods of structs and native ones, told apart by the receiver at each call. */
import {
  aboutSecrets,
  callMethod,
  type Frame,
  isFactMethod,
  type Method,
  type MethodTable,
  methodsOf,
  type Run,
  type Site,
  type Task,
  unwound,
} from "../interp/index.ts";
import type { MethodCall } from "../syntax/index.ts";
import { Callable, Dict, StructValue, type Value } from "../values/index.ts";
import { lowerArgs } from "./calls.ts";
import {
  callStruct,
  callStruct0,
  callStruct1,
  callStruct2,
  type MethodSite,
  methodSite,
} from "./declarations/struct-methods.ts";
import { spreadAll } from "./expressions/literals.ts";
import { evaluateAll, withOne } from "./expressions/operand.ts";
import { type Ctx, type Ex, ex } from "./node.ts";

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
  const at = methodSite(name, ctx.site(node), ctx.traceName);
  const native = nativeCaller(name, at.site, at.caller);
  const runs = args.all.map((one) => one.run);
  const { spread, sites } = args;
  const { optional } = node;
  if (!args.may && !receiver.may && spread === undefined && !optional && runs.length <= 2)
    return shortCall(receiver, runs, at, native);
  const call = (f: Frame, on: Value, values: Value[]): unknown => {
    const all = spread === undefined ? values : spreadAll(values, spread, sites);
    return on instanceof StructValue ? callStruct(f, at, on, all) : native(f, on, all);
  };
  const apply = (f: Frame, on: Value): unknown => {
    if (optional && on === null) return null;
    const values = evaluateAll(f, runs);
    return values instanceof Promise ? values.then((values) => call(f, on, values)) : call(f, on, values);
  };
  return withOne(receiver, apply, true);
}

/** Up to two arguments, nothing of which waits: no array for those of a struct's method. */
function shortCall(receiver: Ex, runs: readonly Run[], at: MethodSite, native: NativeCaller): Ex {
  const [a, b] = runs;
  const { run, slot } = receiver;
  if (a === undefined) {
    if (slot < 0)
      return ex((f) => {
        const on = run(f);
        return on instanceof StructValue ? callStruct0(f, at, on) : native(f, on, NONE);
      }, true);
    return ex((f) => {
      const on = f[slot];
      return on instanceof StructValue ? callStruct0(f, at, on) : native(f, on, NONE);
    }, true);
  }
  if (b === undefined)
    return ex((f) => {
      const on = run(f);
      const x = a(f);
      return on instanceof StructValue ? callStruct1(f, at, on, x) : native(f, on, [x]);
    }, true);
  return ex((f) => {
    const on = run(f);
    const x = a(f);
    const y = b(f);
    return on instanceof StructValue ? callStruct2(f, at, on, x, y) : native(f, on, [x, y]);
  }, true);
}

type NativeCaller = (f: Frame, on: Value, args: Value[]) => unknown;

/** Calls a method of a built-in type (or an entry of a dict), remembering what it was for the last kind of receiver. */
function nativeCaller(name: string, site: Site, caller: string): NativeCaller {
  let table: MethodTable | undefined;
  let method: Method | undefined;
  const fact = isFactMethod(name);
  const late = (error: unknown): never => {
    throw unwound(error, site, caller);
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
    if (fact && task.runtime.effects.metSecrets !== undefined) {
      const values = [on, ...args];
      if (!values.some((value) => value instanceof Callable))
        return aboutSecrets(task, name, values, () => callMethod(task, on, name, args) as Value);
    }
    return method !== undefined ? method.run(task, on, args) : callMethod(task, on, name, args);
  };
  return (f, on, args) => {
    try {
      const result = run(f, on, args);
      return result instanceof Promise ? result.catch(late) : result;
    } catch (error) {
      throw unwound(error, site, caller);
    }
  };
}
