/**
 * Diagnostics for people, in the shape of language.md §28.1:
 *
 *     error: Expected expression, got ; at 2:9 (HARN-PAR-001)
 *       --> demo.harn:2:9
 *        |
 *      2 | let x = ;
 *        |         ^ unexpected token
 *       = help: …
 *
 * Invariants: nothing from the source reaches the terminal unescaped (see visible-text.ts), and the size of the
 * output does not depend on the length of a source line: only a window round the caret is shown.
 */
import type { SourceFile, Span } from "../source/index.ts";
import type { Diagnostic, Severity } from "./diagnostic.ts";
import { showLine, showText } from "./visible-text.ts";

interface TerminalOptions {
  /** ANSI colours; off by default. */
  readonly colour?: boolean;
  /** Columns of source shown at most. */
  readonly width?: number;
}

/** What `renderProblem` needs: a diagnostic, or a run-time error that looks like one. */
export interface TerminalProblem {
  readonly severity: Severity;
  readonly code?: string | undefined;
  readonly message: string;
  /** Absent when the problem has no place in a source. */
  readonly source?: SourceFile | undefined;
  readonly span?: Span | undefined;
  readonly label?: string | undefined;
  readonly help?: string | undefined;
  readonly notes?: readonly string[] | undefined;
}

type Paint = (text: string) => string;

interface Palette {
  readonly severity: Paint;
  readonly bold: Paint;
  readonly gutter: Paint;
}

const unpainted: Paint = (text) => text;
const ansi =
  (code: string): Paint =>
  (text) =>
    `\u001b[${code}m${text}\u001b[0m`;

function palette(severity: Severity, colour: boolean): Palette {
  if (!colour) return { severity: unpainted, bold: unpainted, gutter: unpainted };
  return { severity: ansi(severity === "error" ? "1;31" : "1;33"), bold: ansi("1"), gutter: ansi("34") };
}

/** Renders one diagnostic, without a final line break. */
export function renderDiagnostic(diagnostic: Diagnostic, options: TerminalOptions = {}): string {
  return renderProblem(diagnostic, options);
}

/** Renders several, with a blank line between them. */
export function renderDiagnostics(diagnostics: readonly Diagnostic[], options: TerminalOptions = {}): string {
  return diagnostics.map((diagnostic) => renderProblem(diagnostic, options)).join("\n\n");
}

/** A text and the code of what it says. Lines that begin with blanks are advice and come after it. */
export function coded(text: string, code: string): string {
  const advice = text.indexOf("\n  ");
  return advice === -1 ? `${text} (${code})` : `${text.slice(0, advice)} (${code})${text.slice(advice)}`;
}

/** Renders anything that has the shape of a diagnostic, without a final line break. */
export function renderProblem(problem: TerminalProblem, options: TerminalOptions = {}): string {
  const paint = palette(problem.severity, options.colour ?? false);
  const message = problem.code === undefined ? problem.message : `${problem.message} (${problem.code})`;
  const word = problem.severity === "lint" ? "warning" : problem.severity;
  const lines = [`${paint.severity(word)}${paint.bold(`: ${showText(message)}`)}`];
  if (problem.source !== undefined && problem.span !== undefined) {
    lines.push(...snippet(problem.source, problem.span, problem.label, paint, options.width ?? 110));
  }
  if (problem.help !== undefined) lines.push(` ${paint.gutter("=")} help: ${showText(problem.help)}`);
  for (const note of problem.notes ?? []) lines.push(` ${paint.gutter("=")} note: ${showText(note)}`);
  return lines.join("\n");
}

/** Where it is, the source line, and the carets with the label. */
function snippet(
  source: SourceFile,
  span: Span,
  label: string | undefined,
  paint: Palette,
  width: number,
): string[] {
  const { line, column } = source.position(span.start);
  const gutter = " ".repeat(String(line).length + 1);
  const bar = paint.gutter("|");
  const shown = excerpt(source, line, span, width);
  const carets = "^".repeat(Math.max(1, shown.to - shown.from));
  const marked = label === undefined ? carets : `${carets} ${showText(label)}`;
  return [
    `${gutter}${paint.gutter("-->")} ${showText(source.name)}:${line}:${column}`,
    `${gutter} ${bar}`,
    ` ${paint.gutter(String(line))} ${bar} ${shown.text}`.trimEnd(),
    `${gutter} ${bar} ${" ".repeat(shown.from)}${paint.severity(marked)}`,
  ];
}

/** The part of a line around a span, cut with `…` when the line is longer than `width` characters. */
function excerpt(
  source: SourceFile,
  line: number,
  span: Span,
  width: number,
): { text: string; from: number; to: number } {
  const text = source.lineText(line);
  const lineStart = source.lineStart(line);
  const from = Math.min(span.start - lineStart, text.length);
  const to = Math.min(Math.max(span.end - lineStart, from), text.length);
  if (text.length <= width) return showLine(text, from, to);
  const cutStart = wholeCharacter(text, Math.max(0, Math.min(from - (width >> 1), text.length - width)));
  const cutEnd = wholeCharacter(text, Math.min(text.length, cutStart + width));
  const shown = showLine(text.slice(cutStart, cutEnd), from - cutStart, Math.min(to, cutEnd) - cutStart);
  const lead = cutStart > 0 ? "…" : "";
  const tail = cutEnd < text.length ? "…" : "";
  return { text: lead + shown.text + tail, from: shown.from + lead.length, to: shown.to + lead.length };
}

/** An offset that does not cut a surrogate pair. */
function wholeCharacter(text: string, offset: number): number {
  const unit = text.charCodeAt(offset);
  return offset > 0 && unit >= 0xdc00 && unit <= 0xdfff ? offset - 1 : offset;
}

/** Diagnostics for programs: one plain object per diagnostic, positions in both forms. */
interface JsonPosition {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}

/** A diagnostic as plain data for `--json` output and editors. */
export function diagnosticToJson(diagnostic: Diagnostic) {
  return {
    code: diagnostic.code,
    severity: diagnostic.severity,
    message: diagnostic.message,
    file: diagnostic.source.name,
    start: position(diagnostic.source, diagnostic.span.start),
    end: position(diagnostic.source, diagnostic.span.end),
    label: diagnostic.label ?? null,
    help: diagnostic.help ?? null,
    notes: diagnostic.notes ?? [],
  };
}

function position(source: SourceFile, offset: number): JsonPosition {
  return { ...source.position(offset), offset };
}
