import { describe, expect, test } from "vitest";
import {
  add,
  caughtValue,
  contains,
  Duration,
  display,
  divide,
  modulo,
  multiply,
  negate,
  power,
  Range,
  ScriptError,
  SetValue,
  subtract,
  type Value,
} from "../../../src/values/index.ts";
import { dict, float, list } from "../../support/values.ts";

const operators = { "+": add, "-": subtract, "*": multiply, "/": divide, "%": modulo, "**": power };
type Operator = keyof typeof operators;

/** Display of the result, or the text that `catch` sees. */
function result(run: () => Value): string {
  try {
    return display(run());
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return `! ${display(caughtValue(error))}`;
  }
}

const MAX = 2n ** 63n - 1n;
const MIN = -(2n ** 63n);

describe("§6.1 arithmetic", () => {
  test.each<[Value, Operator, Value, string]>([
    [2, "+", 3, "5"],
    [Number.MAX_SAFE_INTEGER, "+", 1, "9007199254740992"],
    [2n ** 53n, "-", 1, "9007199254740991"],
    [MAX, "+", 1, "9223372036854776000"],
    [MIN, "-", 1, "-9223372036854776000"],
    [3037000500, "*", 3037000500, "9223372037000250000"],
    [3037000499, "*", 3037000499, "9223372030926249001"],
    [MIN, "/", -1, "9223372036854776000"],
    [-7, "/", 2, "-3"],
    [-1, "/", 2, "0"],
    [MAX, "/", 10, "922337203685477580"],
    [-7, "%", 3, "-1"],
    [7, "%", -3, "1"],
    [MAX, "%", 10, "7"],
    [1, "/", 0, "! Division by zero"],
    [1, "%", 0, "! Division by zero"],
    [MAX, "/", 0, "! Division by zero"],
    [float(1.5), "%", float(0), "! Division by zero"],
    [1, "%", float(0), "! Division by zero"],
    [float(1), "/", 0, "inf"],
    [float(-1), "/", float(0), "-inf"],
    [1, "/", float(0), "inf"],
    [float(0), "/", 0, "NaN"],
    [1, "+", float(2), "3.0"],
    [float(2.5), "*", 2, "5.0"],
    [5, "-", float(0.5), "4.5"],
    [float(7), "%", 4, "3.0"],
    [2, "**", 10, "1024"],
    [2, "**", 62, "4611686018427387904"],
    [2, "**", 63, "9223372036854776000"],
    [-2, "**", 63, "-9223372036854775808"],
    [2, "**", -1, "0.5"],
    [1, "**", 1_000_000_000, "1"],
    [-1, "**", MAX, "-1"],
    [0, "**", 0, "1"],
    [0, "**", -1, "inf"],
    [float(2), "**", 3, "8.0"],
    [2, "**", float(0.5), "1.4142135623730951"],
    ["ab", "+", "c", "abc"],
    ["ab", "*", 3, "ababab"],
    [2, "*", "ab", "abab"],
    ["ab", "*", -1, ""],
    [new Duration(400), "*", 3, "1200ms"],
    [float(0.5), "*", new Duration(3000), "1500ms"],
    [new Duration(1), "*", float(1e-9), "0ms"],
    [
      new Duration(400),
      "*",
      float(Number.POSITIVE_INFINITY),
      "! Runtime error: the product of a duration and a number is too large",
    ],
    [list(1), "+", list(2), "[1, 2]"],
    [dict({ a: 1, b: 1 }), "+", dict({ b: 2 }), "{a: 1, b: 2}"],
  ])("%s %s %s", (a, operator, b, expected) => {
    expect(result(() => operators[operator](a, b))).toBe(expected);
  });

  test.each<[Value, Operator, Value, string]>([
    ["a", "+", 1, "! Type error: Cannot add string and int"],
    [1, "+", "a", "! Type error: Cannot add int and string"],
    [list(), "+", 1, "! Type error: Cannot add list and int"],
    [list(), "-", 1, "! Type error: Cannot subtract int from list"],
    [null, "*", 2, "! Type error: Cannot multiply nil and int"],
    ["a", "*", "b", "! Type error: Cannot multiply string and string"],
    ["a", "*", float(2), "! Type error: Cannot multiply string and float"],
    ["a", "**", 2, "! Type error: Cannot exponentiate string by int"],
    ["a", "/", 2, "! Runtime error: Cannot divide string by int"],
    ["a", "%", 2, "! Runtime error: Cannot modulo string by int"],
    ["a", "%", 0, "! Runtime error: Cannot modulo string by int"],
    [new Duration(5), "+", new Duration(5), "! Type error: Cannot add duration and duration"],
    [true, "+", 1, "! Type error: Cannot add bool and int"],
  ])("%s %s %s is an error", (a, operator, b, expected) => {
    expect(result(() => operators[operator](a, b))).toBe(expected);
  });

  test("a string too long to hold is an error of the language", () => {
    expect(result(() => multiply("abc", 10_000_000_000))).toMatch(
      /^! Runtime error: string of .* is too long/,
    );
  });

  test("negation", () => {
    expect(result(() => negate(5))).toBe("-5");
    expect(Object.is(negate(0), 0)).toBe(true);
    expect(result(() => negate(float(0)))).toBe("-0.0");
    expect(result(() => negate(MIN))).toBe("9223372036854776000");
    expect(result(() => negate("a"))).toBe("! Runtime error: Cannot negate value of type string");
  });

  test("no operation makes a negative zero or a bigint that is safe", () => {
    for (const value of [multiply(-1, 0), divide(-1, 2), modulo(-4, 2), subtract(2n ** 53n, 1)]) {
      expect(typeof value).toBe("number");
      expect(Object.is(value, -0)).toBe(false);
    }
  });
});

describe("§6.2 membership", () => {
  test.each<[Value, Value, boolean]>([
    [list(1, 2), float(2), true],
    [list(list(1)), list(1), true],
    [list("a"), "b", false],
    [SetValue.from([1, "x"]), "x", true],
    [dict({ "1": true }), 1, true],
    [dict({ a: 1 }), 1, false],
    ["a1b", 1, true],
    ["abc", "", true],
    [new Range(1, 5, false), 5, true],
    [new Range(1, 5, true), 5, false],
    [new Range(1, 5, false), float(2), false],
    [5, 5, false],
    [null, null, false],
  ])("%s contains %s: %s", (container, value, expected) => {
    expect(contains(container, value)).toBe(expected);
  });
});
