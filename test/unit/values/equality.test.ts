import { describe, expect, test } from "vitest";
import {
  Atomic,
  Bytes,
  Dict,
  Duration,
  EnumValue,
  equals,
  hashKey,
  Iter,
  indexOfEqual,
  Pair,
  Range,
  SetValue,
  StructValue,
  structType,
  type Value,
} from "../../../src/values/index.ts";
import { closure } from "../../support/script-function.ts";
import { dict, float, list, nested } from "../../support/values.ts";

const point = structType("Point", ["x", "y"]);
const other = structType("Other", ["x", "y"]);
const bytes = (...data: number[]): Bytes => new Bytes(Uint8Array.from(data));
const fn = closure(() => null);
const iterator = new Iter(() => undefined);

const cases: readonly [string, Value, Value, boolean][] = [
  ["int and float", 1, float(1), true],
  ["big int and float", 2n ** 60n, float(2 ** 60), true],
  ["big int next to a float", 2n ** 60n + 1n, float(2 ** 60), false],
  ["int and string", 1, "1", false],
  ["bool and int", true, 1, false],
  ["nil and false", null, false, false],
  ["nan", float(Number.NaN), float(Number.NaN), false],
  ["zeros", float(0), float(-0), true],
  ["lists", list(1, list(2)), list(float(1), list(2)), true],
  ["lists of other length", list(1), list(1, 2), false],
  ["list with nan, same object", list(float(Number.NaN)), list(float(Number.NaN)), false],
  ["dicts in any order", dict({ a: 1, b: 2 }), dict({ b: 2, a: 1 }), true],
  ["dict as table", dict({ a: 1 }), new Dict(new Map([["a", 1]])), true],
  ["dicts of other keys", dict({ a: 1 }), dict({ b: 1 }), false],
  ["dicts of other size", dict({ a: 1 }), dict({ a: 1, b: 2 }), false],
  ["sets in any order", SetValue.from([1, 2]), SetValue.from([2, 1]), true],
  ["sets of sets", SetValue.from([SetValue.from([1, 2])]), SetValue.from([SetValue.from([2, 1])]), true],
  ["different sets", SetValue.from([1]), SetValue.from([2]), false],
  ["pairs", new Pair(1, "a"), new Pair(1, "a"), true],
  ["ranges", new Range(0, 3, true), new Range(0, 3, true), true],
  ["ranges that cover the same", new Range(0, 3, true), new Range(0, 2, false), false],
  ["enums", new EnumValue("E", "V", [1]), new EnumValue("E", "V", [1]), true],
  ["enums of other name", new EnumValue("E", "V", []), new EnumValue("F", "V", []), false],
  ["structs", new StructValue(point, [1, 2]), new StructValue(point, [1, 2]), true],
  ["structs of other name", new StructValue(point, [1, 2]), new StructValue(other, [1, 2]), false],
  ["struct and dict", new StructValue(point, [1, 2]), dict({ x: 1, y: 2 }), false],
  ["absent field and nil", new StructValue(point, [1, undefined]), new StructValue(point, [1, null]), false],
  ["bytes", bytes(1, 2), bytes(1, 2), true],
  ["atomics by value", new Atomic(1), new Atomic(1), true],
  ["closures never", fn, fn, false],
  ["durations never", new Duration(5), new Duration(5), false],
];

describe("§4.3 equality", () => {
  test("iterators are not compared, except with nil", () => {
    for (const other of [iterator, new Iter(() => undefined), list(1)]) {
      expect(() => equals(iterator, other)).toThrow();
      expect(() => equals(list(other), list(iterator))).toThrow();
    }
    expect(equals(iterator, null)).toBe(false);
  });

  test.each(cases)("%s", (_name, a, b, expected) => {
    expect(equals(a, b)).toBe(expected);
    expect(equals(b, a)).toBe(expected);
  });

  test.each(cases)("hash keys agree: %s", (_name, a, b, expected) => {
    const x = hashKey(a);
    const y = hashKey(b);
    expect(x !== undefined && x === y).toBe(expected);
  });

  test("a value nested deeper than the stack", () => {
    expect(equals(nested(100_000), nested(100_000))).toBe(true);
    expect(equals(nested(100_000), nested(100_000, 2))).toBe(false);
    expect(hashKey(nested(100_000))).toBe(hashKey(nested(100_000)));
  });

  test("texts cannot imitate structures", () => {
    expect(SetValue.from([list("a", "b"), list("a,b"), list("ab"), "a"]).size).toBe(4);
    expect(hashKey("\u0000L('1:a)")).not.toBe(hashKey(list("a")));
    expect(hashKey(dict({ a: list() }))).not.toBe(hashKey(dict({ "a'0:": 1 })));
  });

  test("indexOfEqual stops at the version's length", () => {
    expect(indexOfEqual([1, 2, "x"], 2, "x")).toBe(-1);
    expect(indexOfEqual([1, float(2)], 2, 2)).toBe(1);
  });
});
