/** The folders of `harn`, as they were when it was called: the process may be in another one by the time a run begins. */
import { harnError } from "./errors.ts";
import type { HarnOptions } from "./types.ts";

/** `caller`: who is named where there is no such folder. A store may be begun; of a folder that is worked in a wrong name is a mistake. */
export function ownFolders(
  caller: string,
  { cwd: given = ".", store }: Pick<HarnOptions, "cwd" | "store">,
): { readonly cwd: string } & Pick<HarnOptions, "store"> {
  const { statSync } = process.getBuiltinModule("node:fs");
  const { resolve } = process.getBuiltinModule("node:path");
  const cwd = resolve(given);
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw harnError("HARN-LIB-001", `${caller}: \`cwd\` is not a folder: ${cwd}`);
  if (typeof store !== "string" || store === "memory") return { cwd };
  return { cwd, store: resolve(cwd, store) };
}
