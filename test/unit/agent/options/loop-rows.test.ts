/** The checklist of a loop option (docs/checklists.md) is true: a row, somebody who reads it, a test, a sentence. */
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { loopFields } from "../../../../src/agent/index.ts";
import { loopOptionsOf } from "../../../../src/agent/options/loop-options.ts";
import type { Field, FieldTable } from "../../../../src/table/index.ts";
import { Dict } from "../../../../src/values/index.ts";

const root = resolve(import.meta.dirname, "../../../..");
const textOf = (pattern: string, not: RegExp): string =>
  globSync(pattern, { cwd: root })
    .filter((file) => !not.test(file))
    .map((file) => readFileSync(join(root, file), "utf8"))
    .join("\n");

interface Row extends Field {
  readonly path: string;
}

function rowsIn(table: FieldTable, above = "", met = new Set<FieldTable>()): Row[] {
  if (met.has(table)) return [];
  met.add(table);
  return table.rows.flatMap((row) => {
    const path = `${above}${row.name}`;
    return [{ ...row, path }, ...(row.nested === undefined ? [] : rowsIn(row.nested, `${path}.`, met))];
  });
}

const rows = rowsIn(loopFields);
/** As a script writes it, or as the code that has its record. */
const named = (row: Row, text: string): boolean =>
  new RegExp(
    `\\b(?:${row.name}|${row.name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())})\\b`,
  ).test(text);

describe("a loop without options", () => {
  it("reads them once", () => {
    expect(loopOptionsOf(new Dict())).toBe(loopOptionsOf(new Dict()));
  });
});

describe("every option of a loop, at every depth", () => {
  const sources = textOf(
    "src/{agent,model,skills,mcp,work,interp,builtins}/**/*.ts",
    /-fields\.ts$|\/rows\//,
  );
  const tests = textOf("test/{golden,unit}/**/*.{harn,ts}", /loop-rows\.test\.ts$/);

  it("is many", () => expect(rows.length).toBeGreaterThan(150));

  it("is read by somebody: none is parsed and ignored", () => {
    // Deprecated ones only say what took their place.
    const unread = rows.filter(
      (row) => row.deprecated === undefined && !row.doc.startsWith("Another name") && !named(row, sources),
    );
    expect(unread.map(({ path }) => path)).toEqual([]);
  });

  it("is named by a golden or a unit test", () => {
    expect(rows.filter((row) => !named(row, tests)).map(({ path }) => path)).toEqual([]);
  });

  it("says what it does in a sentence", () => {
    expect(rows.filter(({ doc }) => !/^[A-Z`].*\.$/s.test(doc)).map(({ path }) => path)).toEqual([]);
  });
});
