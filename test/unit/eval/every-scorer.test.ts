/** A scorer that is added has a function of the library, a row in docs/evals.md and a golden program (docs/checklists.md). */
import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { scorerKinds } from "../../../src/eval/index.ts";

const all = (pattern: string): string =>
  globSync(pattern)
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");
const library = all("stdlib/eval.harn") + all("stdlib/eval/**/*.harn");
const page = readFileSync("docs/evals.md", "utf8");
const goldens = all("test/golden/**/*.harn");

describe.each(Object.keys(scorerKinds))("the scorer %s", (name) => {
  it("has a function of the library", () => {
    expect(
      new RegExp(`^pub fn ${name}\\(`, "m").test(library),
      `write \`pub fn ${name}(…)\` in stdlib/eval.harn`,
    ).toBe(true);
  });
  it("has a row in the table of scorers", () => {
    expect(
      page.includes(`\`${name}(`),
      `write its row in docs/evals.md, after “| scorer | passes when |”`,
    ).toBe(true);
  });
  it("is used by a golden program", () => {
    expect(new RegExp(`\\b${name}\\(`).test(goldens), `use it in a program of test/golden/evals/`).toBe(true);
  });
});
