/** Sets of the project's store as commands name them. */
import { EmbeddedOperations, type EvalSetRow } from "../../durable/index.ts";
import { inStore, UsageError } from "../../host/command/index.ts";
import { nodeDigest } from "../../host/index.ts";
import { EvalStore } from "../engine/index.ts";
import { addressFits, evalMessage, parseAddress, trialAddress } from "../index.ts";
import {
  hasOnlyFigures,
  type StoredSet,
  type StoredTask,
  type StoredTrial,
  storedSetOf,
  variantLabel,
} from "../report/index.ts";

export const inEvalStore = <T>(work: (store: EvalStore) => T): T =>
  inStore((store) => work(new EvalStore(new EmbeddedOperations(store), nodeDigest)));

/** What every command says of a set that there is not. */
const noSet = (name: string): UsageError =>
  new UsageError(`${evalMessage("HARN-EVL-010", { name })}\n  \`harn eval list\` shows those there are`);

/** Whether its tasks are still missing: whoever planned it is at it, or was killed. */
export const isUnplanned = (store: EvalStore, row: EvalSetRow): boolean =>
  !hasOnlyFigures(row) && store.tasks(row.id).length === 0;

/** The same, where the set must have been planned. */
export function plannedRow(store: EvalStore, name: string): EvalSetRow {
  const row = setRow(store, name);
  if (!isUnplanned(store, row)) return row;
  throw new UsageError(evalMessage("HARN-EVL-016", { name: row.name }));
}

/** The row of a set by its name; `last` is the newest. */
export function setRow(store: EvalStore, name: string): EvalSetRow {
  const row = store.set(name);
  if (row !== undefined) return row;
  throw noSet(name);
}

export const storedSet = (store: EvalStore, name: string): StoredSet =>
  storedSetOf(store, plannedRow(store, name));

export interface NamedTrial {
  readonly set: StoredSet;
  readonly task: StoredTask;
  readonly trial: StoredTrial;
}

/** The run in which a trial was recorded. */
export const runOfTrial = (address: string): string =>
  inStore((files) => {
    const { trial } = trialNamed(new EvalStore(new EmbeddedOperations(files), nodeDigest), address);
    const run = trial.row.run === null ? undefined : files.runs.nameOf(trial.row.run);
    if (run !== undefined) return run;
    throw new UsageError(
      `${address} has no run: ${neverRecorded}; \`harn eval show ${address}\` shows its scores`,
    );
  });

/** Why a trial has no run. */
export const neverRecorded =
  "what it did was never recorded (answers of llm_mock are the program's own), or it is not over";

/** Names that are listed when an address means several trials. */
const maxListed = 8;

/** The trial that an address means; what it leaves out must be clear. */
export function trialNamed(store: EvalStore, address: string): NamedTrial {
  const pattern = parseAddress(address);
  if (pattern === undefined)
    throw new UsageError(
      `${address} is not the address of a trial: SET:TASK/VARIANT/SAMPLE.EPOCH`,
      "HARN-CLI-003",
    );
  const set = storedSet(store, pattern.set);
  const found = set.tasks.flatMap((task) =>
    task.trials
      .filter(
        (trial) =>
          (pattern.attempt ?? 0) <= trial.attempts &&
          [trial.variant, variantLabel(task, trial.variant)].some((variant) =>
            addressFits(pattern, {
              task: task.spec.name,
              variant,
              sample: trial.sample,
              epoch: trial.epoch,
            }),
          ),
      )
      .map((trial): NamedTrial => ({ set, task, trial })),
  );
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (only === undefined) throw new UsageError(`the set ${set.name} has no trial ${address}`, "HARN-CLI-003");
  const names = found
    .slice(0, maxListed)
    .map(({ task, trial: { variant, sample, epoch } }) =>
      trialAddress(set.name, { task: task.spec.name, variant, sample, epoch }),
    );
  const shown = [...names, ...(found.length > maxListed ? ["…"] : [])];
  throw new UsageError(evalMessage("HARN-EVL-011", { name: address, found: shown }));
}
