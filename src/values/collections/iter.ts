/**
 * Lazy, single-pass iterators (language.md §14.3): sources and the type `iter`. A pull gives a value or, only where a
 * callback or the source waits, a promise. `undefined` is the end; after it, or after an error, it stays the end.
 */
import type { Caller } from "../caller.ts";
import { Pair, Range } from "../scalars.ts";
import { lazyError, typeError } from "../script-error.ts";
import { checkItems, maxItems } from "../sizes.ts";
import { typeOf } from "../type-name.ts";
import type { MaybePromise, Value } from "../value.ts";
import { Dict } from "./dict.ts";
import { Pullable, type PulledValue } from "./handle.ts";
import { List } from "./list.ts";
import { SetValue } from "./set.ts";

/** One pull of a source or combinator; `undefined` at the end. */
/** What ends a source. */
type Close = { close(task: Caller): MaybePromise<void> }["close"];

export type IterPull = { pull(task: Caller): MaybePromise<PulledValue> }["pull"];

/** A value of type `iter`. */
export class Iter extends Pullable {
  declare readonly type: "iter";
  private pull: IterPull | undefined;
  private readonly onClose: Close | undefined;

  constructor(pull: IterPull, onClose?: Close) {
    super();
    this.pull = pull;
    this.onClose = onClose;
  }

  /** For who goes through all of it: raises when somebody has done that before, since nothing would come. */
  begin(): void {
    if (this.pull === undefined) throw lazyError("is gone through once, and this one has been");
  }

  override next(task: Caller): MaybePromise<PulledValue> {
    if (this.pull === undefined) return undefined;
    let pulled: MaybePromise<PulledValue>;
    try {
      pulled = this.pull(task);
    } catch (error) {
      this.pull = undefined;
      throw error;
    }
    if (pulled instanceof Promise) return this.settle(pulled);
    if (pulled === undefined) this.pull = undefined;
    return pulled;
  }

  private async settle(pending: Promise<PulledValue>): Promise<PulledValue> {
    try {
      const pulled = await pending;
      if (pulled === undefined) this.pull = undefined;
      return pulled;
    } catch (error) {
      this.pull = undefined;
      throw error;
    }
  }

  override close(task: Caller): MaybePromise<void> {
    this.pull = undefined;
    return this.onClose?.(task);
  }

  override display(): string {
    return this.pull === undefined ? "<iter (exhausted)>" : "<iter>";
  }
}

Object.defineProperty(Iter.prototype, "type", { value: "iter" });

/** Pulls from an array that does not change. */
export function arrayPull(items: ArrayLike<Value>, count: number = items.length): IterPull {
  let at = 0;
  return () => (at < count ? items[at++] : undefined);
}

/** What pulls from a value that can be iterated; `undefined` for one that cannot. */
function pullOf(value: Value): IterPull | undefined {
  if (value instanceof List) return arrayPull(value.buffer, value.length);
  if (value instanceof SetValue) return arrayPull(value.buffer, value.size);
  if (value instanceof Range) return rangePull(value);
  if (value instanceof Dict) return pairPull(value);
  if (typeof value === "string") return textPull(value);
  return value instanceof Pullable ? (task) => value.next(task) : undefined;
}

function rangePull(range: Range): IterPull {
  const { end } = range;
  let at = range.from;
  return () => (at < end ? at++ : undefined);
}

function pairPull(dict: Dict): IterPull {
  const keys = dict.keys();
  const values = dict.sortedValues();
  let at = 0;
  return () => {
    if (at >= keys.length) return undefined;
    const key = keys[at] as string;
    return new Pair(key, values[at++] as Value);
  };
}

function textPull(text: string): IterPull {
  const characters = text[Symbol.iterator]();
  return () => {
    const step = characters.next();
    return step.done === true ? undefined : step.value;
  };
}

/** A lazy iterator over a value, itself if it is one; `undefined` when it is not iterable. */
export function tryIter(value: Value): Iter | undefined {
  if (value instanceof Iter) return value;
  const pull = pullOf(value);
  if (pull === undefined) return undefined;
  return new Iter(pull, value instanceof Pullable ? (task) => value.close(task) : undefined);
}

/** `iter(value)`: raises for what is not iterable. */
export function iterOf(value: Value): Iter {
  const iterator = tryIter(value);
  if (iterator === value) iterator.begin();
  if (iterator === undefined) throw typeError(`iter: value of type ${typeOf(value)} is not iterable`);
  return iterator;
}

/**
 * Pulls until the end, giving each element to `body`, which ends the loop early with `true`. Synchronous until a pull
 * or the body waits.
 */
export function drain(
  task: Caller,
  source: Pullable,
  body: (value: Value) => MaybePromise<boolean | undefined>,
): MaybePromise<void> {
  if (source instanceof Iter) source.begin();
  for (;;) {
    const pulled = source.next(task);
    if (pulled instanceof Promise) return drainRest(task, source, body, pulled);
    if (pulled === undefined) return;
    const stop = body(pulled);
    if (stop instanceof Promise) return drainRest(task, source, body, undefined, stop);
    if (stop === true) return;
  }
}

async function drainRest(
  task: Caller,
  source: Pullable,
  body: (value: Value) => MaybePromise<boolean | undefined>,
  firstPull: Promise<PulledValue> | undefined,
  firstStop?: Promise<boolean | undefined>,
): Promise<void> {
  if (firstStop !== undefined && (await firstStop) === true) return;
  let pulled: MaybePromise<PulledValue> = firstPull ?? source.next(task);
  for (;;) {
    const value = pulled instanceof Promise ? await pulled : pulled;
    if (value === undefined) return;
    const stop = body(value);
    if ((stop instanceof Promise ? await stop : stop) === true) return;
    pulled = source.next(task);
  }
}

/** All that is left, as an array. */
export function collectItems(task: Caller, source: Pullable): MaybePromise<Value[]> {
  const items: Value[] = [];
  const done = drain(task, source, (value) => {
    if (items.length >= maxItems) checkItems(items.length + 1);
    items.push(value);
    return undefined;
  });
  return done instanceof Promise ? done.then(() => items) : items;
}
