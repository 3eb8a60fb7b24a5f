/** Folders that a program names, as they were when it called: the process may be in another one by the time a run begins. */
import { harnError } from "./errors.ts";
import type { HarnOptions } from "./types.ts";

/** `caller`: who is named where there is no such folder. A store may be begun; of a folder that is worked in a wrong name is a mistake. */
export function ownFolders(
  caller: string,
  { cwd: given = ".", store }: Pick<HarnOptions, "cwd" | "store">,
): { readonly cwd: string } & Pick<HarnOptions, "store"> {
  const { resolve } = process.getBuiltinModule("node:path");
  const cwd = folderThere(caller, "cwd", given);
  if (typeof store !== "string" || store === "memory") return { cwd };
  return { cwd, store: resolve(cwd, store) };
}

/** The absolute path of a folder that an option names. */
export function folderThere(caller: string, option: string, given: string): string {
  const { statSync } = process.getBuiltinModule("node:fs");
  const { resolve } = process.getBuiltinModule("node:path");
  const folder = resolve(given);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw harnError("HARN-LIB-001", `${caller}: \`${option}\` is not a folder: ${folder}`);
  return folder;
}
