import { describe, expect, test } from "vitest";
import {
  Atomic,
  Bytes,
  Duration,
  display,
  displayAnyway,
  displayFloat,
  EnumValue,
  err,
  Iter,
  okResult,
  Pair,
  Range,
  SetValue,
  StructValue,
  structType,
  type Value,
} from "../../../../src/values/index.ts";
import { closure } from "../../../support/script-function.ts";
import { dict, float, list, nested } from "../../../support/values.ts";

const point = structType("Point", ["y", "x", "label"]);

describe("§5 display", () => {
  test("iterators have no printed form, except in messages", () => {
    const lazy = new Iter(() => undefined);
    expect(() => display(list(lazy))).toThrow();
    expect(displayAnyway(list(lazy))).toBe("[<iter>]");
    expect(() => display(lazy)).toThrow();
  });

  test.each<[Value, string]>([
    [-7, "-7"],
    [2n ** 63n - 1n, "9223372036854775807"],
    [true, "true"],
    [null, "nil"],
    ["a\nb", "a\nb"],
    [list(1, "two", list(3)), "[1, two, [3]]"],
    [list(), "[]"],
    [dict({ b: "x", a: 1 }), "{a: 1, b: x}"],
    [dict({}), "{}"],
    [SetValue.from([1, 2]), "set(1, 2)"],
    [SetValue.from([]), "set()"],
    [new EnumValue("Shape", "Dot", []), "Shape.Dot"],
    [new EnumValue("Shape", "Rect", [1, float(2)]), "Shape.Rect(1, 2.0)"],
    [okResult(1), "Result.Ok(1)"],
    [err("bad"), "Result.Err(bad)"],
    [new StructValue(point, [2, 1, undefined]), "Point {x: 1, y: 2}"],
    [new StructValue(point, []), "Point {}"],
    [new StructValue(point, [2, null, "z"], new Map([["k", 1]])), "Point {k: 1, label: z, x: nil, y: 2}"],
    [new Range(1, 5, false), "1 to 5"],
    [new Range(0, 3, true), "0 to 3 exclusive"],
    [new Pair("a", 1), "(a, 1)"],
    [closure(() => null, ["a", "b"]), "<fn(a, b)>"],
    [new Atomic(5), "<atomic:5>"],
    [new Bytes(Uint8Array.from([0x68, 0x69])), 'b"6869"'],
    [new Bytes(new Uint8Array(40)), `b"${"00".repeat(32)}...+8"`],
  ])("%#: %s", (value, expected) => {
    expect(display(value)).toBe(expected);
  });

  test.each<[number, string]>([
    [5, "5.0"],
    [-0, "-0.0"],
    [0.1, "0.1"],
    [1e15, "1000000000000000"],
    [999999999999999, "999999999999999.0"],
    [1e20, "100000000000000000000"],
    [1.5e22, "15000000000000000000000"],
    [1e-7, "0.0000001"],
    [-2.5e-10, "-0.00000000025"],
    [2 ** 63, "9223372036854776000"],
    [Number.POSITIVE_INFINITY, "inf"],
    [Number.NEGATIVE_INFINITY, "-inf"],
    [Number.NaN, "NaN"],
  ])("float %d", (value, expected) => {
    expect(displayFloat(value)).toBe(expected);
  });

  test.each<[number, string]>([
    [7_200_000, "2h"],
    [90_000, "90s"],
    [60_000, "1m"],
    [1500, "1500ms"],
    [0, "0ms"],
    [-5000, "-5s"],
    [86_400_000, "24h"],
    [7 * 86_400_000, "168h"],
  ])("duration of %d ms", (ms, expected) => {
    expect(display(new Duration(ms))).toBe(expected);
  });

  test("a value nested deeper than the stack, and a big list", () => {
    expect(display(nested(100_000))).toHaveLength(200_001);
    expect(display(list(...Array.from({ length: 50_000 }, () => 1)))).toHaveLength(150_000);
  });
});
