/** Methods of lists (language.md §22.2): the table. The work is in list-build.ts and list-search.ts. */
import {
  type Callable,
  clampIndex,
  Dict,
  emptyList,
  forEachThen,
  invoke2,
  List,
  type MaybePromise,
  proceed,
  SetValue,
  Shape,
  tryIter,
  type Value,
} from "../../values/index.ts";
import type { Task } from "../task.ts";
import {
  chunkItems,
  countByKeys,
  countWhile,
  filterItems,
  flattenItems,
  groupByKeys,
  joinItems,
  mapItems,
  partitionItems,
  sortByKeys,
  sortItems,
  sumOf,
  uniqueItems,
  windowItems,
} from "./list-build.ts";
import { extreme, findPosition, hasVerdict, positionInList } from "./list-search.ts";
import { callableArg, intArg, type MethodRun, methodTable, textOr } from "./method.ts";

type ListMethod = MethodRun<List>;

/** A method whose first argument must be callable; nil, or another answer, without one. */
const withCallback =
  (
    run: (task: Task, list: List, f: Callable) => MaybePromise<Value>,
    otherwise: (list: List) => Value = () => null,
  ): ListMethod =>
  (task, list, args) => {
    const f = callableArg(args[0]);
    return f === undefined ? otherwise(list) : run(task, list, f);
  };

const sortKeys = (task: Task, list: List, f: Callable): MaybePromise<Value[]> =>
  mapItems(task, list.buffer, list.length, f);

const chunk: ListMethod = (_task, list, [size]) => chunkItems(list, intArg(size, 1));
const window: ListMethod = (_task, list, [size, step]) => windowItems(list, intArg(size, 2), intArg(step, 1));
const all = withCallback(
  (task, list, f) => proceed(hasVerdict(task, list, f, false), (found) => !found),
  () => true,
);

const sliceList: ListMethod = (_task, list, [start, end]) =>
  list.part(clampIndex(intArg(start, 0), list.length), clampIndex(intArg(end, list.length), list.length));

const itemShape = Shape.ofLiteral(["index", "value"]) as Shape;

const never: Record<string, ListMethod> = {
  count: (_task, list) => list.length,
  empty: (_task, list) => list.length === 0,
  sort: (_task, list) => sortItems(list.toArray()),
  reverse: (_task, list) => new List(list.toArray().reverse()),
  unique: (_task, list) => uniqueItems(list),
  compact: (_task, list) => new List(list.toArray().filter((item) => item !== null)),
  join: (_task, list, [separator]) => joinItems(list, textOr(separator, "")),
  contains: (_task, list, [value]) => value !== undefined && positionInList(list, value) >= 0,
  index_of: (_task, list, [value]) => (value === undefined ? -1 : positionInList(list, value)),
  enumerate: (_task, list) =>
    new List(list.toArray().map((value, index) => Dict.shaped(itemShape, [index, value]))),
  zip: (_task, list, [other]) => {
    if (!(other instanceof List)) return emptyList();
    const count = Math.min(list.length, other.length);
    return new List(
      Array.from({ length: count }, (_, i) => new List([list.buffer[i] as Value, other.buffer[i] as Value])),
    );
  },
  slice: sliceList,
  take: (_task, list, [count]) => list.part(0, Math.min(Math.max(intArg(count, 0), 0), list.length)),
  skip: (_task, list, [count]) =>
    list.part(Math.min(Math.max(intArg(count, 0), 0), list.length), list.length),
  first: (_task, list, [count]) =>
    typeof count === "number"
      ? list.part(0, Math.min(Math.max(count, 0), list.length))
      : (list.at(0) ?? null),
  last: (_task, list, [count]) =>
    typeof count === "number"
      ? list.part(list.length - Math.min(Math.max(count, 0), list.length), list.length)
      : (list.at(list.length - 1) ?? null),
  sum: (_task, list) => sumOf(list),
  min: (_task, list) => extreme(list.buffer, list.buffer, list.length, 1),
  max: (_task, list) => extreme(list.buffer, list.buffer, list.length, -1),
  flatten: (_task, list) => flattenItems(list.buffer, list.length),
  push: (_task, list, [value]) => list.push(value ?? null),
  pop: (_task, list) => list.part(0, list.length - 1),
  tally: (_task, list) => countByKeys(list),
  chunk,
  each_slice: chunk,
  window,
  each_cons: window,
  sliding_window: window,
  iter: (_task, list) => tryIter(list) as Value,
  to_list: (_task, list) => list,
  to_set: (_task, list) => SetValue.from(list),
};

/** `reduce(init, f)`; nil unless both are there in this order. */
const reduceList: ListMethod = (task, list, [init, f]) => {
  const callback = callableArg(f);
  if (init === undefined || callback === undefined) return null;
  const { buffer, length } = list;
  let sum: Value = init;
  const keep = (value: Value): undefined => {
    sum = value;
  };
  const done = forEachThen(length, (i) => {
    const next = invoke2(task, callback, sum, buffer[i] as Value);
    return next instanceof Promise ? next.then(keep) : keep(next);
  });
  return proceed(done, () => sum);
};

const callback: Record<string, ListMethod> = {
  map: withCallback((task, list, f) => proceed(sortKeys(task, list, f), (items) => new List(items))),
  filter: withCallback((task, list, f) =>
    proceed(filterItems(task, list.buffer, list.length, f), (items) => new List(items)),
  ),
  flat_map: withCallback((task, list, f) =>
    proceed(sortKeys(task, list, f), (items) => flattenItems(items, items.length)),
  ),
  reduce: reduceList,
  find: withCallback((task, list, f) =>
    proceed(findPosition(task, list, f), (at) => (at < 0 ? null : (list.buffer[at] as Value))),
  ),
  find_index: withCallback(findPosition, () => -1),
  any: withCallback(
    (task, list, f) => hasVerdict(task, list, f, true),
    () => false,
  ),
  all,
  every: all,
  none: withCallback(
    (task, list, f) => proceed(hasVerdict(task, list, f, true), (found) => !found),
    (list) => list.length === 0,
  ),
  sort_by: withCallback((task, list, f) =>
    proceed(sortKeys(task, list, f), (keys) => sortByKeys(list.buffer, keys)),
  ),
  min_by: withCallback((task, list, f) =>
    proceed(sortKeys(task, list, f), (keys) => extreme(list.buffer, keys, keys.length, 1)),
  ),
  max_by: withCallback((task, list, f) =>
    proceed(sortKeys(task, list, f), (keys) => extreme(list.buffer, keys, keys.length, -1)),
  ),
  partition: withCallback((task, list, f) =>
    proceed(partitionItems(task, list, f), ([yes, no]) => new List([new List(yes), new List(no)])),
  ),
  group_by: withCallback((task, list, f) =>
    proceed(sortKeys(task, list, f), (keys) => groupByKeys(list.buffer, keys)),
  ),
  count_by: withCallback((task, list, f) => proceed(sortKeys(task, list, f), countByKeys)),
  take_while: withCallback((task, list, f) =>
    proceed(countWhile(task, list, f), (count) => list.part(0, count)),
  ),
  drop_while: withCallback((task, list, f) =>
    proceed(countWhile(task, list, f), (count) => list.part(count, list.length)),
  ),
};

export const listMethods = methodTable<List>({ never, callback });
