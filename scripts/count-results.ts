/**
 * Prints what failed and why, and then the closing line of CI, `N passed, N failed`, from vitest's JSON reports of `npm test` and
 * `npm run test:long`. What both have run is one case. Fails when anything failed, a report is missing or nothing ran.
 */
import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";

export interface TestRunReport {
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[] | null;
    }[];
  }[];
}

/** Takes a case, and why it failed, if it did. */
type NoteCase = (name: string, failure?: string) => void;

/** How many cases passed, and what each failed one says, by its file and name; a report that is not there is a failure. */
export function countedResults(reports: readonly (TestRunReport | undefined)[]): {
  readonly passed: number;
  readonly failed: ReadonlyMap<string, string>;
} {
  const passed = new Set<string>();
  const failed = new Map<string, string>();
  const note: NoteCase = (name, failure) => {
    if (failure === undefined) passed.add(name);
    else failed.set(name, failure);
  };
  for (const [at, report] of reports.entries()) {
    if (report === undefined) note(`report ${at}`, "is not there: the runner ended before the tests did");
    else if (noteCases(report, note) === 0 && !report.success)
      note(`report ${at}`, "failed, and names no test");
  }
  return { passed: [...passed].filter((name) => !failed.has(name)).length, failed };
}

/** Gives how many failed. */
function noteCases({ testResults }: TestRunReport, note: NoteCase): number {
  let failed = 0;
  for (const { name, status, message, assertionResults } of testResults) {
    const file = relative(".", name);
    const named = new Map<string, number>();
    for (const one of assertionResults) {
      // Several may have one name, in order; of those that were left out nothing is noted.
      const before = named.get(one.fullName) ?? 0;
      named.set(one.fullName, before + 1);
      const label = `${file} > ${one.fullName}${before === 0 ? "" : ` (${before + 1})`}`;
      if (one.status === "passed") note(label);
      if (one.status !== "failed") continue;
      failed++;
      note(label, (one.failureMessages ?? []).join("\n"));
    }
    // A file that could not even be loaded has no tests of its own: it counts as one, so that it cannot be missed.
    if (status !== "failed" || assertionResults.some((one) => one.status === "failed")) continue;
    failed++;
    note(file, message ?? "");
  }
  return failed;
}

if (import.meta.main) {
  const reports = process.argv
    .slice(2)
    .map((file) =>
      existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as TestRunReport) : undefined,
    );
  const { passed, failed } = countedResults(reports);
  // Whoever sees the end of a log alone sees why.
  for (const [name, failure] of failed) console.log(`FAILED ${name}\n${failure.slice(0, 3000)}\n`);
  console.log(`${passed} passed, ${failed.size} failed`);
  if (failed.size > 0 || passed === 0) process.exitCode = 1;
}
