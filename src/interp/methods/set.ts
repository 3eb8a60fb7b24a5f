/** Methods of sets (language.md §22.4). Order: the receiver's elements first, then new ones. */
import { invoke1, List, mapThen, proceed, SetValue, tryIter, type Value } from "../../values/index.ts";
import { filterItems } from "./list-build.ts";
import { hasVerdict } from "./list-search.ts";
import { callableArg, type MethodRun, methodTable } from "./method.ts";

type SetMethod = MethodRun<SetValue>;

const asList = (set: SetValue): List => new List(set.buffer, set.size);

/** The elements that another set has, or has not. */
const keep = (set: SetValue, other: SetValue, present: boolean): SetValue =>
  new SetValue(set.toArray().filter((item) => other.has(item) === present));

export function unionSets(a: SetValue, b: SetValue): SetValue {
  let result = a;
  for (const item of b) result = result.with(item);
  return result;
}
export const intersectSets = (a: SetValue, b: SetValue): SetValue => keep(a, b, true);
export const subtractSets = (a: SetValue, b: SetValue): SetValue => keep(a, b, false);
export const symmetricDifference = (a: SetValue, b: SetValue): SetValue =>
  new SetValue([...keep(a, b, false), ...keep(b, a, false)]);

/** Whether every element of one set is in another. */
export function isSubset(a: SetValue, b: SetValue): boolean {
  for (const item of a) if (!b.has(item)) return false;
  return true;
}
export function isDisjoint(a: SetValue, b: SetValue): boolean {
  for (const item of a) if (b.has(item)) return false;
  return true;
}

/** A method of two sets; another answer when the argument is none. */
const onSets =
  (run: (set: SetValue, other: SetValue) => Value, otherwise: (set: SetValue) => Value): SetMethod =>
  (_task, set, [other]) =>
    other instanceof SetValue ? run(set, other) : otherwise(set);

const itself = (set: SetValue): Value => set;
const count: SetMethod = (_task, set) => set.size;
const remove: SetMethod = (_task, set, [value]) => (value === undefined ? set : set.without(value));
const intersect = onSets(intersectSets, () => new SetValue([]));
const all: SetMethod = (task, set, args) => {
  const f = callableArg(args[0]);
  return f === undefined ? true : proceed(hasVerdict(task, asList(set), f, false), (found) => !found);
};

export const setMethods = methodTable<SetValue>({
  never: {
    count,
    len: count,
    empty: (_task, set) => set.size === 0,
    contains: (_task, set, [value]) => value !== undefined && set.has(value),
    add: (_task, set, [value]) => (value === undefined ? set : set.with(value)),
    remove,
    delete: remove,
    union: onSets(unionSets, itself),
    intersect,
    intersection: intersect,
    difference: onSets(subtractSets, itself),
    symmetric_difference: onSets(symmetricDifference, itself),
    is_subset: onSets(isSubset, () => false),
    is_superset: onSets(
      (set, other) => isSubset(other, set),
      () => false,
    ),
    is_disjoint: onSets(isDisjoint, () => true),
    to_list: (_task, set) => new List(set.toArray()),
    to_set: (_task, set) => set,
    iter: (_task, set) => tryIter(set) as Value,
  },
  callback: {
    map: (task, set, args) => {
      const f = callableArg(args[0]);
      if (f === undefined) return null;
      const { buffer } = set;
      return proceed(
        mapThen(set.size, (i) => invoke1(task, f, buffer[i] as Value)),
        (items) => SetValue.from(items),
      );
    },
    filter: (task, set, args) => {
      const f = callableArg(args[0]);
      if (f === undefined) return null;
      return proceed(filterItems(task, set.buffer, set.size, f), (items) => new SetValue(items));
    },
    any: (task, set, args) => {
      const f = callableArg(args[0]);
      return f === undefined ? false : hasVerdict(task, asList(set), f, true);
    },
    all,
    every: all,
  },
});
