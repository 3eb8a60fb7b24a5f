/** The noise of a stored set: crossed trials by task and variant, and what a judgement costs there. */
import type { EvalSetRow } from "../../../durable/index.ts";
import { cellOf, type EvalStore, type NoiseDesign } from "../../../eval/engine/index.ts";
import { type NoiseReport, noiseReport, readSet, type StoredTask } from "../../../eval/report/index.ts";

export interface CrossedPart {
  /** Rows of the trials that are in it. */
  readonly cells: ReadonlySet<number>;
  /** By task. */
  readonly designs: ReadonlyMap<string, NoiseDesign>;
  readonly metrics: ReadonlyMap<string, string>;
}

export function noiseReports(store: EvalStore, set: EvalSetRow, part: CrossedPart): NoiseReport[] {
  const own = readSet(store, set);
  const crossed = new Map(readSet(store, set, "cross").tasks.map((task) => [task.spec.name, task]));
  return own.tasks.flatMap((task) => {
    const design = part.designs.get(task.spec.name);
    const metric = part.metrics.get(task.spec.name);
    if (design === undefined || metric === undefined) return [];
    const cells = (crossed.get(task.spec.name)?.trials ?? []).filter(({ row }) => part.cells.has(row.id));
    const hasJudge = task.spec.scorers.some(({ needs }) => needs.includes("model"));
    return task.spec.variants.map(({ name }) =>
      noiseReport({
        task,
        variant: name,
        metric,
        design: { ...design, hasJudge },
        crossed: cells
          .filter(({ variant }) => variant === name)
          .map((trial) => ({ trial, ...cellOf(trial.row) })),
        drawCost: drawCostOf(store, set, task, name),
      }),
    );
  });
}

/** US dollars of one judgement of a trial by all judges; null when nothing was judged. */
function drawCostOf(store: EvalStore, set: EvalSetRow, task: StoredTask, variant: string): number | null {
  const ids = new Set(task.trials.filter((trial) => trial.variant === variant).map(({ row }) => row.id));
  const rows = store.scores(set.id).filter(({ trial }) => ids.has(trial));
  if (rows.length === 0) return null;
  const cost = rows.reduce((sum, row) => sum + row.cost, 0);
  const draws = rows.reduce((most, { draw }) => Math.max(most, draw), 1);
  const judged = new Set(rows.map(({ trial, version }) => `${trial} ${version}`)).size;
  return cost / (judged * draws);
}
