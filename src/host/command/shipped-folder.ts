/** Folders that ship with the program, beside its bundle: `stdlib`, `templates`. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The nearest folder of that name above this file: of the sources, of a clone's bundle, of the installed package. */
export function shippedFolder(name: string): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const candidate = join(folder, name);
    if (existsSync(candidate) || dirname(folder) === folder) return candidate;
  }
}

/** The text of a module of the library that ships with the program: `agent/compaction`. */
export const shippedModule = (name: string): string =>
  readFileSync(join(shippedFolder("stdlib"), `${name}.harn`), "utf8");
