/**
 * Differences between two texts, line by line (`std/diff`, `artifact_diff`). The search for the shortest edit is cut off
 * at a number of edits, not at a time, so that every machine gives the same answer; texts that differ more are said to
 * differ as a whole, between the lines that they share at either end.
 */

import type { StructuredPatch, StructuredPatchHunk } from "diff";
import type { Task } from "../../interp/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { Dict, List } from "../../values/index.ts";
import { type Argument, intOr, option, textOf } from "../arguments.ts";
import { diffFields } from "../rows/text.ts";

/** Edits that are searched for: less than a second's work in the worst case. */
const maxEdits = 2000;

type OpKind = "equal" | "delete" | "insert";

interface Op {
  readonly kind: OpKind;
  readonly lines: readonly string[];
}

/** The lines without their ends; a final line end opens no further line. */
function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function lineOps(task: Task, before: readonly string[], after: readonly string[]): Op[] {
  const changes = task.runtime.host.libraries
    .diff()
    .diffArrays([...before], [...after], { maxEditLength: maxEdits });
  if (changes === undefined) return wholeOps(before, after);
  return changes.map(({ added, removed, value }) => ({
    kind: added ? "insert" : removed ? "delete" : "equal",
    lines: value,
  }));
}

/** What stands at both ends is equal, all between is exchanged. */
function wholeOps(before: readonly string[], after: readonly string[]): Op[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const ops: Op[] = [
    { kind: "equal", lines: before.slice(0, head) },
    { kind: "delete", lines: before.slice(head, before.length - tail) },
    { kind: "insert", lines: after.slice(head, after.length - tail) },
    { kind: "equal", lines: before.slice(before.length - tail) },
  ];
  return ops.filter((op) => op.lines.length > 0);
}

function diffValue(task: Task, before: string, after: string): Dict {
  const oldLines = linesOf(before);
  const newLines = linesOf(after);
  const ops = lineOps(task, oldLines, newLines);
  const countOf = (kind: OpKind) =>
    ops.reduce((sum, op) => (op.kind === kind ? sum + op.lines.length : sum), 0);
  return Dict.of({
    changed: before !== after,
    insertions: countOf("insert"),
    deletions: countOf("delete"),
    ops: new List(ops.map(({ kind, lines }) => Dict.of({ kind, lines: new List([...lines]) }))),
    old_lines: oldLines.length,
    new_lines: newLines.length,
  });
}

export interface UnifiedOptions {
  readonly fromLabel: string;
  readonly toLabel: string;
  /** Lines shown around a change. */
  readonly context: number;
}

/** Both texts as one unified diff; "" when they are the same. */
export function unifiedDiff(task: Task, before: string, after: string, options: UnifiedOptions): string {
  if (before === after) return "";
  const { structuredPatch, formatPatch, FILE_HEADERS_ONLY } = task.runtime.host.libraries.diff();
  const { fromLabel, toLabel, context } = options;
  const limits = { context, maxEditLength: maxEdits };
  const patch = structuredPatch(fromLabel, toLabel, before, after, undefined, undefined, limits);
  return formatPatch(patch ?? wholePatch(before, after, options), FILE_HEADERS_ONLY);
}

/** One hunk for all that differs. */
function wholePatch(before: string, after: string, options: UnifiedOptions): StructuredPatch {
  const oldLines = linesOf(before);
  const newLines = linesOf(after);
  const sign: Readonly<Record<OpKind, string>> = { equal: " ", delete: "-", insert: "+" };
  const lines = wholeOps(oldLines, newLines).flatMap((op) => op.lines.map((line) => sign[op.kind] + line));
  const hunk: StructuredPatchHunk = {
    oldStart: 1,
    oldLines: oldLines.length,
    newStart: 1,
    newLines: newLines.length,
    lines,
  };
  const { fromLabel, toLabel } = options;
  return {
    oldFileName: fromLabel,
    newFileName: toLabel,
    oldHeader: undefined,
    newHeader: undefined,
    hunks: [hunk],
  };
}

/** `from_label`, `to_label`, else `a/PATH` and `b/PATH`, else `before` and `after`. */
function unifiedOptions(options: Argument): UnifiedOptions {
  const path = option(options, "path");
  const label = (key: string, folder: string, plain: string) => {
    const given = option(options, key);
    if (given !== undefined) return textOf(given);
    return path === undefined ? plain : `${folder}/${textOf(path)}`;
  };
  return {
    fromLabel: label("from_label", "a", "before"),
    toLabel: label("to_label", "b", "after"),
    context: Math.max(0, intOr(option(options, "context"), 3)),
  };
}

export const lineDiffs = defineBuiltins("strings", {
  line_diff: {
    doc: "How one text becomes the other, line by line: `{changed, insertions, deletions, ops, old_lines, new_lines}`; an op is `{kind: equal, delete or insert, lines}`.",
    sig: "(before: string, after: string) -> dict",
    effect: "pure",
    example: 'line_diff("a\\nb", "a\\nc").insertions  // 1',
    run: (task, before: Argument, after: Argument) => diffValue(task, textOf(before), textOf(after)),
  },
  line_diff_unified: {
    doc: 'Two texts as a unified diff, "" when they are the same. Options: `path`, `from_label`, `to_label`, `context` (3 lines).',
    sig: "(before: string, after: string, options: dict = {}) -> string",
    effect: "pure",
    example: 'line_diff_unified("a\\n", "a\\n")  // ',
    fields: { options: () => diffFields },
    run: (task, before: Argument, after: Argument, options: Argument) =>
      unifiedDiff(task, textOf(before), textOf(after), unifiedOptions(options)),
  },
});
