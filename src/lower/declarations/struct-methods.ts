/**
 * Methods of structs (language.md §8.4): called like functions, with the receiver as the first argument.
 *
 * A call site remembers the two method tables that it met last, with what its name means there; a table is replaced,
 * never changed (`addMethods`), so what was remembered stays true. Two, because a loop over shapes of two kinds is as
 * common as one over a single kind.
 */
import {
  enter,
  type Frame,
  type FunctionCode,
  noSuchMethod,
  ownError,
  placeArgs,
  ScriptClosure,
  type Site,
  type Task,
  unwound,
} from "../../interp/index.ts";
import { asUncaught, ScriptError, type StructValue, type Value } from "../../values/index.ts";

type Methods = ReadonlyMap<string, Value>;

/** A method call in the source: where it stands, and what it found before. */
export interface MethodSite {
  readonly name: string;
  readonly site: Site;
  /** The function around it, for traces. */
  readonly caller: string;
  latest: Methods | undefined;
  latestMethod: ScriptClosure | undefined;
  earlier: Methods | undefined;
  earlierMethod: ScriptClosure | undefined;
}

export const methodSite = (name: string, site: Site, caller: string): MethodSite => ({
  name,
  site,
  caller,
  latest: undefined,
  latestMethod: undefined,
  earlier: undefined,
  earlierMethod: undefined,
});

/** `undefined` when the type has no method of that name: the call is an error. */
function methodOf(at: MethodSite, on: StructValue): ScriptClosure | undefined {
  const { methods } = on.struct;
  if (methods === at.latest) return at.latestMethod;
  if (methods === at.earlier) return at.earlierMethod;
  const found = methods.get(at.name);
  at.earlier = at.latest;
  at.earlierMethod = at.latestMethod;
  at.latest = methods;
  at.latestMethod = found instanceof ScriptClosure ? found : undefined;
  return at.latestMethod;
}

/** `on.m()` */
export function callStruct0(f: Frame, at: MethodSite, on: StructValue): unknown {
  const method = methodOf(at, on);
  if (method === undefined) throw missing(f, at, on);
  if (method.code.exact !== 1) return adjusted(f, at, method, [on]);
  return run(method.code, method.frame1(f[0], f[1] + 1, on), at);
}

/** `on.m(x)` */
export function callStruct1(f: Frame, at: MethodSite, on: StructValue, x: Value): unknown {
  const method = methodOf(at, on);
  if (method === undefined) throw missing(f, at, on);
  if (method.code.exact !== 2) return adjusted(f, at, method, [on, x]);
  const g = method.frame1(f[0], f[1] + 1, on);
  g[3] = x;
  return run(method.code, g, at);
}

/** `on.m(x, y)` */
export function callStruct2(f: Frame, at: MethodSite, on: StructValue, x: Value, y: Value): unknown {
  const method = methodOf(at, on);
  if (method === undefined) throw missing(f, at, on);
  if (method.code.exact !== 3) return adjusted(f, at, method, [on, x, y]);
  const g = method.frame1(f[0], f[1] + 1, on);
  g[3] = x;
  g[4] = y;
  return run(method.code, g, at);
}

/** Any number of arguments. */
export function callStruct(f: Frame, at: MethodSite, on: StructValue, args: readonly Value[]): unknown {
  const method = methodOf(at, on);
  if (method === undefined) throw missing(f, at, on);
  return adjusted(f, at, method, [on, ...args]);
}

function missing(f: Frame, at: MethodSite, on: StructValue): unknown {
  return unwound(noSuchMethod(f[0] as Task, on, at.name), at.site, at.caller);
}

/** Arguments that may be too many or too few. */
function adjusted(f: Frame, at: MethodSite, method: ScriptClosure, args: readonly Value[]): unknown {
  const g = method.frame(f[0], f[1] + 1);
  placeArgs(method.code, g, args);
  return run(method.code, g, at);
}

function run(code: FunctionCode, g: Frame, at: MethodSite): unknown {
  try {
    const result = enter(code, g);
    return result instanceof Promise ? leftLater(result, at) : result;
  } catch (error) {
    throw left(error, at);
  }
}

const leftLater = (result: Promise<Value>, at: MethodSite): Promise<Value> =>
  result.catch((error) => {
    throw left(error, at);
  });

/** What goes wrong inside leaves in its uncaught form (language.md §12.1). */
function left(error: unknown, at: MethodSite): unknown {
  const own = ownError(error);
  return unwound(own instanceof ScriptError ? asUncaught(own) : own, at.site, at.caller);
}
