/**
 * Prints the closing line of CI, `N passed, N failed`, from vitest's JSON reports of `npm test` and `npm run test:long`. What both have
 * run is one case. Fails when anything failed, a report is missing or nothing ran.
 */
import { existsSync, readFileSync } from "node:fs";

export interface TestRunReport {
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** How many cases passed and failed; a report that is not there is a failure. */
export function countedResults(reports: readonly (TestRunReport | undefined)[]): {
  readonly passed: number;
  readonly failed: number;
} {
  const states = new Map<string, string>();
  const note = (name: string, status: string): void => {
    if (states.get(name) !== "failed") states.set(name, status);
  };
  for (const [at, report] of reports.entries()) {
    if (report === undefined) note(`no report ${at}`, "failed");
    else if (noteCases(report, note) === 0 && !report.success) note(`report ${at}`, "failed");
  }
  const count = (wanted: string): number => [...states.values()].filter((state) => state === wanted).length;
  return { passed: count("passed"), failed: count("failed") };
}

/** Gives how many failed. */
function noteCases({ testResults }: TestRunReport, note: (name: string, status: string) => void): number {
  let failed = 0;
  for (const { name, status, assertionResults } of testResults) {
    const named = new Map<string, number>();
    for (const one of assertionResults) {
      // Several may have one name, in order; of those that were left out nothing is noted.
      const before = named.get(one.fullName) ?? 0;
      named.set(one.fullName, before + 1);
      if (one.status === "failed") failed++;
      if (one.status === "passed" || one.status === "failed")
        note(`${name}\n${one.fullName}\n${before}`, one.status);
    }
    // A file that could not even be loaded has no tests of its own: it counts as one, so that it cannot be missed.
    if (status !== "failed" || assertionResults.some((one) => one.status === "failed")) continue;
    failed++;
    note(name, "failed");
  }
  return failed;
}

if (import.meta.main) {
  const reports = process.argv.slice(2).map((file) => {
    if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as TestRunReport;
    console.log(`the runner left no ${file}: it ended before the tests did`);
    return undefined;
  });
  const { passed, failed } = countedResults(reports);
  console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0 || passed === 0) process.exitCode = 1;
}
