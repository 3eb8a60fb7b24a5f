/** What can be called: the only thing that the agent side and native methods know about script functions. */
import type { Caller } from "./caller.ts";
import type { MaybePromise, Value } from "./value.ts";

declare module "./value.ts" {
  interface ValueClasses {
    readonly callable: Callable;
  }
}

/**
 * A function value. `call` runs it in a task and gives its result, or a promise where the body waits. It throws
 * `ScriptError` (or rejects with it); control signals never leave it.
 */
export abstract class Callable {
  declare readonly type: "closure" | "builtin";
  /** The declared name; "" for closures and `fn` expressions. */
  abstract readonly name: string;
  /** Parameter names as displayed in `<fn(a, b)>`. */
  abstract readonly params: readonly string[];
  abstract call(task: Caller, args: readonly Value[]): MaybePromise<Value>;

  /** `call` with one argument; override it where an argument array can be saved. */
  call1(task: Caller, a: Value): MaybePromise<Value> {
    return this.call(task, [a]);
  }

  /** `call` with two arguments. */
  call2(task: Caller, a: Value, b: Value): MaybePromise<Value> {
    return this.call(task, [a, b]);
  }
}

/**
 * Handlers of `tool` declarations: they take their parameters by position, while every other tool handler takes one
 * dict (agents.md §6.2). Kept beside the functions, so that ordinary closures keep one shape; the lowering adds to it.
 */
export const positionalHandlers = new WeakSet<Callable>();
