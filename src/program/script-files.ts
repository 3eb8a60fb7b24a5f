/** Which scripts a command works on: the files named, and every script below the folders named. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../host/command/index.ts";
import { ownPath } from "../process/index.ts";

/** Never searched: other people's code, and what tools write. */
const SKIPPED = /(^|[/\\])(node_modules|\.harn|\.git)([/\\]|$)/;

/** Paths in the order given, those below a folder sorted. A folder without any script is an error. */
export function scriptFiles(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap(scripts))];
}

function scripts(path: string): string[] {
  if (statSync(ownPath(path), { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
  const found = readdirSync(ownPath(path), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".harn") && !SKIPPED.test(name))
    .sort()
    .map((name) => join(path, name));
  if (found.length === 0) throw new UsageError(`there is no .harn file below ${path}`, "HARN-CLI-005");
  return found;
}
