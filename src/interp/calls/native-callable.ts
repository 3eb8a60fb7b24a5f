/** Functions of the runtime that are handed to scripts as values: `next` of middleware and the like. */

import { Callable, type MaybePromise, type Value } from "../../values/index.ts";
import type { Task } from "../task.ts";

/** Displayed and called like a closure of the script. */
export class NativeCallable extends Callable {
  readonly name: string;
  readonly params: readonly string[];
  private readonly body: (task: Task, args: readonly Value[]) => MaybePromise<Value>;

  constructor(
    name: string,
    params: readonly string[],
    body: (task: Task, args: readonly Value[]) => MaybePromise<Value>,
  ) {
    super();
    this.name = name;
    this.params = params;
    this.body = body;
  }

  call(task: Task, args: readonly Value[]): MaybePromise<Value> {
    return this.body(task, args);
  }
}
Object.defineProperty(NativeCallable.prototype, "type", { value: "closure" });
