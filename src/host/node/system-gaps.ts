/**
 * What docs/security.md promises and this system has no means for (docs/install.md has the table). Whoever first runs a program that needs
 * it is told, once: a mark in the folder of caches remembers it.
 */
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { ownProcess } from "../../process/index.ts";
import { cacheFolder, makeFolders } from "../../store/folders.ts";
import { reportError } from "../command/report.ts";

export const gaps = {
  paths:
    "folders are allowed and denied by their names: another process that swaps a link at the right moment can lead a write elsewhere",
  descendants: "a program that leaves its process group goes on when the run has ended",
  memory: "of the memory of a run only V8's own limit holds",
  walls: "there is no bubblewrap: code that agents write can reach whatever its user can",
} as const;

export type Gap = keyof typeof gaps;

/** By process: runs of a program have their own, with streams of their own. */
const reported = new WeakMap<object, Set<Gap>>();

export function sayGap(gap: Gap): void {
  const own = ownProcess();
  const before = reported.get(own) ?? new Set();
  reported.set(own, before);
  if (before.has(gap)) return;
  before.add(gap);
  if (!isNewGap(gap)) return;
  reportError(
    `warning: on this system (${process.platform}) ${gaps[gap]}; docs/install.md says what holds where (HARN-RUN-011)\n`,
  );
}

/** Leaves the mark. Where none can be left it is told again. */
function isNewGap(gap: Gap): boolean {
  const folder = cacheFolder("told-gaps");
  if (folder === undefined) return true;
  try {
    makeFolders(folder);
    closeSync(openSync(join(folder, gap), "wx"));
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "EEXIST";
  }
}
