/** How far a stored set is, from a few columns of its rows: of fifty thousand trials nothing else is read. */
import type { EvalSetRow } from "../../durable/index.ts";
import { noStates } from "../report/metrics/coverage.ts";
import type { RecordedSet, TrialState } from "../report/recorded-set.ts";
import { type EvalRows, oraclesCost, setFields } from "./read-set.ts";
import { spentInAll } from "./unsettled-money.ts";

export interface SetProgressRead
  extends Pick<RecordedSet, "name" | "state" | "why" | "costUsd" | "costLimit"> {
  readonly tasks: readonly TaskProgressRead[];
}

interface TaskProgressRead {
  readonly name: string;
  /** Trials of rows that are still in the dataset. */
  readonly trials: number;
  readonly states: Readonly<Record<TrialState, number>>;
}

/** The same counts and the same sum of money as `storedSetOf` gives. */
export function setProgress(store: EvalRows, row: EvalSetRow): SetProgressRead {
  const set = { eval_set: row.id };
  const tasks = store.tasks(row.id).map(({ id, name }) => ({ id, name, states: noStates() }));
  const variants = store.variants(row.id);
  const ofVariant = new Map(variants.map(({ id, task }) => [id, tasks.find((one) => one.id === task)]));
  const retired = new Set(
    store.cells("eval_sample", { ...set, retired: 1 }, { columns: ["id"] }).map(([id]) => id),
  );
  const unsettled = store.unsettled(row.id);
  const judged = judgesCosts(store, row.id);
  let spentUsd = 0;
  const columns = ["id", "sample", "variant", "state", "cost", "doubtful"] as const;
  for (const cells of store.cells("eval_trial", { ...set, kind: "epoch" }, { columns })) {
    const [id, sample, variant, state, cost, doubtful] = cells as [
      number,
      number,
      number,
      TrialState,
      number,
      number,
    ];
    spentUsd += spentInAll({ id, state, cost, doubtful }, judged.get(id) ?? 0, unsettled);
    const task = ofVariant.get(variant);
    if (task !== undefined && !retired.has(sample)) task.states[state]++;
  }
  return {
    name: row.name,
    state: row.state as RecordedSet["state"],
    why: row.why,
    costUsd: spentUsd + oraclesCost(store, row.id, unsettled),
    costLimit: setFields(row.spec).costLimit,
    tasks: tasks.map(({ name, states }) => ({
      name,
      trials: Object.values(states).reduce((sum, count) => sum + count, 0),
      states,
    })),
  };
}

/** US dollars of judges, by trial. */
function judgesCosts(store: EvalRows, set: number): ReadonlyMap<number, number> {
  const costs = new Map<number, number>();
  for (const cells of store.cells("eval_score", { eval_set: set }, { columns: ["trial", "cost"] })) {
    const [trial, cost] = cells as [number, number];
    if (cost !== 0) costs.set(trial, (costs.get(trial) ?? 0) + cost);
  }
  return costs;
}
