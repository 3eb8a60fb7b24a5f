/** What holds for each module of the standard library: exported functions are explained. (`builtins/golden-coverage.test.ts`: golden programs use them.) */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

/** Files only: `.harn` is also the name of the folders in which programs keep their state. */
const programs = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".harn"))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));

const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** The names after `pub fn` at a line's start, and whether a doc comment ends right above. */
function exportedFunctions(text: string): { name: string; explained: boolean }[] {
  const lines = text.split("\n");
  return lines.flatMap((line, at) => {
    const name = /^pub (?:gen )?fn (\w+)/.exec(line)?.[1];
    return name === undefined ? [] : [{ name, explained: lines[at - 1]?.endsWith("*/") === true }];
  });
}

describe("the standard library", () => {
  const modules = programs("stdlib");

  test("is read at all", () => {
    expect(modules.length).toBeGreaterThan(30);
    expect(modules.flatMap((path) => exportedFunctions(read(path))).length).toBeGreaterThan(300);
  });

  test.each(modules)("%s: each exported function has a doc comment", (path) => {
    const functions = exportedFunctions(read(path));
    expect(functions.filter(({ explained }) => !explained).map(({ name }) => name)).toEqual([]);
  });
});
