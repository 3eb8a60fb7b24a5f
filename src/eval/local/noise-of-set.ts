/** The noise of a stored set: crossed trials by task and variant, and what a judgement costs there. */
import type { EvalSetRow } from "../../durable/index.ts";
import { isJsonObject } from "../../values/index.ts";
import { cellOf, type EvalStore, type NoiseDesign } from "../engine/index.ts";
import {
  type NoiseReport,
  noiseMetric,
  noiseReport,
  type StoredSet,
  type StoredTask,
  type StoredTrial,
  storedSetOf,
} from "../report/index.ts";

interface CrossedPart {
  /** Rows of the trials that are in it. */
  readonly cells: ReadonlySet<number>;
  /** By task. */
  readonly designs: ReadonlyMap<string, NoiseDesign>;
  readonly metrics: ReadonlyMap<string, string>;
}

export function noiseReports(store: EvalStore, set: EvalSetRow, part: CrossedPart): NoiseReport[] {
  return reportsOf(store, storedSetOf(store, set), storedSetOf(store, set, "cross"), part);
}

/** The noise that was measured before, of all its crossed trials and each task's first metric; none: nobody has asked. */
export function measuredNoise(store: EvalStore, own: StoredSet): NoiseReport[] {
  if (!store.trials(own.row.id).some(({ kind }) => kind === "cross")) return [];
  const crossed = storedSetOf(store, own.row, "cross");
  const designs = new Map<string, NoiseDesign>();
  const metrics = new Map<string, string>();
  for (const task of own.tasks) {
    const { name } = task.spec;
    const trials = crossed.tasks.find(({ spec }) => spec.name === name)?.trials ?? [];
    const design = measuredDesign(trials);
    const metric = noiseMetric(task);
    if (design === undefined || metric === undefined) continue;
    designs.set(name, { ...design, hasUser: design.users > 1 || hasUsers(task) });
    metrics.set(name, metric);
  }
  const cells = new Set(crossed.tasks.flatMap(({ trials }) => trials.map(({ id }) => id)));
  return reportsOf(store, own, crossed, { cells, designs, metrics });
}

type Crossing = Pick<NoiseDesign, "agents" | "users" | "environments">;

/** Of the designs that samples were crossed by the one that most trials fill; of those that as many fill the first. */
function measuredDesign(trials: readonly StoredTrial[]): Omit<NoiseDesign, "hasUser"> | undefined {
  const drawn = trials.flatMap(({ scores }) => scores.map(({ draw }) => draw));
  if (drawn.length === 0) return undefined;
  const most = (numbers: readonly number[]): number => Math.max(...numbers);
  const judges = most(drawn);
  // A row is read out of the store each time that it is looked at: once for each trial.
  const cells = trials.map(({ row, variant, sample, scores }) => ({
    ...cellOf(row),
    place: `${variant}\n${sample}`,
    isScored: scores.some(({ draw }) => draw === judges),
  }));
  const bySample = [...Map.groupBy(cells, ({ place }) => place).values()];
  const designs = new Map<string, Crossing>();
  for (const own of bySample) {
    const [agents, users] = [most(own.map(({ agent }) => agent)), most(own.map(({ user }) => user))];
    const environments = most(own.map(({ environment }) => environment));
    designs.set(`${agents} ${users} ${environments}`, { agents, users, environments });
  }
  const size = ({ agents, users, environments }: Crossing): number => {
    const whole = agents * users * environments;
    const isFilled = (own: typeof cells): boolean =>
      own.filter(
        (cell) =>
          cell.isScored && cell.agent <= agents && cell.user <= users && cell.environment <= environments,
      ).length === whole;
    return whole * bySample.filter(isFilled).length;
  };
  const [first] = [...designs.values()]
    .map((design) => ({ design, size: size(design) }))
    .sort((a, b) => b.size - a.size);
  return first === undefined ? undefined : { ...first.design, judges };
}

/** Whether anybody was simulated in what the task has done. */
export function hasUsers({ trials }: StoredTask): boolean {
  const done = trials.find(({ state }) => state === "done");
  const outcome = done?.outcome;
  if (!isJsonObject(outcome)) return false;
  const usage = isJsonObject(outcome.usage) ? outcome.usage.by_role : null;
  return outcome.dialogue !== null || (isJsonObject(usage) && usage.user !== undefined);
}

function reportsOf(store: EvalStore, own: StoredSet, between: StoredSet, part: CrossedPart): NoiseReport[] {
  const crossed = new Map(between.tasks.map((task) => [task.spec.name, task]));
  return own.tasks.flatMap((task) => {
    const design = part.designs.get(task.spec.name);
    const metric = part.metrics.get(task.spec.name);
    if (design === undefined || metric === undefined) return [];
    const cells = (crossed.get(task.spec.name)?.trials ?? []).filter(({ id }) => part.cells.has(id));
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
        drawCost: drawCostOf(store, own.row, task, name),
      }),
    );
  });
}

/** US dollars of one judgement of a trial by all judges; null when nothing was judged. */
function drawCostOf(store: EvalStore, set: EvalSetRow, task: StoredTask, variant: string): number | null {
  const ids = new Set(task.trials.filter((trial) => trial.variant === variant).map(({ id }) => id));
  const rows = store.scores(set.id).filter(({ trial }) => ids.has(trial));
  if (rows.length === 0) return null;
  const cost = rows.reduce((sum, row) => sum + row.cost, 0);
  const draws = rows.reduce((most, { draw }) => Math.max(most, draw), 1);
  const judged = new Set(rows.map(({ trial, version }) => `${trial} ${version}`)).size;
  return cost / (judged * draws);
}
