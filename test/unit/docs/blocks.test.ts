/** Programs of the documentation: each parses or says that it should not, and prints what the page says. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../src/source/index.ts";
import { parse } from "../../../src/syntax/index.ts";
import { type DocBlock, docBlocks, docPages } from "../../support/doc-pages.ts";
import { docPrograms } from "../../support/doc-programs.ts";
import { runGolden } from "../../support/run-golden.ts";
import { tempFolder } from "../../support/temp-folder.ts";

/** What a fence may be marked with; a block of a program is one of the first two. */
const knownInfo = new Set([
  "harn",
  "harn error",
  "harn signature",
  "output",
  "text",
  "sh",
  "toml",
  "json",
  "ts",
  "ebnf",
  "directive",
]);

const folder = tempFolder("docs");

const blocks = docPages().flatMap(docBlocks);
const programs = blocks.filter(({ info }) => info === "harn");
const failing = blocks.filter(({ info }) => info === "harn error");
/** Those that need the package are run with it: `test/unit/cli/package-docs.test.ts`. */
const withPackage = new Set(docPrograms(blocks).map(({ place }) => place));
const isRun = ({ output, place }: DocBlock): boolean => output !== undefined && !withPackage.has(place);

const firstError = (text: string): string | undefined =>
  parse(new SourceFile("page.harn", text)).diagnostics[0]?.message;

function fileOf(block: DocBlock): string {
  const file = join(folder, `${block.place.replace(/\W+/g, "-")}.harn`);
  writeFileSync(file, block.text);
  return file;
}

describe("blocks of the documentation", () => {
  it("are there", () => expect(programs.filter(isRun).length).toBeGreaterThan(8));

  it("each say what they are", () => {
    const unknown = blocks.filter(({ info }) => !knownInfo.has(info));
    expect(unknown.map(({ place, info }) => `${place}: ${info || "no word after the fence"}`)).toEqual([]);
  });

  it("of programs parse", () => {
    const wrong = programs
      .map((block) => ({ place: block.place, error: firstError(block.text) }))
      .filter(({ error }) => error !== undefined);
    expect(wrong).toEqual([]);
  });

  for (const block of programs.filter(isRun)) {
    it(`${block.place} prints what the page says`, async () => {
      const { stdout, error } = await runGolden(fileOf(block), { temp: folder });
      expect(error).toBe("");
      expect(stdout.trimEnd()).toBe(block.output!.trimEnd());
    });
  }

  for (const block of failing) {
    it(`${block.place} fails as the page says`, async () => {
      const { error } = await runGolden(fileOf(block), { temp: folder });
      expect(error).not.toBe("");
      if (block.output !== undefined) expect(error).toContain(block.output.trimEnd());
    });
  }
});
