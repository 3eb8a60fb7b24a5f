/** Calling a script function on a child path of its own, so that its effects are numbered apart from the loop's. */

import { always, type Callable, type MaybePromise, type Value } from "../../values/index.ts";
import type { Task } from "../task.ts";

/** Runs `body` while the task counts its effects on a new child path. */
export function onChildPath<T>(task: Task, body: () => MaybePromise<T>): MaybePromise<T> {
  return onScope(task, task.runtime.effects.child(task.scope), body);
}

/** The same, and what is random in it depends on `seed` and `name` alone. */
export function onSeededPath<T>(
  task: Task,
  seed: string,
  name: string,
  body: () => MaybePromise<T>,
): MaybePromise<T> {
  return onScope(task, task.runtime.effects.seededChild(task.scope, seed, name), body);
}

function onScope<T>(task: Task, scope: Task["scope"], body: () => MaybePromise<T>): MaybePromise<T> {
  const outer = task.scope;
  task.scope = scope;
  return always(body, () => {
    task.scope = outer;
  });
}

export const callableOnChild = (
  task: Task,
  callback: Callable,
  args: readonly Value[],
): MaybePromise<Value> => onChildPath(task, () => callback.call(task, args));
