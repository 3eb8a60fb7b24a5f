/** language.md §1.1 and §2: statements, separators, patterns, continuation lines. */
import { describe, expect, test } from "vitest";
import type { Statement } from "../../../src/syntax/index.ts";
import { errorsOf, parseOk, showStatement, statementOf } from "../../support/syntax-text.ts";

const body = (text: string): string[] => parseOk(text).items.map((item) => showStatement(item as Statement));

describe("bindings and assignments", () => {
  test.each([
    ["let x = 1", "let x = 1"],
    ["var x: int = 1", "var x: int = 1"],
    ["const X = 1", "const X = 1"],
    ["const {a} = d", "const {a} = d"],
    ["let x =\n  1", "let x = 1"],
    ["let {host, port: p = 80, ...rest} = d", "let {host, port: p = 80, ...rest} = d"],
    ["let {type: kind, a = 2} = d", "let {type: kind, a = 2} = d"],
    ["let [a, b = 0, ...c] = xs", "let [a, b = 0, ...c] = xs"],
    ["let [\n  a,\n  b,\n] = xs", "let [a, b] = xs"],
    ["x = 1", "x = 1"],
    ["x +=\n  1", "x += 1"],
    ["a.b[0].c = 4", "a.b[0].c = 4"],
    ["xs[i] *= 2", "xs[i] *= 2"],
  ])("%s", (text, wanted) => expect(showStatement(statementOf(text))).toBe(wanted));
});

describe("other statements", () => {
  test.each([
    ["for x in xs { f(x) }", "for x in xs {(f x)}"],
    ["for (i, v) in xs { }", "for (i, v) in xs {}"],
    ["for {key, value} in d { break }", "for {key, value} in d {Break}"],
    ["for i in 0 to 3 exclusive { continue }", "for i in (to-exclusive 0 3) {Continue}"],
    ["while (a) { }", "while a {}"],
    ["return", "return"],
    ["return a to b", "return (to a b)"],
    ["throw {a: 1}", "throw {a: 1}"],
    ["guard x != nil else { return }", "guard (!= x nil) else {return}"],
    ['require x > 0, "positive"', 'require (> x 0), "positive"'],
    ["require x", "require x"],
    ["defer { f() }", "defer {(f)}"],
    ["mutex { a = 1 }", "mutex {a = 1}"],
    ["mutex(key) { }", "mutex(key) {}"],
    ["yield", "yield"],
    ["yield 3", "yield 3"],
    ["emit x", "emit x"],
    ["select {\n m from a { 1 }\n timeout 2s { 2 }\n}", "select m from a {1} timeout 2000ms {2}"],
    ["select { timeout from a { 1 } default { 2 } }", "select timeout from a {1} default {2}"],
    ["select { default { 1 } }", "select default {1}"],
    ["fn(x) { x }", "(fn x -> {x})"],
    ["{ x -> x }", "(brace x -> {x})"],
    ["const + 1", "(+ const 1)"],
    ["const[0]", "const[0]"],
    ["gen", "gen"],
  ])("%s", (text, wanted) => expect(showStatement(statementOf(text))).toBe(wanted));
});

describe("separators", () => {
  test.each([
    ["a; b", ["a", "b"]],
    ["a;\n\n b;", ["a", "b"]],
    ["\n\na\n\n\nb\n", ["a", "b"]],
    ["} a }\n} b", ["a", "b"]],
    ["if a { 1 } // c\n/* d */ b", ["(if a {1})", "b"]],
    ["", []],
    ["// nothing", []],
    ["#!/usr/bin/env harn\na", ["a"]],
    ["\ufeffa", ["a"]],
    ["a\r\nb\r\n", ["a", "b"]],
    ["let x = 1 + \\\n 2", ["let x = (+ 1 2)"]],
    ["let x = 1 \\\n - 2", ["let x = (- 1 2)"]],
  ])("%j", (text, wanted) => expect(body(text)).toEqual(wanted));
});

describe("continuation lines (§3)", () => {
  test.each(["|>", "||", "&&", "==", "!=", "<", ">", "<=", ">=", "+", "??", "*", "/", "%", "**"])(
    "%s may begin a line",
    (op) => {
      expect(body(`a\n  ${op} b`)).toHaveLength(1);
      expect(body(`a ${op}\n\n  b`)).toHaveLength(1);
    },
  );
  test.each(["-", "to", "in"])("%s may end a line, not begin one", (op) => {
    expect(body(`a ${op}\n  b`)).toHaveLength(1);
    if (op === "-") expect(body("a\n- b")).toEqual(["a", "(- b)"]);
    else expect(errorsOf(`a\n${op} b`)).not.toEqual([]);
  });
  test("( and [ begin a new statement", () => {
    expect(body("a\n(b)")).toEqual(["a", "b"]);
    expect(body("a\n[b]")).toEqual(["a", "[b]"]);
  });
  test("a type that ends in > ends its line", () => {
    expect(body("type A = list<int>\nlet x = 1")).toEqual(["TypeAliasDecl", "let x = 1"]);
  });
  test("a line end inside brackets", () => {
    expect(body("f(\n  a\n)")).toEqual(["(f a)"]);
    expect(body("(\n  a\n  + b\n)")).toEqual(["(+ a b)"]);
    expect(errorsOf("(a\n- b)")[0]).toBe("Expected ), got \\n at 1:3");
  });
});
