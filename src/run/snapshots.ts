/** Runs as files: what `harn runs export` writes and `import` and `--resume` read. */
import { join, resolve } from "node:path";
import { JournalProblem } from "../effects/index.ts";
import { ownStateFolder, ownStatePlaces, typedCommand, UsageError } from "../host/command/index.ts";
import { ownPath, ownProcess } from "../process/index.ts";
import { NodeModuleLoader } from "../program/index.ts";
import { carriedJournal, takeCarriedRun } from "../store/copies/index.ts";
import { openStore, readSnapshot, type SnapshotRoots, type Store, writeSnapshot } from "../store/index.ts";

/** The folders that are named in a file: the project is where its state folder lies. */
export function ownRoots(more: Readonly<Record<string, string>> = {}): SnapshotRoots {
  const roots: Record<string, string> = {
    project: ownStatePlaces().project,
    std: new NodeModuleLoader().library.path,
  };
  for (const [name, path] of Object.entries(more)) {
    if (!/^[a-z][a-z0-9_-]*$/.test(name))
      throw new UsageError(`--root: expected NAME=FOLDER, got ${name}=${path}`, "HARN-CLI-003");
    roots[name] = resolve(ownPath(path));
  }
  return roots;
}

/**
 * Makes a run of a file, unless the store has it already; gives its name. The store may have gone on since the file was written, not
 * the other way round, and not another way.
 */
export function importFile(file: string, roots?: Readonly<Record<string, string>>): string {
  const carried = carriedJournal(readSnapshot(file, ownRoots(roots)));
  const { run } = carried.journal.header;
  const store = openStore(ownStateFolder());
  try {
    if (takeCarriedRun(store, carried, { counts: "own" }).as !== "refused") return run;
  } finally {
    store.close();
  }
  throw new JournalProblem("unreadable", `${file} holds another course of ${run} than the store`, [
    `\`${typedCommand(`runs delete ${run}`)}\` removes the one in the store`,
  ]);
}

/** Writes a run to a file; gives its path, and what is missing in it because it is damaged. */
export function exportRun(
  store: Store,
  run: string,
  file: string | undefined,
  roots?: Readonly<Record<string, string>>,
): { readonly path: string; readonly missing: readonly string[] } {
  const path = resolve(ownProcess().cwd(), file ?? join(ownProcess().cwd(), `${run}.json`));
  return { path, missing: writeSnapshot(store.runs, run, path, ownRoots(roots)) };
}
