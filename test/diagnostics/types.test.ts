/** The wrong programs of types*.harn give the announced findings of the type checker on the announced lines. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { builtinTable } from "../../src/builtins/index.ts";
import { compileProgram } from "../../src/lower/index.ts";
import { parse } from "../../src/syntax/index.ts";
import { checkProgram } from "../../src/types/index.ts";
import { chunksOf, foundIn } from "../support/diagnostic-chunks.ts";

for (const [file, strict] of [
  ["types.harn", false],
  ["types-right.harn", false],
  ["types-strict.harn", true],
] as const) {
  const chunks = chunksOf(readFileSync(join(import.meta.dirname, file), "utf8"));
  describe(file, () => {
    test.each(chunks.map((chunk) => [chunk.name, chunk] as const))("%s", (_, chunk) => {
      const builtins = builtinTable();
      const { resolved, diagnostics } = compileProgram(chunk.source, { builtins, parse });
      expect(resolved, diagnostics[0]?.message).toBeDefined();
      const found = checkProgram(resolved!, { builtins, strict });
      expect(foundIn(chunk, found)).toEqual(chunk.expected);
      expect(found.filter((one) => one.help === undefined || one.label === undefined)).toEqual([]);
    });
  });
}
