/** Counters of many runs, added up by file and statement. Tests themselves are not what is covered. */
import type { CoveredFile } from "../../lower/index.ts";
import type { FileCoverage } from "./contract.ts";
import { testPipelines } from "./find-tests.ts";

export class CoverageSum {
  private readonly files = new Map<string, Map<number, { readonly line: number; hits: number }>>();

  /** Adds one program's counters. `program`: an expectation program, which is a test as a whole. */
  add(files: readonly CoveredFile[], program?: string): void {
    for (const file of files) {
      if (file.path === program) continue;
      const tests = testPipelines(file.ast);
      const sum = this.of(file.path);
      for (const { start, hits } of file.statements.values()) {
        if (tests.some((test) => test.start <= start && start < test.end)) continue;
        const known = sum.get(start);
        if (known !== undefined) known.hits += hits;
        else sum.set(start, { line: file.source.line(start), hits });
      }
    }
  }

  /** Adds what another process counted. */
  addReport(report: readonly FileCoverage[]): void {
    for (const { path, statements } of report) {
      const sum = this.of(path);
      for (const [start, line, hits] of statements) {
        const known = sum.get(start);
        if (known !== undefined) known.hits += hits;
        else sum.set(start, { line, hits });
      }
    }
  }

  /** Files by path; those without any statement are left out. */
  report(): FileCoverage[] {
    return [...this.files]
      .filter(([, statements]) => statements.size > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, statements]) => ({
        path,
        statements: [...statements]
          .sort(([a], [b]) => a - b)
          .map(([start, { line, hits }]) => [start, line, hits] as const),
      }));
  }

  private of(path: string): Map<number, { readonly line: number; hits: number }> {
    let found = this.files.get(path);
    if (found === undefined) {
      found = new Map();
      this.files.set(path, found);
    }
    return found;
  }
}
