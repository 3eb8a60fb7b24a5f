/**
 * State of a project that several programs change, and a file that shows it: the change is one transaction of the project's
 * ledger, the file is written inside it. Call these inside an effect.
 */
import {
  type EmbeddedLedger,
  type FileProjection,
  ProjectedFiles,
  type ProjectionFiles,
  projectionFiles,
  runLedger,
} from "../../durable/index.ts";
import { HostError } from "../../host/index.ts";
import { notifyPerson, type Task } from "../../interp/index.ts";
import { StoreError } from "../../store/index.ts";
import { Dict, jsonParse, jsonPretty, jsonStringify, thrown } from "../../values/index.ts";
import { attempt } from "../arguments.ts";
import { parseStateDict } from "../files/state-files.ts";
import { stateDirectory } from "../process/environment.ts";

export interface ShownState {
  /** Begins messages: `store`. */
  readonly what: string;
  /** Of the file. */
  readonly path: string;
  /** What the file shows, as it is now. */
  readonly render: (ledger: EmbeddedLedger) => Dict;
  /** Puts into the ledger what others wrote into the file; empty when they removed it. Absent: it is written over. */
  readonly adopt?: (ledger: EmbeddedLedger, dict: Dict) => void;
}

/** The ledger of the project's state folder. */
export const stateLedger = (task: Task): EmbeddedLedger => runLedger(task.runtime, stateDirectory(task));

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
    const files = new ProjectedFiles(ledger, namingFiles(what, projectionFiles(task.runtime)));
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
    notifyPerson(task.runtime, `harn: ${path} was changed by others; it counts as it is\n`);
  return result;
}

function projectionOf(ledger: EmbeddedLedger, { what, path, render, adopt }: ShownState): FileProjection {
  const shown = { path, render: () => `${jsonPretty(render(ledger))}\n` };
  if (adopt === undefined) return shown;
  return { ...shown, adopt: (text) => adopt(ledger, parseStateDict(what, path, text)) };
}

/** The texts of values by key, as the ledger keeps them: JSON with secrets by name. */
export function hiddenTexts(task: Task, dict: Dict): { readonly [key: string]: string } {
  const { secrets } = task.runtime;
  const texts = [...dict.entries()].map(
    ([key, value]) => [secrets.hide(key), secrets.hide(jsonStringify(value))] as const,
  );
  return Object.fromEntries(texts);
}

/** The other way round. */
export function shownValues(task: Task, texts: { readonly [key: string]: string }): Dict {
  const { secrets } = task.runtime;
  return Dict.from(
    Object.entries(texts).map(
      ([key, text]) => [secrets.reveal(key), jsonParse(secrets.revealInJson(text))] as const,
    ),
  );
}

/** What can't be done with a file is said with its path. */
const namingFiles = (what: string, files: ProjectionFiles): ProjectionFiles => ({
  ...files,
  stat: (path) => attempt(`${what}: cannot read ${path}`, () => files.stat(path)),
  readText: (path) => attempt(`${what}: cannot read ${path}`, () => files.readText(path)),
  makeDir: (path) => attempt(`${what}: cannot write ${path}`, () => files.makeDir(path)),
  write: (path, text) => attempt(`${what}: cannot write ${path}`, () => files.write(path, text)),
});

function explained<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw stateErrorInWords(what, error);
  }
}

/** What a store or the machine says, as an error of the script; anything else as it is. */
export function stateErrorInWords(what: string, error: unknown): unknown {
  if (error instanceof StoreError) return thrown([`${what}: ${error.message}`, ...error.advice].join("; "));
  return error instanceof HostError ? thrown(`${what}: ${error.message}`) : error;
}
