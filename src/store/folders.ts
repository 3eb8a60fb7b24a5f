/** Folders of the machine, for the command line: where what is durable lives, and making them. */
import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { type StatePlaces, statePlaces } from "./state-places.ts";

/** The store, in the state folder. */
export const storeFile = "state.db";

/** The places of a working directory and environment; they need not exist yet. */
export const statePlacesOf = (cwd: string, env: ReadonlyMap<string, string>): StatePlaces =>
  statePlaces(cwd, env, (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);

/** The state folder alone. */
export const stateFolder = (cwd: string, env: ReadonlyMap<string, string>): string =>
  statePlacesOf(cwd, env).state;

/**
 * Makes a folder and those above it, the missing ones with `mode`. Node's own `recursive` never ends where nothing can be made
 * although the parent exists (`/proc/x`).
 */
export function makeFolders(path: string, mode?: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" && statSync(path).isDirectory()) return;
    const parent = dirname(path);
    if (code !== "ENOENT" || parent === path || existsSync(parent)) throw error;
    makeFolders(parent, mode);
    if (!existsSync(path)) mkdirSync(path, { mode });
  }
}
