/** What `harn eval compare` prints. */
import { showOneLine } from "../../../diagnostics/index.ts";
import type { TaskComparison } from "../comparison.ts";
import { countedText, unitOf, valueText } from "./figure-text.ts";
import { comparedText, correctionLines } from "./summary.ts";

/** Names of samples that a line lists before it counts the rest. */
const maxNames = 8;

export function compareText(all: readonly TaskComparison[]): string {
  const first = all[0];
  const sections = all.flatMap((one, at) => [
    ...(at > 0 && isNewPair(one, all[at - 1] as TaskComparison) ? [""] : []),
    ...comparisonLines(one),
  ]);
  const notes = [
    ...correctionLines(all),
    ...(all.some(({ isExploratory }) => isExploratory)
      ? ["exploratory: a hint for the next evaluation, not a result of this one"]
      : []),
  ];
  const lines = first === undefined ? ["nothing to compare: no task has two sides"] : [...sections, ...notes];
  return lines.map((line) => `${line}\n`).join("");
}

const isNewPair = (one: TaskComparison, before: TaskComparison): boolean =>
  one.task !== before.task || one.a !== before.a || one.b !== before.b;

function comparisonLines(one: TaskComparison): string[] {
  const unit = unitOf(one.metric);
  const { difference } = one;
  const group = one.group === null ? "" : `[${one.group.field}=${one.group.value}]`;
  const head = `${showOneLine(`${one.task}  ${one.metric}${group}`)}${one.isExploratory ? "  (exploratory)" : ""}`;
  const sides = `  A ${showOneLine(one.a)} ${valueText(one.valueA, unit)}   B ${showOneLine(one.b)} ${valueText(one.valueB, unit)}`;
  const lines = [head, sides, `  difference ${comparedText(one)}`];
  if (difference !== null) {
    lines.push(
      `  ${countedText(difference.n, "shared sample")}: B better on ${difference.wins}, A on ${difference.losses}, alike on ${difference.ties}`,
    );
    if (one.needed !== null && one.conclusion === "not shown") {
      lines.push(
        `  a difference of ${valueText(one.needed.delta, unit)} takes about ${countedText(one.needed.samples, "sample")}`,
      );
    }
  }
  if (one.isExploratory) return lines;
  return [
    ...lines,
    ...namesLine("only in A", one.onlyA),
    ...namesLine("only in B", one.onlyB),
    ...namesLine("left out, their rows differ", one.changed),
  ];
}

function namesLine(what: string, ids: readonly string[]): string[] {
  if (ids.length === 0) return [];
  const more = ids.length > maxNames ? ` and ${ids.length - maxNames} more` : "";
  return [`  ${what}: ${showOneLine(ids.slice(0, maxNames).join(", "))}${more}`];
}
