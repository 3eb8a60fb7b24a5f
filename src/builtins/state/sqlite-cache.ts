/**
 * Values in a SQLite file by namespace and key: the `sqlite` backend of `std/cache`. Several processes may use one file.
 * Each call opens and closes it (0.2 ms), so that no run keeps a file that another wants to move.
 */
import type { DatabaseSync } from "node:sqlite";
import { HostError } from "../../host/index.ts";
import { keptFiles, keptText, type Task } from "../../interp/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { Dict, jsonParse, jsonStringify, thrown, type Value } from "../../values/index.ts";
import { type Argument, hostPath, intOr, textOf } from "../arguments.ts";
import { parentPath } from "../files/path-text.ts";

const layout = `
  CREATE TABLE IF NOT EXISTS entries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, namespace TEXT NOT NULL, key TEXT NOT NULL,
    value TEXT NOT NULL, at_ms REAL NOT NULL, UNIQUE (namespace, key)
  )`;

type CachedText = ReturnType<typeof keptText>;

/** How long a write waits for another process's. */
const busyMs = 5000;

function withDatabase<T>(task: Task, path: string, work: (db: DatabaseSync, kept: CachedText) => T): T {
  const { libraries } = task.runtime.host;
  const files = keptFiles(task.runtime);
  const file = hostPath(task, path);
  try {
    // Through the files port, so that a run without permission to write here is refused.
    files.makeDir(parentPath(file));
    files.append(file, "");
    // SQLite opens by name: by one that has no links left, once it was judged.
    const db = new (libraries.sqlite().DatabaseSync)(files.realPath(file));
    try {
      db.exec(`PRAGMA busy_timeout = ${busyMs}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;`);
      db.exec(layout);
      return work(db, keptText(task.runtime, files, file));
    } finally {
      db.close();
    }
  } catch (error) {
    const known = error instanceof HostError || (error as { code?: unknown }).code === "ERR_SQLITE_ERROR";
    if (!known) throw error;
    throw thrown(`sqlite_cache: cannot use ${file}: ${(error as Error).message}`);
  }
}

function entryOf(row: Record<string, unknown> | undefined, kept: CachedText): Value {
  if (row === undefined) return null;
  return Dict.of({ at: Math.round(Number(row.at_ms)), value: jsonParse(kept.reveal(String(row.value))) });
}

/** What is beyond the newest `most` entries of a namespace goes. */
function trimCache(db: DatabaseSync, namespace: string, maxEntries: number): void {
  db.prepare(
    `DELETE FROM entries WHERE namespace = ?1 AND seq NOT IN
       (SELECT seq FROM entries WHERE namespace = ?1 ORDER BY seq DESC LIMIT ?2)`,
  ).run(namespace, maxEntries);
}

export const sqliteCaches = defineBuiltins("store", {
  sqlite_cache_get: {
    doc: "The entry of a key in a SQLite cache, `{at, value}` with the time it was put; nil when there is none.",
    sig: '(path: string != "", namespace: string, key: string) -> dict?',
    effect: "read",
    capability: "fs.read fs.write",
    run: (task, path: string, namespace: Argument, key: Argument) =>
      withDatabase(task, path, (db, kept) =>
        entryOf(
          db
            .prepare("SELECT value, at_ms FROM entries WHERE namespace = ? AND key = ?")
            .get(kept.hide(textOf(namespace)), kept.hide(textOf(key))),
          kept,
        ),
      ),
  },
  sqlite_cache_put: {
    doc: "Puts a value (as JSON) into a SQLite cache, with the time in ms; the oldest beyond `max_entries` of the namespace go.",
    sig: '(path: string != "", namespace: string, key: string, value: any, at: int, max_entries: int) -> nil',
    effect: "write",
    capability: "fs.read fs.write",
    run: (
      task,
      path: string,
      namespace: Argument,
      key: Argument,
      value: Argument,
      at: Argument,
      maxEntries: Argument,
    ) =>
      withDatabase(task, path, (db, kept) => {
        db.prepare("INSERT OR REPLACE INTO entries (namespace, key, value, at_ms) VALUES (?, ?, ?, ?)").run(
          kept.hide(textOf(namespace)),
          kept.hide(textOf(key)),
          kept.hide(jsonStringify(value ?? null)),
          intOr(at, 0),
        );
        trimCache(db, kept.hide(textOf(namespace)), Math.max(1, intOr(maxEntries, 256)));
        return null;
      }),
  },
  sqlite_cache_clear: {
    doc: "Removes all entries of a namespace from a SQLite cache and gives their number.",
    sig: '(path: string != "", namespace: string) -> int',
    effect: "write",
    capability: "fs.read fs.write",
    run: (task, path: string, namespace: Argument) =>
      withDatabase(task, path, (db, kept) =>
        Number(
          db.prepare("DELETE FROM entries WHERE namespace = ?").run(kept.hide(textOf(namespace))).changes,
        ),
      ),
  },
});
