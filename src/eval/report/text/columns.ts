/** Texts in columns. What comes from outside is made harmless and has the width that a terminal gives it. */
import { shownWidth, showOneLine } from "../../../diagnostics/index.ts";

export const padRight = (text: string, width: number): string =>
  text + " ".repeat(Math.max(0, width - shownWidth(text)));

/**
 * Rows as lines: each column as wide as its widest cell, `gaps` blanks after it (the last gap holds for those that follow).
 * Nothing stands at the end of a line.
 */
export function columnLines(rows: readonly (readonly string[])[], gaps: readonly number[]): string[] {
  const shown = rows.map((row) => row.map(showOneLine));
  const count = Math.max(0, ...shown.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, at) =>
    Math.max(0, ...shown.map((row) => shownWidth(row[at] ?? ""))),
  );
  const gap = (at: number): number => gaps[Math.min(at, gaps.length - 1)] ?? 2;
  return shown.map((row) =>
    row
      .map((cell, at) => padRight(cell, (widths[at] as number) + gap(at)))
      .join("")
      .trimEnd(),
  );
}
