/** Results as JUnit XML, the form that build servers read. */
import { xmlAttribute, xmlText } from "../../values/index.ts";
import type { FileReport, TestResult } from "./contract.ts";

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
