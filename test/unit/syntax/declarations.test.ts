/** language.md §2, §15, §18–§21: declarations, imports, types. */
import { describe, expect, test } from "vitest";
import type {
  EnumDecl,
  EvalPackDecl,
  FnDecl,
  ImplDecl,
  Import,
  InterfaceDecl,
  PipelineDecl,
  SkillDecl,
  Statement,
  StructDecl,
  ToolDecl,
  TypeAliasDecl,
} from "../../../src/syntax/index.ts";
import { parseOk, show, showBlock, showStatement, showType, statementOf } from "../../support/syntax-text.ts";

const declared = <D extends Statement>(text: string): D => statementOf(text) as D;
const imported = (text: string): Import => parseOk(text).items[0] as Import;

describe("imports", () => {
  test.each([
    ['import "std/text"', "std/text", undefined, false],
    ['import { a, b, } from "./m"', "./m", ["a", "b"], false],
    ['pub import "x"', "x", undefined, true],
    ['pub import {\n  a,\n  b\n} from "x"', "x", ["a", "b"], true],
    ["import std::strings::{ a, b }", "std/strings", ["a", "b"], false],
    ["import std::agent::judges::{ a }", "std/agent/judges", ["a"], false],
  ])("%s", (text, path, names, pub) => {
    const node = imported(text);
    expect([node.path, node.names?.map((name) => name.text), node.pub]).toEqual([path, names, pub]);
  });
});

describe("functions", () => {
  test("everything a head may have", () => {
    const fn = declared<FnDecl>(
      '@deprecated(since: "1.0", use: g)\n@test\npub gen fn f<T, in A, out B>(x: int, y = 2, ...r: list<int>) -> T? where T: N + M, A: B { return x }',
    );
    expect(
      fn.attributes.map((one) => [one.name.text, one.args.map((arg) => [arg.name?.text, show(arg.value)])]),
    ).toEqual([
      [
        "deprecated",
        [
          ["since", '"1.0"'],
          ["use", "g"],
        ],
      ],
      ["test", []],
    ]);
    expect([fn.pub, fn.gen, fn.name.text]).toEqual([true, true, "f"]);
    expect(fn.typeParams.map((one) => [one.name.text, one.variance])).toEqual([
      ["T", undefined],
      ["A", "in"],
      ["B", "out"],
    ]);
    expect(
      fn.params.map((one) => [
        one.name.text,
        one.rest,
        one.type && showType(one.type),
        one.default && show(one.default),
      ]),
    ).toEqual([
      ["x", false, "int", undefined],
      ["y", false, undefined, "2"],
      ["r", true, "list<int>", undefined],
    ]);
    expect(showType(fn.returns!)).toBe("T?");
    expect(fn.where.map((one) => [one.param.text, one.bounds.map((bound) => bound.text)])).toEqual([
      ["T", ["N", "M"]],
      ["A", ["B"]],
    ]);
    expect(showBlock(fn.body)).toBe("{return x}");
  });
  test("a type parameter may be called out", () => {
    expect(declared<FnDecl>("fn f<out>(x: out) { }").typeParams[0]!.name.text).toBe("out");
  });
});

describe("documentation comments", () => {
  test.each([
    ["/// One\n/// two\nfn f() { }", "One\ntwo"],
    ["/** One */\nfn f() { }", "One"],
    ["/**\n * One\n *   two\n */\n@test\npub fn f() { }", "One\ntwo"],
    ["@test\n/// One\nfn f() { }", "One"],
    ["//// not one\nfn f() { }", ""],
    ["/*** not one */\nfn f() { }", ""],
    ["/**/\nfn f() { }", ""],
    ["/// of the file\n\nfn f() { }", ""],
    ["/// of the file\n\n/// of f\nfn f() { }", "of f"],
  ])("%j", (text, doc) => expect(declared<FnDecl>(text).doc).toBe(doc));
});

describe("pipelines", () => {
  test("head and parent", () => {
    const node = declared<PipelineDecl>("pub pipeline child(task, n) -> int extends base { 1 }");
    expect([
      node.pub,
      node.name.text,
      node.params.map((one) => one.text),
      showType(node.returns!),
      node.extends?.text,
    ]).toEqual([true, "child", ["task", "n"], "int", "base"]);
  });
  test("override", () => expect(declared("override foo(a, b) { }").kind).toBe("OverrideDecl"));
});

describe("tool, skill, eval_pack", () => {
  test("tool with description", () => {
    const node = declared<ToolDecl>(
      'tool t(path: string, n: int = 10) -> string {\n  description "Reads"\n  path\n}',
    );
    expect([node.description, showBlock(node.body), node.params.length]).toEqual(["Reads", "{path}", 2]);
  });
  test("description is a variable elsewhere", () => {
    const node = declared<ToolDecl>("tool t(description) { description.trim() }");
    expect([node.description, showBlock(node.body)]).toEqual([undefined, "{(description.trim)}"]);
  });
  test("skill", () => {
    const node = declared<SkillDecl>(
      'skill deploy {\n  short "Deploys"\n  when_to_use\n    "now"; paths ["a"]\n}',
    );
    expect(node.fields.map((field) => [field.name.text, show(field.value)])).toEqual([
      ["short", '"Deploys"'],
      ["when_to_use", '"now"'],
      ["paths", '["a"]'],
    ]);
  });
  test.each([
    ["eval_pack my { }", "my", "my"],
    ['eval_pack my "the id" { }', "my", "the id"],
    ['eval_pack "Big Test-1" { }', "big_test_1", "Big Test-1"],
    ['eval_pack "1st" { }', "eval_pack_1st", "1st"],
    ['eval_pack "match" { }', "eval_pack_match", "match"],
  ])("%s", (text, name, id) => {
    const node = declared<EvalPackDecl>(text);
    expect([node.name.text, node.id]).toEqual([name, id]);
  });
  test("eval_pack items", () => {
    const node = declared<EvalPackDecl>(
      "eval_pack e {\n  version: 1\n  log(1); name: \n 2\n  summarize { log(2) }\n}",
    );
    expect(node.fields.map((field) => field.name.text)).toEqual(["version", "name"]);
    expect(node.statements.map(showStatement)).toEqual(["(log 1)"]);
    expect(showBlock(node.summarize!)).toBe("{(log 2)}");
  });
});

describe("structs, enums, impl, interfaces", () => {
  test("struct fields by commas or lines", () => {
    const node = declared<StructDecl>("struct P<T> { x: int, y?: T\n z\n}");
    expect(
      node.fields.map((field) => [field.name.text, field.optional, field.type && showType(field.type)]),
    ).toEqual([
      ["x", false, "int"],
      ["y", true, "T"],
      ["z", false, undefined],
    ]);
  });
  test("enum", () => {
    const node = declared<EnumDecl>("enum S { Dot, Circle(radius: float)\n Rect(w: int, h: int) }");
    expect(node.variants.map((one) => [one.name.text, one.params.map((param) => param.name.text)])).toEqual([
      ["Dot", []],
      ["Circle", ["radius"]],
      ["Rect", ["w", "h"]],
    ]);
  });
  test("impl", () => {
    const node = declared<ImplDecl>("impl P {\n  /// Doc\n  fn a(self) { }\n  pub fn b(self) { } }");
    expect(node.methods.map((one) => [one.name.text, one.pub, one.doc])).toEqual([
      ["a", false, "Doc"],
      ["b", true, ""],
    ]);
  });
  test("interface", () => {
    const node = declared<InterfaceDecl>(
      "interface I<T> { type Item\n type Out = int\n fn f(self) -> string\n fn g<U>(self, x: U) }",
    );
    expect(node.types.map((one) => [one.name.text, one.type && showType(one.type)])).toEqual([
      ["Item", undefined],
      ["Out", "int"],
    ]);
    expect(node.methods.map((one) => one.name.text)).toEqual(["f", "g"]);
  });
});

describe("types", () => {
  test.each([
    ["int", "int"],
    ["list<dict<string, int>>", "list<dict<string, int>>"],
    ["[int]", "[int]"],
    ["A | B & C | nil", "(A | (B & C) | nil)"],
    ["int?", "int?"],
    ["{name: string, age?: int, type: bool}", "{name: string, age?: int, type: bool}"],
    ["{\n  a: int\n  b: int,\n}", "{a: int, b: int}"],
    ["fn(int, string) -> bool | nil", "fn(int, string) -> (bool | nil)"],
    ["fn() -> never", "fn() -> never"],
    ['"a" | "b"', '("a" | "b")'],
    ["1 | -3", "(1 | -3)"],
    ["true", "true"],
    ["owned<T>", "owned<T>"],
    ["owned", "owned"],
    ["A\n | B", "(A | B)"],
  ])("%s", (text, wanted) => expect(showType(declared<TypeAliasDecl>(`type X = ${text}`).type)).toBe(wanted));
  test("pub type with parameters", () => {
    const node = declared<TypeAliasDecl>("pub type Box<out T> = {value: T}");
    expect([node.pub, node.typeParams[0]!.variance]).toEqual([true, "out"]);
  });
});
