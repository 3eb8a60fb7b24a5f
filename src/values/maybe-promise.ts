/**
 * Synchronous until it cannot be. A loop runs as a plain loop; at the first promise the rest of it becomes one
 * asynchronous function. So pure programs never see a microtask, and waiting ones make no promise per element.
 */
import type { MaybePromise } from "./value.ts";

/** Goes on with a value now, or when it arrives. (Never export a `then`: the module's namespace would be a thenable.) */
export function proceed<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Runs `body`, and `after` on every way out, like `finally`. */
export function always<T>(body: () => MaybePromise<T>, after: () => void): MaybePromise<T> {
  let result: MaybePromise<T>;
  try {
    result = body();
  } catch (error) {
    after();
    throw error;
  }
  if (result instanceof Promise) return result.finally(after);
  after();
  return result;
}

/** `body(0)` … `body(count - 1)` in order; ends early when one gives `true`. */
export function forEachThen(
  count: number,
  body: (index: number) => MaybePromise<boolean | undefined>,
): MaybePromise<void> {
  for (let i = 0; i < count; i++) {
    const stop = body(i);
    if (stop instanceof Promise) return forEachRest(stop, i + 1, count, body);
    if (stop === true) return;
  }
}

async function forEachRest(
  pending: Promise<boolean | undefined>,
  from: number,
  count: number,
  body: (index: number) => MaybePromise<boolean | undefined>,
): Promise<void> {
  if ((await pending) === true) return;
  for (let i = from; i < count; i++) {
    const stop = body(i);
    if ((stop instanceof Promise ? await stop : stop) === true) return;
  }
}

/** The results of `body(0)` … `body(count - 1)`, one after the other. */
export function mapThen<T>(count: number, body: (index: number) => MaybePromise<T>): MaybePromise<T[]> {
  const results: T[] = [];
  for (let i = 0; i < count; i++) {
    const result = body(i);
    if (result instanceof Promise) return mapRest(results, result, i + 1, count, body);
    results.push(result);
  }
  return results;
}

async function mapRest<T>(
  results: T[],
  pending: Promise<T>,
  from: number,
  count: number,
  body: (index: number) => MaybePromise<T>,
): Promise<T[]> {
  results.push(await pending);
  for (let i = from; i < count; i++) {
    const result = body(i);
    results.push(result instanceof Promise ? await result : result);
  }
  return results;
}

/** Repeats `step` until it gives something else than `undefined`, and gives that. */
export function untilThen<T>(step: () => MaybePromise<T | undefined>): MaybePromise<T> {
  for (;;) {
    const result = step();
    if (result instanceof Promise) return untilRest(result, step);
    if (result !== undefined) return result;
  }
}

async function untilRest<T>(
  pending: Promise<T | undefined>,
  step: () => MaybePromise<T | undefined>,
): Promise<T> {
  const first = await pending;
  if (first !== undefined) return first;
  for (;;) {
    const result = step();
    const value = result instanceof Promise ? await result : result;
    if (value !== undefined) return value;
  }
}
