/** The programs of lint.harn give the announced findings on the announced lines; every rule has one. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SourceFile } from "../../src/source/index.ts";
import { parse } from "../../src/syntax/index.ts";
import { lint, rules } from "../../src/tools/lint/lint.ts";
import { lintCompiled } from "../../src/tools/local/lint-file.ts";
import { chunksOf, foundIn } from "../support/diagnostic-chunks.ts";
import { lintedBuiltin } from "../support/lint-options.ts";
import { compileScript } from "../support/run-script.ts";

const text = readFileSync(join(import.meta.dirname, "lint.harn"), "utf8");
const chunks = chunksOf(text);

test.each(chunks.map((chunk) => [chunk.name, chunk] as const))("%s", (_, chunk) => {
  const { program, diagnostics } = parse(chunk.source);
  expect(diagnostics).toEqual([]);
  const found = lint(chunk.source, program, { builtin: lintedBuiltin, enabled: [] });
  expect(
    foundIn(
      chunk,
      found.map((one) => one.diagnostic),
    ),
  ).toEqual(chunk.expected);
});

test("a call of what does not exist is what the resolver found", async () => {
  const source = new SourceFile("main.harn", "fn greet() { return 1 }\ngret()\n");
  const found = await lintCompiled({ source, path: undefined }, compileScript(source.text));
  expect(found.map(({ diagnostic: { code, message } }) => `${code} ${message}`)).toContain(
    "HARN-LNT-028 function `gret` is not defined",
  );
});

test("every rule has a program", () => {
  // These two want more than a text: test/unit/tools/lint.test.ts.
  const elsewhere = ["undefined-function", "require-file-header"];
  const missing = rules.filter(
    (rule) => !text.includes(rule.code.slice("HARN-".length)) && !elsewhere.includes(rule.name),
  );
  expect(missing.map((rule) => rule.name)).toEqual([]);
});
