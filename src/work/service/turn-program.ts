/**
 * The program of a daemon's turns: a few lines that hand the script's `daemon()` to `std/daemon`. It is an ordinary program,
 * so a turn is an ordinary run: recorded, resumed, shown by `harn runs`, replayed.
 */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Wish } from "../../durable/index.ts";
import type { Json } from "../../effects/index.ts";
import { moveFile, replaceContent } from "../../store/files/whole-files.ts";
import { makeFolders } from "../../store/folders.ts";

/** What `daemon_turn` of `std/daemon` gets, as the program's only own argument. */
export interface TurnOrder {
  readonly seq: number;
  readonly folder: string;
  readonly wish: Wish;
}

/** Writes the program for a script; gives its path. */
export function writeTurnProgram(folder: string, script: string): string {
  makeFolders(folder);
  const path = join(folder, "turn.harn");
  const text = `// Made by \`harn daemon run\`: one turn of the daemon in ${script}.
import { daemon } from ${JSON.stringify(script)}
import { daemon_turn } from "std/daemon"

daemon_turn(daemon, argv[0])
`;
  replaceContent(path, text);
  return path;
}

/** The report of the turn for a message; `undefined` when its run left none. */
export function turnReport(folder: string, seq: number) {
  try {
    const report = JSON.parse(readFileSync(join(folder, "turn.json"), "utf8")) as Json;
    const {
      seq: of,
      status,
      text,
      iterations,
      error,
      wake_interval_ms,
      watch_paths,
      event_queue_capacity,
    } = report as { readonly [key: string]: Json };
    if (of !== seq || typeof status !== "string") return undefined;
    return {
      seq,
      status,
      text: typeof text === "string" ? text : "",
      iterations: typeof iterations === "number" ? iterations : 0,
      error: typeof error === "string" ? error : null,
      idle: {
        wakeIntervalMs: typeof wake_interval_ms === "number" ? wake_interval_ms : null,
        watchPaths: Array.isArray(watch_paths) ? watch_paths.map(String) : [],
        capacity: typeof event_queue_capacity === "number" ? event_queue_capacity : 1024,
      },
    };
  } catch {
    return undefined;
  }
}

/** What the turn's loop has come to is the daemon's state from now on. Done again, it changes nothing. */
export function promoteSnapshot(folder: string, seq: number): void {
  try {
    moveFile(join(folder, `next-${seq}.json`), join(folder, "daemon.json"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** What a turn that is given up has left. */
export const dropSnapshot = (folder: string, seq: number): void =>
  rmSync(join(folder, `next-${seq}.json`), { force: true });

/** What an earlier run for the same message has reported is nothing that a new one says. */
export const dropReport = (folder: string): void => rmSync(join(folder, "turn.json"), { force: true });
