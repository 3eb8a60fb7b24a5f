/** The wrong programs of syntax.harn give the announced diagnostics on the announced lines. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "../../src/syntax/index.ts";
import { chunksOf, foundIn } from "../support/diagnostic-chunks.ts";

const chunks = chunksOf(readFileSync(join(import.meta.dirname, "syntax.harn"), "utf8"));

test.each(chunks.map((chunk) => [chunk.name, chunk] as const))("%s", (_, chunk) => {
  expect(foundIn(chunk, parse(chunk.source).diagnostics)).toEqual(chunk.expected);
});
