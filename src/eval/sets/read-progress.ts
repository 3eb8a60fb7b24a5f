/** How far a stored set is, from a few columns of its rows: of fifty thousand trials nothing else is read. */
import type { EvalSetRow } from "../../durable/index.ts";
import { noStates } from "../report/metrics/coverage.ts";
import type { RecordedSet, TrialState } from "../report/recorded-set.ts";
import { type EvalRows, oraclesCost, setFields } from "./read-set.ts";

export interface SetProgressRead
  extends Pick<RecordedSet, "name" | "state" | "why" | "costUsd" | "costLimit"> {
  readonly tasks: readonly TaskProgressRead[];
}

export interface TaskProgressRead {
  readonly name: string;
  /** Trials of rows that are still in the dataset. */
  readonly trials: number;
  readonly states: Readonly<Record<TrialState, number>>;
}

/** The same counts and the same sum of money as `readSet` gives. */
export function readProgress(store: EvalRows, row: EvalSetRow): SetProgressRead {
  const set = { eval_set: row.id };
  const tasks = store.tasks(row.id).map(({ id, name }) => ({ id, name, states: noStates() }));
  const variants = store.variants(row.id);
  const ofVariant = new Map(variants.map(({ id, task }) => [id, tasks.find((one) => one.id === task)]));
  const retired = new Set(
    store.cells("eval_sample", { ...set, retired: 1 }, { columns: ["id"] }).map(([id]) => id),
  );
  const costs: { readonly task: number; readonly ord: number; readonly cost: number }[] = [];
  const columns = ["sample", "variant", "state", "ord", "cost"] as const;
  for (const cells of store.cells("eval_trial", { ...set, kind: "epoch" }, { columns })) {
    const [sample, variant, state, ord, cost] = cells as [number, number, TrialState, number, number];
    const task = ofVariant.get(variant);
    if (task === undefined || retired.has(sample)) continue;
    task.states[state]++;
    if (cost !== 0) costs.push({ task: tasks.indexOf(task), ord, cost });
  }
  // A sum of doubles depends on the order of its terms.
  costs.sort((a, b) => a.task - b.task || a.ord - b.ord);
  return {
    name: row.name,
    state: row.state as RecordedSet["state"],
    why: row.why,
    costUsd:
      judgesCost(store, row.id) + oraclesCost(store, row.id) + costs.reduce((sum, { cost }) => sum + cost, 0),
    costLimit: setFields(row.spec).costLimit,
    tasks: tasks.map(({ name, states }) => ({
      name,
      trials: Object.values(states).reduce((sum, count) => sum + count, 0),
      states,
    })),
  };
}

/** US dollars of the judges of its own trials. */
function judgesCost(store: EvalRows, set: number): number {
  const paid = store
    .cells("eval_score", { eval_set: set }, { columns: ["trial", "cost"] })
    .filter(([, cost]) => cost !== 0);
  if (paid.length === 0) return 0;
  const own = new Set(
    store.cells("eval_trial", { eval_set: set, kind: "epoch" }, { columns: ["id"] }).map(([id]) => id),
  );
  return paid.reduce((sum, [trial, cost]) => (own.has(trial ?? null) ? sum + (cost as number) : sum), 0);
}
