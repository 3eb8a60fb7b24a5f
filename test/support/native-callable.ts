/** Callables made of TypeScript functions, for tests of native code that calls back. */
import type { Task } from "../../src/interp/index.ts";
import { Callable, type MaybePromise, type Value } from "../../src/values/index.ts";

type Body = (...args: Value[]) => MaybePromise<Value>;

class NativeCallable extends Callable {
  readonly name: string;
  readonly params: readonly string[];
  private readonly body: Body;
  constructor(body: Body, name: string, params: readonly string[]) {
    super();
    this.body = body;
    this.name = name;
    this.params = params;
  }
  override call(_task: Task, args: readonly Value[]): MaybePromise<Value> {
    return this.body(...args);
  }
}
Object.defineProperty(NativeCallable.prototype, "type", { value: "closure" });

/** A closure value over a TypeScript function. */
export const closure = (body: Body, params: readonly string[] = ["x"]): Callable =>
  new NativeCallable(body, "", params);

/** The same, giving its result in a later microtask. */
export const slowClosure = (body: (...args: Value[]) => Value): Callable =>
  closure(async (...args) => {
    await null;
    return body(...args);
  });

/** For natives that only hand the task on to callbacks; a method that there is not asks which functions there are. */
export const noTask = { runtime: { builtins: new Map([["len", {}]]) } } as unknown as Task;
