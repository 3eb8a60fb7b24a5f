/** What `--fix` writes, rule by rule, and where it keeps its hands off. Findings themselves: test/diagnostics/lint.harn. */
import { describe, expect, test } from "vitest";
import { catalogue } from "../../../src/diagnostics/index.ts";
import { SourceFile } from "../../../src/source/index.ts";
import { parse } from "../../../src/syntax/index.ts";
import { fix, type LintOptions, lint, rules } from "../../../src/tools/lint/lint.ts";
import { lintedBuiltin } from "../../support/lint-options.ts";

function parsed(text: string) {
  const source = new SourceFile("src/my-file.harn", text);
  const { program, diagnostics } = parse(source);
  expect(diagnostics).toEqual([]);
  return { source, program };
}

function fixed(text: string, rule: string, more: Partial<LintOptions> = {}): string {
  const { source, program } = parsed(text);
  return fix(source, program, { builtin: lintedBuiltin, only: [rule], ...more }).text;
}

describe("the table", () => {
  test("names and codes are unique, and every code of the family has its rule", () => {
    expect(new Set(rules.map((rule) => rule.name)).size).toBe(rules.length);
    const codes = rules.map((rule) => rule.code).sort();
    expect(codes).toEqual(
      Object.keys(catalogue)
        .filter((code) => code.startsWith("HARN-LNT-"))
        .sort(),
    );
  });

  test("a label names the rule", () => {
    for (const rule of rules) {
      const label = catalogue[rule.code].label as unknown as () => string;
      expect(label()).toBe(`lint[${rule.name}]`);
    }
  });
});

describe("repairs", () => {
  test.each([
    [
      "blank-line-between-items",
      "let a = 1 // x\nfn f() {}\n// y\nfn g() {}\n",
      "let a = 1 // x\n\nfn f() {}\n\n// y\nfn g() {}\n",
    ],
    [
      "comparison-to-bool",
      "log((a == 1) == true)\nlog(false == (a < 2 || b))\nlog(!a != true)\n",
      "log((a == 1))\nlog(!(a < 2 || b))\nlog(!(!a))\n",
    ],
    ["eager-collection-conversion", "let a: list = iter([1])\n", "let a: list = iter([1]).to_list()\n"],
    ["empty-block", "let a = 1\nif a == 1 {}\nfor x in [1] {}\nlog(a)\n", "let a = 1\nlog(a)\n"],
    [
      "import-order",
      'import "b"\nimport "a"\nimport "std/text"\n',
      'import "std/text"\nimport "a"\nimport "b"\n',
    ],
    [
      "invalid-binary-op-literal",
      'log("a" + true)\nlog(nil + "a")\n',
      'log("a" + "${true}")\nlog("${nil}" + "a")\n',
    ],
    [
      "legacy-doc-comment",
      "/// a\n/// b\nfn f() {}\n\nimpl S {\n  /// c\n  fn g() {}\n}\n",
      "/**\n * a\n * b\n */\nfn f() {}\n\nimpl S {\n  /** c */\n  fn g() {}\n}\n",
    ],
    [
      "let-then-return",
      "fn f() {\n  let x: int = (1 + 2) * 3\n  return x\n}\n",
      "fn f() {\n  return (1 + 2) * 3\n}\n",
    ],
    [
      "mutable-never-reassigned",
      "var a = 1\nvar [b, c] = [1, 2]\nvar d = 1\nd = 2\n",
      "let a = 1\nlet [b, c] = [1, 2]\nvar d = 1\nd = 2\n",
    ],
    ["pointless-comparison", 'log("a" == "a")\nlog(1 < 1)\n', "log(true)\nlog(false)\n"],
    ["redundant-clone", "let a = [1]\nlog(clone(a))\nclone(a)\nlog(a)\n", "let a = [1]\nlog(a)\nlog(a)\n"],
    [
      "redundant-nil-ternary",
      "log(a == nil ? b + 1 : a)\nlog(a.b != nil ? a.b : f(1))\n",
      "log(a ?? (b + 1))\nlog(a.b ?? f(1))\n",
    ],
    [
      "trailing-comma",
      "f(\n  1,\n  (2)\n)\nlet a = {\n  b: 1 // c\n}\n",
      "f(\n  1,\n  (2),\n)\nlet a = {\n  b: 1, // c\n}\n",
    ],
    [
      "unnecessary-cast",
      'log(to_string("a" + "b").len())\nlog(to_int(3))\n',
      'log(("a" + "b").len())\nlog(3)\n',
    ],
    [
      "unnecessary-else-return",
      "fn f(x) {\n  if x {\n    return 1\n  } else {\n    let y = 2\n    return y // c\n  }\n}\n",
      "fn f(x) {\n  if x {\n    return 1\n  }\n  let y = 2\n    return y // c\n}\n",
    ],
    [
      "unused-import",
      'import { a, b, c } from "std/x"\nimport { d } from "std/y"\n\nlog(b)\n',
      'import { b } from "std/x"\n\nlog(b)\n',
    ],
    ["require-file-header", "log(1)\n", "/** my-file */\n\nlog(1)\n"],
    [
      "require-file-header",
      "#!/usr/bin/env harn\n/** f */\nfn f() {}\n",
      "#!/usr/bin/env harn\n/** my-file */\n\n/** f */\nfn f() {}\n",
    ],
  ])("%s", (rule, text, wanted) => {
    expect(fixed(text, rule)).toBe(wanted);
    expect(fixed(wanted, rule)).toBe(wanted);
  });
});

describe("no repair where the meaning could change", () => {
  test.each([
    [
      "a value that may be something else than a bool",
      "comparison-to-bool",
      "fn f(x) {\n  return x == true\n}\n",
    ],
    ["a comment inside", "comparison-to-bool", "log((a == 1) == /* why */ true)\n"],
    ["a condition with effects", "empty-block", "if f() {}\nlog(1)\n"],
    ["the value of a closure", "empty-block", "let f = { x ->\n  if x {}\n}\n"],
    ["a loop over something that is used up", "empty-block", "for x in stream {}\nlog(1)\n"],
    ["NaN", "pointless-comparison", "fn f(x) {\n  return x == x\n}\n"],
    ["a handle", "redundant-clone", "fn f(x) {\n  return g(clone(x))\n}\n"],
    [
      "names that meet",
      "unnecessary-else-return",
      "fn f(x) {\n  let y = 1\n  if x {\n    return y\n  } else {\n    let y = 2\n    return y\n  }\n}\n",
    ],
    [
      "a defer that would come earlier",
      "unnecessary-else-return",
      "fn f(x) {\n  if x {\n    return 1\n  } else {\n    defer { log(1) }\n    return 2\n  }\n}\n",
    ],
    ["a second declaration", "mutable-never-reassigned", "let a = 1\nvar a = 2\nlog(a)\n"],
    [
      "pipelines that share a scope",
      "mutable-never-reassigned",
      "pipeline a(t) {\n  var x = 1\n  log(x)\n}\n\npipeline b(t) extends a {\n  log(1)\n}\n",
    ],
    ["a name that is there twice", "unused-import", 'import { a } from "std/x"\n\nfn a() {}\n'],
    [
      "a function that hides the builtin",
      "unnecessary-cast",
      'fn to_string(x) {\n  return 1\n}\n\nlog(to_string("a"))\n',
    ],
    ["comments between imports", "import-order", 'import "b"\n// why\nimport "a"\n'],
  ])("%s", (_, rule, text) => {
    expect(fixed(text, rule)).toBe(text);
  });

  test("two modules that do something keep their order, and one stays although nobody uses it", () => {
    const inert = (): boolean => false;
    const text = 'import { x } from "b"\nimport { y } from "a"\n\nlog(y)\n';
    expect(fixed(text, "import-order", { inert })).toBe(text);
    expect(fixed(text, "unused-import", { inert })).toBe(text);
  });
});

test("undefined functions come from the resolver", () => {
  const { source, program } = parsed("nope(1)\n");
  const options = { builtin: lintedBuiltin, undefinedCalls: [{ start: 0, end: 4 }] };
  expect(lint(source, program, options).map((one) => one.diagnostic.message)).toEqual([
    "function `nope` is not defined",
  ]);
});

test("disabled rules are silent, others can be made errors", () => {
  const { source, program } = parsed("var a = 1\nlog(a)\n");
  expect(lint(source, program, { builtin: lintedBuiltin, disabled: ["mutable-never-reassigned"] })).toEqual(
    [],
  );
  const severity = new Map([["mutable-never-reassigned", "error" as const]]);
  expect(lint(source, program, { builtin: lintedBuiltin, severity })[0]!.diagnostic.severity).toBe("error");
});

test.each([
  ["operators", `let x = ${"a && ".repeat(10_000)}b\nlog(x)\n`],
  ["members", `log(a${".b".repeat(10_000)})\n`],
  ["else if", `if a {\n  b()\n}${" else if b {\n  c()\n}".repeat(10_000)}\n`],
])("long chains of %s", (_, text) => {
  const { source, program } = parsed(text);
  expect(Array.isArray(lint(source, program, { builtin: lintedBuiltin }))).toBe(true);
});
