/** Natives are total: whatever values meet, the outcome is a value or an error of the language, never one of JavaScript. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { callMethod, methodsOf } from "../../src/interp/methods/dispatch.ts";
import * as values from "../../src/values/index.ts";
import { closure, noTask, slowClosure } from "../support/script-function.ts";
import { dict, float, list } from "../support/values.ts";

const { Atomic, Bytes, Duration, EnumValue, Pair, Range, ScriptError, SetValue, StructValue } = values;
type Value = values.Value;

const point = values.structType("Point", ["x", "y"]);
const MAX = Number.MAX_SAFE_INTEGER;

/** Values at the edges; made anew each time, because iterators are used up. */
const makers: readonly (() => Value)[] = [
  () => null,
  () => true,
  () => 0,
  () => 1,
  () => -1,
  () => 3,
  () => MAX,
  () => -MAX,
  () => 2n ** 63n - 1n,
  () => -(2n ** 63n),
  () => float(0.5),
  () => float(1e300),
  () => float(Number.NaN),
  () => float(Number.POSITIVE_INFINITY),
  () => "",
  () => "abc",
  () => "a\u{1f600}\ud800",
  () => list(),
  () => list(3, 1, 2),
  () => list("b", null, float(Number.NaN), list(1)),
  () => dict({}),
  () => dict({ a: 1, b: list(1) }),
  () => dict({ f: closure((x) => x ?? null), _namespace: "stream" }),
  () => SetValue.from([1, "a", list(1)]),
  () => new Range(0, 5, true),
  () => new Range(5, 1, false),
  () => new Range(-MAX, -MAX + 3, false),
  () => new Pair(1, "x"),
  () => new EnumValue("E", "V", [1]),
  () => new StructValue(point, [1, undefined]),
  () => new Duration(1500),
  () => new Bytes(Uint8Array.from([1, 2])),
  () => new Atomic(1),
  () => values.iterOf(list(1, 2, 3)),
  () => closure((...args) => args[0] ?? null),
  () => closure(() => list(1, 2)),
  () => closure((x) => values.truthy(x ?? null)),
  () => slowClosure((x) => x ?? null),
  () => values.okResult(1),
];
const value = fc.integer({ min: 0, max: makers.length - 1 }).map((i) => (makers[i] as () => Value)());

/** Runs something that may wait; anything but a value or a ScriptError fails. */
async function total(run: () => unknown): Promise<void> {
  try {
    const result = await run();
    expect(result).not.toBeUndefined();
    if (result !== undefined) values.display(result as Value);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    values.uncaughtText(error);
    values.caughtValue(error);
  }
}

test("methods, with any receiver and arguments", async () => {
  for (const make of makers) {
    const names = [...methodsOf(make()).keys(), "nope", "constructor", "__proto__"];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), fc.array(value, { maxLength: 3 }), async (name, args) => {
        await total(() => callMethod(noTask, make(), name, args));
      }),
      { numRuns: names.length * 12, seed: 3 },
    );
  }
});

const binary: readonly ((a: Value, b: Value) => unknown)[] = [
  values.add,
  values.subtract,
  values.multiply,
  values.divide,
  values.modulo,
  values.power,
  values.contains,
  values.equals,
  values.compare,
  values.lessThan,
  values.greaterOrEqual,
  values.getIndex,
  values.getIndexOptional,
  (a, b) => values.setIndex(a, b, 1),
  (a, b) => values.slice(a, b, undefined),
  (a, b) => values.slice(a, undefined, b),
  (a, b) => values.getProperty(a, values.toKey(b)),
  (a, b) => values.setProperty(a, values.toKey(b), 1),
  (a, b) => values.writePath(a, {}, [{ index: b }, { name: "x" }], 1),
];
const unary: readonly ((a: Value) => unknown)[] = [
  values.negate,
  values.truthy,
  values.typeOf,
  values.display,
  values.jsonStringify,
  values.jsonPretty,
  values.encodeValue,
  values.toJson,
  values.unwrap,
  values.unwrapErr,
  (a) => values.hashKey(a) ?? null,
  (a) => values.jsonParse(values.display(a)),
];

test("operators and access, with any operands", async () => {
  for (const left of makers) {
    for (const operation of unary) await total(() => operation(left()));
    for (const right of makers) for (const operation of binary) await total(() => operation(left(), right()));
  }
});

test("json_parse, with any text", async () => {
  const piece = fc.constantFrom(
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    '"',
    "\\",
    "u00",
    "1",
    "-",
    ".",
    "e",
    "true",
    "nul",
    " ",
    "\n",
    "é",
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 14 }), async (pieces) => {
      const text = pieces.join("");
      await total(() => values.jsonParse(text));
      // JavaScript's own reader accepts exactly the same texts.
      let ours = true;
      let theirs = true;
      try {
        values.jsonParse(text);
      } catch {
        ours = false;
      }
      try {
        JSON.parse(text);
      } catch {
        theirs = false;
      }
      expect(ours, text).toBe(theirs);
    }),
    { numRuns: 5000, seed: 5 },
  );
});
