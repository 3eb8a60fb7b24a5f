/** Laws of values, on generated ones. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  add,
  compare,
  compareTexts,
  Dict,
  decodeValue,
  display,
  EnumValue,
  encodeValue,
  equals,
  Float,
  hashKey,
  intFromBig,
  jsonParse,
  jsonStringify,
  List,
  multiply,
  Pair,
  Range,
  SetValue,
  sliceText,
  subtract,
  textLength,
  type Value,
  writePath,
} from "../../src/values/index.ts";

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const int = fc.oneof(
  fc.integer(),
  int64.map((n) => intFromBig(n)),
  fc.maxSafeInteger(),
);
const text = fc.oneof(fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" }));
const key = fc.oneof(text, fc.constantFrom("__proto__", "constructor", "$", "a", "b", "c"));

const { value } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.constantFrom<Value>(null, true, false, 0, 1),
    int,
    fc.double({ noNaN: true }).map((n) => new Float(n)),
    text,
    fc.tuple(fc.integer(), fc.integer(), fc.boolean()).map(([a, b, exclusive]) => new Range(a, b, exclusive)),
    fc.array(tie("value"), { maxLength: 5 }).map((items) => new List(items)),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 30 }).map((entries) => Dict.from(entries)),
    fc.array(tie("value"), { maxLength: 5 }).map((items) => SetValue.from(items)),
    fc.tuple(tie("value"), tie("value")).map(([a, b]) => new Pair(a, b)),
    fc.array(tie("value"), { maxLength: 3 }).map((fields) => new EnumValue("E", "V", fields)),
  ),
}));

const check = (property: fc.IProperty<never> | fc.IProperty<unknown[]>): void => {
  fc.assert(property as fc.IProperty<unknown[]>, { numRuns: 300, seed: 20261121 });
};

describe("equality and hash keys", () => {
  test("a stored and decoded copy is equal, has the same key and the same display", () => {
    check(
      fc.property(value, (v) => {
        const copy = decodeValue(JSON.parse(JSON.stringify(encodeValue(v))));
        expect(equals(v, copy)).toBe(true);
        expect(hashKey(copy)).toBe(hashKey(v));
        expect(display(copy)).toBe(display(v));
      }) as never,
    );
  });
  test("keys agree exactly with equality", () => {
    check(
      fc.property(value, value, (a, b) => {
        expect(hashKey(a) === hashKey(b)).toBe(equals(a, b));
      }) as never,
    );
  });
});

describe("int arithmetic is exact to 64 bits and a float beyond", () => {
  test.each([
    ["+", add, (a: bigint, b: bigint) => a + b],
    ["-", subtract, (a: bigint, b: bigint) => a - b],
    ["*", multiply, (a: bigint, b: bigint) => a * b],
  ] as const)("%s", (_name, ours, exact) => {
    check(
      fc.property(int64, int64, (a, b) => {
        const result = ours(intFromBig(a), intFromBig(b));
        expect(result).toEqual(intFromBig(exact(a, b)));
      }) as never,
    );
  });
});

describe("order", () => {
  test("strings compare as their code points do", () => {
    const points = (s: string): number[] => [...s].map((c) => c.codePointAt(0) as number);
    check(
      fc.property(text, text, (a, b) => {
        const [x, y] = [points(a), points(b)];
        let expected = x.length - y.length;
        for (let i = Math.min(x.length, y.length) - 1; i >= 0; i--) {
          if (x[i] !== y[i]) expected = (x[i] as number) - (y[i] as number);
        }
        expect(Math.sign(compareTexts(a, b))).toBe(Math.sign(expected));
      }) as never,
    );
  });
  test("numbers of all kinds compare by value", () => {
    const number = fc.oneof(
      int,
      fc.double({ noNaN: true }).map((n) => new Float(n)),
    );
    check(
      fc.property(number, number, (a, b) => {
        expect(Math.sign(compare(a, b)) + Math.sign(compare(b, a))).toBe(0);
        expect(compare(a, b) === 0).toBe(equals(a, b));
      }) as never,
    );
  });
});

describe("collections against plain models", () => {
  const step = fc.oneof(
    fc.tuple(fc.constant("with" as const), key, fc.integer()),
    fc.tuple(fc.constant("without" as const), key, fc.integer()),
    fc.tuple(fc.constant("merge" as const), key, fc.integer()),
    fc.tuple(fc.constant("back" as const), key, fc.integer()),
  );
  test("dicts: any history of versions", () => {
    check(
      fc.property(fc.array(step, { maxLength: 120 }), fc.integer({ min: 0, max: 40 }), (steps, size) => {
        const start = Array.from({ length: size }, (_, i): [string, number] => [`k${i}`, i]);
        const history: { dict: Dict; model: Map<string, Value> }[] = [
          { dict: Dict.from(start), model: new Map(start) },
        ];
        for (const [kind, k, n] of steps) {
          const from = kind === "back" ? Math.abs(n) % history.length : history.length - 1;
          const { dict, model } = history[from] as { dict: Dict; model: Map<string, Value> };
          const next = new Map(model);
          if (kind === "without") next.delete(k);
          else next.set(k, n);
          const changed =
            kind === "without"
              ? dict.without(k)
              : kind === "merge"
                ? dict.merge(Dict.from([[k, n]]))
                : dict.with(k, n);
          history.push({ dict: changed, model: next });
        }
        for (const { dict, model } of history) {
          expect(dict.size).toBe(model.size);
          expect([...dict.entries()]).toEqual([...model].sort(([a], [b]) => compareTexts(a, b)));
        }
      }) as never,
    );
  });

  test("writing along a path changes that path in the copy and nothing in the original", () => {
    check(
      fc.property(fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 4 }), (indices) => {
        const build = (depth: number): Value =>
          depth === 0 ? 0 : new List([build(depth - 1), build(depth - 1), build(depth - 1)]);
        const root = build(indices.length);
        const before = display(root);
        const token = {};
        const path = indices.map((index) => ({ index }));
        const once = writePath(root, token, path, "x");
        const twice = writePath(once, token, path, "y");
        expect(display(root)).toBe(before);
        expect(twice).toBe(once);
        expect(display(once).match(/y/g)).toHaveLength(1);
      }) as never,
    );
  });
});

describe("text", () => {
  test("JSON round trip of every string", () => {
    check(
      fc.property(text, (s) => {
        expect(jsonParse(jsonStringify(s))).toBe(s);
        expect(JSON.parse(jsonStringify(s))).toBe(s);
      }) as never,
    );
  });
  test("JSON round trip of data keeps ints and floats apart", () => {
    const { data } = fc.letrec<{ data: Value }>((tie) => ({
      data: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<Value>(null, true),
        int,
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => new Float(n)),
        text,
        fc.array(tie("data"), { maxLength: 4 }).map((items) => new List(items)),
        fc.array(fc.tuple(key, tie("data")), { maxLength: 4 }).map((entries) => Dict.from(entries)),
      ),
    }));
    check(
      fc.property(data, (v) => {
        const back = jsonParse(jsonStringify(v));
        expect(display(back)).toBe(display(v));
      }) as never,
    );
  });
  test("parts by code point put the string together again", () => {
    check(
      fc.property(text, fc.nat(40), (s, at) => {
        const length = textLength(s);
        const cut = Math.min(at, length);
        expect(sliceText(s, 0, cut) + sliceText(s, cut, length)).toBe(s);
        expect(textLength(sliceText(s, 0, cut))).toBe(cut);
      }) as never,
    );
  });
});
