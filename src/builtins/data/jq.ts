/** Queries of JSON-like values (builtins.md §2.10). Each query gives any number of results. */
import { spend, type Task } from "../../interp/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import {
  compare,
  Dict,
  equals,
  List,
  sliceText,
  textLength,
  thrown,
  truthy,
  typeOf,
  type Value,
} from "../../values/index.ts";
import { type Argument, textOf } from "../arguments.ts";
import { parseQuery, type Query } from "./jq-parse.ts";

const jsonTypes: Readonly<Record<string, string>> = {
  nil: "null",
  bool: "boolean",
  int: "number",
  float: "number",
  list: "array",
  dict: "object",
};

/** How far a query has come: every result counts as a step of the task. */
type ValueFilter = (found: Value[]) => Value[];

function results(query: Query, input: Value, count: ValueFilter): Value[] {
  return count(found(query, input, count));
}

function mappedList(query: Query, input: Value, count: ValueFilter): List {
  const values = input instanceof List ? input.toArray() : [];
  return new List(values.flatMap((value) => results(query, value, count)));
}

/** The input, as often as the query is true of it. */
const selectedTimes = (query: Query, input: Value, count: ValueFilter): Value[] =>
  results(query, input, count)
    .filter(isTrue)
    .map(() => input);

function found(query: Query, input: Value, count: ValueFilter): Value[] {
  switch (query.kind) {
    case "identity":
      return [input];
    case "recurse":
      return nestedValues(input);
    case "literal":
      return [query.value];
    case "field":
      return results(query.of, input, count).map((value) =>
        value instanceof Dict ? (value.get(query.name) ?? null) : null,
      );
    case "index":
      return results(query.of, input, count).map((value) => element(value, query.index));
    case "slice":
      return results(query.of, input, count).map((value) => part(value, query.from, query.to));
    case "each":
      return results(query.of, input, count).flatMap(members);
    case "pipe":
      return results(query.left, input, count).flatMap((value) => results(query.right, value, count));
    case "comma":
      return [...results(query.left, input, count), ...results(query.right, input, count)];
    case "and":
      return combineOutputs(query, input, count, (a, b) => isTrue(a) && isTrue(b));
    case "or":
      return combineOutputs(query, input, count, (a, b) => isTrue(a) || isTrue(b));
    case "compare":
      return combineOutputs(query, input, count, (a, b) => compares(query.operator, a, b));
    case "not":
      return results(query.of, input, count).map((value) => !isTrue(value));
    case "call":
      return [callFilter(query.name, input)];
    case "map":
      return [mappedList(query.of, input, count)];
    case "select":
      return selectedTimes(query.of, input, count);
    case "object":
      return objects(query.fields, input, count);
  }
}

/** jq's truth: only null and false are not. */
const isTrue = (value: Value): boolean => value !== null && value !== false;

function nestedValues(input: Value): Value[] {
  const found: Value[] = [];
  const pending: Value[] = [input];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    found.push(value);
    pending.push(...members(value).reverse());
  }
  return found;
}

function members(value: Value): Value[] {
  if (value instanceof List) return value.toArray();
  return value instanceof Dict ? value.sortedValues() : [];
}

function element(value: Value, index: number): Value {
  if (!(value instanceof List)) return null;
  return value.at(index < 0 ? value.length + index : index) ?? null;
}

function part(value: Value, from: number | undefined, to: number | undefined): Value {
  const length = value instanceof List ? value.length : typeof value === "string" ? textLength(value) : 0;
  const clamp = (at: number): number => Math.min(Math.max(at < 0 ? length + at : at, 0), length);
  const [start, end] = [clamp(from ?? 0), clamp(to ?? length)];
  if (value instanceof List) return value.part(start, Math.max(start, end));
  return typeof value === "string" ? sliceText(value, start, end) : null;
}

function combineOutputs(
  { left, right }: { readonly left: Query; readonly right: Query },
  input: Value,
  count: ValueFilter,
  test: (a: Value, b: Value) => boolean,
): Value[] {
  const rights = results(right, input, count);
  return results(left, input, count).flatMap((a) => count(rights.map((b) => test(a, b))));
}

function compares(operator: string, a: Value, b: Value): boolean {
  if (operator === "==") return equals(a, b);
  if (operator === "!=") return !equals(a, b);
  const order = compare(a, b);
  if (operator === "<") return order < 0;
  if (operator === "<=") return order <= 0;
  return operator === ">" ? order > 0 : order >= 0;
}

function callFilter(name: string, input: Value): Value {
  if (name === "type") return jsonTypes[typeOf(input)] ?? typeOf(input);
  if (name === "keys") {
    if (input instanceof List) return new List(Array.from({ length: input.length }, (_, index) => index));
    return input instanceof Dict ? new List([...input.keys()]) : null;
  }
  if (name === "values") return new List(members(input));
  if (typeof input === "string") return textLength(input);
  if (input instanceof List) return input.length;
  if (input instanceof Dict) return input.size;
  return truthy(input) && typeof input === "number" ? Math.abs(input) : 0;
}

/** One object for each combination of the fields' results. */
function objects(fields: readonly (readonly [string, Query])[], input: Value, count: ValueFilter): Value[] {
  let made: (readonly [string, Value])[][] = [[]];
  for (const [key, query] of fields) {
    const values = results(query, input, count);
    if (made.length * values.length > maxResults) throw tooMany();
    made = made.flatMap((entries) => values.map((value) => [...entries, [key, value] as const]));
  }
  return made.map((entries) => Dict.from(entries));
}

/** Results of all parts of a query together. */
const maxResults = 1_000_000;

const tooMany = () => thrown(`jq: the query has more than ${maxResults} results`);

function counter(task: Task): ValueFilter {
  let all = 0;
  return (found) => {
    all += found.length;
    if (all > maxResults) throw tooMany();
    for (let i = 0; i <= found.length; i++) spend(task);
    return found;
  };
}

export const jq = defineBuiltins("jq", {
  jq: {
    doc: "All results of a jq query: paths, slices, pipes, `map`, `select`, comparisons, object construction.",
    sig: "(value: any, query: string) -> list",
    effect: "pure",
    example: 'jq([{a: 1}, {a: 2}], ".[] | select(.a > 1) | .a")  // [2]',
    run: (task, value: Argument, query: Argument) =>
      new List(results(parseQuery(textOf(query)), value ?? null, counter(task))),
  },
  jq_first: {
    doc: "The first result of a jq query; nil when there is none.",
    sig: "(value: any, query: string) -> any",
    effect: "pure",
    example: 'jq_first({a: {b: 3}}, ".a.b")  // 3',
    run: (task, value: Argument, query: Argument) =>
      results(parseQuery(textOf(query)), value ?? null, counter(task))[0] ?? null,
  },
});
