/** What was entered in earlier sessions: a line per entry, readable by its owner only. */
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { replaceContent } from "../../store/files/whole-files.ts";
import { makeFolders } from "../../store/folders.ts";

export const historySize = 1000;

/** `XDG_STATE_HOME/harn/repl-history`, else `~/.local/state/harn/repl-history`. */
export function historyFile(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_STATE_HOME || join(homedir(), ".local", "state"), "harn", "repl-history");
}

/** Newest first, as `readline` keeps it. Without a readable file there is no history. */
export function readReplHistory(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n").filter(Boolean).slice(-historySize).reverse();
  } catch {
    return [];
  }
}

/** Replaces the file. A history that cannot be kept is no reason to bother anybody. */
export function writeHistory(file: string, entries: readonly string[]): void {
  try {
    makeFolders(dirname(file), 0o700);
    const lines = entries.slice(0, historySize).reverse();
    replaceContent(file, lines.map((line) => `${line}\n`).join(""), 0o600);
  } catch {
    // Read-only home, full disk.
  }
}
