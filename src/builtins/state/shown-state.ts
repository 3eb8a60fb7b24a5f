/**
 * State of a project that several programs change, and a file that shows it: the change is one transaction of the project's
 * ledger, the file is written inside it. Call these inside an effect.
 */
import { type EmbeddedLedger, type Projection, projectedFiles, runLedger } from "../../durable/index.ts";
import { HostError } from "../../host/index.ts";
import { type Task, tellPerson } from "../../interp/index.ts";
import { StoreError } from "../../store/index.ts";
import { type Dict, jsonPretty, thrown } from "../../values/index.ts";
import { parseStateDict } from "../files/state-files.ts";
import { stateDirectory } from "../process/environment.ts";

export interface ShownState {
  /** Begins messages: `store`. */
  readonly what: string;
  /** Of the file. */
  readonly path: string;
  /** What the file shows, as it is now. */
  readonly render: (ledger: EmbeddedLedger) => Dict;
  /** Puts into the ledger what others wrote into the file; empty when they removed it. */
  readonly adopt: (ledger: EmbeddedLedger, dict: Dict) => void;
}

/** The ledger of the project's state folder. */
export const stateLedger = (task: Task): EmbeddedLedger => runLedger(task, stateDirectory(task));

/** Makes a change, and writes the files that show it, with nobody in between; `states` may be several. */
export function changeShown<T>(
  task: Task,
  states: readonly ShownState[],
  change: (ledger: EmbeddedLedger) => T,
): T {
  const [{ what } = { what: "state" }] = states;
  const edited: string[] = [];
  const result = explained(what, () => {
    const ledger = stateLedger(task);
    const files = projectedFiles(task, ledger);
    const work = states.reduceRight<() => T>(
      (inner, state) => () => {
        const updated = files.update(projectionOf(ledger, state), inner);
        if (updated.isEdited) edited.push(state.path);
        return updated.result;
      },
      () => change(ledger),
    );
    return ledger.together(work);
  });
  // Not before: what is printed is noted in the same file.
  for (const path of edited)
    tellPerson(task.runtime, `harn: ${path} was changed by others; it counts as it is\n`);
  return result;
}

const projectionOf = (ledger: EmbeddedLedger, state: ShownState): Projection => ({
  path: state.path,
  render: () => `${jsonPretty(state.render(ledger))}\n`,
  adopt: (text) => state.adopt(ledger, parseStateDict(state.what, state.path, text)),
});

function explained<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof StoreError) throw thrown([`${what}: ${error.message}`, ...error.advice].join("; "));
    if (error instanceof HostError) throw thrown(`${what}: ${error.message}`);
    throw error;
  }
}
