/** Types by themselves: how they are shown, which fits which, unions, aliases. */

import { describe, expect, it } from "vitest";
import { builtinTable } from "../../../src/builtins/index.ts";
import { compileProgram } from "../../../src/lower/index.ts";
import { SourceFile } from "../../../src/source/index.ts";
import { parse } from "../../../src/syntax/index.ts";
import { Checker } from "../../../src/types/checker.ts";
import { visit } from "../../../src/types/flow/statements.ts";
import { fits, showType, type Type, union } from "../../../src/types/index.ts";
import { showOptional } from "../../../src/types/model/show-type.ts";
import { hole, int, listOf, never, nil, shapeOf, string } from "../../../src/types/model/type.ts";
import { resolvedAlias } from "../../../src/types/model/type-scope.ts";

const declarations = `
struct Dog { name: string }
struct Cat { name: string }
struct Out<out T> { value: T }
struct In<in T> { use: T }
struct Inv<T> { value: T }
enum Mood { Good, Bad }
interface Named {
  fn name(self) -> string
}
impl Dog { fn name(self) -> string { return self.name } }
type Tree = {value: int, kids: list<Tree>}
type Same = {value: int, kids: list<Same>}
type Box<T> = {value: T}
type Self = Self
type Deep<T> = {next: Deep<list<T>>}
`;

/** The types of annotations, in one file with the declarations above. */
function types(...texts: string[]): Type[] {
  const source = new SourceFile(
    "t.harn",
    `${declarations}${texts.map((text, i) => `\nlet x${i}: ${text} = 0`).join("")}`,
  );
  const { resolved: program, diagnostics } = compileProgram(source, { builtins: builtinTable(), parse });
  if (program === undefined) throw new Error(diagnostics[0]?.message);
  const checker = new Checker(program.entry, { builtins: builtinTable() }, visit);
  return program.entry.ast.items.flatMap((item) =>
    item.kind === "Let" && item.type !== undefined ? [checker.scope.type(item.type)] : [],
  );
}

const type = (text: string): Type => types(text)[0]!;

const shown = (text: string): string => showType(type(text));

describe("a type is shown as it is written (§17.9)", () => {
  it.each([
    "int",
    "list<int>",
    "dict<string, int>",
    "{a: int, b?: string}",
    "int | string",
    "fn(int) -> bool",
    "fn() -> fn(int) -> nil",
    "iter<int>",
    "Generator<int>",
    "Stream<list<int>>",
    "Result<int, string>",
    '"lit"',
    "3",
    "-3",
    "never",
    "any",
    "unknown",
    "Dog",
    "Box<int>",
    "Tree",
    "Unheard",
    '"a" | "b" | nil',
  ])("%s", (text) => expect(shown(text)).toBe(text));

  it.each([
    ["[int]", "list<int>"],
    ["true", "bool"],
    ["true | false", "bool"],
    ["int?", "int | nil"],
    ["int | int", "int"],
    ["int | nil | int", "int | nil"],
    ["Box<int | string>", "Box<int> | Box<string>"],
    ["owned<int>", "int"],
    ["{a: int} & {b: int}", "{a: int, b: int}"],
  ])("%s is %s", (text, display) => expect(shown(text)).toBe(display));

  it("what is not known is a blank, in a shape nil", () => {
    expect(showType(hole)).toBe("_");
    expect(showType({ kind: "fn", params: [hole], required: 1, rest: false, returns: int })).toBe(
      "fn(_) -> int",
    );
    expect(showType(shapeOf([{ name: "a", optional: false, type: hole }]))).toBe("{a: nil}");
  });

  it("unions with nil the short way", () => {
    expect(showOptional(type("int | nil"))).toBe("int?");
    expect(showOptional(type("int | string | nil"))).toBe("(int | string)?");
    expect(showOptional(int)).toBe("int");
  });

  it("long types are cut", () => {
    const wide = shapeOf(
      Array.from({ length: 500 }, (_, i) => ({ name: `field${i}`, optional: false, type: int })),
    );
    expect(showType(wide).length).toBeLessThan(450);
  });
});

describe("fits (§17.2)", () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ["int", "int", true],
    ["int", "float", true],
    ["float", "int", false],
    ["int", "string", false],
    ["int", "any", true],
    ["any", "int", true],
    ["int", "unknown", true],
    ["unknown", "int", false],
    ["unknown", "any", true],
    ["unknown", "unknown", true],
    ["never", "int", true],
    ["int", "never", false],
    ['"a"', "string", true],
    ["string", '"a"', true],
    ['"a"', '"b"', false],
    ['"a"', '"a" | "b"', true],
    ["3", "float", true],
    ["3", "string", false],
    ["{a: int}", "dict", true],
    ["dict", "{a: int}", true],
    ["dict<string, string>", "{a: int}", true],
    ["list<int>", "list", true],
    ["list", "list<int>", true],
    ["list<int>", "list<float>", false],
    ["list<int>", "list<int>", true],
    ["list<any>", "list<int>", true],
    ["dict<string, int>", "dict<string, float>", false],
    ["dict<string, int>", "dict", true],
    ["{a: int, b: int}", "dict<string, int>", true],
    ["{a: int, b: string}", "dict<string, int>", false],
    ["{a: int, b: int}", "{a: int}", true],
    ["{a: int}", "{a: int, b: int}", false],
    ["{a: int}", "{a: int, b?: int}", true],
    ["{a: int, b: string}", "{a: int, b?: int}", true],
    ["{a: string}", "{a: int}", false],
    ["fn(int) -> int", "closure", true],
    ["closure", "fn(int) -> int", true],
    ["fn(int) -> int", "fn(int) -> int", true],
    ["fn(int) -> int", "fn() -> int", false],
    ["fn(float) -> int", "fn(int) -> int", true],
    ["fn(int) -> int", "fn(float) -> int", false],
    ["fn() -> int", "fn() -> float", true],
    ["fn() -> float", "fn() -> int", false],
    ["iter<int>", "iter<float>", true],
    ["Generator<int>", "Generator<float>", true],
    ["Stream<float>", "Stream<int>", false],
    ["Result<int, string>", "Result<float, string>", true],
    ["int | string", "int", false],
    ["int", "int | string", true],
    ["int | nil", "int | string | nil", true],
    ["nil", "int", false],
    ["Out<int>", "Out<float>", true],
    ["Out<float>", "Out<int>", false],
    ["In<float>", "In<int>", true],
    ["In<int>", "In<float>", false],
    ["Inv<int>", "Inv<float>", false],
    ["Inv", "Inv<float>", true],
    ["Dog", "Cat", false],
    ["Dog", "Dog", true],
    ["Dog", "Named", true],
    ["Cat", "Named", false],
    ["int", "Named", false],
    ["Dog", "dict", true],
    ["Dog", "{name: string}", true],
    ["{name: string}", "Dog", false],
    ["Mood", "Dog", false],
    ["Tree", "Same", true],
    ["Box<int>", "{value: int}", true],
    ["Box<int>", "{value: string}", false],
    ["Box<int | string>", "Box<int> | Box<string>", true],
    ["Unheard", "int", true],
    ["int", "Unheard", true],
    ["Self", "int", true],
    ["Deep<int>", "Deep<string>", true],
    ["list<int | string>", "list<string | int>", true],
    ["range", "list", false],
    ["generator", "Generator<int>", true],
  ];

  it.each(cases)("%s into %s: %s", (actual, expected, answer) => {
    const [a, e] = types(actual, expected) as [Type, Type];
    expect(fits(a, e)).toBe(answer);
  });

  it("ends on unions of unions", () => {
    const many = Array.from(
      { length: 40 },
      (_, i) => `{a: int, tag: "t${i}", next: list<list<list<int | string>>>}`,
    );
    const [a, b] = types(many.join(" | "), many.toReversed().join(" | ")) as [Type, Type];
    expect(fits(a, b)).toBe(true);
  });
});

describe("unions", () => {
  it("are flat and without doubles", () => {
    expect(showType(union([int, union([string, int]), nil]))).toBe("int | string | nil");
    expect(union([])).toBe(never);
    expect(union([never, int])).toBe(int);
    expect(union([int, hole])).toBe(hole);
  });

  it("are bounded", () => {
    const shapes = Array.from({ length: 200 }, (_, i) =>
      shapeOf([{ name: `f${i}`, optional: false, type: int }]),
    );
    expect(union(shapes)).toBe(hole);
  });

  it("of lists differ by element", () => {
    expect(showType(union([listOf(int), listOf(string), listOf(int)]))).toBe("list<int> | list<string>");
  });
});

describe("aliases", () => {
  it("of themselves are not known", () => expect(resolvedAlias(type("Self"))).toBe(hole));
  it("many combinations are not distributed", () => {
    const wide = Array.from({ length: 50 }, (_, i) => String(i)).join(" | ");
    expect(shown(`Box<${wide}>`)).toMatch(/^Box<0 \| 1/);
  });
});
