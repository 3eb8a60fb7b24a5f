/** parse ∘ print gives the tree back, and printing is idempotent. */
// long: prints every program of the repository

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { SourceFile } from "../../src/source/index.ts";
import { parse, parseExpression } from "../../src/syntax/index.ts";
import { printExpression, printProgram } from "../../src/syntax/printer/print.ts";
import { expr } from "../support/expression-trees.ts";
import { walked } from "../support/smoke.ts";
import { parseOk, withoutSpans } from "../support/syntax-text.ts";

const root = join(import.meta.dirname, "../..");
/** `[T]` is printed as `list<T>`. */
function canonical(tree: unknown): unknown {
  if (Array.isArray(tree)) return tree.map(canonical);
  if (typeof tree !== "object" || tree === null) return tree;
  const fields = Object.fromEntries(Object.entries(tree).map(([key, value]) => [key, canonical(value)]));
  if (fields.kind !== "ListType") return fields;
  return { kind: "NamedType", name: { text: "list" }, args: [fields.element] };
}

test("any expression, at any width", () => {
  const property = fc.property(expr, fc.constantFrom(1, 20, 100), (wanted, width) => {
    const text = printExpression(wanted, { width });
    const again = parseExpression(new SourceFile("printed", text));
    expect(
      again.diagnostics.map((one) => one.message),
      text,
    ).toEqual([]);
    expect(withoutSpans(again.expr), text).toEqual(withoutSpans(wanted));
    expect(printExpression(again.expr!, { width })).toBe(text);
  });
  fc.assert(property, { numRuns: 1000 });
});

test("every program of the repository", () => {
  const files = globSync(["examples/**/*.harn", "stdlib/**/*.harn", "test/**/*.harn"], { cwd: root });
  expect(files.length).toBeGreaterThan(20);
  for (const path of walked(files, "printed")) {
    const source = readFileSync(join(root, path), "utf8");
    const { program, diagnostics } = parse(new SourceFile(path, source));
    if (diagnostics.length > 0) continue;
    for (const width of [30, 100]) {
      const text = printProgram(program, { width, source });
      expect(withoutSpans(parseOk(text)), path).toEqual(canonical(withoutSpans(program)));
      expect(printProgram(parseOk(text), { width, source: text }), path).toBe(text);
    }
  }
});
