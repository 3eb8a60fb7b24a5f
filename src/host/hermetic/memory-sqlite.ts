/**
 * Node's SQLite for machines without a disk: every database is in memory, one for each path, and stays as long as its machine,
 * however often a program opens and closes it.
 */
import type { DatabaseSync, DatabaseSyncOptions } from "node:sqlite";
import type { SqliteModule } from "../../process/index.ts";

/** A loader like `Libraries.sqlite`. */
export function memorySqlite(load: () => SqliteModule): () => SqliteModule {
  const databases = new Map<string, DatabaseSync>();
  let module: SqliteModule | undefined;
  return () => {
    module ??= inMemory(load(), databases);
    return module;
  };
}

function inMemory(real: SqliteModule, databases: Map<string, DatabaseSync>): SqliteModule {
  class KeptDatabase extends real.DatabaseSync {
    /** The next one to open this path finds what was written. */
    override close(): void {}
  }
  // Called with `new`, a function that gives an object makes that object.
  function open(path: string, options?: DatabaseSyncOptions): DatabaseSync {
    let database = databases.get(path);
    if (database === undefined) {
      database = new KeptDatabase(":memory:", options ?? {});
      databases.set(path, database);
    }
    return database;
  }
  return { ...real, DatabaseSync: open as unknown as typeof DatabaseSync };
}
