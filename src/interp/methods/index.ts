/** Methods of built-in types (language.md §22): tables by type and generic dispatch. */
export { dictEntries, entryDict } from "./dict.ts";
export { callMethod, findMethod, isolated, methodsOf, noSuchMethod } from "./dispatch.ts";
export {
  chunkItems,
  countByKeys,
  countWhile,
  filterItems,
  flattenItems,
  groupByKeys,
  joinItems,
  mapItems,
  sortByKeys,
  sortItems,
  sumOf,
  uniqueItems,
  windowItems,
} from "./list-build.ts";
export { extreme, findPosition, hasVerdict, positionInList } from "./list-search.ts";
export { callableArg, intArg, type Method, type MethodRun, type MethodTable, methodTable } from "./method.ts";
export { stepDict } from "./pullable.ts";
export {
  intersectSets,
  isDisjoint,
  isSubset,
  subtractSets,
  symmetricDifference,
  unionSets,
} from "./set.ts";
export { replaceText, splitIntoParts, textLines } from "./string.ts";
