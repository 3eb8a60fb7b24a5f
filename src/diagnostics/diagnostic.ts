/**
 * What is found wrong in a program before it runs. A `Diagnostic` is plain data: renderers (terminal, JSON, editor)
 * decide how it looks, the catalogue decides what it says. Its `message` is the exact text of the specification, so
 * tests and expectation files may compare it; `label` stands under the caret; `help` says what to do.
 */
import type { SourceFile, Span } from "../source/index.ts";

export type Severity = "error" | "warning" | "lint";

export interface Diagnostic {
  /** `HARN-<FAMILY>-<NNN>`; never reused for another meaning. */
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly source: SourceFile;
  readonly span: Span;
  /** Short words printed after the carets. */
  readonly label?: string | undefined;
  /** What the reader can do about it. */
  readonly help?: string | undefined;
  readonly notes?: readonly string[] | undefined;
  /** A mistake that a run survives: `harn check` fails for it, whatever the severity. */
  readonly nearlyCertain?: true | undefined;
  /** The words with which a run would have ended, where a program that must fail is refused before it begins. */
  readonly whenRun?: string | undefined;
}

/** One code of the catalogue: how it is worded for its parameters, and its long explanation. */
export interface CatalogueEntry<P> {
  readonly severity: Severity;
  /**
   * Nearly certainly a mistake, in a program that runs: `harn check` fails, a run only warns. Such an entry's own severity
   * is "warning".
   */
  readonly atCheck?: "error";
  /** Where that depends on what was found. */
  readonly nearlyCertain?: (params: P) => boolean;
  readonly message: (params: P) => string;
  readonly label?: (params: P) => string | undefined;
  readonly help?: (params: P) => string | undefined;
  /** The error that a run would have met here, without its prefix and line. */
  readonly whenRun?: (params: P) => string;
  /** What it means, why it is an error, what to do: shown by `harn explain CODE`. */
  readonly explain: string;
}

/** Declares a code; exists so that parameter types are checked where the words are written. */
export function entry<P>(declared: CatalogueEntry<P>): CatalogueEntry<P> {
  return declared;
}

/** Orders the diagnostics of one file as a reader meets them: by position, errors before warnings at the same place. */
export function bySourceOrder(a: Diagnostic, b: Diagnostic): number {
  return a.span.start - b.span.start || rank(a) - rank(b);
}

/** The diagnostics of several files: file by file, the entry's own first, each in source order. */
export function byFile(diagnostics: readonly Diagnostic[], entry: SourceFile): Diagnostic[] {
  const files = new Map<SourceFile, Diagnostic[]>([[entry, []]]);
  for (const one of diagnostics) {
    const found = files.get(one.source);
    if (found === undefined) files.set(one.source, [one]);
    else found.push(one);
  }
  return [...files.values()].flatMap((found) => found.sort(bySourceOrder));
}

function rank(diagnostic: Diagnostic): number {
  return diagnostic.severity === "error" ? 0 : 1;
}
