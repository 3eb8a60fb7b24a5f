/** The files of the beginning: what `changed` and `protect` are measured against. */
import type { Task } from "../../../interp/index.ts";
import type { ContractState, TaskContract } from "../../../model/index.ts";
import { thrown } from "../../../values/index.ts";
import { type FoundFiles, findFiles, maxFiles } from "../../checks/index.ts";
import { performLook } from "../../state/perform-look.ts";
import { askToLook, type CheckAnswer, type Turn } from "../../state/requests.ts";
import { wantedFiles } from "./look-at.ts";

type Beginning = [path: string, digest: string | null][];

/** Takes the beginning once, from inside a loop. Throws where it can't be taken: what is not known can't be guarded. */
export function* takeBeginning(state: ContractState, caller: string): Turn<void> {
  if (state.surveyed) return;
  const { contract } = state;
  keepBeginning(
    state,
    caller,
    yield* askToLook(contract.checkTimeoutMs, (task) => surveyFiles(task, contract)),
  );
}

/** The same from outside of every loop. */
export async function takeBeginningNow(task: Task, state: ContractState, caller: string): Promise<void> {
  if (state.surveyed) return;
  const { contract } = state;
  const look = (own: Task): Promise<Beginning> => surveyFiles(own, contract);
  keepBeginning(state, caller, await performLook(task, { timeoutMs: contract.checkTimeoutMs, look }));
}

/** What was known of a contract before stays as it was. */
function keepBeginning(state: ContractState, caller: string, found: CheckAnswer<Beginning>): void {
  if (!found.ok)
    throw thrown(`${caller}: the files that \`contract\` guards can't be looked at: ${found.error}`);
  state.surveyed = true;
  for (const [path, digest] of found.value) if (!state.beginning.has(path)) state.beginning.set(path, digest);
}

/** Digests by path, and a mark `glob\0path` for every file that a protecting pattern has seen. */
async function surveyFiles(task: Task, { outputs }: TaskContract): Promise<Beginning> {
  const found: Beginning = [];
  for (const { id, predicate } of outputs) {
    if (predicate.type === "unchanged") {
      const { glob } = predicate;
      for (const { path, sha256 } of all(id, glob, await findFiles(task, wantedFiles(glob), true)))
        found.push([path, sha256], [`${glob}\0${path}`, null]);
    } else if (predicate.type === "file_exists" && predicate.changed)
      for (const { path, sha256 } of all(id, predicate.glob, await findFiles(task, predicate, true)))
        found.push([path, sha256]);
  }
  return found;
}

function all(id: string, glob: string | null, { files, more }: FoundFiles): FoundFiles["files"] {
  if (more) throw thrown(`\`${id}\`: ${glob} fits more than ${maxFiles} files; name those that it is about`);
  return files;
}
