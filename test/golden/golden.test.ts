/** Every golden program of the areas that need nothing but this process and little time, one test each. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { areasOfLongRuns, areasWithPrograms, testGoldens } from "../support/golden-suite.ts";
import { goldenAreas, goldenCases, goldenRoot } from "../support/goldens.ts";

testGoldens(goldenAreas().filter((area) => !areasWithPrograms.has(area) && !areasOfLongRuns.has(area)));

describe("golden programs", () => {
  const all = goldenAreas().flatMap((area) => goldenCases(join(goldenRoot, area)));

  it("each names the section that it checks in its first line", () => {
    const silent = all.filter(
      (golden) => !/^\/\/.*(§|issue \d|docs\/[a-z-]+\.md)/.test(firstLine(golden.program)),
    );
    expect(silent.map((golden) => golden.program)).toEqual([]);
  });

  it("those that start programs or take long are in areas of their own", () => {
    expect(goldenAreas()).toEqual(expect.arrayContaining([...areasWithPrograms, ...areasOfLongRuns]));
    expect([...areasOfLongRuns].filter((area) => areasWithPrograms.has(area))).toEqual([]);
  });
});

/** Imports stand before it where the formatter has put them there. */
function firstLine(file: string): string {
  const text = readFileSync(file, "utf8").replace(/^\uFEFF/, "");
  return text.split("\n").find((line) => !line.startsWith("import ")) ?? "";
}
