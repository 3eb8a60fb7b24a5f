/** The look of the provider `environment`: one effect, so that a replay sees the folder as it was. */
import { shape } from "../../effects/index.ts";
import { HostError } from "../../host/index.ts";
import { type Task, workingFolder } from "../../interp/index.ts";
import { foldPath } from "../../model/index.ts";
import { compareTexts, thrown } from "../../values/index.ts";
import { hostPathOf } from "../checks/files.ts";
import type { EnvironmentAsk, FolderOverview } from "../state/requests.ts";

/** Nobody works in these. */
const leftOut: ReadonlySet<string> = new Set([".git", ".harn", "node_modules"]);

/** Where counting ends: a project of millions of files is not walked for a listing of a hundred. */
const maxCounted = 10_000;

export const lookAtEnvironment = (
  task: Task,
  { root, maxEntries, depth }: EnvironmentAsk,
): FolderOverview | Promise<FolderOverview> =>
  task.perform<FolderOverview>({
    effect: "read",
    kind: "agent.environment",
    args: () => ({ root, max_entries: maxEntries, depth }),
    run: () => {
      const folder = root === null ? workingFolder(task) : foldPath(hostPathOf(task, root));
      const found = listed(task, folder, depth);
      const entries = found.slice(0, maxEntries);
      return { folder, os: task.runtime.host.os, entries, more: found.length - entries.length };
    },
    result: shape.record<FolderOverview>({
      folder: shape.text,
      os: shape.text,
      entries: shape.listOf(shape.text),
      more: shape.count,
    }),
  });

function listed(task: Task, folder: string, depth: number): string[] {
  const { files } = task.runtime.host;
  const found: string[] = [];
  const visit = (path: string, below: string, left: number): void => {
    const names = [...files.list(path)].sort((a, b) => compareTexts(a.name, b.name));
    for (const { name, kind } of names) {
      if (leftOut.has(name) || found.length >= maxCounted) continue;
      const isFolder = kind === "dir";
      found.push(`${below}${name}${isFolder ? "/" : ""}`);
      // A folder that nobody may read is listed by its name.
      if (isFolder && left > 1) quietly(() => visit(`${path}/${name}`, `${below}${name}/`, left - 1));
    }
  };
  try {
    visit(folder, "", depth);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    throw thrown(`${folder} can't be listed: ${error.message}`);
  }
  return found;
}

function quietly(body: () => void): void {
  try {
    body();
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
  }
}
