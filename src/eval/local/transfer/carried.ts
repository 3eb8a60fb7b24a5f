/** Journals of trials whose machine is gone, as the database had them: what was begun goes on where they end. */
import type { EvalTrialRow } from "../../../durable/index.ts";
import type { CarriedRun } from "../../../store/copies/index.ts";
import type { Store } from "../../../store/index.ts";
import { type EvalStore, storedFaults } from "../../engine/index.ts";
import { faultsText, forgottenRedone, type TaskSpec } from "../../index.ts";
import { partOfTrial, placedJournal, placeRun } from "./journals.ts";

interface CarriedPlace {
  /** Addresses of trials begin with it. */
  readonly set: string;
  /** What names of runs begin with, there and here. */
  readonly from: string;
  readonly to: string;
  /** Others are passed over. */
  readonly trials: ReadonlySet<number>;
}

/** Puts runs under their trials. Throws an `ImportProblem` for one of another course than the one that is here. */
export function placeCarried(
  files: Store,
  store: EvalStore,
  carried: readonly CarriedRun[],
  { set, from, to, trials }: CarriedPlace,
): void {
  store.together(() => {
    const names = new Map<string, string>();
    for (const one of carried) {
      const { parent } = one;
      const { run } = one.journal.header;
      const trial = trialIn(run, from);
      if (trial === undefined || !trials.has(trial)) continue;
      const own = `${to}.${trial}${partOfTrial(run)}`;
      names.set(run, own);
      const placed = placedJournal(one, own, { set, nameOf: () => undefined });
      placeRun(files, placed, { parent: parent === undefined ? undefined : names.get(parent), trial });
    }
    noteBegun(files, store, trials);
  });
}

/** `PART.12~2.score`: 12. */
function trialIn(run: string, part: string): number | undefined {
  if (!run.startsWith(`${part}.`)) return undefined;
  const number = /^\d+(?=$|[.~])/u.exec(run.slice(part.length + 1))?.[0];
  return number === undefined ? undefined : Number(number);
}

/** A trial that has a newer run than its row knows of is in progress. */
function noteBegun(files: Store, store: EvalStore, trials: ReadonlySet<number>): void {
  for (const id of trials) {
    const row = store.trial(id);
    const attempts = files.runs.ofTrial(id).reduce((most, run) => Math.max(most, attemptIn(run)), 0);
    if (row === undefined || attempts <= row.attempts) continue;
    // Where users that fail are tried again, an attempt is followed by another for that: it has another stream.
    const redone = redoesUsers(store, row) ? attempts - 1 - row.attempts : 0;
    const faults = redone === 0 ? row.faults : faultsText([...storedFaults(row), ...forgottenRedone(redone)]);
    store.write([{ table: "eval_trial", row: { ...row, state: "running", attempts, faults } }]);
  }
}

function redoesUsers(store: EvalStore, trial: EvalTrialRow): boolean {
  const task = store.sample(trial.sample)?.task;
  const row = store.tasks(trial.eval_set).find(({ id }) => id === task);
  return row !== undefined && (JSON.parse(row.spec) as TaskSpec).onUserFault.kind === "redo";
}

/** The number of the attempt that a run's name tells; 0: it is a scoring. */
const attemptIn = (run: string): number =>
  /\.score\d*$/u.test(run) ? 0 : Number(/~(\d+)$/u.exec(run)?.[1] ?? 1);
