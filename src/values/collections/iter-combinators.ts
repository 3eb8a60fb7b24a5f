/** The lazy combinators of iterators (language.md §22.7). Argument checks and names are in interp/methods. */

import type { Callable } from "../callable.ts";
import { invoke1 } from "../callback.ts";
import type { Caller } from "../caller.ts";
import { proceed, untilThen } from "../maybe-promise.ts";
import { Pair } from "../scalars.ts";
import { truthy } from "../type-name.ts";
import type { MaybePromise, Value } from "../value.ts";
import type { Pullable, PulledValue } from "./handle.ts";
import { Iter, iterOf } from "./iter.ts";
import { List } from "./list.ts";

/** Stands for the end inside loops where `undefined` means "go on". */
const END: unique symbol = Symbol("end");
type IterStep = Value | typeof END | undefined;

const ended = (step: Value | typeof END): PulledValue => (step === END ? undefined : (step as Value));

/** Pulls until `choose` gives something else than `undefined`; the end passes through. */
function search(
  task: Caller,
  source: Pullable,
  choose: (value: Value) => MaybePromise<IterStep>,
): MaybePromise<PulledValue> {
  return proceed(
    untilThen<Value | typeof END>(() =>
      proceed(
        source.next(task),
        (value): MaybePromise<IterStep> => (value === undefined ? END : choose(value)),
      ),
    ),
    ended,
  );
}

export function mapIter(source: Pullable, f: Callable): Iter {
  return new Iter((task) => {
    const value = source.next(task);
    if (value instanceof Promise)
      return value.then((v) => (v === undefined ? undefined : invoke1(task, f, v)));
    return value === undefined ? undefined : invoke1(task, f, value);
  });
}

/** The commonest combinator gets a plain loop; `search` would make closures for every element. */
export function filterIter(source: Pullable, f: Callable): Iter {
  return new Iter((task) => {
    for (;;) {
      const value = source.next(task);
      if (value instanceof Promise) return filterIterRest(task, source, f, value, undefined);
      if (value === undefined) return undefined;
      const keep = invoke1(task, f, value);
      if (keep instanceof Promise) return filterIterRest(task, source, f, value, keep);
      if (truthy(keep)) return value;
    }
  });
}

async function filterIterRest(
  task: Caller,
  source: Pullable,
  f: Callable,
  pulled: MaybePromise<PulledValue>,
  verdict: Promise<Value> | undefined,
): Promise<PulledValue> {
  let value = await pulled;
  let keep = verdict;
  for (;;) {
    if (value === undefined) return undefined;
    if (truthy(await (keep ?? invoke1(task, f, value)))) return value;
    keep = undefined;
    value = await source.next(task);
  }
}

/** `f` gives something iterable for each element; their elements follow one another. */
export function flatMapIter(source: Pullable, f: Callable): Iter {
  let inner: Iter | undefined;
  return new Iter((task) => {
    const open = (): MaybePromise<IterStep> =>
      proceed(source.next(task), (value): MaybePromise<IterStep> => {
        if (value === undefined) return END;
        return proceed(invoke1(task, f, value), (result) => {
          inner = iterOf(result);
          return undefined;
        });
      });
    const step = (): MaybePromise<IterStep> => {
      if (inner === undefined) return open();
      return proceed(inner.next(task), (value): MaybePromise<IterStep> => {
        if (value !== undefined) return value;
        inner = undefined;
        return open();
      });
    };
    return proceed(untilThen<Value | typeof END>(step), ended);
  });
}

export function takeIter(source: Pullable, count: number): Iter {
  let left = count;
  return new Iter((task) => (left-- > 0 ? source.next(task) : undefined));
}

export function skipIter(source: Pullable, count: number): Iter {
  let left = count;
  return new Iter((task) => {
    if (left <= 0) return source.next(task);
    return search(task, source, (value) => (left-- > 0 ? undefined : value));
  });
}

export function takeWhileIter(source: Pullable, f: Callable): Iter {
  return new Iter((task) =>
    proceed(source.next(task), (value): MaybePromise<PulledValue> => {
      if (value === undefined) return undefined;
      return proceed(invoke1(task, f, value), (keep) => (truthy(keep) ? value : undefined));
    }),
  );
}

export function skipWhileIter(source: Pullable, f: Callable): Iter {
  let skipping = true;
  return new Iter((task) => {
    if (!skipping) return source.next(task);
    return search(task, source, (value) =>
      proceed(invoke1(task, f, value), (skip) => {
        if (truthy(skip)) return undefined;
        skipping = false;
        return value;
      }),
    );
  });
}

/** Pairs of both sources' elements, until one ends. */
export function zipIter(a: Pullable, b: Pullable): Iter {
  return new Iter((task) =>
    proceed(a.next(task), (x): MaybePromise<PulledValue> => {
      if (x === undefined) return undefined;
      return proceed(b.next(task), (y) => (y === undefined ? undefined : new Pair(x, y)));
    }),
  );
}

export function enumerateIter(source: Pullable): Iter {
  let index = 0;
  return new Iter((task) =>
    proceed(source.next(task), (value) => (value === undefined ? undefined : new Pair(index++, value))),
  );
}

export function chainIter(a: Pullable, b: Pullable): Iter {
  let first = true;
  return new Iter((task) => {
    if (!first) return b.next(task);
    return proceed(a.next(task), (value) => {
      if (value !== undefined) return value;
      first = false;
      return b.next(task);
    });
  });
}

/** Lists of `size` elements; the last may be shorter. */
export function chunksIter(source: Pullable, size: number): Iter {
  return new Iter((task) => {
    const items: Value[] = [];
    const step = (): MaybePromise<true | undefined> =>
      proceed(source.next(task), (value) => {
        if (value === undefined) return true;
        items.push(value);
        return items.length === size ? true : undefined;
      });
    return proceed(untilThen(step), () => (items.length === 0 ? undefined : new List(items)));
  });
}

/** Lists of `size` neighbouring elements, each one further. */
export function windowsIter(source: Pullable, size: number): Iter {
  let window: Value[] = [];
  return new Iter((task) => {
    if (window.length === size) window = window.slice(1);
    const step = (): MaybePromise<boolean | undefined> =>
      proceed(source.next(task), (value) => {
        if (value === undefined) return false;
        window.push(value);
        return window.length === size ? true : undefined;
      });
    return proceed(untilThen(step), (full) => (full ? new List(window.slice()) : undefined));
  });
}
