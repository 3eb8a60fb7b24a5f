/**
 * The type checker over generated programs: one that is built from well-typed parts has no finding, and whatever is done
 * to a text, the checker neither throws nor hangs.
 */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { builtinTable } from "../../src/builtins/index.ts";
import type { Diagnostic } from "../../src/diagnostics/index.ts";
import { compileProgram } from "../../src/lower/index.ts";
import { SourceFile } from "../../src/source/index.ts";
import { parse } from "../../src/syntax/index.ts";
import { checkProgram } from "../../src/types/index.ts";
import { programsBelow } from "../support/programs.ts";

const builtins = builtinTable();

function check(text: string, strict = false): readonly Diagnostic[] {
  const { resolved } = compileProgram(new SourceFile("p.harn", text), { builtins, parse });
  return resolved === undefined ? [] : checkProgram(resolved, { builtins, strict });
}

// ---------------------------------------------------------------- well-typed programs

type Ty =
  | "int"
  | "float"
  | "string"
  | "bool"
  | "list<int>"
  | "{a: int, b: string}"
  | "int | nil"
  | "fn(int) -> int";
const all: readonly Ty[] = [
  "int",
  "float",
  "string",
  "bool",
  "list<int>",
  "{a: int, b: string}",
  "int | nil",
  "fn(int) -> int",
];

/** Variables in scope by type: `v_<index>` of each. */
const variable = (type: Ty): string => `v${all.indexOf(type)}`;

/** Expressions of each type, over variables of every type. */
const expressions = fc.letrec<Record<Ty, string>>((tie) => {
  const of = (type: Ty) => tie(type);
  const op = (ops: readonly string[], left: Ty, right: Ty) =>
    fc.tuple(of(left), fc.constantFrom(...ops), of(right)).map(([a, o, b]) => `(${a} ${o} ${b})`);
  const ternary = (type: Ty) =>
    fc.tuple(of("bool"), of(type), of(type)).map(([c, a, b]) => `(${c} ? ${a} : ${b})`);
  const iff = (type: Ty) =>
    fc.tuple(of("bool"), of(type), of(type)).map(([c, a, b]) => `(if ${c} { ${a} } else { ${b} })`);
  const call = (type: Ty) => of(type).map((arg) => `id${all.indexOf(type)}(${arg})`);
  const generic = (type: Ty) => of(type).map((arg) => `same(${arg}, ${arg})`);
  const leaf = (type: Ty, ...values: string[]) => fc.constantFrom(variable(type), ...values);
  const some = (type: Ty, ...more: fc.Arbitrary<string>[]) =>
    fc.oneof(
      { maxDepth: 4, depthIdentifier: "e" },
      ...more.slice(0, 1),
      ternary(type),
      iff(type),
      call(type),
      generic(type),
      ...more.slice(1),
    );
  return {
    int: some(
      "int",
      leaf("int", "1", "-7"),
      op(["+", "-", "*"], "int", "int"),
      of("list<int>").map((xs) => `${xs}[0]`),
      of("{a: int, b: string}").map((d) => `${d}.a`),
      fc.tuple(of("int | nil"), of("int")).map(([a, b]) => `(${a} ?? ${b})`),
      of("list<int>").map((xs) => `first(${xs})`),
      of("int").map((n) => `v7(${n})`),
      of("int | nil").map((n) => `unwrapped(${n})`),
    ),
    float: some(
      "float",
      leaf("float", "1.5"),
      op(["+", "/"], "int", "float"),
      of("int").map((n) => `id1(${n})`),
    ),
    string: some(
      "string",
      leaf("string", '"x"'),
      op(["+"], "string", "string"),
      of("string").map((s) => `${s}.trim()`),
      of("int").map((n) => `"n = \${${n}}"`),
      of("{a: int, b: string}").map((d) => `${d}.b`),
    ),
    bool: some(
      "bool",
      leaf("bool", "true"),
      op(["<", ">="], "int", "float"),
      op(["&&", "||"], "bool", "bool"),
      op(["=="], "string", "string"),
      fc.constant("(v6 != nil && id0(v6) > 1)"),
    ),
    "list<int>": some(
      "list<int>",
      leaf("list<int>"),
      of("int").map((n) => `[${n}, 1]`),
      op(["+"], "list<int>", "list<int>"),
      of("list<int>").map((xs) => `${xs}.filter({ x -> x })`),
    ),
    "{a: int, b: string}": some(
      "{a: int, b: string}",
      leaf("{a: int, b: string}"),
      fc.tuple(of("int"), of("string")).map(([a, b]) => `{a: ${a}, b: ${b}, more: true}`),
    ),
    "int | nil": fc.oneof(
      { maxDepth: 4, depthIdentifier: "e" },
      leaf("int | nil", "nil"),
      of("int"),
      call("int | nil"),
    ),
    "fn(int) -> int": fc.oneof(
      { maxDepth: 4, depthIdentifier: "e" },
      leaf("fn(int) -> int"),
      of("int").map((n) => `fn(q: int) { ${n} }`),
    ),
  };
});

const typed = fc.constantFrom(...all).chain((type) => expressions[type].map((text) => ({ type, text })));

/** Statements over the variables; each is right by itself. */
const statement = fc.oneof(
  typed.map(({ type, text }) => `let x: ${type} = ${text}`),
  typed.map(({ type, text }) => `w${all.indexOf(type)} = ${text}`),
  typed.map(({ type, text }) => `id${all.indexOf(type)}(${text})`),
  fc
    .tuple(expressions.bool, typed)
    .map(([c, { type, text }]) => `if ${c} { w${all.indexOf(type)} = ${text} }`),
  fc.tuple(expressions["list<int>"], expressions.int).map(([xs, n]) => `for i in ${xs} { id0(i + ${n}) }`),
  expressions.int.map((n) => `if v6 != nil { id0(v6 + ${n}) }`),
  expressions.bool.map((b) => `while ${b} { w0 = w0 + 1; break }`),
  expressions.int.map((n) => `match ${n} { 1 -> { id0(1) }\n _ -> { id1(2) } }`),
  expressions.string.map((s) => `try { throw ${s} } catch (e) { log(e) }`),
);

const prelude = `${all.map((type, i) => `fn id${i}(x: ${type}) -> ${type} { return x }`).join("\n")}
fn same<T>(a: T, b: T) -> T { return a }
fn first<T>(xs: list<T>) -> T { return xs[0] }
fn unwrapped(x: int | nil) -> int {
  guard x != nil else { return 0 }
  return x
}
`;

const program = fc.array(statement, { minLength: 1, maxLength: 12 }).map((statements) => {
  const params = all.map((type, i) => `v${i}: ${type}`).join(", ");
  const vars = all.map((type, i) => `  var w${i}: ${type} = v${i}`).join("\n");
  // Each in a block of its own: names may repeat.
  const body = statements.map((text) => `  if true {\n    ${text}\n  }`).join("\n");
  return `${prelude}fn run(${params}) -> int {\n${vars}\n${body}\n  return w0\n}`;
});

for (const strict of [false, true]) {
  test(`a well-typed program has no finding${strict ? ", also under strict types" : ""}`, () => {
    fc.assert(
      fc.property(program, (text) => {
        expect(check(text, strict).map((one) => `${one.message}: ${one.source.slice(one.span)}`)).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });
}

test("one wrong argument in a well-typed program is found", () => {
  fc.assert(
    fc.property(program, expressions["list<int>"], (text, xs) => {
      const wrong = text.replace("  return w0\n}", `  id2(${xs})\n  return w0\n}`);
      expect(check(wrong).some((one) => one.message.startsWith("Argument 1 ('x'): expected string"))).toBe(
        true,
      );
    }),
    { numRuns: 100 },
  );
});

// ---------------------------------------------------------------- damaged programs

function sources(): string[] {
  return ["examples", "test/golden", "test/diagnostics"]
    .flatMap(programsBelow)
    .flatMap((path) => readFileSync(path, "utf8").split(/^---\n/m));
}

const corpus = sources();
/** Words and signs: a change of one of them is more often still a program than a change of a letter. */
const words = [...new Set(corpus.join("\n").match(/[A-Za-z_]\w*|\d+|"[^"\n]*"|[^\s\w]/g))];

test("damaged programs never crash the checker", () => {
  const damage = fc.record({
    text: fc.constantFrom(...corpus),
    at: fc.array(
      fc.tuple(fc.nat(), fc.constantFrom("replace", "drop", "insert", "swap"), fc.constantFrom(...words)),
      {
        minLength: 1,
        maxLength: 3,
      },
    ),
    strict: fc.boolean(),
  });
  let judged = 0;
  fc.assert(
    fc.property(damage, ({ text, at, strict }) => {
      const parts = text.match(/[A-Za-z_]\w*|\d+|"[^"\n]*"|\s+|[^\s\w]/g) ?? [];
      for (const [where, how, word] of at) {
        const i = where % Math.max(1, parts.length);
        if (how === "replace") parts[i] = word;
        else if (how === "drop") parts.splice(i, 1);
        else if (how === "insert") parts.splice(i, 0, word, " ");
        else [parts[i], parts[where % 7]] = [parts[where % 7] ?? "", parts[i] ?? ""];
      }
      const found = check(parts.join(""), strict);
      judged += found.length;
      for (const one of found) {
        expect(one.span.start).toBeLessThanOrEqual(one.span.end);
        expect(one.message).not.toMatch(/undefined|\[object|NaN/);
      }
    }),
    { numRuns: 3000 },
  );
  // The damage must leave programs to judge, or this test says nothing.
  expect(judged).toBeGreaterThan(50);
});
