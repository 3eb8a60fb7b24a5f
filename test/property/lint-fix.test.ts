/**
 * Repairs and formatting do not change what a program does: every golden program, repaired and formatted, has the tree that it
 * had, or is run both ways and prints the same. A repaired file has nothing left to repair.
 */
// long: repairs and runs every golden program

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NodeModuleLoader } from "../../src/program/node-module-loader.ts";
import { SourceFile } from "../../src/source/index.ts";
import { parse } from "../../src/syntax/index.ts";
import { format } from "../../src/tools/format/format.ts";
import { sameTree } from "../../src/tools/format/same-tree.ts";
import { fix, type LintOptions, lint } from "../../src/tools/lint/lint.ts";
import { lintedBuiltin } from "../support/lint-options.ts";
import { runScript } from "../support/run-script.ts";
import { isSmoke } from "../support/smoke.ts";

const root = join(import.meta.dirname, "..");
const programs = globSync("golden/**/*.harn", { cwd: root }).map((path) => ({
  path,
  text: readFileSync(join(root, path), "utf8"),
}));

const options: LintOptions = {
  builtin: lintedBuiltin,
  enabled: ["require-file-header"],
};

function findingsOf(text: string) {
  const source = new SourceFile("main.harn", text);
  return lint(source, parse(source).program, options);
}

function repaired(text: string): { text: string; count: number } {
  const source = new SourceFile("main.harn", text);
  return fix(source, parse(source).program, options);
}

/** What a program prints and fails with; lines and offsets in texts move when lines move. */
async function behaviour(text: string, path: string): Promise<string> {
  const compile = { loader: new NodeModuleLoader(), path: join(root, path) };
  const { stdout, stderr, error } = await runScript(text, { compile });
  return `${stdout}\n--\n${stderr}\n--\n${error}`.replace(
    /\(line \d+\)|\bline \d+|:\d+(:\d+)?\b|\bat \d+:\d+/g,
    "@",
  );
}

const right = programs.filter(
  ({ text }) => parse(new SourceFile("main.harn", text)).diagnostics.length === 0,
);

test("every program is linted without a crash", () => {
  expect(right.length).toBeGreaterThan(300);
  for (const { text } of right) expect(Array.isArray(findingsOf(text))).toBe(true);
});

test("a repaired file parses and has nothing left to repair", () => {
  for (const { path, text } of right) {
    const fixed = repaired(text);
    expect(parse(new SourceFile("main.harn", fixed.text)).diagnostics, path).toEqual([]);
    const left = findingsOf(fixed.text).filter((one) => one.fix !== undefined);
    expect(
      left.map((one) => one.rule),
      `${path}\n${fixed.text}`,
    ).toEqual([]);
    expect(repaired(fixed.text).count, path).toBe(0);
  }
});

test("programs with lines missing are linted and repaired all the same", () => {
  let count = 0;
  const property = fc.property(
    fc.constantFrom(...right),
    fc.array(fc.nat(60), { minLength: 1, maxLength: 5 }),
    ({ text }, gone) => {
      const made = text
        .split("\n")
        .filter((_, index) => !gone.includes(index))
        .join("\n");
      if (parse(new SourceFile("main.harn", made)).diagnostics.length > 0) return;
      count++;
      const fixed = repaired(made).text;
      expect(parse(new SourceFile("main.harn", fixed)).diagnostics, made).toEqual([]);
      expect(repaired(fixed).count, fixed).toBe(0);
    },
  );
  fc.assert(property, { numRuns: 1000 });
  expect(count).toBeGreaterThan(100);
});

/** A test for each folder of goldens: a busy machine has its time for each. */
const folders = Map.groupBy(right, ({ path }) => path.split("/")[1] as string);

describe("repairing and formatting keep what programs do", () => {
  let same = 0;
  let compared = 0;
  test.each([...folders.keys()])("%s", async (folder) => {
    for (const { path, text } of folders.get(folder) ?? []) {
      const fixed = repaired(text).text;
      const formatted = format(new SourceFile("main.harn", fixed));
      if (!formatted.ok) throw new Error(path);
      // Nothing to repair, imports in order: only positions differ, and what it does needs no run.
      const treeOf = (code: string) => parse(new SourceFile("main.harn", code)).program;
      if (sameTree(treeOf(text), treeOf(formatted.text))) {
        same++;
        continue;
      }
      const before = await behaviour(text, path);
      // Of two imports that fail, the first one is told.
      if (/^Runtime error: (Unknown stdlib|Import)/m.test(before)) continue;
      compared++;
      const after = await behaviour(formatted.text, path);
      // Time and chance are nobody's fault.
      if (after !== before && (await behaviour(text, path)) === before)
        expect(after, `${path}\n${formatted.text}`).toBe(before);
    }
  });
  test.skipIf(isSmoke)("all of them, or nearly", () => {
    expect(same + compared).toBeGreaterThan(1500);
    expect(compared).toBeGreaterThan(40);
  });
});
