/** Where what is durable lives, for the command line: it has files of its own, without the limits of a run. */
import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { type StatePlaces, statePlaces } from "./state-places.ts";

/** The places of a working directory and environment; they need not exist yet. */
export const placesOf = (cwd: string, env: ReadonlyMap<string, string>): StatePlaces =>
  statePlaces(cwd, env, (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);

/** The state folder alone. */
export const stateFolder = (cwd: string, env: ReadonlyMap<string, string>): string =>
  placesOf(cwd, env).state;

/**
 * Makes a folder and those above it. Node's own `recursive` never ends where nothing can be made although the parent exists
 * (`/proc/x`).
 */
export function makeStateFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeStateFolder(parent);
  try {
    mkdirSync(folder);
  } catch (error) {
    // Somebody else was quicker.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
