/** Calls of script functions by native code. Errors leave marked as isolated (language.md §12.1). */

import type { Callable } from "./callable.ts";
import type { Caller } from "./caller.ts";
import { rethrowIsolated } from "./text/script-error-text.ts";
import type { MaybePromise, Value } from "./value.ts";

/** Calls back with one argument. */
export function invoke1(task: Caller, f: Callable, a: Value): MaybePromise<Value> {
  let result: MaybePromise<Value>;
  try {
    result = f.call1(task, a);
  } catch (error) {
    rethrowIsolated(error);
  }
  return result instanceof Promise ? result.catch(rethrowIsolated) : result;
}

/** Calls back with two arguments. */
export function invoke2(task: Caller, f: Callable, a: Value, b: Value): MaybePromise<Value> {
  let result: MaybePromise<Value>;
  try {
    result = f.call2(task, a, b);
  } catch (error) {
    rethrowIsolated(error);
  }
  return result instanceof Promise ? result.catch(rethrowIsolated) : result;
}

/** Calls back with any number of arguments. */
export function invoke(task: Caller, f: Callable, args: readonly Value[]): MaybePromise<Value> {
  let result: MaybePromise<Value>;
  try {
    result = f.call(task, args);
  } catch (error) {
    rethrowIsolated(error);
  }
  return result instanceof Promise ? result.catch(rethrowIsolated) : result;
}
