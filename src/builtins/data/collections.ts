/** Lists, dicts, sets and iterators as free functions (builtins.md §2.9). Nothing is changed in place. */
import type { Task } from "../../interp/index.ts";
import { at, defineBuiltins, refusal } from "../../table/index.ts";
import {
  type Callable,
  Dict,
  display,
  forEachThen,
  hashKey,
  invoke1,
  iterOf,
  List,
  type MaybePromise,
  mapThen,
  proceed,
  SetValue,
  StructValue,
  truthy,
  type Value,
} from "../../values/index.ts";
import { type Argument, intOr, needCallback, needList, textOf } from "../arguments.ts";

/** Results of a callback over all elements. */
function mappedCollection(task: Task, values: List, callback: Callable): MaybePromise<Value[]> {
  return mapThen(values.length, (index) => invoke1(task, callback, values.at(index) as Value));
}

function keyed(values: readonly Value[], keys: readonly Value[]): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  values.forEach((value, index) => {
    const key = textOf(keys[index]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  });
  return groups;
}

/** The first of each key, by structural equality. */
function firstOfEach(values: readonly Value[], keys: readonly Value[]): Value[] {
  const seen = new Set<unknown>();
  return values.filter((_value, index) => {
    const key = hashKey(keys[index] as Value);
    if (key === undefined) return true;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function listChunks(values: List, size: number): Value[] {
  const parts: Value[] = [];
  for (let at = 0; at < values.length; at += size)
    parts.push(values.part(at, Math.min(at + size, values.length)));
  return parts;
}

function windows(values: List, size: number, step: number): Value[] {
  const parts: Value[] = [];
  for (let at = 0; at + size <= values.length; at += step) parts.push(values.part(at, at + size));
  return parts;
}

/** Where the leading elements that satisfy the predicate end. */
function leading(
  task: Task,
  name: string,
  values: Argument,
  callback: Argument,
): MaybePromise<[List, number]> {
  const list = needList(name, values);
  const test = needCallback(name, callback);
  let end = list.length;
  const scan = forEachThen(list.length, (index) =>
    proceed(invoke1(task, test, list.at(index) as Value), (value) => {
      if (truthy(value)) return undefined;
      end = index;
      return true;
    }),
  );
  return proceed(scan, () => [list, end] as [List, number]);
}

function deepMerge(a: Dict, b: Dict): Dict {
  const merged = a.toMap();
  for (const [key, value] of b.entries()) {
    const old = merged.get(key);
    merged.set(key, old instanceof Dict && value instanceof Dict ? deepMerge(old, value) : value);
  }
  return Dict.from(merged);
}

function needSets(name: string, a: Argument, b: Argument): [SetValue, SetValue] {
  if (a instanceof SetValue && b instanceof SetValue) return [a, b];
  throw refusal(at(name, a instanceof SetValue ? "b" : "a"), "set", a instanceof SetValue ? b : a);
}

function setOperation(
  doc: string,
  example: string,
  name: string,
  combine: (a: SetValue, b: SetValue) => SetValue,
) {
  return {
    doc,
    sig: "(a: set, b: set) -> set",
    effect: "pure" as const,
    example,
    run: (_task: unknown, a: Argument, b: Argument): Value => combine(...needSets(name, a, b)),
  };
}

function setTest(
  doc: string,
  example: string,
  otherwise: boolean,
  test: (a: SetValue, b: SetValue) => boolean,
) {
  return {
    doc,
    sig: "(a: set, b: set) -> bool",
    effect: "pure" as const,
    example,
    run: (_task: unknown, a: Argument, b: Argument): Value =>
      a instanceof SetValue && b instanceof SetValue ? test(a, b) : otherwise,
  };
}

const isWithinSet = (a: SetValue, b: SetValue): boolean =>
  a.size <= b.size && a.items.every((value) => b.has(value));
const itemsWithout = (a: SetValue, b: SetValue): Value[] => a.items.filter((value) => !b.has(value));

/** Of a struct its fields, also those that a schema has filled in. */
function entriesOf(value: Argument): [string, Value][] {
  if (value instanceof StructValue) return value.entries();
  return value instanceof Dict ? [...value.entries()] : [];
}

export const collections = defineBuiltins(
  "collections",
  {
    keys: {
      doc: "The keys of a dict (or the fields of a struct) in order; [] for anything else.",
      sig: "(dict: any) -> list<string>",
      effect: "pure",
      example: "keys({b: 1, a: 2})  // [a, b]",
      run: (_task, dict: Argument) => new List(entriesOf(dict).map(([key]) => key)),
    },
    values: {
      doc: "The values of a dict (or a struct) in the order of its keys; [] for anything else.",
      sig: "(dict: any) -> list",
      effect: "pure",
      example: "values({b: 1, a: 2})  // [2, 1]",
      run: (_task, dict: Argument) => new List(entriesOf(dict).map(([, value]) => value)),
    },
    entries: {
      doc: "`{key, value}` for each entry of a dict (or a struct) in key order; [] for anything else.",
      sig: "(dict: any) -> list<dict>",
      effect: "pure",
      example: "entries({a: 1})  // [{key: a, value: 1}]",
      run: (_task, dict: Argument) =>
        new List(entriesOf(dict).map(([key, value]) => Dict.of({ key, value }))),
    },
    chunk: {
      doc: "The list in parts of `size`; the last may be shorter.",
      sig: "(items: list, size: int) -> list<list>",
      effect: "pure",
      example: "chunk([1, 2, 3], 2)  // [[1, 2], [3]]",
      run: (_task, items: Argument, size: Argument) =>
        new List(listChunks(needList("chunk", items), Math.max(intOr(size, 1), 1))),
    },
    window: {
      doc: "All runs of `size` neighbours, each `step` further.",
      sig: "(items: list, size: int = 2, step: int = 1) -> list<list>",
      effect: "pure",
      example: "window([1, 2, 3], 2)  // [[1, 2], [2, 3]]",
      run: (_task, items: Argument, size: Argument, step: Argument) =>
        new List(
          windows(needList("window", items), Math.max(intOr(size, 2), 1), Math.max(intOr(step, 1), 1)),
        ),
    },
    group_by: {
      doc: "A dict of lists: the elements under the display form of the callback's result.",
      sig: "(items: list, callback: fn(any) -> any) -> dict<string, list>",
      effect: "pure",
      suspends: "callback",
      example: "group_by([1, 2, 3], { x -> x % 2 })  // {0: [2], 1: [1, 3]}",
      run: (task, items: Argument, callback: Argument) => {
        const list = needList("group_by", items);
        const keys = mappedCollection(task, list, needCallback("group_by", callback));
        return proceed(keys, (found) =>
          Dict.from([...keyed(list.toArray(), found)].map(([key, group]) => [key, new List(group)] as const)),
        );
      },
    },
    count_by: {
      doc: "A dict of counts: how many elements have each display form of the callback's result.",
      sig: "(items: list, callback: fn(any) -> any) -> dict<string, int>",
      effect: "pure",
      suspends: "callback",
      example: "count_by([1, 2, 3], { x -> x % 2 })  // {0: 1, 1: 2}",
      run: (task, items: Argument, callback: Argument) => {
        const list = needList("count_by", items);
        const keys = mappedCollection(task, list, needCallback("count_by", callback));
        return proceed(keys, (found) =>
          Dict.from([...keyed(list.toArray(), found)].map(([key, group]) => [key, group.length] as const)),
        );
      },
    },
    partition: {
      doc: "A dict `{match, no_match}` (the method of this name gives a list of two lists).",
      sig: "(items: list, callback: fn(any) -> any) -> dict",
      effect: "pure",
      suspends: "callback",
      example: "partition([1, 2, 3], { x -> x > 1 })  // {match: [2, 3], no_match: [1]}",
      run: (task, items: Argument, callback: Argument) => {
        const list = needList("partition", items);
        const tests = mappedCollection(task, list, needCallback("partition", callback));
        return proceed(tests, (found) => {
          const match = list.toArray().filter((_value, index) => truthy(found[index] as Value));
          const rest = list.toArray().filter((_value, index) => !truthy(found[index] as Value));
          return Dict.of({ match: new List(match), no_match: new List(rest) });
        });
      },
    },
    dedup_by: {
      doc: "The first element of each result of the callback.",
      sig: "(items: list, callback: fn(any) -> any) -> list",
      effect: "pure",
      suspends: "callback",
      example: "dedup_by([1, 2, 3], { x -> x % 2 })  // [1, 2]",
      run: (task, items: Argument, callback: Argument) => {
        const list = needList("dedup_by", items);
        const keys = mappedCollection(task, list, needCallback("dedup_by", callback));
        return proceed(keys, (found) => new List(firstOfEach(list.toArray(), found)));
      },
    },
    flat_map: {
      doc: "The callback's results in one list: lists are opened, other results stay.",
      sig: "(items: list, callback: fn(any) -> any) -> list",
      effect: "pure",
      suspends: "callback",
      example: "flat_map([1, 2], { x -> [x, x] })  // [1, 1, 2, 2]",
      run: (task, items: Argument, callback: Argument) => {
        const list = needList("flat_map", items);
        const all = mappedCollection(task, list, needCallback("flat_map", callback));
        return proceed(
          all,
          (found) => new List(found.flatMap((value) => (value instanceof List ? value.toArray() : [value]))),
        );
      },
    },
    take_while: {
      doc: "The leading elements for which the callback is truthy.",
      sig: "(items: list, callback: fn(any) -> any) -> list",
      effect: "pure",
      suspends: "callback",
      example: "take_while([1, 2, 1], { x -> x < 2 })  // [1]",
      run: (task, items: Argument, callback: Argument) =>
        proceed(leading(task, "take_while", items, callback), ([list, end]) => list.part(0, end)),
    },
    drop_while: {
      doc: "What is left without the leading elements for which the callback is truthy.",
      sig: "(items: list, callback: fn(any) -> any) -> list",
      effect: "pure",
      suspends: "callback",
      example: "drop_while([1, 2, 1], { x -> x < 2 })  // [2, 1]",
      run: (task, items: Argument, callback: Argument) =>
        proceed(leading(task, "drop_while", items, callback), ([list, end]) => list.part(end, list.length)),
    },
    unique: {
      doc: "The different elements, first occurrences.",
      sig: "(items: list) -> list",
      effect: "pure",
      example: "unique([1, 2, 1])  // [1, 2]",
      run: (_task, items: Argument) => new List(SetValue.from(needList("unique", items)).toArray()),
    },
    dict_from_pairs: {
      doc: "A dict of `[key, value]` lists; a later one wins.",
      sig: "(pairs: list<list>) -> dict",
      effect: "pure",
      example: 'dict_from_pairs([["a", 1]])  // {a: 1}',
      run: (_task, pairs: Argument) => {
        const all = needList("dict_from_pairs", pairs).toArray();
        return Dict.from(
          all.map((pair) => {
            if (!(pair instanceof List) || pair.length !== 2) {
              throw refusal(at("dict_from_pairs", "pairs"), "lists [key, value]", pair);
            }
            return [display(pair.at(0) as Value), pair.at(1) as Value] as const;
          }),
        );
      },
    },
    clone: {
      doc: "The value: collections are values, so a copy is never needed.",
      sig: "(value: any) -> any",
      effect: "pure",
      example: "clone([1])  // [1]",
      run: (_task, value: Argument) => value ?? null,
    },
    deep_clone: {
      doc: "The value: collections are values, so a copy is never needed.",
      sig: "(value: any) -> any",
      effect: "pure",
      example: "deep_clone([[1]])  // [[1]]",
      run: (_task, value: Argument) => value ?? null,
    },
    deep_merge: {
      doc: "Two dicts merged, dicts in them too; the second wins.",
      sig: "(a!: dict, b!: dict) -> dict",
      effect: "pure",
      example: "deep_merge({a: {x: 1}}, {a: {y: 2}})  // {a: {x: 1, y: 2}}",
      run: (_task, a: Dict, b: Dict) => deepMerge(a, b),
    },
    iter: {
      doc: "A lazy iterator over a list, dict (pairs), set, string, range, generator, stream or channel.",
      sig: "(source: any) -> iter",
      effect: "pure",
      example: "iter([1, 2]).map({ x -> x * 2 }).to_list()  // [2, 4]",
      run: (_task, source: Argument) => iterOf(source ?? null),
    },
    set: {
      doc: "A set: lists and sets among the arguments are spread, others are elements.",
      sig: "(...values: any) -> set",
      effect: "pure",
      traits: ["resultVaries"],
      example: "set([1, 2], 2, 3)  // set(1, 2, 3)",
      run: (_task, ...values: Value[]) =>
        SetValue.from(
          values.flatMap((value) =>
            value instanceof List || value instanceof SetValue ? value.toArray() : [value],
          ),
        ),
    },
    set_add: {
      doc: "A set with one more element.",
      sig: "(set!: set, value: any) -> set",
      effect: "pure",
      example: "set_add(set(1), 2)  // set(1, 2)",
      run: (_task, set: SetValue, value: Argument) => set.with(value ?? null),
    },
    set_remove: {
      doc: "A set without an element.",
      sig: "(set!: set, value: any) -> set",
      effect: "pure",
      example: "set_remove(set(1, 2), 1)  // set(2)",
      run: (_task, set: SetValue, value: Argument) => set.without(value ?? null),
    },
    set_contains: {
      doc: "Whether a set has an element; false for what is no set.",
      sig: "(set: any, value: any) -> bool",
      effect: "pure",
      example: "set_contains(set(1), 1)  // true",
      run: (_task, set: Argument, value: Argument) => set instanceof SetValue && set.has(value ?? null),
    },
    set_union: setOperation(
      "The elements of both.",
      "set_union(set(1), set(2))  // set(1, 2)",
      "set_union",
      (a, b) => SetValue.from([...a, ...b]),
    ),
    set_intersect: setOperation(
      "The elements in both.",
      "set_intersect(set(1, 2), set(2, 3))  // set(2)",
      "set_intersect",
      (a, b) => SetValue.from(a.items.filter((value) => b.has(value))),
    ),
    set_difference: setOperation(
      "The elements of the first that are not in the second.",
      "set_difference(set(1, 2), set(2))  // set(1)",
      "set_difference",
      (a, b) => SetValue.from(itemsWithout(a, b)),
    ),
    set_symmetric_difference: setOperation(
      "The elements in just one of both.",
      "set_symmetric_difference(set(1, 2), set(2, 3))  // set(1, 3)",
      "set_symmetric_difference",
      (a, b) => SetValue.from([...itemsWithout(a, b), ...itemsWithout(b, a)]),
    ),
    set_is_subset: setTest(
      "Whether all elements of the first are in the second.",
      "set_is_subset(set(1), set(1, 2))  // true",
      false,
      isWithinSet,
    ),
    set_is_superset: setTest(
      "Whether all elements of the second are in the first.",
      "set_is_superset(set(1, 2), set(1))  // true",
      false,
      (a, b) => isWithinSet(b, a),
    ),
    set_is_disjoint: setTest(
      "Whether they have no element in common.",
      "set_is_disjoint(set(1), set(2))  // true",
      true,
      (a, b) => !a.items.some((value) => b.has(value)),
    ),
  },
  { a: "any dict", b: "any dict" },
);
