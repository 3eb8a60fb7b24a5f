/**
 * Where what is durable lives: `HARN_STATE_DIR`, else `.harn` beside the nearest `harn.toml`, else `.harn` in the working
 * folder (design.md §6).
 */
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The folder of a working directory and environment; it need not exist yet. */
export function stateFolder(cwd: string, env: ReadonlyMap<string, string>): string {
  const named = env.get("HARN_STATE_DIR");
  if (named !== undefined && named !== "") return resolve(cwd, named);
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "harn.toml"))) return join(folder, ".harn");
    if (dirname(folder) === folder) return join(cwd, ".harn");
  }
}

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
