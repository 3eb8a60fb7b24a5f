/** Every golden program below this folder, one test each. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { copyOf } from "../support/golden-copy.ts";
import { type GoldenCase, goldenAreas, goldenCases, goldenRoot } from "../support/goldens.ts";
import { accepting, acceptOutcome, errorFits, runGolden, withoutTimes } from "../support/run-golden.ts";

const copy = copyOf(goldenRoot);
afterAll(copy.remove);

for (const area of goldenAreas()) {
  describe(area, () => {
    for (const golden of goldenCases(join(goldenRoot, area))) {
      it(golden.name, () => check(golden));
    }
  });
}

async function check(golden: GoldenCase): Promise<void> {
  const outcome = await runGolden(copy.pathOf(golden.program), { temp: copy.temp });
  if (accepting) acceptOutcome(golden, outcome);
  else if (golden.kind === "none") expect.fail("neither .expected nor .error stands beside the program");
  else if (golden.kind === "error") {
    const fits = errorFits(golden.expectation, outcome.error);
    expect(fits, `the error was: ${outcome.error || "none"}\nexpected one of: ${golden.expectation}`).toBe(
      true,
    );
  } else {
    expect(outcome.error).toBe("");
    expect(withoutTimes(outcome.stdout).trimEnd()).toBe(golden.expectation.trimEnd());
  }
}

describe("golden programs", () => {
  const all = goldenAreas().flatMap((area) => goldenCases(join(goldenRoot, area)));

  it("each names the section that it checks in its first line", () => {
    const silent = all.filter(
      (golden) =>
        !/^\/\/.*(§|builtins|agents|language|issue|decisions|reference)/.test(firstLine(golden.program)),
    );
    expect(silent.map((golden) => golden.program)).toEqual([]);
  });
});

function firstLine(file: string): string {
  const text = readFileSync(file, "utf8").replace(/^\uFEFF/, "");
  return text.slice(0, text.indexOf("\n"));
}
