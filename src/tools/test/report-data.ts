/** Results for programs: one JSON object per test as a line, then one with the totals; and JUnit XML, the form that build servers read. */

import { xmlAttribute, xmlText } from "../../values/index.ts";
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

export function junitXml(
  reports: readonly FileReport[],
  wallMs: number,
  shown: (path: string) => string,
): string {
  const suites = reports.filter(({ results }) => results.length > 0);
  const all = suites.flatMap(({ results }) => results);
  const body = suites.map((report) => suite(report, shown)).join("");
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="harn test" ${counts(all)} time="${inSeconds(wallMs)}">\n${body}</testsuites>\n`;
}

function suite({ file, results }: FileReport, shown: (path: string) => string): string {
  const name = xmlAttribute(shown(file));
  const took = inSeconds(results.reduce((sum, one) => sum + one.durationMs, 0));
  const cases = results.map((one) => testcase(one, name)).join("");
  return `  <testsuite name="${name}" ${counts(results)} time="${took}">\n${cases}  </testsuite>\n`;
}

function counts(results: readonly TestResult[]): string {
  const failures = results.filter((one) => one.status === "failed").length;
  const errors = results.filter((one) => one.status === "timeout" || one.status === "crashed").length;
  return `tests="${results.length}" failures="${failures}" errors="${errors}" skipped="0"`;
}

function testcase(result: TestResult, classname: string): string {
  const head = `    <testcase classname="${classname}" name="${xmlAttribute(result.name)}" file="${classname}" line="${result.line}" time="${inSeconds(result.durationMs)}"`;
  const parts = [fault(result), stream("system-out", result.stdout), stream("system-err", result.stderr)];
  const body = parts.join("");
  return body === "" ? `${head}/>\n` : `${head}>\n${body}    </testcase>\n`;
}

function fault(result: TestResult): string {
  if (result.status === "passed") return "";
  const tag = result.status === "failed" ? "failure" : "error";
  const message = xmlAttribute(result.message ?? "");
  const text = xmlText(withoutColours(result.detail ?? result.message ?? ""));
  return `      <${tag} type="${result.status}" message="${message}">${text}</${tag}>\n`;
}

const stream = (tag: string, text: string): string =>
  text === "" ? "" : `      <${tag}>${xmlText(text)}</${tag}>\n`;

const inSeconds = (ms: number): string => (ms / 1000).toFixed(3);

// biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal understands is no text.
const withoutColours = (text: string): string => text.replace(/\u001b\[[0-9;]*m/g, "");
