/** Diagnostics for programs: one plain object per diagnostic, positions in both forms. */
import type { SourceFile } from "../source/index.ts";
import type { Diagnostic, Severity } from "./diagnostic.ts";

interface JsonPosition {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}

export interface JsonDiagnostic {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly file: string;
  readonly start: JsonPosition;
  readonly end: JsonPosition;
  readonly label: string | null;
  readonly help: string | null;
  readonly notes: readonly string[];
}

/** A diagnostic as plain data for `--json` output and editors. */
export function diagnosticToJson(diagnostic: Diagnostic): JsonDiagnostic {
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
