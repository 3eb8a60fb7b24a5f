/** A script function written in TypeScript, for tests that need a handler or a callback without a parser. */
import type { Task } from "../../src/interp/index.ts";
import { Callable, type MaybePromise, type Value } from "../../src/values/index.ts";

export class ScriptFunction extends Callable {
  override readonly name = "";
  override readonly params: readonly string[];
  private readonly body: (task: Task, args: readonly Value[]) => MaybePromise<Value>;

  constructor(params: readonly string[], body: (task: Task, args: readonly Value[]) => MaybePromise<Value>) {
    super();
    this.params = params;
    this.body = body;
  }

  override call(task: Task, args: readonly Value[]): MaybePromise<Value> {
    return this.body(task, args);
  }
}

Object.defineProperty(ScriptFunction.prototype, "type", { value: "closure" });
