/** What is inferred for expressions (§17.1), asked by giving each to a variable of a type that nothing fits. */
import { describe, expect, it } from "vitest";
import { builtinTable } from "../../../src/builtins/index.ts";
import type { Diagnostic } from "../../../src/diagnostics/index.ts";
import { compileProgram } from "../../../src/lower/index.ts";
import { noModules } from "../../../src/resolve/index.ts";
import { SourceFile } from "../../../src/source/index.ts";
import { parse } from "../../../src/syntax/index.ts";
import { checkProgram } from "../../../src/types/index.ts";

function check(
  text: string,
  files: Readonly<Record<string, string>> = {},
  strict = false,
): readonly Diagnostic[] {
  const builtins = builtinTable();
  const { resolved, diagnostics } = compileProgram(new SourceFile("main.harn", text), {
    builtins,
    parse,
    path: "main.harn",
    loader: {
      ...noModules,
      resolve: (name) => (Object.hasOwn(files, name) ? { path: name } : { missing: name }),
      read: (path) => new SourceFile(path, files[path]!),
    },
  });
  if (resolved === undefined) throw new Error(diagnostics[0]?.message);
  return checkProgram(resolved, { builtins, strict });
}

const messages = (text: string, files?: Readonly<Record<string, string>>, strict?: boolean): string[] =>
  check(text, files, strict).map((one) => one.message);

/** The type that an expression is shown with; "_" when nothing is known. */
function inferred(expr: string, before = ""): string {
  const text = `struct Nothing { x: int }\n${before}\nfn f(free, n: int, s: string, xs: list<int>, d: dict<string, int>, u: {a: int, b?: string}, z: int | nil) {\n  let probe: Nothing = ${expr}\n}`;
  const found = check(text).find((one) => one.code === "HARN-TYP-007");
  return found === undefined ? "_" : found.message.replace(/^.*but assigned /s, "");
}

describe("inference", () => {
  it.each([
    ["1", "int"],
    ["1.5", "float"],
    ['"a"', "string"],
    ['"${free}"', "string"],
    ["true", "bool"],
    ["nil", "nil"],
    ["5s", "_"],
    ["[]", "list"],
    ["[1, 2]", "list<int>"],
    ['[1, "a", 2]', "list<int | string>"],
    ["[1, free]", "list"],
    ["[...xs, 1]", "list"],
    ["{}", "dict"],
    ['{a: 1, b: "x"}', "{a: int, b: string}"],
    ["{a: free}", "{a: nil}"],
    ["{[s]: 1}", "dict"],
    ["{...u, c: 1}", "dict"],
    ["1 to 3", "range"],
    ["n + 1", "int"],
    ["n + 1.5", "float"],
    ["s + s", "string"],
    ["xs + xs", "list<int>"],
    ['xs + ["a"]', "list"],
    ["u + {c: 1}", "dict"],
    ["free + 1", "_"],
    ["n < 1", "bool"],
    ["free && free", "bool"],
    ["!free", "bool"],
    ["-n", "int"],
    ["free ? 1 : 2", "int"],
    ['free ? 1 : "a"', "int | string"],
    ["free ? 1 : free", "_"],
    ["if free { 1 } else { 2.5 }", "int | float"],
    ["if free { 1 }", "_"],
    ["z ?? 1", "int"],
    ["free ?? 1", "int"],
    ["free ?? nil", "_"],
    ["nil ?? s", "string"],
    ["u.a", "int"],
    ["u.b", "string"],
    ["u.zz", "_"],
    ["xs[0]", "int"],
    ["d[s]", "int"],
    ['u["a"]', "int"],
    ["xs[1:]", "list<int>"],
    ["s.trim()", "string"],
    ["s.split()", "list"],
    ["s.contains(s)", "bool"],
    ["xs.count()", "int"],
    ["xs.map({ x -> x })", "list"],
    ["xs.filter({ x -> x })", "list<int>"],
    ["d.keys()", "list"],
    ["d.merge(d)", "dict<string, int>"],
    ["u.merge(d)", "dict"],
    ["iter(xs).take(2)", "iter<int>"],
    ["xs.iter().to_list()", "list<int>"],
    ["free.trim()", "_"],
    ["s.nope()", "_"],
    ["Ok(1)", "Result<int, _>"],
    ["Err(s)", "Result<_, string>"],
    ["Ok(1)?", "int"],
    ["try { 1 }", "Result<int, _>"],
    ["try { Ok(s) }", "Result<string, _>"],
    ["try { 1 } catch (e) { 2 }", "_"],
    ["parallel 2 { i -> i }", "_"],
    ["spawn { 1 }", "task_handle"],
    ["match n { _ -> { 1 } }", "_"],
    ["n |> to_string", "_"],
    ["len(xs)", "_"],
    ["to_string(n)", "string"],
    ["pi", "float"],
    ["fn(a: int) { a }", "fn(int) -> int"],
    ["fn(a) { 1 }", "closure"],
    ["{ -> s }", "fn() -> string"],
    ["fn(a: int) { return 1 }", "closure"],
    ["{ a -> a }", "closure"],
  ])("%s: %s", (expr, type) => expect(inferred(expr)).toBe(type));

  it.each([
    ["g(1)", "fn g(a) -> string { return a }", "string"],
    ["g(1)", "fn g(a) { return 1 }", "_"],
    ["g", "fn g(a: int, b) -> string { return b }", "fn(int, _) -> string"],
    ["g", "fn g(a) { log(a) }", "fn(_) -> nil"],
    ["g", "fn g(a) { return a }", "fn(_) -> _"],
    ["g(1)", "fn g<T>(a: T) -> list<T> { return [a] }", "list<int>"],
    ["g<string>(free)", "fn g<T>(a: T) -> list<T> { return [a] }", "list<string>"],
    ["P {x: 1}", "struct P { x: int }", "P"],
    ["P({x: 1})", "struct P { x: int }", "P"],
    ["B {x: 1}", "struct B<T> { x: T }", "B<int>"],
    ["P {x: 1}.get()", "struct P { x: int }\nimpl P { fn get(self) -> int { return self.x } }", "int"],
    ["P {x: 1}.x", "struct P { x: int }", "_"],
    ["E.A", "enum E { A, B(n: int) }", "E"],
    ["E.B(1)", "enum E { A, B(n: int) }", "E"],
    ["E.A.variant", "enum E { A }", "_"],
  ])("%s after %s: %s", (expr, before, type) => expect(inferred(expr, before)).toBe(type));
});

describe("several files (§20.3)", () => {
  const shapes = `struct Point { x: int }
enum Kind { Big, Small }
interface Sized {
  fn size(self) -> int
}
impl Point { fn size(self) -> int { return self.x } }
type Pair = {first: int}
pub fn make() -> Point { return Point {x: 1} }
pub fn kind() -> Kind { return Kind.Big }`;

  it("types of imported modules are known", () => {
    const text = `import "shapes"
fn f(p: Point, q: Pair, s: Sized) { return p }
f(make(), {first: 1}, make())
f({x: 1}, {first: "a"}, 5)
fn g(k: Kind) { match k { "x" -> { log(1) } } }`;
    expect(messages(text, { shapes })).toEqual([
      "Argument 1 ('p'): expected Point, got {x: int}",
      "Argument 2 ('q'): expected Pair, got {first: string}",
      "Argument 3 ('s'): expected Sized, got int",
      'Non-exhaustive match on enum Kind: missing variants "Big", "Small"',
      "Match pattern type mismatch: matching Kind against string literal",
    ]);
  });

  it("through imports of imports, and round in circles", () => {
    const files = {
      a: 'import "b"\npub fn fa() { return 1 }',
      b: 'import "a"\nstruct Deep { x: int }\npub fn fb() { return 1 }',
    };
    expect(messages('import "a"\nfn f(d: Deep) { return d }\nf(5)', files)).toEqual([
      "Argument 1 ('d'): expected Deep, got int",
    ]);
  });

  it("two types of one name are not judged", () => {
    const files = {
      a: "struct S { x: int }\npub fn fa() { return 1 }",
      b: "struct S { y: int }\npub fn fb() { return 1 }",
    };
    expect(messages('import "a"\nimport "b"\nfn f(s: S) { return s }\nf(5)', files)).toEqual([]);
  });

  it("what a missing module might declare is not judged", () => {
    const text =
      'import "gone"\nstruct S { x: int }\nfn f<T>(s: T) where T: Elsewhere { return s }\nf(S {x: 1})';
    expect(messages(text)).toEqual([]);
  });

  it("imported functions are judged under strict types", () => {
    const files = { m: "pub fn f(n: int) { return n }" };
    expect(messages('import "m"\nf("a")', files)).toEqual([]);
    expect(messages('import "m"\nf("a")', files, true)).toEqual([
      "Argument 1 ('n'): expected int, got string",
    ]);
  });
});

describe("limits", () => {
  const deep = (open: string, close: string, depth: number): string =>
    `${open.repeat(depth)}1${close.repeat(depth)}`;

  it.each([
    ["a chain of additions", `let x = ${"1 + ".repeat(20_000)}1`],
    ["a chain of conditions", `let x = ${"true && ".repeat(20_000)}true`],
    ["a chain of members", `let d = {}\nlet x = d${".a".repeat(20_000)}`],
    ["a chain of pipes", `let x = 1${" |> to_string".repeat(5_000)}`],
    ["a long list", `let x: list<int> = [${"1, ".repeat(20_000)}1]`],
    [
      "a long list of shapes",
      `let x = [${Array.from({ length: 2000 }, (_, i) => `{k${i}: ${i}}`).join(", ")}]`,
    ],
    ["nested lists", `let x: list<string> = ${deep("[", "]", 200)}`],
    ["nested calls", `let x = ${deep("to_string(", ")", 200)}`],
    ["nested closures", `let x = ${deep("{ -> ", " }", 200)}`],
    [
      "else if",
      `fn f(a) {\n${Array.from({ length: 2000 }, (_, i) => `if a == ${i} { return ${i} }`).join(" else ")}\n}`,
    ],
    [
      "a ternary in a ternary",
      `let a = 1\nlet x = ${Array.from({ length: 500 }, (_, i) => `a == ${i} ? ${i} : `).join("")}0`,
    ],
    ["signs", `let x = ${"!".repeat(500)}true`],
    ["a wide union", `let x: ${Array.from({ length: 300 }, (_, i) => `"v${i}"`).join(" | ")} = "a"`],
    ["a deep type", `let x: ${"list<".repeat(200)}int${">".repeat(200)} = []`],
    [
      "values that double",
      `fn f() {\n  let v0 = 1\n${Array.from({ length: 60 }, (_, i) => `  let v${i + 1} = {a: v${i}, b: v${i}}`).join("\n")}\n  let x: int = v60\n  let y = [v60, {a: v59, b: v59}]\n  return v60 + v60\n}`,
    ],
    [
      "generic calls that double",
      `fn g<T>(x: T) -> {a: T, b: T} { return {a: x, b: x} }\nfn f() {\n  let v0 = g(1)\n${Array.from({ length: 40 }, (_, i) => `  let v${i + 1} = g(v${i})`).join("\n")}\n  return g<int>(v40)\n}`,
    ],
    [
      "aliases that apply themselves",
      "type B<T> = {v: T}\ntype A<T> = B<A<list<T>>>\ntype C<T> = C<C<T>>\ntype D<T> = D<list<T>> | E<T>\ntype E<T> = D<E<T>> | nil\nfn f(a: A<int>, c: C<int>, d: D<int>) { return a }\nfn g(a: A<string>, c: C<string>, d: D<string>) { return f(a, c, d) }",
    ],
    [
      "parameters that swap and grow",
      "type P<A, B> = {a: P<A | B, B>, b: P<B, A | B | nil>}\ntype U<T> = T | list<U<T | nil>> | list<U<list<T>>>\nfn f(p: P<int, string>, u: U<int>) { return p }\nfn g(p: P<string, int>, u: U<string>) { return f(p, u) }",
    ],
    [
      "interfaces that apply themselves",
      "interface I<T> {\n  fn next(self) -> I<list<T>>\n}\nstruct S { x: int }\nimpl S { fn next(self) -> S { return self } }\nfn f(i: I<int>) { return i }\nf(S {x: 1})",
    ],
    [
      "types that grow",
      "type Grow<T> = {n: Grow<list<T> | nil>, v: T}\nfn f(g: Grow<int>) { return g }\nfn h(g: Grow<string>) { return f(g) }",
    ],
    [
      "aliases that double",
      `${Array.from({ length: 30 }, (_, i) => `type T${i + 1} = {a: T${i}, b: T${i}}`).join("\n")}\ntype T0 = int\n${Array.from({ length: 30 }, (_, i) => `type S${i + 1} = {a: S${i}, b: S${i}}`).join("\n")}\ntype S0 = float\nfn f(t: T30) { return t }\nfn g(s: S30) { return f(s) }`,
    ],
  ])("%s", (_, text) => {
    // Ending, within the stack and the time that a test has, is what counts.
    expect(check(text).length).toBeLessThan(5);
  });
});
