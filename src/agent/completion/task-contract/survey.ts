/** The files of the beginning: what `changed` and `protect` are measured against. */
import type { Task } from "../../../interp/index.ts";
import type { TaskContract } from "../../../model/index.ts";
import { findFiles } from "../../checks/index.ts";
import { wantedFiles } from "./look-at.ts";

/** Digests by path, and a mark `glob\0path` for every file that a protecting pattern has seen. */
export async function surveyFiles(task: Task, { outputs }: TaskContract): Promise<[string, string | null][]> {
  const found: [string, string | null][] = [];
  for (const { predicate } of outputs) {
    if (predicate.type === "unchanged")
      for (const { path, sha256 } of await findFiles(task, wantedFiles(predicate.glob), true))
        found.push([path, sha256], [`${predicate.glob}\0${path}`, null]);
    else if (predicate.type === "file_exists" && predicate.changed)
      for (const { path, sha256 } of await findFiles(task, predicate, true)) found.push([path, sha256]);
  }
  return found;
}
