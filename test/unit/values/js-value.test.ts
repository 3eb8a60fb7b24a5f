/** Values of JavaScript and of scripts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  Bytes,
  Dict,
  Duration,
  display,
  EnumValue,
  equals,
  Float,
  fromJs,
  List,
  Range,
  SetValue,
  StructValue,
  structType,
  toJs,
  typeOf,
  UnfitValue,
} from "../../../src/values/index.ts";
import { float } from "../../../src/values/json/whole-float.ts";
import { ScriptFunction } from "../../support/script-function.ts";

const shown = (data: unknown): string => `${typeOf(fromJs(data))} ${display(fromJs(data))}`;
const refusedWith = (data: unknown): string => {
  try {
    fromJs(data);
  } catch (error) {
    if (error instanceof UnfitValue) return error.message;
    throw error;
  }
  return "";
};

describe("from JavaScript", () => {
  it.each([
    [null, "nil nil"],
    [undefined, "nil nil"],
    [7, "int 7"],
    [1.5, "float 1.5"],
    [float(1), "float 1.0"],
    [-0, "float -0.0"],
    [Number.NaN, "float NaN"],
    [Number.NEGATIVE_INFINITY, "float -inf"],
    [2 ** 53, "float 9007199254740992"],
    [2n ** 60n, "int 1152921504606846976"],
    [5n, "int 5"],
    ["a\ud800b", "string a\ufffdb"],
    [new Date(0), "string 1970-01-01T00:00:00.000Z"],
    [new URL("https://a.example/x"), "string https://a.example/x"],
    // biome-ignore lint/suspicious/noSparseArray: holes are what is looked at.
    [[1, , undefined], "list [1, nil, nil]"],
    [new Set([1, 1, 2]), "set set(1, 2)"],
    [{ b: 1, a: undefined }, "dict {b: 1}"],
    [new Map([["k", [true]]]), "dict {k: [true]}"],
    [Object.create(null), "dict {}"],
    [new RangeError("too far"), "dict {message: too far, name: RangeError}"],
    [
      Object.assign(new Error("x", { cause: "y" }), { code: "E1" }),
      "dict {cause: y, code: E1, message: x, name: Error}",
    ],
  ])("%o is %s", (data, wanted) => {
    expect(shown(data)).toBe(wanted);
  });

  it("bytes are copied", () => {
    const buffer = Buffer.from("abc");
    const value = fromJs({ buffer, whole: new Uint8Array([1, 2]).buffer }) as Dict;
    buffer[0] = 0;
    expect([...(value.get("buffer") as Bytes).data]).toEqual([97, 98, 99]);
    expect([...(value.get("whole") as Bytes).data]).toEqual([1, 2]);
  });

  it("a key `__proto__` is one like any other", () => {
    const value = fromJs(JSON.parse('{"__proto__": {"a": 1}}')) as Dict;
    expect(value.keys()).toEqual(["__proto__"]);
    expect(Object.keys(toJs(value) as object)).toEqual(["__proto__"]);
  });

  class Socket {}
  const circle: { self?: unknown; name: string } = { name: "a" };
  circle.self = [circle];
  const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);

  it.each([
    [
      { items: [1, 2, 3, { owner: new Socket() }] },
      /^\$\.items\[3\]\.owner: a Socket cannot be given to a script; .*`toJSON`$/,
    ],
    [{ "a b": () => 1 }, '$["a b"]: a function cannot be given to a script'],
    [Symbol("x"), "$: a symbol cannot be given to a script"],
    [{ [Symbol("x")]: 1 }, "$: it has the key Symbol(x), and keys are texts"],
    [{ when: Promise.resolve(1) }, "$.when: a Promise cannot be given to a script; await it"],
    [new Float64Array(1), /^\$: a Float64Array cannot be given to a script; .*Array\.from/],
    [[1].values(), /cannot be given to a script; give `\[\.\.\.it\]`$/],
    [circle, "$.self[0]: it leads back to $"],
    [deep(257), /it is nested more than 256 levels deep$/],
    [
      { t: "x".repeat(64 * 1024 * 1024 + 1) },
      "$.t: it has 67108865 characters, and at most 67108864 can be given at once",
    ],
    [new Map([[{ a: 1 }, 1]]), "$: a Map given to a script has texts as keys, not an Object"],
    [2n ** 64n, /64 bits/],
    [new Date(Number.NaN), "$: an invalid Date has no text"],
    [new (class {})(), /^\$: an object of a class without a name cannot be given/],
  ])("refuses what has no value: %#", (data, wanted) => {
    expect(refusedWith(data)).toMatch(wanted);
  });

  it("takes 256 levels, and the same part twice", () => {
    expect(refusedWith(deep(256))).toBe("");
    const part = { a: 1 };
    expect(shown([part, part])).toBe("list [{a: 1}, {a: 1}]");
  });

  it("ends for parts that double at each level", () => {
    let all: unknown = 1;
    for (let level = 0; level < 100; level++) all = [all, all];
    expect(refusedWith(all)).toMatch(/the whole holds more than 2097152 lists and objects$/);
  });

  it("an error of a getter is its own", () => {
    const data = {
      get broken() {
        throw new RangeError("mine");
      },
    };
    expect(() => fromJs(data)).toThrow(RangeError);
  });
});

describe("to JavaScript", () => {
  it.each([
    [null, null],
    [2n ** 60n, 2n ** 60n],
    [new Float(2), 2],
    [new List([1, new Float(1.5)]), [1, 1.5]],
    [new SetValue([1, 2]), [1, 2]],
    [Dict.of({ a: new Bytes(new Uint8Array([1])) }), { a: new Uint8Array([1]) }],
    [new Duration(1500), 1500],
    [new Range(1, 3, false), "1 to 3"],
    [new EnumValue("Result", "Ok", [1]), { $case: "Ok", fields: [1] }],
  ])("%o", (value, wanted) => {
    expect(toJs(value as never)).toEqual(wanted);
  });

  it("names of types are seen by who looks for them", () => {
    const point = new StructValue(structType("Point", ["x"]), [3]);
    expect(toJs(point)).toEqual({ x: 3 });
    expect((toJs(point) as { $type: string }).$type).toBe("Point");
    expect((toJs(new EnumValue("Result", "Ok", [])) as { $enum: string }).$enum).toBe("Result");
  });

  it("refuses what is no data, with its place", () => {
    const call = new ScriptFunction([], () => null);
    expect(() => toJs(Dict.of({ hooks: new List([call]) }))).toThrow(
      /^\$\.hooks\[0\]: a .* cannot be given to JavaScript/,
    );
  });
});

it("data comes back as it was, but for what says so", () => {
  const data = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: "small" },
      fc.constant(null),
      fc.boolean(),
      fc.integer(),
      fc.double({ noInteger: true }),
      fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
      fc.string({ unit: "grapheme" }),
      fc.uint8Array(),
      fc.array(tie("any")),
      fc.dictionary(fc.string(), tie("any")),
    ),
  })).any;
  fc.assert(
    fc.property(data, (one) => {
      const value = fromJs(one);
      expect(equals(fromJs(toJs(value)), value)).toBe(true);
    }),
  );
});
