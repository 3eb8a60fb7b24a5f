/** Methods of ranges (language.md §22.6); every other name is a method of an iterator over the range. */
import { checkItems, display, inRange, iterOf, List, type Range, type Value } from "../../values/index.ts";
import { iterMethods } from "./iter.ts";
import { type Method, type MethodRun, type MethodTable, methodTable } from "./method.ts";

type RangeMethod = MethodRun<Range>;

const count: RangeMethod = (_task, range) => range.length;

/** The numbers of a range. Its length is known, so one that is too long fails before it has begun. */
function rangeNumbersOf({ from, length }: Range): Value[] {
  checkItems(length);
  const numbers = new Array<Value>(length);
  for (let i = 0; i < length; i++) numbers[i] = from + i;
  return numbers;
}

const own = methodTable<Range>({
  never: {
    len: count,
    count,
    empty: (_task, range) => range.length === 0,
    contains: (_task, range, [value]) => value !== undefined && inRange(range, value),
    first: (_task, range) => (range.length === 0 ? null : range.from),
    last: (_task, range) => (range.length === 0 ? null : range.end - 1),
    to_string: (_task, range) => display(range),
    to_list: (_task, range) => new List(rangeNumbersOf(range)),
  },
});

/** A range never waits, so sinks over it suspend only through their callbacks. */
function overIterator(method: Method): Method {
  const suspends = method.suspends === "may" ? "callback" : method.suspends;
  return { name: method.name, suspends, run: (task, range, args) => method.run(task, iterOf(range), args) };
}

export const rangeMethods: MethodTable = new Map([
  ...[...iterMethods].map(([name, method]) => [name, overIterator(method)] as const),
  ...own,
]);
