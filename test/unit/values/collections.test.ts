import { describe, expect, test } from "vitest";
import {
  charAt,
  characterPosition,
  Dict,
  display,
  List,
  SetValue,
  Shape,
  sliceText,
  textLength,
  type Value,
} from "../../../src/values/index.ts";
import { closure } from "../../support/script-function.ts";
import { dict, float, list } from "../../support/values.ts";

const numbered = (count: number): Dict => {
  let built = new Dict();
  for (let i = 0; i < count; i++) built = built.with(`k${i}`, i);
  return built;
};

describe("lists", () => {
  test("old versions stay what they were", () => {
    const a = list(1);
    const b = a.push(2);
    const c = a.push(3);
    const d = b.concat(list(4, 5));
    expect([a, b, c, d].map(display)).toEqual(["[1]", "[1, 2]", "[1, 3]", "[1, 2, 4, 5]"]);
  });

  test("a list may be appended to itself", () => {
    const a = list(1, 2);
    expect(display(a.concat(a))).toBe("[1, 2, 1, 2]");
  });

  test("a shortened list grows without touching the longer one", () => {
    const a = list(1, 2, 3);
    const b = a.part(0, 2).push(9);
    expect([a, b].map(display)).toEqual(["[1, 2, 3]", "[1, 2, 9]"]);
  });

  test("appending is linear", () => {
    let grown = new List([]);
    for (let i = 0; i < 200_000; i++) grown = grown.concat(list(i));
    expect(grown.length).toBe(200_000);
  });
});

describe("dicts", () => {
  test("dangerous keys are just keys", () => {
    let d = new Dict();
    for (const key of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      expect(d.get(key)).toBeUndefined();
      d = d.with(key, key);
    }
    expect(display(d)).toBe(
      "{__proto__: __proto__, constructor: constructor, hasOwnProperty: hasOwnProperty, toString: toString}",
    );
  });

  test.each([0, 3, 23, 24, 25, 40, 200])("old versions stay what they were, %i keys", (count) => {
    const base = numbered(count);
    const before = display(base);
    const added = base.with("new", 1);
    const removed = base.without("k1");
    const changed = added.with("k0", "x").merge(dict({ z: 1, y: 2 }));
    const branch = base.with("other", 2);
    expect(display(base)).toBe(before);
    expect(added.size).toBe(count + 1);
    expect(removed.has("k1")).toBe(false);
    expect(removed.size).toBe(Math.max(count - (count > 1 ? 1 : 0), 0));
    expect(changed.get("k0")).toBe("x");
    expect(changed.has("other")).toBe(false);
    expect(branch.has("new")).toBe(false);
    expect(added.get("k0")).toBe(count === 0 ? undefined : 0);
  });

  test("every version of a long history can be read", () => {
    const versions: Dict[] = [];
    let d = numbered(30);
    for (let i = 0; i < 300; i++) {
      versions.push(d);
      d = i % 7 === 3 ? d.without(`k${i % 50}`) : d.with(`k${i % 50}`, i);
    }
    const expected = new Map<string, Value>();
    for (let i = 0; i < 30; i++) expected.set(`k${i}`, i);
    for (let i = 0; i < 300; i++) {
      expect((versions[i] as Dict).toMap()).toEqual(expected);
      if (i % 7 === 3) expected.delete(`k${i % 50}`);
      else expected.set(`k${i % 50}`, i);
    }
  });

  test("keys are in code-point order however they came", () => {
    const d = dict({ b: 1, a: 2, "\u{1f600}": 3, "\uffff": 4, B: 5 });
    expect(d.keys()).toEqual(["B", "a", "b", "\uffff", "\u{1f600}"]);
    expect(numbered(30).keys().slice(0, 3)).toEqual(["k0", "k1", "k10"]);
  });

  test("an owned copy is written in place, also across representations", () => {
    const base = numbered(20);
    const own = base.ownedCopy({});
    for (let i = 0; i < 40; i++) own.ownedSet(`n${i}`, i);
    own.ownedSet("k0", "x");
    expect(own.size).toBe(60);
    expect(own.keys()).toHaveLength(60);
    expect(base.get("k0")).toBe(0);
    expect(base.size).toBe(20);
    const later = own.with("k1", "y");
    own.ownedSet("k2", "z");
    expect([own.get("k1"), later.get("k2"), later.get("k1")]).toEqual([1, 2, "y"]);
  });

  test("dicts of the same keys share a shape", () => {
    expect(dict({ a: 1, b: 2 }).shape).toBe(dict({ a: 3, b: 4 }).shape);
    expect(Shape.ofLiteral(Array.from({ length: 30 }, (_, i) => `x${i}`))).toBeUndefined();
  });

  test("keys that are data do not grow the tree of shapes without bound", () => {
    for (let i = 0; i < 30_000; i++) new Dict().with(`data${i}`, 1).with(`more${i}`, 2);
    const d = new Dict().with("never seen", 1).with("nor this", 2);
    expect(display(d)).toBe("{never seen: 1, nor this: 2}");
  });
});

describe("sets", () => {
  test("unique by equality, first occurrence first", () => {
    expect(display(SetValue.from([2, 1, float(2), "2", list(1), list(float(1))]))).toBe("set(2, 1, 2, [1])");
  });

  test("old versions stay what they were", () => {
    const a = SetValue.from([1]);
    const b = a.with(2);
    const c = a.with(3).with(2);
    expect([a, b, c].map(display)).toEqual(["set(1)", "set(1, 2)", "set(1, 3, 2)"]);
    expect([a.has(2), b.has(3), c.has(2)]).toEqual([false, false, true]);
    expect(display(c.without(3))).toBe("set(1, 2)");
    expect(display(c)).toBe("set(1, 3, 2)");
  });

  test("what equals nothing is never found", () => {
    const f = closure(() => null);
    const set = SetValue.from([f, f]);
    expect(set.size).toBe(2);
    expect(set.has(f)).toBe(false);
  });
});

describe("text by code point", () => {
  const smile = "a\u{1f600}b";
  const long = `${"x".repeat(100)}\u{1f600}y`;
  test("length, characters, parts", () => {
    expect(textLength(smile)).toBe(3);
    expect(charAt(smile, 1)).toBe("\u{1f600}");
    expect(charAt(smile, 9)).toBeUndefined();
    expect(sliceText(smile, 1, 3)).toBe("\u{1f600}b");
    expect(characterPosition(smile, smile.indexOf("b"))).toBe(2);
    expect(characterPosition("abc", 2)).toBe(2);
    expect(textLength(long)).toBe(102);
    expect(charAt(long, 101)).toBe("y");
    expect(sliceText(long, 99, 101)).toBe("x\u{1f600}");
  });
  test("a lone surrogate counts as one", () => {
    expect(textLength("a\ud800b")).toBe(3);
    expect(characterPosition("\udc00b", 1)).toBe(1);
  });
});
