/** Coverage by line: a summary for people, an lcov file for tools. A line counts when any statement on it began to run. */
import { showText } from "../../diagnostics/index.ts";
import type { FileCoverage } from "./contract.ts";

export interface CoverageTotals {
  readonly found: number;
  readonly hit: number;
}

/** Hits by line, in order. */
function linesOf(file: FileCoverage): Map<number, number> {
  const lines = new Map<number, number>();
  for (const [, line, hits] of file.statements) lines.set(line, Math.max(lines.get(line) ?? 0, hits));
  return new Map([...lines].sort(([a], [b]) => a - b));
}

const hitsOf = (lines: ReadonlyMap<number, number>): number =>
  [...lines.values()].filter((hits) => hits > 0).length;

export function coverageTotals(files: readonly FileCoverage[]): CoverageTotals {
  let found = 0;
  let hit = 0;
  for (const file of files) {
    const lines = linesOf(file);
    found += lines.size;
    hit += hitsOf(lines);
  }
  return { found, hit };
}

export function lcovText(files: readonly FileCoverage[], shown: (path: string) => string): string {
  return files
    .map((file) => {
      const lines = linesOf(file);
      const data = [...lines].map(([line, hits]) => `DA:${line},${hits}\n`).join("");
      return `TN:\nSF:${shown(file.path)}\n${data}LF:${lines.size}\nLH:${hitsOf(lines)}\nend_of_record\n`;
    })
    .join("");
}

/** A line per file with what is missing, least covered first; totals. */
export function coverageText(files: readonly FileCoverage[], shown: (path: string) => string): string {
  const { found, hit } = coverageTotals(files);
  if (found === 0) return "coverage: the tests ran no code outside themselves\n";
  const rows = files.map((file) => {
    const lines = linesOf(file);
    return {
      name: showText(shown(file.path)),
      found: lines.size,
      hit: hitsOf(lines),
      missing: missing(lines),
    };
  });
  rows.sort((a, b) => a.hit / a.found - b.hit / b.found || (a.name < b.name ? -1 : 1));
  const width = Math.max(...rows.map((row) => row.name.length));
  const text = rows.map((row) =>
    `  ${row.name.padEnd(width)}  ${percent(row.hit, row.found)}  ${row.hit} of ${row.found} lines${row.missing}`.trimEnd(),
  );
  return `coverage: ${percent(hit, found).trim()} of lines (${hit} of ${found})\n${text.join("\n")}\n`;
}

function percent(hit: number, found: number): string {
  // Rounded down: 100 % must mean all.
  return `${(Math.floor((hit / found) * 1000) / 10).toFixed(1)}%`.padStart(6);
}

/** A bracket or a comment between two missing lines does not part them. */
const GAP = 2;

/** `, missing 4-5, 9` */
function missing(lines: ReadonlyMap<number, number>): string {
  const ranges: [number, number][] = [];
  let open: [number, number] | undefined;
  for (const [line, hits] of lines) {
    if (hits > 0) open = undefined;
    else if (open === undefined || line - open[1] > GAP + 1) {
      open = [line, line];
      ranges.push(open);
    } else open[1] = line;
  }
  if (ranges.length === 0) return "";
  return `, missing ${ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(", ")}`;
}
