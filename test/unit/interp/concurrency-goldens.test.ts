/** The golden programs of concurrency, run in memory. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { goldenCases, goldenRoot } from "../../support/goldens.ts";
import { errorFits } from "../../support/run-golden.ts";
import { runScript } from "../../support/run-script.ts";

describe("golden programs: concurrency", () => {
  for (const golden of goldenCases(join(goldenRoot, "concurrency"))) {
    test(golden.name, async () => {
      const run = await runScript(readFileSync(golden.program, "utf8"));
      if (golden.kind === "error") expect(errorFits(golden.expectation, run.error), run.error).toBe(true);
      else expect(run).toMatchObject({ error: "", stdout: golden.expectation });
    });
  }
});
