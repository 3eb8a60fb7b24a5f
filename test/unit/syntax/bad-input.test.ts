/** Input that is damaged, hostile or very large ends in one clear error, or works; never in a JavaScript error. */
import { describe, expect, test } from "vitest";
import { SourceFile } from "../../../src/source/index.ts";
import { parse } from "../../../src/syntax/index.ts";

const parsed = (text: string) => parse(new SourceFile("test.harn", text)).diagnostics;
const codes = (text: string): string[] => parsed(text).map((diagnostic) => diagnostic.code);

test("an empty file is a program", () => expect(codes("")).toEqual([]));
test("a file of blanks and comments is one too", () => expect(codes(" \r\n\t\n// x\n/* y */")).toEqual([]));

describe("brackets", () => {
  test.each([
    ["(", ")"],
    ["[", "]"],
    ["{a: ", "}"],
    ["f(", ")"],
    ["a.b(", ")"],
    ["1 + (", ")"],
    ["a[", "]"],
    ["{ x -> ", "}"],
    ["fn() { ", "}"],
    ["if a { ", "}"],
    ['"${', '}"'],
  ])("%s nested", (open, close) => {
    const nested = (levels: number): string => `let x = ${open.repeat(levels)}1${close.repeat(levels)}`;
    expect(codes(nested(100))).toEqual([]);
    expect(codes(nested(256))).toEqual(["HARN-PAR-009"]);
    expect(codes(nested(10_000))).toEqual(["HARN-PAR-009"]);
  });
  test("255 levels are allowed", () =>
    expect(codes(`let x = ${"(".repeat(255)}1${")".repeat(255)}`)).toEqual([]));
  test("the message", () => {
    expect(parsed("[".repeat(10_000))[0]!.message).toBe(
      "Brackets are nested 256 levels deep at 1:256; fewer than 256 are allowed",
    );
  });
});

describe("chains of 10,000 links", () => {
  const N = 10_000;
  test.each([
    ["power", `let x = 1${" ** 1".repeat(N)}`],
    ["minus signs", `let x = ${"-".repeat(N)}1`],
    ["ternaries to the right", `let x = a${" ? b : a".repeat(N)}`],
    ["ternaries in the middle", `let x = ${"a ? ".repeat(N)}1${" : 2".repeat(N)}`],
    ["try*", `let x = ${"try* ".repeat(N)}1`],
    ["generic types", `let x: ${"list<".repeat(N)}int${">".repeat(N)} = 1`],
    ["function types", `let x: ${"fn() -> ".repeat(N)}int = 1`],
    ["if in if", "if ".repeat(N)],
    ["retry in retry", "retry ".repeat(N)],
  ])("%s: too deep", (_, text) => expect(codes(text)).toEqual(["HARN-PAR-010"]));
  test.each([
    ["plus", `let x = 1${" + 1".repeat(N)}`],
    ["members", `let x = a${".b".repeat(N)}`],
    ["calls", `let x = a${".b()".repeat(N)}`],
    ["subscripts", `let x = a${"[0]".repeat(N)}`],
    ["pipes", `let x = a${" |> f".repeat(N)}`],
    ["else if", `if a { }${" else if a { }".repeat(N)}`],
    ["type alternatives", `let x: a${" | a".repeat(N)} = 1`],
    ["elements", `let x = [${"1, ".repeat(N)}]`],
    ["statements", "f()\n".repeat(N)],
    ["pattern alternatives", `match x { ${'"a" | '.repeat(N)} "b" -> { } }`],
  ])("%s: fine", (_, text) => expect(codes(text)).toEqual([]));
  test("500 levels are fine", () => expect(codes(`let x = 1${" ** 1".repeat(500)}`)).toEqual([]));
  test("the message", () => {
    expect(parsed(`let x = ${"-".repeat(N)}1`)[0]!.message).toBe(
      "This code is nested more than 1000 levels deep at 1:1008",
    );
  });
});

describe("10 MB lines", () => {
  test.each([
    ["one string", `let x = "${"a".repeat(10_000_000)}"`, []],
    ["one name", "a".repeat(10_000_000), []],
    ["an unterminated string", `"${"a".repeat(10_000_000)}`, ["HARN-PAR-004"]],
    ["quotes", "'".repeat(10_000_000), ["HARN-PAR-003"]],
    ["a number", "1".repeat(10_000_000), ["HARN-PAR-006"]],
    ["a comment", `/*${" ".repeat(10_000_000)}`, ["HARN-PAR-005"]],
  ] as [string, string, string[]][])("%s", (_, text, wanted) => expect(codes(text)).toEqual(wanted));
});

test("many errors end after twenty", () => {
  expect(parsed("; ".repeat(100_000))).toHaveLength(20);
  expect(parsed("~^§°€\n#`$\\\n".repeat(1000)).length).toBeLessThanOrEqual(20);
});
