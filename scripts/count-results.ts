/** Prints the closing line of CI, `N passed, N failed`, from vitest's JSON report; fails when anything failed or nothing ran. */
import { readFileSync } from "node:fs";

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numFailedTestSuites: number;
  readonly success: boolean;
}

const report = JSON.parse(readFileSync(process.argv[2] ?? ".ci/results.json", "utf8")) as Report;
// A file that could not even be loaded has no tests of its own: count it, so that it cannot be missed.
const failed = Math.max(report.numFailedTests, report.success ? 0 : 1);
console.log(`${report.numPassedTests} passed, ${failed} failed`);
if (failed > 0 || report.numPassedTests === 0) process.exitCode = 1;
