/**
 * The embedded store: one SQLite file of a project, `state.db` in its state folder. Made when it is first written to, for
 * its owner's eyes only. Several processes may have it open; each write is a transaction of its own.
 */
import { chmodSync, closeSync, existsSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import { Database, type SqliteModule } from "./database.ts";
import { Entries } from "./entries.ts";
import { KeptJson } from "./kept-json.ts";
import { Leases } from "./leases.ts";
import { Queues } from "./queues.ts";
import { Runs } from "./runs.ts";
import { migrate } from "./schema.ts";
import { makeStateFolder } from "./state-folder.ts";
import { StoreError, storeError } from "./store-error.ts";

export const storeFile = "state.db";

export interface StoreOptions {
  /** Milliseconds since the epoch; default the system's clock. */
  readonly now?: () => number;
  /** SQLite as the machine has it (`Libraries.sqlite`): on one without a disk, stores are in memory. */
  readonly sqlite?: SqliteModule;
}

export class Store {
  readonly folder: string;
  readonly runs: Runs;
  readonly entries: Entries;
  readonly queues: Queues;
  readonly leases: Leases;
  private readonly db: Database;

  /** Use `openStore` or `existingStore`. */
  constructor(folder: string, db: Database, options: StoreOptions) {
    const now = options.now ?? Date.now;
    this.folder = folder;
    this.db = db;
    this.runs = new Runs(db, now);
    const json = new KeptJson(
      () => !onDisk(options) || (statSync(join(folder, storeFile)).mode & 0o077) === 0,
    );
    this.entries = new Entries(db, now, json);
    this.queues = new Queues(db, now, json);
    this.leases = new Leases(db, now);
  }

  /** What `work` writes through any part of this store: everything, or nothing. Nothing in it may wait. */
  transaction<T>(work: () => T): T {
    return this.db.transaction(work);
  }

  /** A `StoreError` when nothing can be written: a file system may be read-only although the store can be opened. */
  mustBeWritable(): void {
    // A transaction alone does not tell: on a read-only file it silently is one for reading.
    this.db.run("DELETE FROM lease WHERE name IS NULL");
  }

  close(): void {
    this.db.close();
  }
}

/** The store of a state folder, begun when there is none. Throws a `StoreError`. */
export function openStore(folder: string, options: StoreOptions = {}): Store {
  const file = join(folder, storeFile);
  if (onDisk(options)) makePrivate(folder, file);
  return opened(folder, file, options);
}

/** The store of a state folder; `undefined` when none was begun. */
export function existingStore(folder: string, options: StoreOptions = {}): Store | undefined {
  const file = join(folder, storeFile);
  return existsSync(file) ? opened(folder, file, options) : undefined;
}

const onDisk = ({ sqlite }: StoreOptions): boolean =>
  sqlite === undefined || sqlite.DatabaseSync === process.getBuiltinModule("node:sqlite").DatabaseSync;

function opened(folder: string, file: string, options: StoreOptions): Store {
  const db = new Database(file, options.sqlite === undefined ? {} : { sqlite: options.sqlite });
  try {
    migrate(db);
  } catch (error) {
    db.close();
    throw error;
  }
  return new Store(folder, db, options);
}

/** It holds whatever runs saw. SQLite gives the files beside it the same rights. */
export function makePrivate(folder: string, file: string): void {
  try {
    makeStateFolder(folder);
    if (existsSync(file)) return;
    closeSync(openSync(file, "a", 0o600));
    chmodSync(file, 0o600);
  } catch (error) {
    throw storeError(file, error);
  }
}

/** Runs `work` on a store that is closed afterwards; a missing one is an error that says where it would be. */
export function withStore<T>(folder: string, work: (store: Store) => T): T {
  const store = existingStore(folder);
  if (store === undefined) {
    throw new StoreError("missing", `there is no store in ${folder}: nothing was recorded yet`);
  }
  try {
    return work(store);
  } finally {
    store.close();
  }
}
