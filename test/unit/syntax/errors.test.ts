/** language.md §1.1, §1.3, §2 "Notes", §2.1: the parser's messages, and recovery. */
import { describe, expect, test } from "vitest";
import { errorsOf } from "../../support/syntax-text.ts";

function firstErrors(title: string, table: readonly (readonly [text: string, message: string])[]): void {
  describe(title, () => {
    test.each(table)("%j", (text, message) => expect(errorsOf(text)[0]).toBe(message));
  });
}

firstErrors("separators (§1.1)", [
  ["a;; b", "Expected expression, got ; at 1:3"],
  [";a", "Expected expression, got ; at 1:1"],
  ["[1;2]", "Expected expression, got ; at 1:3"],
  ["if c { } ; else { }", "Expected expression, got else at 1:12"],
  ["try { } ; catch (e) { }", "Expected expression, got catch at 1:11"],
  ["fn f() { let a = 1 let b = 2 }", "Expected statement separator (`;` or newline), got let at 1:20"],
  ["let a = 1 let b = 2", "Expected top-level item separator (`;` or newline), got let at 1:11"],
  ["tool t() { a b }", "Expected tool body item (`;` or newline), got id(b) at 1:14"],
  ["skill s { a 1 b 2 }", "Expected skill field (`;` or newline), got id(b) at 1:15"],
  ["eval_pack e { f() g() }", "Expected eval_pack item (`;` or newline), got id(g) at 1:19"],
  ["eval_pack e { a: 1 b: 2 }", "Expected eval_pack field (`;` or newline), got id(b) at 1:20"],
  ["if a { 1 } else { 2 } + 3", "Expected top-level item separator (`;` or newline), got + at 1:23"],
  ["x[1](2)", "Expected top-level item separator (`;` or newline), got ( at 1:5"],
  ["{ x -> x }(3)", "Expected top-level item separator (`;` or newline), got ( at 1:11"],
]);

firstErrors("reserved words (§1.3)", [
  ["let match = 1", "Expected variable name or destructuring pattern, got 'match' (reserved keyword) at 1:5"],
  ["fn if() { }", "Expected function name, got 'if' (reserved keyword) at 1:4"],
  ["fn f(in) { }", "Expected parameter name, got 'in' (reserved keyword) at 1:6"],
  ["struct let { }", "Expected struct name, got 'let' (reserved keyword) at 1:8"],
  ["struct P { in: int }", "Expected field name, got 'in' (reserved keyword) at 1:12"],
  ["pipeline try() { }", "Expected pipeline name, got 'try' (reserved keyword) at 1:10"],
  ['import { for } from "x"', "Expected import name, got 'for' (reserved keyword) at 1:10"],
]);

firstErrors("end of file (§2.1)", [
  ["if x {", "Unexpected end of file, expected }"],
  ["f(1", "Unexpected end of file, expected )"],
  ["[1", "Unexpected end of file, expected ]"],
  ["let x = 1 +", "Unexpected end of file, expected expression"],
  ["let x", "Unexpected end of file, expected ="],
  ["fn", "Unexpected end of file, expected function name"],
  ["c ? a", "Unexpected end of file, expected :"],
]);

firstErrors("tokens as messages show them (§2.1)", [
  ["let foo bar", "Expected =, got id(bar) at 1:9"],
  ['let x "a"', "Expected =, got str(a) at 1:7"],
  ['let x r"a"', "Expected =, got rstr(a) at 1:7"],
  ['let x "a${1}"', "Expected =, got istr(...) at 1:7"],
  ["let x 3", "Expected =, got int(3) at 1:7"],
  ["let x 1.50", "Expected =, got float(1.5) at 1:7"],
  ["let x 2.0", "Expected =, got float(2.0) at 1:7"],
  ["let x 5s", "Expected =, got duration(5000ms) at 1:7"],
  ["let x while", "Expected =, got while at 1:7"],
  ["let x >=", "Expected =, got >= at 1:7"],
  ["let x\n", "Unexpected end of file, expected ="],
  ["let x\n1", "Expected =, got \\n at 1:6"],
  ["let x =\nlet y = 1", "Expected expression, got \\n at 1:8"],
  ["let x: = 1", "Expected type name, got = at 1:8"],
]);

firstErrors("what other languages write (issue 17)", [
  ["def add(a, b):", "functions are written 'fn add(a, b) { return … }'"],
  ["function add(a, b) { }", "functions are written 'fn add(a, b) { return … }'"],
  ["async fn f() { }", "functions are written 'fn f() { return … }'"],
  [
    "class Foo { }",
    "there are no classes: data is written 'struct Foo { field: type }', methods stand in 'impl Foo'",
  ],
  ["if a { } elif b { }", "'elif' is written 'else if'"],
  ["if a { }\nelif b { }", "'elif' is written 'else if'"],
  ["if a and b { }", "'and' is written '&&'"],
  ["if not a { }", "'not x' is written '!x'"],
  ["if a is nil { }", "'is' is written '==': 'x == nil', 'type_of(x) == \"int\"'"],
  ["if typeof a { }", "'typeof x' is written 'type_of(x)'"],
  [
    "let a = [x * 2 for x in xs]",
    "there are no comprehensions: 'items.filter({ x -> x > 1 }).map({ x -> x * 2 })'",
  ],
  [
    "let a = {k: v for k, v in xs}",
    "there are no comprehensions: 'items.filter({ x -> x > 1 }).map({ x -> x * 2 })'",
  ],
  ["for (const x of xs) { }", "loops are written 'for item in items { … }'"],
  ["for x of xs { }", "loops are written 'for item in items { … }'"],
  [
    "for k, v in d { }",
    "loops over pairs are written 'for {key, value} in d.entries() { … }', over lists 'for {index, value} in xs.enumerate() { … }'",
  ],
  ["try:", "blocks stand between braces: 'try … { … }'"],
  ["if (a) b()", "blocks stand between braces: 'if … { … }'"],
  ["if a then b() end", "blocks stand between braces: 'if … { … }'"],
  [
    "let r = await f()",
    "calls wait by themselves, without 'await'; 'spawn { … }' and 'parallel' run things side by side",
  ],
  ["switch (x) { case 1: f() }", "'switch' is written 'match value { pattern -> { … } }'"],
  ["match x { case 1: f() }", "arms are written '1 -> { … }', the last one '_ -> { … }'"],
  ['match x { 1 => "a" }', "arms are written '1 -> { … }', the last one '_ -> { … }'"],
  ['throw new Error("bad")', "any value can be thrown: 'throw \"what went wrong\"'"],
  ['raise ValueError("bad")', "'raise' is written 'throw': 'throw \"what went wrong\"'"],
  ["let t = (1, 2)", "there are no tuples: lists are written '[1, 2]', pairs 'pair(1, 2)'"],
  ["let f = (x, y) => x + y", "closures are '{ a, b -> a + b }'"],
  ["let f = function(x) { return x }", "closures are '{ x -> x + 1 }'"],
  ["let x = 1 if a else 2", "conditions in expressions are 'condition ? a : b'"],
  ["f(1, b = 3)", "arguments have no names: they stand in order, options in a dict: 'f(1, {name: 2})'"],
  ["f(1, b: 3)", "arguments have no names: they stand in order, options in a dict: 'f(1, {name: 2})'"],
  ["let x: number[] = []", "types of lists are written 'list<int>'"],
  ["fn f(x: List[int]) { }", "types of elements stand in angle brackets: 'list<int>'"],
  ["fn f(x: Dict[str, int]) { }", "types of dicts are written 'dict<string, int>'"],
  ["fn f(x: Optional[int]) { }", "types that may be nil are written 'int | nil'"],
  ["fn f(*args) { }", "a function with any number of arguments is written 'fn f(...args)'"],
  ["fn f(**options) { }", "options come as a dict: 'fn f(options = {}) { … }'"],
  ["export fn f() { }", "what other files may import is marked 'pub': 'pub fn f() { … }'"],
  ['del d["a"]', "values are not changed in place: 'd = d.remove(\"key\")'"],
  ["int x = 1", "variables are declared 'let x = …', with a type 'let x: int = …'"],
  ["let a, b = 1, 2", "several at once: 'let [a, b] = [1, 2]'"],
  ["a, b = b, a", "one assignment at a time: 'let old = a', 'a = b', 'b = old'"],
  ["assert a == 1", "assertions are calls: 'assert(x == 1, \"why\")'"],
  ["do { } while (a)", "there is no 'do': write 'while true { … if over { break } }'"],
  [
    'with open("f") as f:',
    "there is no 'with': files are read whole with 'read_file(path)'; 'defer { … }' runs at the end of a block",
  ],
  ["let a = b and c", "'and' is written '&&'"],
  ["let a = b or c", "'or' is written '||'; a value in place of nil is 'a ?? b'"],
  ["let a = not b", "'not x' is written '!x'"],
  ['print "x"', "calls have parentheses: 'println(\"x\")'"],
  ["let f = x => x + 1", "closures are '{ x -> x + 1 }'"],
  ["let f = (x) => x + 1", "closures are '{ x -> x + 1 }'"],
  ["lambda x: x", "closures are '{ x -> x + 1 }'"],
  ["let a = b === c", "'==' compares; there is no '==='"],
  ["let a = b !== c", "'!=' compares; there is no '!=='"],
  ["fn g(a: int): int { }", "result types are written '-> int'"],
  ["if a: b()", "blocks stand between braces: 'if … { … }'"],
  ["x++", "there is no '++': write 'x += 1'"],
  ["f(x--)", "there is no '--': write 'x -= 1'"],
  ["try { } except { }", "'except' is written 'catch (problem)'"],
  ["switch a { }", "'switch' is written 'match value { pattern -> { … } }'"],
  [
    "for (let i = 0; i < 3; i++) { }",
    "loops are written 'for i in 0 to 3 exclusive { … }' or 'for item in items { … }'",
  ],
  ['let a = f"Hello {name}"', 'strings interpolate: "Hello ${name}"'],
  ['g(f"Hello {name}")', 'strings interpolate: "Hello ${name}"'],
  ["let v = new Foo()", "values are made without 'new': 'Foo { field: value }'"],
  ["x := 1", "variables are declared 'let x = 1', or 'var x = 1' when they change"],
  ["from a import b", "imports are written 'import { a, b } from \"path\"'"],
  [
    'import * as a from "b"',
    "imports are written 'import \"std/text\"' or 'import { a, b } from \"std/text\"'",
  ],
]);

firstErrors("a missing comma (issue 17)", [
  ["[1 2]", "a comma is missing before '2'"],
  ["[1 -1]", "a comma is missing before '-1'"],
  ["[1 - 1 -2 + 3]", "a comma is missing before '-2'"],
  ["f(a -1)", "a comma is missing before '-1'"],
  ["f(1 2)", "a comma is missing before '2'"],
  ['llm_call("x" nil)', "a comma is missing before 'nil'"],
  ["{a: 1 b: 2}", "a comma is missing before 'b'"],
  ["[f(1) (2)]", "a comma is missing before '('"],
  ["[1; 2]", "Expected expression, got ; at 1:3"],
]);

firstErrors("notes of §2", [
  ["let x = select { default { } }", "Expected expression, got select at 1:9"],
  ["a ?? throw e", "Expected expression, got throw at 1:6"],
  ["let x = ...a", "Expected expression, got . at 1:9"],
  ["select { }", "Expected at least one select case, got } at 1:10"],
  [
    "select { timeout 1s { } default { } }",
    "Expected select cannot have both timeout and default, got id(default) at 1:25",
  ],
  ["fn f(a = 1, b) { }", "'b' needs a default, or must stand before 'a = 1'"],
  ["fn f(...a, b) { }", "'...a' must be the last parameter"],
  [
    "@attr log(1)",
    "Expected fn/tool/skill/eval_pack/pipeline/struct/enum/type/interface/impl declaration after `@attr`, got non-declaration statement at 1:7",
  ],
  [
    "@x\nlet a = 1",
    "Expected fn/tool/skill/eval_pack/pipeline/struct/enum/type/interface/impl declaration after `@attr`, got non-declaration statement at 2:1",
  ],
  ["@a(-) fn f() { }", "Expected expression, got ) at 1:5"],
  [
    "let x = <<EOF",
    'Expected an expression — heredocs are only valid inside LLM tool-call argument JSON; for multiline strings in source code use triple-quoted `"""..."""`, got `<<` heredoc-like syntax at 1:9',
  ],
  ["import x", "Expected import path string, got id(x) at 1:8"],
  ["import 3", "Expected import path string, got int(3) at 1:8"],
  [
    "parallel each xs with { foo: 1 } { x -> x }",
    "Expected known option (only `max_concurrent` is supported in `parallel ... with { ... }`; got `foo`), got foo at 1:25",
  ],
  [
    "parallel 3 { i -> i } as stream",
    "Expected top-level item separator (`;` or newline), got id(as) at 1:23",
  ],
  ["let (a, b) = c", "Expected variable name or destructuring pattern, got ( at 1:5"],
  ["match x { 1, }", "Expected ->, got , at 1:12"],
  ["try x", "Expected {, got id(x) at 1:5"],
  ["fn f<>() { }", "Expected type parameter name, got > at 1:6"],
  ["let x: list<> = 1", "Expected type name, got > at 1:13"],
  ["a to b to c", "Expected top-level item separator (`;` or newline), got to at 1:8"],
  [
    "eval_pack e { summarize { }\n summarize { } }",
    "Expected at most one summarize block, got id(summarize) at 2:2",
  ],
]);

firstErrors("holes (0.8)", [
  ['"${1 2}"', "Expected }, got int(2) at 1:6"],
  ['"${1 +}"', "Expected expression, got } at 1:7"],
  ['"${let x = 1}"', "Expected expression, got let at 1:4"],
]);

firstErrors("assignment targets (§7.3)", [
  [
    "f() = 3",
    "invalid assignment target: expected a variable, property path (`x.a.b`), or subscript path (`x[i][j]`), found an expression",
  ],
  [
    "a?.b = 3",
    "invalid assignment target: expected a variable, property path (`x.a.b`), or subscript path (`x[i][j]`), found an expression",
  ],
  [
    "f().x += 3",
    "invalid assignment target: expected a variable, property path (`x.a.b`), or subscript path (`x[i][j]`), found an expression",
  ],
]);

describe("recovery", () => {
  test("goes on at the next statement", () => {
    const text =
      "let = 1\nlet ok = 2\nfn f( { }\nfn g() {\n  let = 3\n  return )\n  x = 1\n}\nstruct { }\nlet y = ]\n";
    expect(errorsOf(text)).toEqual([
      "Expected variable name or destructuring pattern, got = at 1:5",
      "Expected parameter name, got { at 3:7",
      "Expected variable name or destructuring pattern, got = at 5:7",
      "Expected statement separator (`;` or newline), got ) at 6:10",
      "Expected struct name, got { at 9:8",
      "Expected expression, got ] at 10:9",
    ]);
  });
  test("goes on after ; and inside lists of fields", () => {
    expect(errorsOf("let = 1; let = 2")).toHaveLength(2);
    expect(errorsOf("skill s { 1; b 2; 3 }")).toHaveLength(2);
  });
  test("a missing } does not swallow the declarations at the margin", () => {
    expect(errorsOf("fn f() {\n  let x = (1\n\nfn g() {\n  let = 2\n}\n").slice(0, 2)).toEqual([
      "Expected ), got \\n at 2:13",
      "Expected variable name or destructuring pattern, got = at 5:7",
    ]);
  });
  test("what was right stays in the tree, and the messages end", () => {
    expect(errorsOf("let = 1\n".repeat(1000))).toHaveLength(20);
  });
  test("a message appears once", () =>
    expect(errorsOf("fn f() { fn g() { fn h() {")).toEqual(["Unexpected end of file, expected }"]));
});
