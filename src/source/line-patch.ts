/**
 * How one text becomes another, line by line: the one place that asks the library `diff`, which its callers hand over, so that
 * nobody loads it who compares nothing. The search for the shortest edit is cut off at a number of edits, not at a time, so that
 * every machine gives the same answer; texts that differ more are said to differ as a whole, between the lines that they share
 * at either end.
 */
import type { StructuredPatch, StructuredPatchHunk } from "diff";

type DiffLibrary = typeof import("diff");
/** What hunks need of it. */
type PatchLibrary = Pick<DiffLibrary, "structuredPatch">;

/** Edits that are searched for: less than a second's work in the worst case. */
const maxEdits = 2000;

type LineChangeKind = "equal" | "delete" | "insert";

export interface LineChange {
  readonly kind: LineChangeKind;
  readonly lines: readonly string[];
}

/** The lines without their ends; a final line end opens no further line. */
export function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

export function lineChanges(
  diff: DiffLibrary,
  before: readonly string[],
  after: readonly string[],
): LineChange[] {
  const changes = diff.diffArrays([...before], [...after], { maxEditLength: maxEdits });
  if (changes === undefined) return wholeChange(before, after);
  return changes.map(({ added, removed, value }) => ({
    kind: added ? "insert" : removed ? "delete" : "equal",
    lines: value,
  }));
}

/** What stands at both ends is equal, all between is exchanged. */
function wholeChange(before: readonly string[], after: readonly string[]): LineChange[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const changes: LineChange[] = [
    { kind: "equal", lines: before.slice(0, head) },
    { kind: "delete", lines: before.slice(head, before.length - tail) },
    { kind: "insert", lines: after.slice(head, after.length - tail) },
    { kind: "equal", lines: before.slice(before.length - tail) },
  ];
  return changes.filter((change) => change.lines.length > 0);
}

export interface PatchLabels {
  readonly fromLabel: string;
  readonly toLabel: string;
  /** Lines shown around a change. */
  readonly context: number;
}

/** The hunks of a unified diff, with its labels. */
export function linePatch(
  { structuredPatch }: PatchLibrary,
  before: string,
  after: string,
  labels: PatchLabels,
): StructuredPatch {
  const { fromLabel, toLabel, context } = labels;
  const limits = { context, maxEditLength: maxEdits };
  const patch = structuredPatch(fromLabel, toLabel, before, after, undefined, undefined, limits);
  return patch ?? wholePatch(before, after, labels);
}

/** One hunk for all that differs. */
function wholePatch(before: string, after: string, { fromLabel, toLabel }: PatchLabels): StructuredPatch {
  const oldLines = linesOf(before);
  const newLines = linesOf(after);
  const marks: Readonly<Record<LineChangeKind, string>> = { equal: " ", delete: "-", insert: "+" };
  const lines = wholeChange(oldLines, newLines).flatMap((change) =>
    change.lines.map((line) => marks[change.kind] + line),
  );
  const hunk: StructuredPatchHunk = {
    oldStart: 1,
    oldLines: oldLines.length,
    newStart: 1,
    newLines: newLines.length,
    lines,
  };
  return {
    oldFileName: fromLabel,
    newFileName: toLabel,
    oldHeader: undefined,
    newHeader: undefined,
    hunks: [hunk],
  };
}
