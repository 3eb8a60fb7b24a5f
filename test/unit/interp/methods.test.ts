import { describe, expect, test } from "vitest";
import { callMethod, findMethod } from "../../../src/interp/methods/dispatch.ts";
import {
  Bytes,
  Callable,
  caughtValue,
  Dict,
  Duration,
  display,
  displayAnyway,
  iterOf,
  type MaybePromise,
  Pair,
  Range,
  runtimeError,
  ScriptError,
  SetValue,
  StructValue,
  structType,
  truthy,
  type Value,
} from "../../../src/values/index.ts";
import { closure, noTask, slowClosure } from "../../support/script-function.ts";
import { dict, float, list } from "../../support/values.ts";

/** Display of a method's result, or what `catch` sees. */
async function call(receiver: Value, name: string, args: readonly Value[]): Promise<string> {
  try {
    return displayAnyway(await callMethod(noTask, receiver, name, args));
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return `! ${display(caughtValue(error))}`;
  }
}

type Row = readonly [receiver: Value, name: string, args: readonly Value[], expected: string];

/** Runs each row with its callbacks as they are and made to wait. */
function rows(title: string, table: readonly Row[]): void {
  describe(title, () => {
    test.each(table)("%#: %s.%s", async (receiver, name, args, expected) => {
      expect(await call(receiver, name, args)).toBe(expected);
      const slow = args.map((arg) =>
        arg instanceof Callable ? slowClosure((...input) => arg.call(noTask, input) as Value) : arg,
      );
      if (slow.some((arg, i) => arg !== args[i])) expect(await call(receiver, name, slow)).toBe(expected);
    });
  });
}

const double = closure((x) => (x as number) * 2);
const even = closure((x) => (x as number) % 2 === 0);
const plus = closure((a, b) => (a as number) + (b as number), ["a", "b"]);
const negative = closure((x) => -(x as number));
const same = closure((x) => x as Value);
const xs = list(3, 1, 2);
const smile = "a\u{1f600}b";

rows("§22.1 string", [
  [smile, "count", [], "3"],
  [smile, "len", [], "3"],
  ["", "empty", [], "true"],
  ["a1", "contains", [1], "true"],
  ["a1", "contains", [], "true"],
  ["abc", "starts_with", ["ab"], "true"],
  ["abc", "ends_with", ["ab"], "false"],
  ["aXbX", "replace", ["X", "-"], "a-b-"],
  ["ab", "replace", ["", "-"], "-a-b-"],
  ["a.b", "replace", [".", "$&"], "a$&b"],
  ["aXb", "replace", ["X"], "nil"],
  ["a,b", "split", [], "[a, b]"],
  ["ab", "split", [""], "[, a, b, ]"],
  ["", "split", [","], "[]"],
  [" \u0085\u3000x\t\n", "trim", [], "x"],
  ["  x ", "trim_start", [], "x "],
  ["  x ", "trim_end", [], "  x"],
  ["ÀB", "lower", [], "àb"],
  ["ÀB", "lowercase", [], "àb"],
  ["ÀB", "to_lower", [], "àb"],
  ["aß", "upper", [], "ASS"],
  ["a", "uppercase", [], "A"],
  ["a", "to_upper", [], "A"],
  ["hello", "substring", [1, 3], "el"],
  ["hello", "substring", [-2], "hello"],
  ["hello", "substring", [3, 1], ""],
  ["hello", "substring", [2, 99], "llo"],
  ["hello", "substring", [0, -1], ""],
  ["hello", "slice", [-3, -1], "ll"],
  ["hello", "slice", [1], "ello"],
  [smile, "index_of", ["b"], "2"],
  [smile, "index_of", ["x"], "-1"],
  ["abab", "last_index_of", ["ab"], "2"],
  [smile, "chars", [], "[a, \u{1f600}, b]"],
  [smile, "char_at", [1], "\u{1f600}"],
  [smile, "char_at", [-1], "nil"],
  [smile, "char_at", [3], "nil"],
  ["a\nb\r\nc\n", "lines", [], "[a, b, c]"],
  ["a\n\nb", "lines", [], "[a, , b]"],
  ["", "lines", [], "[]"],
  ["ab", "repeat", [2], "abab"],
  ["ab", "repeat", [], "ab"],
  ["ab", "repeat", [-1], ""],
  [smile, "reverse", [], "b\u{1f600}a"],
  ["7", "pad_left", [3, "0"], "007"],
  ["7", "pad_left", [3], "  7"],
  ["7", "pad_left", [3, ""], "  7"],
  ["7", "pad_right", [3, "xy"], "7xx"],
  ["long", "pad_left", [2], "long"],
  ["ab", "iter", [], "<iter>"],
  ["ab", "nope", [], "! Runtime error: string has no method 'nope'"],
]);

rows("§22.2 list", [
  [xs, "count", [], "3"],
  [xs, "empty", [], "false"],
  [xs, "len", [], "! Runtime error: list has no method 'len'; did you mean the function len(…)?"],
  [xs, "map", [double], "[6, 2, 4]"],
  [xs, "map", [], "nil"],
  [xs, "map", [5], "nil"],
  [xs, "filter", [even], "[2]"],
  [list(1, 2), "flat_map", [closure((x) => list(x as Value, list(0)))], "[1, [0], 2, [0]]"],
  [list(1, 2), "flat_map", [same], "[1, 2]"],
  [xs, "reduce", [10, plus], "16"],
  [xs, "reduce", [plus, 10], "nil"],
  [xs, "reduce", [plus], "nil"],
  [list(), "reduce", [7, plus], "7"],
  [xs, "find", [even], "2"],
  [list(1), "find", [even], "nil"],
  [xs, "find_index", [even], "2"],
  [list(1), "find_index", [even], "-1"],
  [xs, "find_index", [], "-1"],
  [xs, "any", [even], "true"],
  [xs, "any", [], "false"],
  [xs, "all", [even], "false"],
  [list(2, 4), "every", [even], "true"],
  [list(), "all", [even], "true"],
  [xs, "all", [], "true"],
  [xs, "none", [even], "false"],
  [list(1), "none", [even], "true"],
  [list(), "none", [], "true"],
  [xs, "none", [], "false"],
  [xs, "sort", [], "[1, 2, 3]"],
  [list("b", "B", "a"), "sort", [], "[B, a, b]"],
  [list(2, float(1.5), 1), "sort", [], "[1, 1.5, 2]"],
  [list(list(2), list(1, 5), list(1)), "sort", [], "[[1], [1, 5], [2]]"],
  [list(true, false, 1), "sort", [], "[true, false, 1]"],
  [xs, "sort_by", [negative], "[3, 2, 1]"],
  [list("bb", "a", "cc"), "sort_by", [closure((x) => (x as string).length)], "[a, bb, cc]"],
  [xs, "reverse", [], "[2, 1, 3]"],
  [list(1, float(1), "1", 1), "unique", [], "[1, 1]"],
  [list(1, null, false, 0), "compact", [], "[1, false, 0]"],
  [list(1, "a", null), "join", ["-"], "1-a-nil"],
  [xs, "join", [], "312"],
  [xs, "contains", [float(2)], "true"],
  [xs, "contains", [], "false"],
  [list(list(1)), "index_of", [list(1)], "0"],
  [xs, "index_of", [9], "-1"],
  [list("a"), "enumerate", [], "[{index: 0, value: a}]"],
  [xs, "zip", [list("a", "b")], "[[3, a], [1, b]]"],
  [xs, "zip", [5], "[]"],
  [xs, "slice", [1], "[1, 2]"],
  [xs, "slice", [-2, -1], "[1]"],
  [xs, "slice", [], "[3, 1, 2]"],
  [xs, "take", [2], "[3, 1]"],
  [xs, "take", [-1], "[]"],
  [xs, "skip", [2], "[2]"],
  [xs, "skip", [9], "[]"],
  [xs, "first", [], "3"],
  [list(), "first", [], "nil"],
  [xs, "first", [2], "[3, 1]"],
  [xs, "last", [], "2"],
  [xs, "last", [2], "[1, 2]"],
  [list(), "last", [], "nil"],
  [list(1, "x", 2), "sum", [], "3"],
  [list(1, float(2)), "sum", [], "3.0"],
  [list(), "sum", [], "0"],
  [xs, "min", [], "1"],
  [xs, "max", [], "3"],
  [list(), "min", [], "nil"],
  [list(1, float(1)), "min", [], "1"],
  [list(float(1), 1), "max", [], "1.0"],
  [xs, "min_by", [negative], "3"],
  [xs, "max_by", [negative], "1"],
  [list(list(1, list(2)), 3), "flatten", [], "[1, [2], 3]"],
  [xs, "push", [9], "[3, 1, 2, 9]"],
  [xs, "pop", [], "[3, 1]"],
  [list(), "pop", [], "[]"],
  [xs, "partition", [even], "[[2], [3, 1]]"],
  [xs, "group_by", [even], "{false: [3, 1], true: [2]}"],
  [list(1, "1", "a"), "tally", [], "{1: 2, a: 1}"],
  [xs, "chunk", [2], "[[3, 1], [2]]"],
  [xs, "chunk", [], "[[3], [1], [2]]"],
  [xs, "each_slice", [0], "[[3], [1], [2]]"],
  [xs, "window", [], "[[3, 1], [1, 2]]"],
  [list(1, 2, 3, 4), "each_cons", [2, 2], "[[1, 2], [3, 4]]"],
  [xs, "sliding_window", [9], "[]"],
  [xs, "to_list", [], "[3, 1, 2]"],
  [list(1, 1), "to_set", [], "set(1)"],
  [list(2, 4, 1, 6), "take_while", [even], "[2, 4]"],
  [list(2, 4, 1, 6), "drop_while", [even], "[1, 6]"],
  [xs, "count_by", [even], "{false: 2, true: 1}"],
  [xs, "nope", [], "! Runtime error: list has no method 'nope'; did you mean 'none'?"],
]);

const d = dict({ b: 2, a: 1 });
rows("§22.3 dict", [
  [d, "keys", [], "[a, b]"],
  [d, "values", [], "[1, 2]"],
  [d, "entries", [], "[{key: a, value: 1}, {key: b, value: 2}]"],
  [d, "count", [], "2"],
  [d, "len", [], "! Runtime error: dict has no method 'len'; did you mean the function len(…)?"],
  [d, "empty", [], "! Runtime error: dict has no method 'empty'"],
  [d, "has", ["a"], "true"],
  [dict({ "1": 1 }), "has", [1], "true"],
  [d, "get", ["a", 9], "1"],
  [d, "get", ["z", 9], "9"],
  [d, "get", ["z"], "nil"],
  [dict({ a: null }), "get", ["a", 9], "nil"],
  [d, "merge", [dict({ a: 9, c: 3 })], "{a: 9, b: 2, c: 3}"],
  [d, "merge", [5], "{a: 1, b: 2}"],
  [d, "map_values", [double], "{a: 2, b: 4}"],
  [d, "map_values", [], "nil"],
  [d, "filter", [even], "{b: 2}"],
  [d, "map_keys", [closure((k) => `${k}!`)], "{a!: 1, b!: 2}"],
  [d, "rekey", [closure(() => 1)], "{1: 2}"],
  [d, "remove", ["a"], "{b: 2}"],
  [d, "remove", ["z"], "{a: 1, b: 2}"],
  [d, "iter", [], "<iter>"],
  [d, "b", [], "! Runtime error: dict has no method 'b'; its entry 'b' is int, not a function"],
  [dict({ f: double }), "f", [4], "8"],
  [dict({ keys: double }), "keys", [4], "[keys]"],
  [dict({ keys: double, _namespace: "stream" }), "keys", [4], "8"],
  [dict({ keys: 1, _namespace: "stream" }), "keys", [], "[_namespace, keys]"],
]);

const s = SetValue.from([1, 2, 3]);
const t = SetValue.from([3, 4]);
rows("§22.4 set", [
  [s, "count", [], "3"],
  [s, "len", [], "3"],
  [s, "empty", [], "false"],
  [s, "contains", [float(2)], "true"],
  [s, "add", [4], "set(1, 2, 3, 4)"],
  [s, "add", [1], "set(1, 2, 3)"],
  [s, "remove", [2], "set(1, 3)"],
  [s, "delete", [9], "set(1, 2, 3)"],
  [s, "union", [t], "set(1, 2, 3, 4)"],
  [s, "union", [5], "set(1, 2, 3)"],
  [s, "intersect", [t], "set(3)"],
  [s, "intersection", [5], "set()"],
  [s, "difference", [t], "set(1, 2)"],
  [s, "difference", [5], "set(1, 2, 3)"],
  [s, "symmetric_difference", [t], "set(1, 2, 4)"],
  [s, "is_subset", [t], "false"],
  [SetValue.from([1]), "is_subset", [s], "true"],
  [s, "is_superset", [SetValue.from([1])], "true"],
  [s, "is_disjoint", [t], "false"],
  [s, "is_disjoint", [5], "true"],
  [s, "is_subset", [5], "false"],
  [s, "to_list", [], "[1, 2, 3]"],
  [s, "map", [closure((x) => (x as number) % 2)], "set(1, 0)"],
  [s, "filter", [even], "set(2)"],
  [s, "any", [even], "true"],
  [s, "all", [even], "false"],
  [s, "every", [even], "false"],
  [s, "iter", [], "<iter>"],
  [s, "nope", [], "! Runtime error: set has no method 'nope'"],
]);

rows("§22.5 and others", [
  [5, "foo", [], "! Runtime error: int has no method 'foo'"],
  [true, "foo", [], "! Runtime error: bool has no method 'foo'"],
  [null, "foo", [], "! Type error: cannot access property `foo` on nil"],
  [float(1), "foo", [], "! Runtime error: float has no method 'foo'"],
  [new Pair(1, 2), "first", [], "! Runtime error: pair has no method 'first'"],
  [new Duration(1), "foo", [], "! Runtime error: duration has no method 'foo'"],
  [
    new Bytes(new Uint8Array(1)),
    "len",
    [],
    "! Runtime error: bytes has no method 'len'; did you mean the function len(…)?",
  ],
]);

rows("§22.6 range", [
  [new Range(1, 3, false), "len", [], "3"],
  [new Range(1, 3, true), "count", [], "2"],
  [new Range(3, 1, false), "empty", [], "true"],
  [new Range(1, 3, false), "contains", [3], "true"],
  [new Range(1, 3, false), "contains", [float(2)], "false"],
  [new Range(1, 3, false), "first", [], "1"],
  [new Range(1, 3, true), "last", [], "2"],
  [new Range(3, 1, false), "first", [], "nil"],
  [new Range(3, 1, false), "last", [], "nil"],
  [new Range(1, 3, true), "to_string", [], "1 to 3 exclusive"],
  [new Range(1, 3, false), "map", [double], "<iter>"],
  [new Range(1, 3, false), "to_list", [], "[1, 2, 3]"],
  [new Range(1, 3, false), "sum", [], "6"],
  [new Range(1, 3, false), "nope", [], "! Runtime error: range has no method 'nope'"],
]);

describe("§22.7 iterators", () => {
  type Link = readonly [name: string, ...args: Value[]];
  /** Calls methods one after the other, beginning at an iterator over a value. */
  async function chain(source: Value, links: readonly Link[]): Promise<string> {
    let value: Value = iterOf(source);
    try {
      for (const [name, ...args] of links) {
        value = await (callMethod(noTask, value, name, args) as MaybePromise<Value>);
      }
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      return `! ${display(caughtValue(error))}`;
    }
    return display(value);
  }

  test.each<[Value, readonly Link[], string]>([
    [xs, [["to_list"]], "[3, 1, 2]"],
    ["a\u{1f600}", [["to_list"]], "[a, \u{1f600}]"],
    [d, [["to_list"]], "[(a, 1), (b, 2)]"],
    [s, [["to_list"]], "[1, 2, 3]"],
    [xs, [["map", double], ["to_list"]], "[6, 2, 4]"],
    [xs, [["filter", even], ["to_list"]], "[2]"],
    [xs, [["flat_map", closure((x) => list(x as Value, 0))], ["to_list"]], "[3, 0, 1, 0, 2, 0]"],
    [xs, [["flat_map", closure(() => list())], ["to_list"]], "[]"],
    [xs, [["flat_map", same], ["to_list"]], "! Type error: iter: value of type int is not iterable"],
    [xs, [["take", 2], ["to_list"]], "[3, 1]"],
    [xs, [["take", 0], ["to_list"]], "[]"],
    [xs, [["skip", 1], ["to_list"]], "[1, 2]"],
    [xs, [["skip", 9], ["to_list"]], "[]"],
    [list(2, 4, 1, 6), [["take_while", even], ["to_list"]], "[2, 4]"],
    [list(2, 4, 1, 6), [["skip_while", even], ["to_list"]], "[1, 6]"],
    [xs, [["zip", "ab"], ["to_list"]], "[(3, a), (1, b)]"],
    [list("a", "b"), [["enumerate"], ["to_list"]], "[(0, a), (1, b)]"],
    [xs, [["chain", "a"], ["to_list"]], "[3, 1, 2, a]"],
    [xs, [["chunks", 2], ["to_list"]], "[[3, 1], [2]]"],
    [xs, [["windows", 2], ["to_list"]], "[[3, 1], [1, 2]]"],
    [xs, [["windows", 4], ["to_list"]], "[]"],
    [list(1, 1), [["to_set"]], "set(1)"],
    [d, [["to_dict"]], "{a: 1, b: 2}"],
    [xs, [["count"]], "3"],
    [list(1, float(2)), [["sum"]], "3.0"],
    [list(), [["sum"]], "0"],
    [xs, [["min"]], "1"],
    [xs, [["max"]], "3"],
    [list(), [["max"]], "nil"],
    [xs, [["reduce", 10, plus]], "16"],
    [xs, [["first"]], "3"],
    [xs, [["last"]], "2"],
    [list(), [["first"]], "nil"],
    [xs, [["any", even]], "true"],
    [xs, [["all", even]], "false"],
    [xs, [["find", even]], "2"],
    [list(1), [["find", even]], "nil"],
    [xs, [["for_each", double]], "nil"],
    [xs, [["iter"], ["to_list"]], "[3, 1, 2]"],
    [xs, [["next"]], "! Runtime error: iter has no method 'next'"],
    [xs, [["map"]], "! Type error: iter.map: expected callable"],
    [xs, [["filter", 1]], "! Type error: iter.filter: expected callable"],
    [xs, [["for_each"]], "! Type error: iter.for_each: expected callable"],
    [xs, [["any"]], "! Type error: iter.any: expected callable"],
    [xs, [["take", -1]], "! Type error: iter.take: expected non-negative int"],
    [xs, [["take"]], "! Type error: iter.take: expected non-negative int"],
    [xs, [["skip", "a"]], "! Type error: iter.skip: expected non-negative int"],
    [xs, [["chunks", 0]], "! Type error: iter.chunks: chunk size must be positive"],
    [xs, [["windows", 0]], "! Type error: iter.windows: window size must be positive"],
    [xs, [["zip"]], "! Type error: iter.zip: expected iterable argument"],
    [xs, [["zip", 5]], "! Type error: iter: value of type int is not iterable"],
    [xs, [["chain"]], "! Type error: iter.chain: expected iterable argument"],
    [xs, [["reduce", 1]], "! Type error: iter.reduce: expected (init, fn)"],
    [xs, [["reduce", 1, 2]], "! Type error: iter.reduce: second arg must be callable"],
    [list("a"), [["sum"]], "! Type error: iter.sum: expected number, got string"],
    [xs, [["to_dict"]], "! Type error: iter.to_dict: expected pair, got int"],
    [list(new Pair(1, 2)), [["to_dict"]], "! Type error: iter.to_dict: expected string key, got int"],
  ])("%#", async (source, links, expected) => {
    expect(await chain(source, links)).toBe(expected);
    const slow = links.map(
      ([name, ...args]): Link => [
        name,
        ...args.map((arg) =>
          arg instanceof Callable ? slowClosure((...input) => arg.call(noTask, input) as Value) : arg,
        ),
      ],
    );
    expect(await chain(source, slow)).toBe(expected);
  });

  test("single pass: taking leaves the rest for later, and the end stays the end", async () => {
    const source = iterOf(list(1, 2, 3, 4));
    expect(await call(await callMethod(noTask, source, "take", [2]), "to_list", [])).toBe("[1, 2]");
    expect(await call(source, "first", [])).toBe("3");
    expect(await call(source, "to_list", [])).toBe("[4]");
    expect(await call(source, "first", [])).toBe("nil");
    expect(await call(source, "to_list", [])).toMatch(/gone through once/);
    expect(displayAnyway(source)).toBe("<iter (exhausted)>");
  });

  test("after an error it stays done", async () => {
    const source = await callMethod(noTask, iterOf(list(0, 1)), "map", [
      closure((x) => {
        if (x === 0) throw runtimeError("no");
        return x as Value;
      }),
    ]);
    expect(await call(source, "to_list", [])).toBe("! Runtime error: no");
    expect(await call(source, "first", [])).toBe("nil");
    expect(await call(source, "to_list", [])).toMatch(/gone through once/);
  });

  test("laziness: only what is asked for is computed", async () => {
    let calls = 0;
    const counting = closure((x) => {
      calls++;
      return x as Value;
    });
    const mapped = await callMethod(noTask, new Range(0, 1_000_000, false), "map", [counting]);
    expect(await call(await callMethod(noTask, mapped, "take", [3]), "to_list", [])).toBe("[0, 1, 2]");
    expect(calls).toBe(3);
  });

  test("a long search through a waiting source keeps no chain of promises", async () => {
    const late = closure(async (x) => (x as number) === 20_000);
    const found = await callMethod(
      noTask,
      await callMethod(noTask, new Range(0, 30_000, false), "filter", [late]),
      "first",
      [],
    );
    expect(found).toBe(20_000);
  });
});

describe("callbacks", () => {
  test("their errors are in the uncaught form; those of the method are not", async () => {
    const failing = closure(() => {
      throw runtimeError("inner");
    });
    let caught: unknown;
    try {
      callMethod(noTask, xs, "map", [failing]);
    } catch (error) {
      caught = error;
    }
    expect((caught as ScriptError).isolated).toBe(true);
    try {
      callMethod(noTask, iterOf(xs), "take", [-1]);
    } catch (error) {
      caught = error;
    }
    expect((caught as ScriptError).isolated).toBe(false);
  });

  test("run in order, and one at a time where they wait", async () => {
    const seen: Value[] = [];
    let running = 0;
    const slow = closure(async (x) => {
      running++;
      expect(running).toBe(1);
      await null;
      seen.push(x as Value);
      running--;
      return x as Value;
    });
    expect(await call(list(1, 2, 3), "map", [slow])).toBe("[1, 2, 3]");
    expect(seen).toEqual([1, 2, 3]);
  });

  test("a pure callback makes no promise", () => {
    for (const name of ["map", "filter", "find", "any", "all", "sort_by", "group_by", "partition"]) {
      expect(callMethod(noTask, xs, name, [even]) instanceof Promise).toBe(false);
    }
  });
});

describe("§8.4 dispatch", () => {
  const type = structType("Point", ["x"]);
  type.methods = new Map<string, Value>([
    ["norm", closure((self, n) => ((self as StructValue).get("x") as number) + ((n as number) ?? 0))],
    ["field", 5],
  ]);
  const p = new StructValue(type, [3]);
  test.each<Row>([
    [p, "norm", [4], "7"],
    [p, "nope", [], "! Runtime error: Point has no method 'nope'; did you mean 'norm'?"],
    [p, "field", [], "! Runtime error: Point has no method 'field'"],
    [
      new StructValue(structType("Q", ["f"]), [double]),
      "f",
      [1],
      "! Runtime error: Q has no method 'f'; to call the function in its field, put it in a variable first: let f = value.f",
    ],
  ])("%#: %s.%s", async (receiver, name, args, expected) => {
    expect(await call(receiver, name, args)).toBe(expected);
  });

  test("every method says whether it can wait", () => {
    expect(findMethod(xs, "map")?.suspends).toBe("callback");
    expect(findMethod(xs, "sort")?.suspends).toBe("never");
    expect(findMethod(iterOf(xs), "to_list")?.suspends).toBe("may");
    expect(findMethod(new Range(0, 1, false), "to_set")?.suspends).toBe("callback");
    expect(findMethod(dict({}), "anything")).toBeUndefined();
    expect(truthy(findMethod("", "iter") === undefined)).toBe(false);
  });

  test("a dict with dangerous entries", async () => {
    const odd = Dict.from([["constructor", double]]);
    expect(await call(odd, "constructor", [2])).toBe("4");
    expect(await call(odd, "__proto__", [])).toContain("has no method '__proto__'");
    expect(await call("text", "constructor", [])).toContain("has no method 'constructor'");
  });
});
