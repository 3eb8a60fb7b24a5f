/** `harn doc match`: every word of the language is told of, and what is told is true. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { words } from "../../../src/syntax/index.ts";
import { languageWord, languageWords } from "../../../src/tools/doc/language-words.ts";
import { headingsOf } from "../../support/citations.ts";
import { projectRoot } from "../../support/project.ts";
import { runGolden } from "../../support/run-golden.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("words");
const headings = headingsOf(readFileSync(join(projectRoot, "docs/reference/language.md"), "utf8"));

describe("words of the language", () => {
  it("are all there, once, and are words", () => {
    expect([...words.keys()].filter((word) => languageWord(word) === undefined)).toEqual([]);
    const report = languageWords.flatMap((entry) => entry.words);
    expect(report.filter((word, at) => report.indexOf(word) !== at)).toEqual([]);
    expect(report.filter((word) => !words.has(word))).toEqual([]);
  });

  for (const {
    words: [name],
    section,
    example,
    prints,
  } of languageWords)
    it(`${name}: the example prints what it says, the section is there`, async () => {
      expect(headings).toContain(section);
      const file = join(folder, `${name}.harn`);
      writeFileSync(file, `${example}\n`);
      const { stdout, error } = await runGolden(file);
      expect({ stdout, error }).toEqual({ stdout: `${prints}\n`, error: "" });
    });
});
