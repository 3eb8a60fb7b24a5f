/** Methods of dicts (language.md §22.3). Callbacks of `map_values` and `filter` get the value only. */
import {
  type Callable,
  Dict,
  invoke1,
  List,
  type MaybePromise,
  mapThen,
  Pair,
  proceed,
  Shape,
  toKey,
  truthy,
  tryIter,
  type Value,
} from "../../values/index.ts";
import type { Task } from "../task.ts";
import { callableArg, type MethodRun, methodTable } from "./method.ts";

type DictMethod = MethodRun<Dict>;

const entryShape = Shape.ofLiteral(["key", "value"]) as Shape;

/** The `{key, value}` dict of an entry, as `for` and `entries()` give it. */
export const entryDict = (key: string, value: Value): Dict => Dict.shaped(entryShape, [key, value]);

/** `{key, value}` dicts in key order. */
export function dictEntries(dict: Dict): List {
  const values = dict.sortedValues();
  return new List(dict.keys().map((key, i) => entryDict(key, values[i] as Value)));
}

/** Runs a callback over values in key order and builds a dict from its results. */
function overValues(
  task: Task,
  dict: Dict,
  f: Callable,
  build: (keys: readonly string[], values: Value[], results: Value[]) => Dict,
): MaybePromise<Value> {
  const keys = dict.keys();
  const values = dict.sortedValues();
  const results = mapThen(values.length, (i) => invoke1(task, f, values[i] as Value));
  return proceed(results, (got) => build(keys, values, got));
}

/** A stored nil is a value, so `??` would be wrong here. */
const foundOr = (found: Value | undefined, fallback: Value | undefined): Value =>
  found === undefined ? (fallback ?? null) : found;

const rekey: DictMethod = (task, dict, args) => {
  const f = callableArg(args[0]);
  if (f === undefined) return null;
  const keys = dict.keys();
  const values = dict.sortedValues();
  const renamed = mapThen(keys.length, (i) => invoke1(task, f, keys[i] as string));
  return proceed(renamed, (names) => Dict.from(names.map((name, i) => [toKey(name), values[i] as Value])));
};

function filterDict(keys: readonly string[], values: Value[], verdicts: Value[]): Dict {
  const kept = verdicts.map(truthy);
  return Dict.fromArrays(
    keys.filter((_key, i) => kept[i]),
    values.filter((_value, i) => kept[i]),
  );
}

export const dictMethods = methodTable<Dict>({
  never: {
    keys: (_task, dict) => new List([...dict.keys()]),
    values: (_task, dict) => new List(dict.sortedValues()),
    entries: (_task, dict) => dictEntries(dict),
    count: (_task, dict) => dict.size,
    has: (_task, dict, [key]) => dict.has(toKey(key ?? null)),
    get: (_task, dict, [key, fallback]) => foundOr(dict.get(toKey(key ?? null)), fallback),
    merge: (_task, dict, [other]) => (other instanceof Dict ? dict.merge(other) : dict),
    remove: (_task, dict, [key]) => (key === undefined ? dict : dict.without(toKey(key))),
    iter: (_task, dict) => tryIter(dict) as Value,
    to_list: (_task, dict) => {
      const values = dict.sortedValues();
      return new List(dict.keys().map((key, i) => new Pair(key, values[i] as Value)));
    },
    to_dict: (_task, dict) => dict,
  },
  callback: {
    map_values: (task, dict, args) => {
      const f = callableArg(args[0]);
      if (f === undefined) return null;
      return overValues(task, dict, f, (keys, _values, results) => Dict.fromArrays(keys, results));
    },
    filter: (task, dict, args) => {
      const f = callableArg(args[0]);
      return f === undefined ? null : overValues(task, dict, f, filterDict);
    },
    map_keys: rekey,
    rekey,
  },
});
