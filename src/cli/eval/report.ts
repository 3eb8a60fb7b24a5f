/** Results of evaluations as people read them. */
import { type Dict, display, List, textOf, type Value } from "../../values/index.ts";
import { dictItemsOf, field } from "../../work/index.ts";

/** A suite, a pack, or the runs of a folder: a line for each case, what went wrong below it, a verdict. */
export function resultText(result: Dict): string {
  const cases = dictItemsOf(result, "cases");
  const pack = field(result, "pack_id");
  const title = pack === null ? "" : `pack ${textOf(pack)}\n`;
  return `${title}${cases.map(caseText).join("")}${verdictLine(result)}\n`;
}

function caseText(one: Dict): string {
  const passed = field(one, "pass") === true;
  const label = textOf(field(one, "label") ?? field(one, "id") ?? field(one, "run_id"));
  const word = passed ? "pass" : failureWord(one);
  const failures = passed ? [] : textsOf(field(one, "failures"));
  return [`  ${word}  ${label}`, ...failures.map((failure) => `          ${failure}`)]
    .map((line) => `${line}\n`)
    .join("");
}

/** How bad a failure is: those that don't block don't shout. */
function failureWord(one: Dict): string {
  const severity = field(one, "severity");
  if (severity === "warning") return "warn";
  return severity === "informational" ? "info" : "FAIL";
}

function verdictLine(result: Dict): string {
  const total = textOf(field(result, "total"));
  const passed = textOf(field(result, "passed"));
  const kinds = ["blocking", "warning", "informational"].flatMap((kind) => {
    const count = field(result, `${kind}_failed`);
    return count === null || count === 0 ? [] : [`${textOf(count)} ${kind}`];
  });
  const failed = kinds.length === 0 ? "" : ` (${kinds.join(", ")})`;
  return `${field(result, "pass") === true ? "PASS" : "FAIL"}: ${passed} of ${total} passed${failed}`;
}

/** How a run differs from another, for a person. */
export function comparisonText(comparison: Dict, run: string, base: string): string {
  if (field(comparison, "identical") === true) return `${run} is the same as ${base}\n`;
  const status =
    field(comparison, "status_changed") === true
      ? [
          `  status: ${textOf(field(comparison, "left_status"))} -> ${textOf(field(comparison, "right_status"))}`,
        ]
      : [];
  const stages = dictItemsOf(comparison, "stage_diffs").map((diff) =>
    [
      `  stage ${textOf(field(diff, "node_id"))} ${textOf(field(diff, "change"))}`,
      ...textsOf(field(diff, "details")).map((detail) => `    ${detail}`),
    ].join("\n"),
  );
  return [`${run} differs from ${base}:`, ...status, ...stages, ...resultCounts(comparison), ""].join("\n");
}

function resultCounts(comparison: Dict): string[] {
  const tools = dictItemsOf(comparison, "tool_diffs").map(
    (diff) =>
      `  tool ${textOf(field(diff, "tool_name"))}: called ${textOf(field(diff, "left_count"))} -> ${textOf(field(diff, "right_count"))} times`,
  );
  const deltas = ["transition", "artifact", "checkpoint"].flatMap((what) => {
    const delta = field(comparison, `${what}_count_delta`);
    return delta === 0 || delta === null
      ? []
      : [`  ${what}s: ${Number(delta) > 0 ? "+" : ""}${textOf(delta)}`];
  });
  return [...tools, ...deltas];
}

/** The figures of a script, beside those of another run of it. */
export function metricsText(metrics: readonly Dict[], beside: readonly Dict[] | null): string {
  const before = new Map((beside ?? []).map((metric) => [textOf(field(metric, "name")), metric]));
  const names = new Set([...metrics, ...(beside ?? [])].map((metric) => textOf(field(metric, "name"))));
  const now = new Map(metrics.map((metric) => [textOf(field(metric, "name")), metric]));
  const value = (found: Dict | undefined): string =>
    found === undefined ? "-" : display(field(found, "value"));
  return [...names]
    .map((name) =>
      beside === null
        ? `  ${name}: ${value(now.get(name))}\n`
        : `  ${name}: ${value(before.get(name))} -> ${value(now.get(name))}\n`,
    )
    .join("");
}

const textsOf = (value: Value): string[] =>
  value instanceof List ? value.toArray().map((item) => textOf(item)) : [];
