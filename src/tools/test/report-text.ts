/**
 * Results for people: a line per file, failures with everything needed to understand them, totals, the seed.
 *
 *     ok    math.harn  3 tests, 12 ms
 *     FAIL  text.harn  2 of 5 failed, 80 ms
 *       FAIL test_pads  Thrown: Assertion failed: expected ab, got b
 *         error[…] with place and caret, the difference, what the test printed
 */
import { showText } from "../../diagnostics/index.ts";
import type { FileReport, TestResult, TestStatus } from "./contract.ts";
import { outputMismatch } from "./expectation.ts";

export interface TextOptions {
  readonly colour: boolean;
  /** A line for every test, and what passing tests printed. */
  readonly verbose: boolean;
  /** How long each test took. */
  readonly timing: boolean;
  /** What messages call a file. */
  shown(path: string): string;
}

/** Lines of captured output shown of a failed test, from its end. */
const maxOutputLines = 60;
const SLOWEST = 5;
const HEAD_WIDTH = 100;

const marks: Readonly<Record<TestStatus, string>> = {
  passed: "ok",
  failed: "FAIL",
  timeout: "TIME",
  crashed: "CRASH",
};

export function fileText(report: FileReport, options: TextOptions): string {
  const { results } = report;
  if (results.length === 0) return "";
  const bad = results.filter((one) => one.status !== "passed");
  const total = results.length;
  const took = millisecondsText(results.reduce((sum, one) => sum + one.durationMs, 0));
  const count =
    bad.length === 0
      ? `${total} ${total === 1 ? "test" : "tests"}`
      : `${bad.length} of ${total} ${total === 1 ? "test" : "tests"} failed`;
  const head = `${mark(bad.length === 0 ? "passed" : "failed", options)}  ${showText(options.shown(report.file))}  ${count}, ${took}`;
  const shown = options.verbose || options.timing ? results : bad;
  return `${[head, ...shown.map((one) => testText(one, options))].join("\n")}\n`;
}

function testText(result: TestResult, options: TextOptions): string {
  const took =
    options.timing || result.status === "timeout" ? `  (${millisecondsText(result.durationMs)})` : "";
  const why = result.message === undefined ? "" : `  ${showText(shownHead(result.message))}`;
  const lines = [`  ${mark(result.status, options)} ${showText(result.name)}${took}${why}`];
  if (result.detail) lines.push(indented(result.detail, 6));
  // The difference shows the output already.
  const shownAbove = result.kind === "expected" && result.message === outputMismatch;
  if ((result.status !== "passed" && !shownAbove) || options.verbose) {
    lines.push(...captured("stdout", result.stdout), ...captured("stderr", result.stderr));
  }
  return lines.join("\n");
}

function captured(name: string, text: string): string[] {
  if (text === "") return [];
  const all = text.trimEnd().split("\n");
  const shown = all.slice(-maxOutputLines).map((line) => `        ${showText(line)}`.trimEnd());
  const left = all.length - shown.length;
  return [`      ${name}:`, ...(left > 0 ? [`        … ${left} lines before`] : []), ...shown];
}

export function totalsOf(reports: readonly FileReport[]) {
  const count = (status: TestStatus): number =>
    reports.reduce((sum, { results }) => sum + results.filter((one) => one.status === status).length, 0);
  return {
    passed: count("passed"),
    failed: count("failed"),
    timedOut: count("timeout"),
    crashed: count("crashed"),
  };
}

/** The last lines: the slowest tests when asked for, totals, the seed. */
export function testSummaryText(
  reports: readonly FileReport[],
  wallMs: number,
  seed: string,
  options: TextOptions,
): string {
  const { passed, failed, timedOut, crashed } = totalsOf(reports);
  const parts = [
    `${passed} passed`,
    failed > 0 ? `${failed} failed` : "",
    timedOut > 0 ? `${timedOut} timed out` : "",
    crashed > 0 ? `${crashed} crashed` : "",
  ].filter(Boolean);
  const good = failed + timedOut + crashed === 0;
  const slow = options.timing ? slowest(reports, options) : "";
  return `${slow}\n${paintReport(parts.join(", "), good ? 32 : 31, options)} in ${millisecondsText(wallMs)}; seed ${showText(seed)}\n`;
}

function slowest(reports: readonly FileReport[], options: TextOptions): string {
  const all = reports.flatMap(({ results }) => results).sort((a, b) => b.durationMs - a.durationMs);
  const lines = all
    .slice(0, SLOWEST)
    .map(
      (one) =>
        `  ${millisecondsText(one.durationMs)}  ${showText(options.shown(one.file))} ${showText(one.name)}`,
    );
  return `\nslowest:\n${lines.join("\n")}\n`;
}

function mark(status: TestStatus, options: TextOptions): string {
  return paintReport(marks[status], status === "passed" ? 32 : 31, options);
}

const paintReport = (text: string, code: number, options: TextOptions): string =>
  options.colour ? `\u001b[${code}m${text}\u001b[0m` : text;

/** The whole message stands in the detail below. */
const shownHead = (text: string): string => {
  const line = text.split("\n", 1)[0]!;
  const cut = line.length > HEAD_WIDTH ? line.slice(0, HEAD_WIDTH).toWellFormed() : line;
  return cut.length === text.length ? text : `${cut} …`;
};

const indented = (text: string, by: number): string =>
  text
    .split("\n")
    .map((line) => `${" ".repeat(by)}${line}`.trimEnd())
    .join("\n");

/** `0.4 ms`, `12 ms`, `3.2 s` */
function millisecondsText(ms: number): string {
  if (ms < 1) return `${ms.toFixed(1)} ms`;
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
