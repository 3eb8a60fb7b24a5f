/** Results for programs: one JSON object per test as a line, then one with the totals. */
import type { FileReport, TestResult } from "./contract.ts";
import type { CoverageTotals } from "./report-coverage.ts";
import { totalsOf } from "./report-text.ts";

export function testJson(result: TestResult, shown: (path: string) => string): string {
  return JSON.stringify({
    type: "test",
    file: shown(result.file),
    name: result.name,
    kind: result.kind,
    line: result.line,
    status: result.status,
    duration_ms: roundedMs(result.durationMs),
    message: result.message ?? null,
    detail: result.detail ?? null,
    stdout: result.stdout,
    stderr: result.stderr,
    seed: result.seed,
  });
}

export function testSummaryJson(
  reports: readonly FileReport[],
  wallMs: number,
  seed: string,
  coverage: CoverageTotals | undefined,
): string {
  const { passed, failed, timedOut, crashed } = totalsOf(reports);
  return JSON.stringify({
    type: "summary",
    passed,
    failed,
    timed_out: timedOut,
    crashed,
    duration_ms: roundedMs(wallMs),
    seed,
    coverage: coverage === undefined ? null : { lines: coverage.found, hit: coverage.hit },
  });
}

const roundedMs = (ms: number): number => Math.round(ms * 1000) / 1000;
