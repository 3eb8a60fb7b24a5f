import { describe, expect, test } from "vitest";
import {
  compare,
  compareTexts,
  greaterOrEqual,
  greaterThan,
  lessOrEqual,
  lessThan,
  Pair,
  sortTexts,
  type Value,
} from "../../../src/values/index.ts";
import { float, list, nested } from "../../support/values.ts";

const relations = (a: Value, b: Value): string =>
  [lessThan(a, b) && "<", lessOrEqual(a, b) && "<=", greaterThan(a, b) && ">", greaterOrEqual(a, b) && ">="]
    .filter(Boolean)
    .join(" ");

describe("§4.4 ordering", () => {
  test.each<[Value, Value, string]>([
    [1, 2, "< <="],
    [1, float(1), "<= >="],
    [2n ** 60n, float(2 ** 61), "< <="],
    [2n ** 53n + 1n, float(2 ** 53), "> >="],
    ["a", "b", "< <="],
    ["Z", "a", "< <="],
    ["\uffff", "\u{1f600}", "< <="],
    [list(1, 2), list(1, 3), "< <="],
    [list(1), list(1, 0), "< <="],
    [list(), list(), "<= >="],
    [new Pair(1, "b"), new Pair(1, "a"), "> >="],
    [true, false, "<= >="],
    ["a", 1, "<= >="],
    [null, 1, "<= >="],
    [float(Number.NaN), 1, ""],
    [list(float(Number.NaN)), list(1), ""],
  ])("%s against %s: %s", (a, b, expected) => {
    expect(relations(a, b)).toBe(expected);
  });

  test("sorting treats NaN as equal", () => {
    expect(compare(float(Number.NaN), 1)).toBe(0);
  });

  test("lists nested deeper than the stack", () => {
    expect(compare(nested(100_000, 1), nested(100_000, 2))).toBeLessThan(0);
  });

  test("sortTexts is the order of compareText", () => {
    const texts = ["b", "\u{1f600}", "a", "\uffff", "ab", ""];
    expect(sortTexts([...texts])).toEqual([...texts].sort(compareTexts));
    expect(sortTexts([...texts])).toEqual(["", "a", "ab", "b", "\uffff", "\u{1f600}"]);
  });
});
