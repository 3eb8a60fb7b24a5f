/** The golden programs of concurrency, run in memory. */
import { describe, expect, test } from "vitest";
import { goldens } from "../../support/goldens.ts";
import { runScript } from "../../support/run-script.ts";

describe("golden programs: concurrency", () => {
  for (const golden of goldens("concurrency")) {
    test(golden.name, async () => {
      const run = await runScript(golden.text);
      if (golden.error !== undefined) expect(run.error).toContain(golden.error.trimEnd());
      else {
        expect(run.error).toBe("");
        expect(run.stdout).toBe(golden.expected);
      }
    });
  }
});
