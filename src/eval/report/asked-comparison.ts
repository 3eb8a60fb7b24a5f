/** What is asked of a comparison and that the sets can't give: it would be a line of dashes. */
import { nearest } from "../../diagnostics/index.ts";
import { evalMessage } from "../eval-error.ts";
import { isComparable } from "./comparison.ts";
import { figureOf, metricOf, shownMetrics } from "./metrics/figures.ts";
import { groupText } from "./metrics/selection.ts";
import type { RecordedSet, RecordedTask } from "./recorded-set.ts";

export interface AskedComparison {
  readonly metrics?: readonly string[] | undefined;
  readonly by?: string | undefined;
}

/** Why it can't be compared so, beginning with the option that asks for it; undefined when it can. */
export function comparisonProblem(
  sets: readonly RecordedSet[],
  { metrics = [], by }: AskedComparison,
): string | undefined {
  const tasks = sets.flatMap((set) => set.tasks);
  for (const name of metrics) {
    const problem = metricProblemIn(tasks, name);
    if (problem !== undefined) return `metric: ${problem}`;
  }
  const problem = by === undefined ? undefined : fieldProblem(tasks, by);
  return problem === undefined ? undefined : `by: ${problem}`;
}

function metricProblemIn(tasks: readonly RecordedTask[], name: string): string | undefined {
  const read = tasks.map((task) => metricOf(task, name));
  const [first] = read;
  if (first === undefined) return tasks.length === 0 ? undefined : `${name} is not a metric`;
  if (!isComparable(first)) return `${name} has no value of its own for each sample`;
  const epochs = Math.max(...tasks.map(({ spec }) => spec.epochs));
  if (first.kind === "pass" && first.k > epochs)
    return evalMessage("HARN-EVL-015", { metric: name, needs: first.k, epochs });
  if (!isUnmeasured(tasks, name)) return undefined;
  const known = [...new Set(tasks.flatMap(shownMetrics))].filter((one) => !isUnmeasured(tasks, one));
  const near = nearest(name, known);
  return `no trial has ${name}; ${near === undefined ? `there are ${known.join(", ")}` : `did you mean ${near}?`}`;
}

/** Whether a name that only trials could have measured stands for nothing in any of them. */
export function isUnmeasured(tasks: readonly RecordedTask[], name: string): boolean {
  const ended = tasks.filter((task) => task.trials.some(({ state }) => state === "done"));
  return (
    ended.length > 0 &&
    ended.every((task) => {
      const metric = metricOf(task, name);
      const isScorer =
        metric?.kind === "score" &&
        metric.part === null &&
        task.spec.scorers.some((scorer) => scorer.name === metric.scorer);
      return metric?.kind === "score" && !isScorer && (figureOf(task, name)?.value ?? null) === null;
    })
  );
}

function fieldProblem(tasks: readonly RecordedTask[], field: string): string | undefined {
  const samples = tasks.flatMap((task) => task.samples);
  if (samples.some(({ body }) => groupText(body, field) !== undefined)) return undefined;
  const near = nearest(field, [...new Set(samples.flatMap(({ body }) => [...body.keys()]))]);
  return `no sample has a field ${field}${near === undefined ? "" : `; did you mean ${near}?`}`;
}
