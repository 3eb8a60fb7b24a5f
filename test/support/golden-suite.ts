/** Tests of golden programs: one for each program of an area. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { copyOf, type GoldenCopy } from "./golden-copy.ts";
import { type GoldenCase, goldenCases, goldenRoot } from "./goldens.ts";
import { accepting, acceptOutcome, errorFits, runGolden, withoutTimes } from "./run-golden.ts";

/**
 * Areas whose programs start programs: MCP servers, commands, `git`. They are in the part of the suite that starts
 * processes; a few programs of other areas start one command.
 */
export const areasWithPrograms: ReadonlySet<string> = new Set([
  "mcp",
  "modules",
  "processes",
  "workers",
  "workflow",
]);

/** Areas whose programs play runs of hundreds of turns, over and over: in the long part of the suite. */
export const areasOfLongRuns: ReadonlySet<string> = new Set([
  "compaction",
  "control",
  "research",
  "session_runs",
]);

export function testGoldens(areas: readonly string[]): void {
  let copy: GoldenCopy;
  beforeAll(() => {
    copy = copyOf(goldenRoot);
  });
  afterAll(() => copy.remove());
  for (const area of areas) {
    describe(area, () => {
      for (const golden of goldenCases(join(goldenRoot, area))) {
        it(golden.name, () => check(golden, copy));
      }
    });
  }
}

async function check(golden: GoldenCase, copy: GoldenCopy): Promise<void> {
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
