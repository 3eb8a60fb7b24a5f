/** Expectation programs: `X.harn` beside `X.expected` or `X.error` (language.md §25). */
import { type Diagnostic, showText } from "../../diagnostics/index.ts";
import { renderDiff } from "./diff.ts";

/** The numbers of `[timer] x: 12ms` lines differ from run to run. */
export const withoutTimerTimes = (text: string): string => text.replace(/^(\[timer\] .*: )\d+ms$/gm, "$1Nms");

const linesOf = (text: string): string[] =>
  withoutTimerTimes(text.replaceAll("\r\n", "\n").trimEnd()).split("\n");

export const outputMismatch = "the output is not the expected one";

/** `undefined` when the output is the expected one, else the difference. */
export function outputDifference(expected: string, actual: string, colour: boolean): string | undefined {
  const wanted = linesOf(expected);
  const got = linesOf(actual);
  if (wanted.length === got.length && wanted.every((line, i) => line === got[i])) return undefined;
  return renderDiff(wanted, got, colour);
}

/** What an error has to look like: any one line of the file, contained in the text or matched as `re:…`. */
export function errorDifference(expected: string, actual: string): string | undefined {
  const lines = expected.split(/\r?\n/).filter((line) => line.trim() !== "");
  const faults: string[] = [];
  if (lines.some((line) => fits(line, actual, faults))) return undefined;
  const wanted =
    lines.length === 1 ? "expected an error containing:" : "expected an error containing one of:";
  const got = actual === "" ? ["but no error came"] : ["but the error was:", indentedLines(actual)];
  return showText([wanted, ...lines.map(indentedLines), ...got, ...faults].join("\n"));
}

function fits(line: string, actual: string, faults: string[]): boolean {
  if (!line.startsWith("re:")) return actual.includes(line.trim());
  const pattern = line.slice("re:".length).trim();
  try {
    return new RegExp(pattern).test(actual);
  } catch (error) {
    faults.push(`${pattern} is no regular expression: ${(error as Error).message}`);
    return false;
  }
}

const indentedLines = (text: string): string => text.replace(/^/gm, "  ");

/**
 * The static error that an `.error` file is compared with: of the parser, else of the types, else of the compiler. A
 * program that was refused because it must fail also has the error that it would have ended with.
 */
export function staticErrorText(diagnostics: readonly Diagnostic[]): string | undefined {
  const errors = diagnostics.filter((one) => one.severity === "error");
  const typed = errors.find((one) => !one.message.startsWith("Compile error at line"));
  const shown = typed ?? errors[0];
  if (shown?.whenRun === undefined) return shown?.message;
  const prefix = shown.whenRun.startsWith("Runtime error: ") ? "" : "Runtime error: ";
  const line = shown.source.line(shown.span.start);
  return `${shown.message}\n${prefix}${shown.whenRun} (line ${line})`;
}

/** Said of mistakes besides the warnings of language.md §17.6, which alone belong to the output that is compared. */
const unlisted: ReadonlySet<string> = new Set([
  "HARN-NAM-004",
  "HARN-NAM-009",
  "HARN-NAM-011",
  "HARN-NAM-012",
  "HARN-NAM-013",
  "HARN-NAM-014",
  "HARN-NAM-015",
  "HARN-NAM-016",
  "HARN-NAM-017",
  "HARN-NAM-018",
  "HARN-NAM-019",
  "HARN-NAM-020",
  "HARN-OPT-005",
  "HARN-OPT-006",
  "HARN-ORC-001",
  "HARN-ORC-003",
  "HARN-ORC-004",
  "HARN-ORC-006",
  "HARN-ORC-013",
  "HARN-ORC-014",
  "HARN-OWN-004",
  "HARN-STD-003",
  "HARN-STD-005",
  "HARN-TYP-026",
  "HARN-TYP-027",
  "HARN-TYP-028",
  "HARN-TYP-029",
  "HARN-TYP-030",
]);

/** Warnings of the type checker (language.md §17.6) stand before the output. */
export function withWarnings(diagnostics: readonly Diagnostic[], stdout: string): string {
  const warnings = diagnostics
    .filter((one) => one.severity === "warning" && one.nearlyCertain !== true && !unlisted.has(one.code))
    .map((one) => `warning: ${one.message}\n`);
  return warnings.join("") + stdout;
}
