import { describe, expect, test } from "vitest";
import {
  caughtValue,
  display,
  EnumValue,
  getIndex,
  getIndexOptional,
  getProperty,
  getPropertyOptional,
  type List,
  leaks,
  Pair,
  Range,
  ScriptError,
  SetValue,
  StructValue,
  setIndex,
  setProperty,
  slice,
  structType,
  type Value,
  writeIndex,
  writePath,
  writeProperty,
} from "../../../src/values/index.ts";
import { dict, float, list } from "../../support/values.ts";

function result(run: () => Value): string {
  try {
    return display(run());
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return `! ${display(caughtValue(error))}`;
  }
}

const point = structType("Point", ["x", "y"]);
const p = new StructValue(point, [1, undefined]);

describe("§9 properties", () => {
  test.each<[Value, string, string]>([
    [dict({ a: 1 }), "a", "1"],
    [dict({ a: 1 }), "count", "nil"],
    [p, "x", "1"],
    [p, "y", "nil"],
    [p, "z", "! Runtime error: Point has no property 'z'"],
    [list(1, 2), "count", "2"],
    [list(1, 2), "empty", "false"],
    [list(1, 2), "first", "1"],
    [list(1, 2), "last", "2"],
    [list(), "first", "nil"],
    [list(), "last", "nil"],
    [list(), "foo", "! Runtime error: list has no property 'foo'"],
    ["a\u{1f600}", "count", "2"],
    ["", "empty", "true"],
    ["a", "foo", "! Runtime error: string has no property 'foo'"],
    [new EnumValue("E", "V", [1]), "variant", "V"],
    [new EnumValue("E", "V", [1]), "fields", "[1]"],
    [new EnumValue("E", "V", []), "foo", "! Runtime error: E has no property 'foo'"],
    [new Pair(1, 2), "second", "2"],
    [new Pair(1, 2), "x", "! Type error: cannot access property `x` on pair (expected `first` or `second`)"],
    [null, "x", "! Type error: cannot access property `x` on nil"],
    [5, "x", "! Type error: cannot access property `x` on int"],
    [new Range(1, 2, false), "first", "! Type error: cannot access property `first` on range"],
    [SetValue.from([1]), "x", "! Type error: cannot access property `x` on set"],
  ])("%#: .%s", (value, name, expected) => {
    expect(result(() => getProperty(value, name))).toBe(expected);
    expect(result(() => getPropertyOptional(value, name))).toBe(expected.startsWith("!") ? "nil" : expected);
  });
});

describe("§9 indexing and slicing", () => {
  test.each<[Value, Value, string]>([
    [list(1, 2, 3), 0, "1"],
    [list(1, 2, 3), -1, "3"],
    [list(1, 2, 3), 3, "nil"],
    [list(1, 2, 3), -4, "nil"],
    [list(1), 2n ** 60n, "nil"],
    ["a\u{1f600}b", 1, "\u{1f600}"],
    ["ab", -1, "b"],
    ["ab", -3, "nil"],
    [dict({ "1": "one" }), 1, "one"],
    [dict({}), "x", "nil"],
    [new Range(1, 5, false), 0, "1"],
    [new Range(1, 5, false), -1, "5"],
    [new Range(1, 3, false), 9, "! Runtime error: range index out of range: index 9 for range of length 3"],
    [new Range(1, 3, false), -4, "! Runtime error: range index out of range: index -4 for range of length 3"],
    [5, "a", "! Type error: cannot index into int with string"],
    [p, "x", "! Type error: cannot index into struct with string"],
    [list(1), "0", "! Type error: cannot index into list with string"],
    [list(1), float(0), "! Type error: cannot index into list with float"],
    [SetValue.from([1]), 0, "! Type error: cannot index into set with int"],
    [null, 0, "! Type error: cannot index into nil with int"],
  ])("%#: index %s", (value, index, expected) => {
    expect(result(() => getIndex(value, index))).toBe(expected);
  });

  test("optional indexing is about the receiver only", () => {
    expect(getIndexOptional(null, 0)).toBeNull();
    expect(result(() => getIndexOptional(5, 0))).toBe("! Type error: cannot index into int with int");
  });

  test.each<[Value, Value | undefined, Value | undefined, string]>([
    [list(1, 2, 3), 1, 2, "[2]"],
    [list(1, 2, 3), undefined, undefined, "[1, 2, 3]"],
    [list(1, 2, 3), -2, undefined, "[2, 3]"],
    [list(1, 2, 3), 2, 1, "[]"],
    [list(1, 2, 3), -9, 99, "[1, 2, 3]"],
    ["a\u{1f600}bc", 1, 3, "\u{1f600}b"],
    ["abc", undefined, -1, "ab"],
    [list(1), "a", undefined, "! Type error: slice start must be an integer, got string"],
    [list(1), undefined, "a", "! Type error: slice end must be an integer, got string"],
    [list(1), null, undefined, "! Type error: slice start must be an integer, got nil"],
    [dict({}), undefined, undefined, "! Type error: cannot slice dict"],
  ])("%#: slice", (value, from, to, expected) => {
    expect(result(() => slice(value, from, to))).toBe(expected);
  });
});

describe("§7.3 writing", () => {
  test.each<[Value, Value, string]>([
    [list(1, 2), 0, "[v, 2]"],
    [list(1, 2), -1, "[1, v]"],
    [list(1, 2), 5, "! Runtime error: Index 5 out of bounds for list of length 2"],
    [list(1, 2), -9, "! Runtime error: Index -9 out of bounds for list of length 2"],
    [list(1, 2), "a", "[1, 2]"],
    [dict({ a: 1 }), "b", "{a: 1, b: v}"],
    [dict({}), 1, "{1: v}"],
    [5, 0, "5"],
    [p, "x", "Point {x: 1}"],
  ])("%#: [%s] = v", (value, index, expected) => {
    const before = display(value);
    expect(result(() => setIndex(value, index, "v"))).toBe(expected);
    expect(display(value)).toBe(before);
  });

  test.each<[Value, string, string]>([
    [dict({ a: 1 }), "a", "{a: v}"],
    [p, "x", "Point {x: v}"],
    [p, "other", "Point {other: v, x: 1}"],
    [5, "p", "! Type error: cannot set property `p` on int"],
    [list(1), "p", "! Type error: cannot set property `p` on list"],
  ])("%#: .%s = v", (value, name, expected) => {
    expect(result(() => setProperty(value, name, "v"))).toBe(expected);
  });

  test("the owner writes in place, everybody else copies", () => {
    const token = {};
    const shared = list(1, 2, 3);
    const first = writeIndex(shared, token, 0, "a") as List;
    const second = writeIndex(first, token, 1, "b");
    expect(second).toBe(first);
    expect([shared, first].map(display)).toEqual(["[1, 2, 3]", "[a, b, 3]"]);
    const third = writeIndex(first, {}, 2, "c");
    expect([first, third].map(display)).toEqual(["[a, b, 3]", "[a, b, c]"]);
    expect([leaks(first, token), leaks(third, token), leaks(1, token), leaks(first, null)]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  test("a path is copied once and then written in place", () => {
    const inner = list(1, 2);
    const root = dict({ rows: list(dict({ cells: inner })) });
    const before = display(root);
    const token = {};
    const path = [{ name: "rows" }, { index: 0 }, { name: "cells" }, { index: 1 }];
    const first = writePath(root, token, path, "x");
    const second = writePath(first, token, path, "y");
    expect(second).toBe(first);
    expect(display(second)).toBe("{rows: [{cells: [1, y]}]}");
    expect(display(root)).toBe(before);
    expect(display(inner)).toBe("[1, 2]");
  });

  test("structs on a path are copied, what they hold is not", () => {
    const token = {};
    const path = [{ name: "x" }, { index: 0 }];
    const root = new StructValue(point, [list(1), undefined]);
    const first = writePath(root, token, path, "a");
    const second = writePath(first, token, path, "b");
    expect([root, second].map(display)).toEqual(["Point {x: [1]}", "Point {x: [b]}"]);
  });

  test("a path through nothing is an error", () => {
    expect(result(() => writePath(dict({}), {}, [{ name: "a" }, { name: "b" }], 1))).toBe(
      "! Type error: cannot set property `b` on nil",
    );
    expect(result(() => writePath(dict({}), {}, [{ name: "a" }, { name: "b" }, { name: "c" }], 1))).toBe(
      "! Type error: cannot access property `b` on nil",
    );
    expect(result(() => writeProperty(null, {}, "a", 1))).toBe(
      "! Type error: cannot set property `a` on nil",
    );
  });
});
