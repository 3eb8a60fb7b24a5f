/** Whether a value is of the type that a row says, and how both are called in a message. */
import {
  Bytes,
  Callable,
  Dict,
  Duration,
  display,
  Float,
  isDictLike,
  isInt,
  List,
  SetValue,
  StructValue,
  typeOf,
  type Value,
} from "../values/index.ts";
import { parseType, type SignatureType } from "./signature.ts";

export type TypeTest = (value: Value) => boolean;

const tests = new Map<string, TypeTest>();

/** The test of a type text; texts are parsed once. */
export function typeTest(text: string): TypeTest {
  let test = tests.get(text);
  if (test === undefined) {
    test = testOf(parseType(text));
    tests.set(text, test);
  }
  return test;
}

/** Whether a value fits a type text. */
export const fitsType = (text: string, value: Value): boolean => typeTest(text)(value);

function testOf(type: SignatureType): TypeTest {
  switch (type.kind) {
    case "union": {
      const members = type.members.map(testOf);
      const [first, second] = members;
      // Long lists of numbers go through here, element by element.
      if (first !== undefined && second !== undefined && members.length === 2)
        return (value) => first(value) || second(value);
      return (value) => members.some((test) => test(value));
    }
    case "fn":
      return (value) => value instanceof Callable;
    case "shape":
      return isDictLike;
    case "literal":
      return (value) => value === type.value;
    case "name":
      return namedTest(type.name, type.args.map(testOf));
  }
}

function namedTest(name: string, args: readonly TypeTest[]): TypeTest {
  switch (name) {
    case "list": {
      // A part that is nil counts as not given.
      const [item] = args;
      return item === undefined
        ? (value) => value instanceof List
        : (value) => value instanceof List && everyItem(value, (one) => one === null || item(one));
    }
    case "dict": {
      const item = args[1];
      return item === undefined
        ? isDictLike
        : (value) => (value instanceof Dict ? everyValue(value, item) : value instanceof StructValue);
    }
    default:
      return plainTests.get(name) ?? ((value) => typeOf(value) === name);
  }
}

const plainTests: ReadonlyMap<string, TypeTest> = new Map<string, TypeTest>([
  ["any", () => true],
  ["unknown", () => true],
  ["nil", (value) => value === null],
  ["bool", (value) => typeof value === "boolean"],
  ["string", (value) => typeof value === "string"],
  ["int", (value) => isInt(value)],
  // An int is a right float, nowhere the other way round.
  ["float", (value) => isInt(value) || value instanceof Float],
  ["bytes", (value) => value instanceof Bytes],
  ["duration", (value) => value instanceof Duration],
  ["set", (value) => value instanceof SetValue],
  ["closure", (value) => value instanceof Callable],
]);

/** Without a copy of the list: some have thousands of elements. */
export function everyItem({ buffer, length }: List, test: TypeTest): boolean {
  for (let at = 0; at < length; at++) if (!test(buffer[at] as Value)) return false;
  return true;
}

function everyValue(dict: Dict, item: TypeTest): boolean {
  for (const [, value] of dict.entries()) if (value !== null && !item(value)) return false;
  return true;
}

const maxShown = 60;

/** A value as messages show what was given: `string "x"`, `int 3`, `dict`. */
export function inputText(value: Value): string {
  const type = typeOf(value);
  if (typeof value === "string") return `string ${cut(JSON.stringify(value))}`;
  if (typeof value === "boolean" || isInt(value) || value instanceof Float || value instanceof Duration)
    return `${type} ${display(value)}`;
  return type;
}

const cut = (text: string): string => (text.length <= maxShown ? text : `${text.slice(0, maxShown)}…"`);

/** `"a"`, `"b" or "c"`. */
export function oneOf(values: readonly string[]): string {
  const quoted = values.map((value) => JSON.stringify(value));
  const last = quoted.pop() ?? "";
  return quoted.length === 0 ? last : `${quoted.join(", ")} or ${last}`;
}

/** `int >= 1`, `float from 0 to 1`: the numbers that a row takes, as it names them. */
export function showRange(
  row: { readonly type: string },
  range: readonly [number | null, number | null],
): string {
  const type = row.type.includes("float") ? "float" : "int";
  const [min, max] = range;
  if (min !== null && max !== null) return `${type} from ${min} to ${max}`;
  return min !== null ? `${type} >= ${min}` : max !== null ? `${type} <= ${max}` : type;
}
