/**
 * Texts compared: differences line by line (`std/diff`, `artifact_diff`, papers), and their rank by the words of a query, which
 * `std/memory` and searches of scripts stand on.
 */
import type { Task } from "../../interp/index.ts";
import { rankByWords } from "../../model/index.ts";
import { type LineChange, lineChanges, linePatch, linesOf, type PatchLabels } from "../../source/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { Dict, Float, List } from "../../values/index.ts";
import { type Argument, intOr, needList, option, textOf } from "../arguments.ts";
import { diffFields } from "../rows/text.ts";

function diffValue(task: Task, before: string, after: string): Dict {
  const oldLines = linesOf(before);
  const newLines = linesOf(after);
  const ops = lineChanges(task.runtime.host.libraries.diff(), oldLines, newLines);
  const countOf = (kind: LineChange["kind"]) =>
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

/** Both texts as one unified diff; "" when they are the same. */
export function unifiedDiff(task: Task, before: string, after: string, options: PatchLabels): string {
  if (before === after) return "";
  const diff = task.runtime.host.libraries.diff();
  return diff.formatPatch(linePatch(diff, before, after, options), diff.FILE_HEADERS_ONLY);
}

/** `from_label`, `to_label`, else `a/PATH` and `b/PATH`, else `before` and `after`. */
function unifiedOptions(options: Argument): PatchLabels {
  const path = option(options, "path");
  const label = (key: string, folder: string, plain: string) => {
    const value = option(options, key);
    if (value !== undefined) return textOf(value);
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

export const textRanking = defineBuiltins("strings", {
  rank_by_words: {
    doc:
      "Which texts share words with a query, best first (BM25): `{index, score}`. Words are runs of letters and digits in any " +
      "case; equal scores keep the order of the list.",
    sig: "(texts: list<string>, query: string) -> list<{index: int, score: float}>",
    effect: "pure",
    example: 'rank_by_words(["a red fox", "a blue bird"], "Blue?")[0].index  // 1',
    run: (_task, texts: Argument, query: Argument) => {
      const items = needList("rank_by_words", texts).toArray();
      const ranked = rankByWords(
        textOf(query),
        items.map((text) => textOf(text)),
      );
      return new List(ranked.map(({ index, score }) => Dict.of({ index, score: new Float(score) })));
    },
  },
});
