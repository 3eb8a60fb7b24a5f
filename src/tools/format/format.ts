/**
 * Canonical formatting of a file (language.md §26).
 *
 * ```
 * text ─▶ parse ─▶ sorted imports ─▶ attach comments ─▶ print (syntax/printer) ─▶ parse again: the same tree?
 * ```
 *
 * A file with syntax errors is not touched. The result is parsed again and compared before anybody writes it: a
 * formatter that loses a comment or changes a program is worse than none.
 */
import type { Diagnostic } from "../../diagnostics/index.ts";
import { SourceFile } from "../../source/index.ts";
import { type LexResult, type Program, parse, printProgram, tokenize } from "../../syntax/index.ts";
import { renderDiff } from "../test/diff.ts";
import { attachComments } from "./attach.ts";
import { withSortedImports } from "./imports.ts";
import { sameTree } from "./same-tree.ts";

export interface FormatOptions {
  /** Columns that a line should not exceed. */
  readonly lineWidth?: number;
  /** Length of the bars (`// -----`) that divide a file. */
  readonly separatorWidth?: number;
}

export type FormatResult =
  | { readonly ok: true; readonly text: string; readonly changed: boolean }
  /** The file has syntax errors. */
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Formats a source. Throws `FormatFault` when the result would not be the same program: our fault, not the file's. */
export function format(source: SourceFile, options: FormatOptions = {}): FormatResult {
  const { program, diagnostics } = parse(source);
  if (diagnostics.some((one) => one.severity === "error")) return { ok: false, diagnostics };
  const lexed = tokenize(source);
  const sorted = withSortedImports(program);
  const trivia = attachComments(source, sorted, lexed, options.separatorWidth ?? 80);
  const body = printProgram(sorted, { width: options.lineWidth ?? 100, source: source.text, trivia });
  const text = shebang(source.text) + body;
  verifyFormatted(source, sorted, lexed, text);
  return { ok: true, text, changed: text !== source.text };
}

/** What went wrong is ours; the file is left as it was. */
export class FormatFault extends Error {}

/** The `#!` line, with the blank line that may follow it. */
function shebang(text: string): string {
  const line = /^\uFEFF?(#![^\n]*?)[ \t\r]*(?:\n|$)([ \t\r]*\n)?/.exec(text);
  return line === null ? "" : `${line[1]}\n${line[2] === undefined ? "" : "\n"}`;
}

function verifyFormatted(source: SourceFile, program: Program, lexed: LexResult, text: string): void {
  const printed = new SourceFile(source.name, text);
  const again = parse(printed);
  if (again.diagnostics.some((one) => one.severity === "error") || !sameTree(program, again.program))
    throw new FormatFault(`formatting ${source.name} would change the program; the file is left as it was`);
  if (tokenWords(source, lexed) !== tokenWords(printed, tokenize(printed)))
    throw new FormatFault(`formatting ${source.name} would lose a comment; the file is left as it was`);
}

/** All words of all comments, sorted: what no formatting may change. */
export function tokenWords(source: SourceFile, lexed: LexResult): string {
  const words: string[] = [];
  for (const comment of lexed.comments) {
    for (const word of source.slice(comment).split(/[\s*/-]+/)) if (word !== "") words.push(word);
  }
  return words.sort().join(" ");
}

/** How a text would change: lines that go (`-`) and come (`+`), with a few lines around. */
export function renderChange(before: string, after: string, colour: boolean): string {
  const [, , ...lines] = renderDiff(before.split("\n"), after.split("\n"), colour).split("\n");
  return lines.join("\n");
}
