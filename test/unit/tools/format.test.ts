/** Canonical formatting, rule by rule (language.md §26). */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SourceFile } from "../../../src/source/index.ts";
import { format } from "../../../src/tools/format/format.ts";

function formatted(text: string, options = {}): string {
  const done = format(new SourceFile("a.harn", text), options);
  if (!done.ok) throw new Error(done.diagnostics[0]!.message);
  return done.text;
}

const long = "a".repeat(60);

const cases: readonly (readonly [what: string, text: string, wanted: string])[] = [
  [
    "two blanks for each level, one statement a line",
    "fn f() {\n\tlet a = 1; return a\n}",
    "fn f() {\n  let a = 1\n  return a\n}\n",
  ],
  [
    "one blank line round declarations",
    "let a = 1\nfn f() {}\n\n\n\nfn g() {}\nf()",
    "let a = 1\n\nfn f() {}\n\nfn g() {}\n\nf()\n",
  ],
  [
    "other statements at the top stay together, with one blank line where there were some",
    'import "a"\nlet a = 1\nlet b = 2 // two\n// three\nlet c = 3\n\n\n\n// four\nlet d = 4\n\nprintln(d)',
    'import "a"\n\nlet a = 1\nlet b = 2 // two\n// three\nlet c = 3\n\n// four\nlet d = 4\n\nprintln(d)\n',
  ],
  ["no blank lines inside bodies", "fn f() {\n\n  a()\n\n\n  b()\n\n}", "fn f() {\n  a()\n  b()\n}\n"],
  ["an end of file", "let a = 1", "let a = 1\n"],
  ["an empty file", "", ""],
  ["a file of comments", "// a\n\n\n// b", "// a\n\n// b\n"],
  ["the interpreter line", "#!/usr/bin/env harn\nlet a = 1", "#!/usr/bin/env harn\nlet a = 1\n"],
  [
    "imports sorted, names too",
    'import { b, a } from "z"\nimport "y"\nimport { q } from "std/x"\nimport "z"\nlog(1)',
    'import { q } from "std/x"\nimport "y"\nimport "z"\nimport { a, b } from "z"\n\nlog(1)\n',
  ],
  [
    "imports take their comments with them",
    '// head\n\nimport "b" // bee\n// about a\nimport "a"',
    '// head\n\n// about a\nimport "a"\nimport "b" // bee\n',
  ],
  [
    "strings are escaped again",
    'let a = "\\q\\n\\t\\"\\$x\\\\${ b }"',
    'let a = "\\\\q\\n\\t\\"$x\\\\${b}"\n',
  ],
  [
    "strings of several lines stay as they are",
    'let a = """\n   x  \n\t${ b }\n"""',
    'let a = """\n   x  \n\t${ b }\n"""\n',
  ],
  ["raw strings", 'let a = r#"x"y"#', 'let a = r#"x"y"#\n'],
  ["durations in the largest exact unit up to hours", "f(1000ms, 90s, 120m, 2d)", "f(1s, 90s, 2h, 48h)\n"],
  ["floats with a point", "f(1.50, 100000000000000000000000.0)", "f(1.5, 100000000000000000000000.0)\n"],
  [
    "needed parentheses stay, others go",
    "let a = ((b + c)) * (d * e) + (f)",
    "let a = (b + c) * (d * e) + f\n",
  ],
  ["&& inside || gets parentheses", "let a = b && c || d", "let a = (b && c) || d\n"],
  ["a binary expression keeps its line breaks", "let a = b +\n  c\n  + d", "let a = b\n  + c\n  + d\n"],
  [
    "a backslash before -, in, not in, to",
    "let a = b \\\n  - c\nlet d = e \\\n in f\nlet g = 1 \\\n to 2",
    "let a = b \\\n  - c\nlet d = e \\\n  in f\nlet g = 1 \\\n  to 2\n",
  ],
  [
    "a binary expression breaks when it is too long",
    `let x = ${long} + ${long}`,
    `let x = ${long}\n  + ${long}\n`,
  ],
  ["calls break one item a line", `f(${long}, ${long})`, `f(\n  ${long},\n  ${long},\n)\n`],
  [
    "the width of a call is counted from its callee",
    `let ${long} = f(${long}, 1)`,
    `let ${long} = f(${long}, 1)\n`,
  ],
  [
    "lists and dicts without inner blanks",
    'let a = [ 1,2 , ]\nlet b = { a : 1, "b c": 2, [d]: 3, }',
    'let a = [1, 2]\nlet b = {a: 1, "b c": 2, [d]: 3}\n',
  ],
  ["struct literals", "let p = Point { x:1 }", "let p = Point {x: 1}\n"],
  [
    "closures on one line",
    "let f = { x ->\n  x + 1\n}\nlet g = fn( x ) { x }",
    "let f = { x -> x + 1 }\nlet g = fn(x) { x }\n",
  ],
  ["closures with more as blocks", "let f = { x -> let y = x; y }", "let f = { x ->\n  let y = x\n  y\n}\n"],
  [
    "a method call that ends on a later line",
    "xs.filter(f)\n  .map({ x -> let y = x; y })",
    "xs.filter(f)\n  .map({ x ->\n    let y = x\n    y\n  })\n",
  ],
  [
    "if, else if, else",
    "if a { b() }\nelse if c { d() }\nelse { e() }",
    "if a {\n  b()\n} else if c {\n  d()\n} else {\n  e()\n}\n",
  ],
  [
    "try, catch, finally",
    "try { a() }\ncatch e { b() }\nfinally { c() }",
    "try {\n  a()\n} catch (e) {\n  b()\n} finally {\n  c()\n}\n",
  ],
  [
    "match arms",
    'match x { 1 | 2 if a -> { "b" } _ -> { c(); d() } }',
    'match x {\n  1 | 2 if a -> { "b" }\n  _ -> {\n    c()\n    d()\n  }\n}\n',
  ],
  [
    "patterns",
    "let { a , b : c = 1, ...d } = x\nlet [ e, ...f ] = y",
    "let {a, b: c = 1, ...d} = x\nlet [e, ...f] = y\n",
  ],
  [
    "enums and structs one member a line",
    "enum E { A, B(x: int) }\nstruct S { a: int, b?: string }",
    "enum E {\n  A\n  B(x: int)\n}\n\nstruct S {\n  a: int\n  b?: string\n}\n",
  ],
  [
    "tools",
    'tool t(a:int) -> string { description "d"; a }',
    'tool t(a: int) -> string {\n  description "d"\n  a\n}\n',
  ],
  [
    "attributes one a line",
    '@test @deprecated(since: "1")\npipeline p(task) {}',
    '@test\n@deprecated(since: "1")\npipeline p(task) {}\n',
  ],
  [
    "types",
    "fn f(a: [int], b: int|nil, c: {a:int,b?:T}, d: fn(int)->bool) {}",
    "fn f(a: list<int>, b: int | nil, c: {a: int, b?: T}, d: fn(int) -> bool) {}\n",
  ],
  ["not in", "let a = b  not   in c", "let a = b not in c\n"],
  [
    "documentation lines become a block",
    "/// one\n/// two\nfn f() {}\n/// short\nfn g() {}",
    "/**\n * one\n * two\n */\nfn f() {}\n\n/** short */\nfn g() {}\n",
  ],
  [
    "a second documentation comment, behind the attributes",
    "/** A. */\n@test/** d */\nfn f() {}",
    "/** d */\n\n/** A. */\n@test\nfn f() {}\n",
  ],
  [
    "a documentation comment in front of a closure's parameters documents nothing in its body",
    "let f = { /** doubles */ x ->\nfn g() {}\ng()\n}",
    "let f = { x ->\n  /** doubles */\n\n  fn g() {}\n  g()\n}\n",
  ],
  ["documentation that could not stand in a block stays", "/// a */ b\nfn f() {}", "/// a */ b\nfn f() {}\n"],
  ["bars", "let a = 1\n// ------\nlet b = 2", `let a = 1\n\n// ${"-".repeat(77)}\nlet b = 2\n`],
  [
    "headers",
    "let a = 1\n// ---- Title ----\nlet b = 2",
    `let a = 1\n\n// ${"-".repeat(77)}\n// Title\n// ${"-".repeat(77)}\n\nlet b = 2\n`,
  ],
  [
    "headers of three lines",
    "// ----\n// Title\n// ----\nlet b = 2",
    `// ${"-".repeat(77)}\n// Title\n// ${"-".repeat(77)}\n\nlet b = 2\n`,
  ],
  ["Windows line ends", "let a = 1 // x\r\nlet b = 2\r\n", "let a = 1 // x\nlet b = 2\n"],
];

describe("rules", () => {
  test.each(cases)("%s", (_, text, wanted) => {
    expect(formatted(text)).toBe(wanted);
    expect(formatted(wanted)).toBe(wanted);
  });
});

describe("comments", () => {
  test.each([
    [
      "at ends of lines",
      "let a = 1 // one\nfoo( // two\n  1, // three\n  2 // four\n)",
      "let a = 1 // one\nfoo(\n  // two\n  1, // three\n  2, // four\n)\n",
    ],
    [
      "before closers",
      "fn f() {\n  a()\n  // end\n}\nlet x = [\n  1,\n  // end\n]",
      "fn f() {\n  a()\n  // end\n}\n\nlet x = [\n  1,\n  // end\n]\n",
    ],
    [
      "in empty blocks and lists",
      "fn f() { // why\n}\nlet a = [ /* none */ ]",
      "fn f() {\n  // why\n}\n\nlet a = [/* none */]\n",
    ],
    ["inside expressions", "let a = b && // first\n  c\n", "let a = b // first\n  && c\n"],
    ["in method chains", "xs\n  // why\n  .map(f)", "xs\n  // why\n  .map(f)\n"],
    [
      "behind the branch before else",
      "if a {\n  b()\n} // no b\nelse {\n  c()\n}",
      "if a {\n  b()\n} else {\n  // no b\n  c()\n}\n",
    ],
    ["in holes of strings", 'let a = "${ /* c */ b }"', 'let a = "${ /* c */ b }"\n'],
    [
      "in arms and members",
      "match x {\n  // a\n  1 -> { 2 } // b\n}\nenum E {\n  // c\n  A // d\n}",
      "match x {\n  // a\n  1 -> { 2 } // b\n}\n\nenum E {\n  // c\n  A // d\n}\n",
    ],
    ["nested block comments", "/* a /* b */ c */\nlet x = 1", "/* a /* b */ c */\nlet x = 1\n"],
    ["at odd places go above the statement", "let /* a */ x = // b\n  1", "/* a */\n// b\nlet x = 1\n"],
  ])("%s", (_, text, wanted) => {
    expect(formatted(text)).toBe(wanted);
    expect(formatted(wanted)).toBe(wanted);
  });
});

test("widths come from the options", () => {
  expect(formatted("f(aaaa, bbbb)", { lineWidth: 10 })).toBe("f(\n  aaaa,\n  bbbb,\n)\n");
  expect(formatted("let a = 1\n// ----\nlet b = 1", { separatorWidth: 20 })).toContain(
    `// ${"-".repeat(17)}\n`,
  );
});

test("a file with syntax errors is not formatted", () => {
  const done = format(new SourceFile("a.harn", "let = 1"));
  expect(done.ok).toBe(false);
});

test.each([
  ["operators", `let x = ${"a + ".repeat(10_000)}b`],
  ["members", `let x = a${".b".repeat(10_000)}`],
  ["else if", `if a {} ${"else if b { c() } ".repeat(5_000)}`],
  ["brackets", `let x = ${"[".repeat(250)}${"]".repeat(250)}`],
  ["closures", `let x = ${"f({ y -> ".repeat(120)}y${" })".repeat(120)}`],
])("long and deep %s", (_, text) => {
  const once = formatted(text);
  expect(formatted(once)).toBe(once);
});

const golden = join(import.meta.dirname, "../../golden-fmt");

describe("whole files", () => {
  const names = readdirSync(golden).filter((name) => name.endsWith(".in.harn"));
  test("there are some", () => expect(names.length).toBeGreaterThan(1));
  test.each(names)("%s", (name) => {
    const text = readFileSync(join(golden, name), "utf8");
    const wanted = readFileSync(join(golden, name.replace(".in.harn", ".out.harn")), "utf8");
    expect(formatted(text)).toBe(wanted);
    expect(formatted(wanted)).toBe(wanted);
  });
});

/** The programs that people read first are written as the formatter writes. */
describe("the standard library, the examples and the templates are canonical", () => {
  const root = join(import.meta.dirname, "../../..");
  for (const folder of ["stdlib", "examples", "templates"]) {
    const files = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".harn"),
    );
    test.each(files)(`${folder}/%s`, (name) => {
      const text = readFileSync(join(root, folder, name), "utf8");
      expect(formatted(text)).toBe(text);
    });
  }
});
