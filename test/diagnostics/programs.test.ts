/**
 * The programs of programs.harn give the announced findings: those of the check, and, where the check lets a program begin, the
 * error that ends it.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { builtinTable } from "../../src/builtins/index.ts";
import type { Diagnostic } from "../../src/diagnostics/index.ts";
import { showError } from "../../src/run/setup/show-error.ts";
import { typeChecker } from "../../src/types/index.ts";
import { uncaughtText } from "../../src/values/index.ts";
import { chunksOf, foundIn } from "../support/diagnostic-chunks.ts";
import { runScript } from "../support/run-script.ts";

const chunks = chunksOf(readFileSync(join(import.meta.dirname, "programs.harn"), "utf8"));

test.each(chunks.map((chunk) => [chunk.name, chunk] as const))("%s", async (_, chunk) => {
  const builtins = builtinTable();
  const { compiled, outcome } = await runScript(chunk.source.text, {
    files: { "helper.harn": "pub fn greet() { return 1 }\n" },
    compile: { check: typeChecker({ builtins, fields: true }) },
    runtime: { limits: { steps: 10_000 } },
  });
  const found: Diagnostic[] = [...compiled.diagnostics, ...compiled.preflight];
  const error = outcome?.error?.error;
  if (error !== undefined)
    found.push({
      code: /\((HARN-[A-Z]{3}-\d{3})\)/.exec(showError(error, false))?.[1] ?? "",
      severity: "error",
      message: uncaughtText(error),
      source: chunk.source,
      span: error.span ?? { start: 0, end: 0 },
    } as Diagnostic);
  expect(foundIn(chunk, found)).toEqual(chunk.expected);
});
