/** Callables written in TypeScript, for tests that need a handler or a callback without a parser. */
import type { Task } from "../../src/interp/index.ts";
import { Callable, type MaybePromise, type Value } from "../../src/values/index.ts";

type Body = (task: Task, args: readonly Value[]) => MaybePromise<Value>;

/** A function of a script, as far as its caller sees. */
export class ScriptFunction extends Callable {
  override readonly name: string = "";
  override readonly params: readonly string[];
  private readonly body: Body;

  constructor(params: readonly string[], body: Body) {
    super();
    this.params = params;
    this.body = body;
  }

  override call(task: Task, args: readonly Value[]): MaybePromise<Value> {
    return this.body(task, args);
  }
}

Object.defineProperty(ScriptFunction.prototype, "type", { value: "closure" });

/** A closure over a function that needs no task. */
export const closure = (
  body: (...args: Value[]) => MaybePromise<Value>,
  params: readonly string[] = ["x"],
): Callable => new ScriptFunction(params, (_task, args) => body(...args));

/** The same, giving its result in a later microtask. */
export const slowClosure = (body: (...args: Value[]) => Value): Callable =>
  closure(async (...args) => {
    await null;
    return body(...args);
  });

/** For natives that only hand the task on to callbacks; a method that there is not asks which functions there are. */
export const noTask = { runtime: { builtins: new Map([["len", {}]]) } } as unknown as Task;
