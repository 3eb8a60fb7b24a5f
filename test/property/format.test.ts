/**
 * Formatting: the same tree, all comments, and a second time nothing changes. The programs are those of the repository
 * with comments, blanks and line ends strewn between their tokens.
 */
// long: formats every program of the repository

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { SourceFile } from "../../src/source/index.ts";
import { parse, printExpression, tokenize } from "../../src/syntax/index.ts";
import { format, tokenWords } from "../../src/tools/format/format.ts";
import { withSortedImports } from "../../src/tools/format/imports.ts";
import { sameTree } from "../../src/tools/format/same-tree.ts";
import { expr } from "../support/expression-trees.ts";
import { walked } from "../support/smoke.ts";

const root = join(import.meta.dirname, "../..");
const folders = ["examples/**/*.harn", "stdlib/**/*.harn", "test/**/*.harn"];
const texts = globSync(folders, { cwd: root })
  .map((path) => readFileSync(join(root, path), "utf8"))
  .filter((text) => isRight(text));

function isRight(text: string): boolean {
  return parse(new SourceFile("a.harn", text)).diagnostics.length === 0;
}

/** A fault names the text that it happened to. */
function tried<T>(run: () => T, text: string): T {
  try {
    return run();
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${text}`);
  }
}

/** Formats twice and compares. */
function checked(text: string, lineWidth: number): string {
  const source = new SourceFile("a.harn", text);
  const once = tried(() => format(source, { lineWidth }), text);
  if (!once.ok) throw new Error(`not formatted: ${once.diagnostics[0]!.message}\n${text}`);
  const printed = new SourceFile("a.harn", once.text);
  const before = withSortedImports(parse(source).program);
  expect(sameTree(before, parse(printed).program), once.text).toBe(true);
  expect(tokenWords(printed, tokenize(printed)), once.text).toBe(tokenWords(source, tokenize(source)));
  const twice = format(printed, { lineWidth });
  expect(twice.ok && twice.text, `${text}\n=======\n${once.text}`).toBe(once.text);
  return once.text;
}

test("every program of the repository, at two widths", () => {
  expect(texts.length).toBeGreaterThan(300);
  for (const text of walked(texts, "formatted")) for (const width of [40, 100]) checked(text, width);
});

test("generated programs", () => {
  const statement = expr.map((tree) => `let x = ${printExpression(tree, { width: 60 })}`);
  const property = fc.property(
    fc.array(statement, { maxLength: 3 }),
    fc.constantFrom(1, 30, 100),
    (list, width) => {
      checked(list.join("\n"), width);
    },
  );
  fc.assert(property, { numRuns: 1000 });
});

const filler = fc.constantFrom(
  "/* b */",
  "/* two\n lines */",
  "/** d */",
  "\n",
  "\n\n",
  " ",
  "// l\n",
  "/// doc\n",
  "\n// own\n",
  ";",
);

/** The text with something put between tokens; what is no longer a program is left out by the property. */
function strewn(text: string, inserts: readonly (readonly [number, string])[]): string {
  const tokens = tokenize(new SourceFile("a.harn", text)).tokens;
  const places = inserts.map(([at, what]) => [tokens[at % tokens.length]!.startOffset, what] as const);
  let made = text;
  for (const [offset, what] of [...places].sort((a, b) => b[0] - a[0]))
    made = made.slice(0, offset) + what + made.slice(offset);
  return made;
}

test("with comments and line ends anywhere", () => {
  let count = 0;
  const property = fc.property(
    fc.constantFrom(...texts),
    fc.array(fc.tuple(fc.nat(5000), filler), { minLength: 1, maxLength: 6 }),
    fc.constantFrom(30, 100),
    (text, inserts, width) => {
      const made = strewn(text, inserts);
      if (!isRight(made)) return;
      count++;
      checked(made, width);
    },
  );
  fc.assert(property, { numRuns: 1500 });
  expect(count).toBeGreaterThan(500);
});
