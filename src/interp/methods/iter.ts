/** Methods of iterators (language.md §22.7): lazy combinators and sinks. */
import {
  add,
  type Callable,
  chainIter,
  chunksIter,
  collectItems,
  compare,
  Decimal,
  Dict,
  drain,
  enumerateIter,
  Float,
  filterIter,
  flatMapIter,
  type Iter,
  invoke1,
  invoke2,
  isInt,
  iterOf,
  List,
  type MaybePromise,
  mapIter,
  Pair,
  proceed,
  SetValue,
  skipIter,
  skipWhileIter,
  takeIter,
  takeWhileIter,
  truthy,
  typeError,
  typeOf,
  type Value,
  windowsIter,
  zipIter,
} from "../../values/index.ts";
import type { Task } from "../task.ts";
import { callableArg, intArg, type MethodRun, methodTable } from "./method.ts";

type IterMethod = MethodRun<Iter>;

/** The first argument, which must be callable. */
function needCallable(name: string, args: readonly Value[]): Callable {
  const f = callableArg(args[0]);
  if (f === undefined) throw typeError(`iter.${name}: expected callable`);
  return f;
}

const lazy =
  (name: string, build: (source: Iter, f: Callable) => Iter): IterMethod =>
  (_task, source, args) => {
    source.begin();
    return build(source, needCallable(name, args));
  };

const counted =
  (name: string, build: (source: Iter, count: number) => Iter): IterMethod =>
  (_task, source, [count]) => {
    if (!isInt(count) || count < 0) throw typeError(`iter.${name}: expected non-negative int`);
    return build(source, intArg(count, 0));
  };

const sized =
  (name: string, what: string, build: (source: Iter, size: number) => Iter): IterMethod =>
  (_task, source, [size]) => {
    if (!isInt(size) || size < 1) throw typeError(`iter.${name}: ${what} size must be positive`);
    source.begin();
    return build(source, intArg(size, 1));
  };

const joinMethod =
  (name: string, build: (source: Iter, other: Iter) => Iter): IterMethod =>
  (_task, source, [other]) => {
    if (other === undefined) throw typeError(`iter.${name}: expected iterable argument`);
    source.begin();
    return build(source, iterOf(other));
  };

/** Folds all elements with a native function. */
function fold<T>(task: Task, source: Iter, start: T, step: (sum: T, value: Value) => T): MaybePromise<T> {
  let sum = start;
  const done = drain(task, source, (value) => {
    sum = step(sum, value);
    return undefined;
  });
  return proceed(done, () => sum);
}

const iterExtreme =
  (sign: 1 | -1): IterMethod =>
  (task, source) =>
    proceed(
      fold<Value | undefined>(task, source, undefined, (best, value) =>
        best === undefined || compare(value, best) * sign < 0 ? value : best,
      ),
      (best) => best ?? null,
    );

const sum: IterMethod = (task, source) =>
  fold<Value>(task, source, 0, (total, value) => {
    if (isInt(value) || value instanceof Float || value instanceof Decimal) return add(total, value);
    throw typeError(`iter.sum: expected number, got ${typeOf(value)}`);
  });

const reduce: IterMethod = (task, source, [init, f]) => {
  if (init === undefined || f === undefined) throw typeError("iter.reduce: expected (init, fn)");
  const callback = callableArg(f);
  if (callback === undefined) throw typeError("iter.reduce: second arg must be callable");
  let total: Value = init;
  const keep = (value: Value): undefined => {
    total = value;
  };
  const done = drain(task, source, (value) => proceed(invoke2(task, callback, total, value), keep));
  return proceed(done, () => total);
};

/** Pulls until a verdict is `wanted`; gives that element, or `undefined`. */
function seek(task: Task, source: Iter, f: Callable, wanted: boolean): MaybePromise<Value | undefined> {
  let found: Value | undefined;
  const done = drain(task, source, (value) =>
    proceed(invoke1(task, f, value), (verdict) => {
      if (truthy(verdict) !== wanted) return false;
      found = value;
      return true;
    }),
  );
  return proceed(done, () => found);
}

const toDict: IterMethod = (task, source) =>
  proceed(collectItems(task, source), (items) =>
    Dict.from(
      items.map((item) => {
        if (!(item instanceof Pair)) throw typeError(`iter.to_dict: expected pair, got ${typeOf(item)}`);
        if (typeof item.first !== "string") {
          throw typeError(`iter.to_dict: expected string key, got ${typeOf(item.first)}`);
        }
        return [item.first, item.second] as const;
      }),
    ),
  );

const seeking =
  (name: string, wanted: boolean, answer: (found: Value | undefined) => Value): IterMethod =>
  (task, source, args) =>
    proceed(seek(task, source, needCallable(name, args), wanted), answer);

export const iterMethods = methodTable<Iter>({
  never: {
    map: lazy("map", mapIter),
    filter: lazy("filter", filterIter),
    flat_map: lazy("flat_map", flatMapIter),
    take_while: lazy("take_while", takeWhileIter),
    skip_while: lazy("skip_while", skipWhileIter),
    take: counted("take", takeIter),
    skip: counted("skip", skipIter),
    chunks: sized("chunks", "chunk", chunksIter),
    windows: sized("windows", "window", windowsIter),
    zip: joinMethod("zip", zipIter),
    chain: joinMethod("chain", chainIter),
    enumerate: (_task, source) => {
      source.begin();
      return enumerateIter(source);
    },
    iter: (_task, source) => source,
  },
  // The source itself may wait (a channel, a generator that sleeps), whatever the callbacks do.
  may: {
    to_list: (task, source) => proceed(collectItems(task, source), (items) => new List(items)),
    to_set: (task, source) => proceed(collectItems(task, source), (items) => SetValue.from(items)),
    to_dict: toDict,
    count: (task, source) => fold(task, source, 0, (count) => count + 1),
    sum,
    min: iterExtreme(1),
    max: iterExtreme(-1),
    reduce,
    first: (task, source) => proceed(source.next(task), (value) => value ?? null),
    last: (task, source) => fold<Value>(task, source, null, (_last, value) => value),
    any: seeking("any", true, (found) => found !== undefined),
    all: seeking("all", false, (found) => found === undefined),
    find: seeking("find", true, (found) => found ?? null),
    for_each: (task, source, args) => {
      const f = needCallable("for_each", args);
      const done = drain(task, source, (value) => proceed(invoke1(task, f, value), () => undefined));
      return proceed(done, () => null);
    },
  },
});
