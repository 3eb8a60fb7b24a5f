/** Methods of lists that look for elements (language.md §22.2). */
import {
  type Callable,
  compare,
  forEachThen,
  indexOfEqual,
  invoke1,
  type List,
  type MaybePromise,
  proceed,
  truthy,
  type Value,
} from "../../values/index.ts";
import type { Task } from "../task.ts";

/** The position of the first element that a callback accepts; -1 for none. */
export function findPosition(task: Task, list: List, f: Callable): MaybePromise<number> {
  const { buffer, length } = list;
  let found = -1;
  const done = forEachThen(length, (i) => {
    const verdict = invoke1(task, f, buffer[i] as Value);
    if (verdict instanceof Promise) return verdict.then((v) => accept(i, v));
    return accept(i, verdict);
  });
  function accept(i: number, verdict: Value): boolean {
    if (!truthy(verdict)) return false;
    found = i;
    return true;
  }
  return proceed(done, () => found);
}

/** Whether the first verdict that is `wanted` exists. */
export const hasVerdict = (task: Task, list: List, f: Callable, wanted: boolean): MaybePromise<boolean> => {
  const { buffer, length } = list;
  let found = false;
  const note = (verdict: Value): boolean => {
    found = truthy(verdict) === wanted;
    return found;
  };
  const done = forEachThen(length, (i) => {
    const verdict = invoke1(task, f, buffer[i] as Value);
    return verdict instanceof Promise ? verdict.then(note) : note(verdict);
  });
  return proceed(done, () => found);
};

/** The position of an element equal to a value; -1 for none. */
export const positionInList = (list: List, value: Value): number =>
  indexOfEqual(list.buffer, list.length, value);

/** The least (`sign` 1) or greatest (`sign` -1) by keys: the first of equals; nil when empty. */
export function extreme(items: ArrayLike<Value>, keys: ArrayLike<Value>, count: number, sign: 1 | -1): Value {
  if (count === 0) return null;
  let best = 0;
  for (let i = 1; i < count; i++) {
    if (compare(keys[i] as Value, keys[best] as Value) * sign < 0) best = i;
  }
  return items[best] as Value;
}
