/** Prints the closing line of CI, `N passed, N failed`, from vitest's JSON report; fails when anything failed or nothing ran. */
import { readFileSync } from "node:fs";

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly success: boolean;
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

const report = JSON.parse(readFileSync(process.argv[2] ?? ".ci/results.json", "utf8")) as Report;
// A file that could not even be loaded has no tests of its own: it counts as one, so that it cannot be missed.
const unloaded = report.testResults.filter(
  ({ status, assertionResults }) =>
    status === "failed" && !assertionResults.some((test) => test.status === "failed"),
);
const failed = Math.max(report.numFailedTests + unloaded.length, report.success ? 0 : 1);
console.log(`${report.numPassedTests} passed, ${failed} failed`);
if (failed > 0 || report.numPassedTests === 0) process.exitCode = 1;
