/**
 * The embedded store: one SQLite file of a project, `state.db` in its state folder. Made when it is first written to, for
 * its owner's eyes only. Several processes may have it open; each write is a transaction of its own.
 */
import { chmodSync, closeSync, existsSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Json, Secrets } from "../effects/index.ts";
import { type SqliteModule, sqliteModule } from "../process/index.ts";
import type { RunMirror } from "./copies/run-mirror.ts";
import { Database } from "./database.ts";
import { Entries } from "./entries.ts";
import { makeFolders, stateLinkRefusal, storeFile } from "./folders.ts";
import { KeptJson } from "./kept-json.ts";
import { Leases } from "./leases.ts";
import { Mailboxes } from "./mailboxes.ts";
import { Runs } from "./runs.ts";
import { migrate } from "./schema.ts";
import { StoreError, storeError } from "./store-error.ts";
import { Streams } from "./streams.ts";
import { Tables } from "./tables.ts";

export interface StoreOptions {
  /** Milliseconds since the epoch; default the system's clock. */
  readonly now?: () => number;
  /** SQLite as the machine has it (`Libraries.sqlite`): on one without a disk, stores are in memory. */
  readonly sqlite?: SqliteModule;
  /** Name of its file in the folder; `state.db` unless it is a store of its own. */
  readonly file?: string;
  /** How long a writer waits for another process, in milliseconds; default 30,000. */
  readonly busyTimeoutMs?: number;
  /** Gets a copy of what its runs write. */
  readonly mirror?: RunMirror | undefined;
  /** What stands in it by name; default the secrets of this process's environment. */
  readonly secrets?: Secrets;
}

export class Store {
  readonly folder: string;
  readonly runs: Runs;
  readonly entries: Entries;
  readonly mailboxes: Mailboxes;
  readonly leases: Leases;
  readonly streams: Streams;
  readonly requestKeys: RequestKeys;
  readonly tables: Tables;
  /** Its clock: milliseconds since the epoch. */
  readonly now: () => number;
  private readonly db: Database;

  /** Use `openStore` or `existingStore`. */
  constructor(folder: string, db: Database, options: StoreOptions) {
    const now = options.now ?? Date.now;
    this.folder = folder;
    this.db = db;
    this.now = now;
    const json = new KeptJson(
      () => !onDisk(options) || (statSync(join(folder, options.file ?? storeFile)).mode & 0o077) === 0,
      options.secrets,
    );
    this.runs = new Runs(db, now, json, options.mirror);
    this.entries = new Entries(db, now, json);
    this.mailboxes = new Mailboxes(db, now, json);
    this.leases = new Leases(db, now);
    this.streams = new Streams(db, json);
    this.requestKeys = new RequestKeys(db, now, json);
    this.tables = new Tables(db, json);
  }

  /**
   * What `work` writes through any part of this store: everything, or nothing. Nothing in it may wait. Without `durable` it
   * survives the end of the process, and a power loss from the next durable transaction on.
   */
  transaction<T>(work: () => T, durable = true): T {
    return this.db.transaction(work, durable);
  }

  /** The same together with what is written to journals of this store. Not in code that an interrupt may break off. */
  withJournals<T>(work: () => T, durable = true): T {
    return this.db.steadily(work, durable);
  }

  /** Inside a transaction: nothing of what `work` writes stays when it throws, and the transaction goes on. */
  part<T>(work: () => T): T {
    return this.db.part(work);
  }

  /** What `work` reads is true at one moment, and it waits for nobody who writes. */
  look<T>(work: () => T): T {
    return this.db.look(work);
  }

  /** A number that changes when another process or connection has committed something. */
  othersVersion(): number {
    return Number(this.db.get("PRAGMA data_version")?.data_version);
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
  const file = join(folder, options.file ?? storeFile);
  if (onDisk(options)) {
    refuseLinks(folder, file);
    makePrivate(folder, file);
  }
  return openedStore(folder, file, options);
}

/** The store of a state folder; `undefined` when none was begun. */
export function existingStore(folder: string, options: StoreOptions = {}): Store | undefined {
  const file = join(folder, options.file ?? storeFile);
  if (onDisk(options)) refuseLinks(folder, file);
  return existsSync(file) ? openedStore(folder, file, options) : undefined;
}

const onDisk = ({ sqlite }: StoreOptions): boolean =>
  sqlite === undefined || sqlite.DatabaseSync === sqliteModule().DatabaseSync;

function openedStore(folder: string, file: string, options: StoreOptions): Store {
  const { sqlite, busyTimeoutMs } = options;
  const db = new Database(file, {
    ...(sqlite === undefined ? {} : { sqlite }),
    ...(busyTimeoutMs === undefined ? {} : { busyTimeoutMs }),
  });
  try {
    migrate(db);
  } catch (error) {
    db.close();
    throw error;
  }
  return new Store(folder, db, options);
}

/** A store, and what SQLite keeps beside it, is where it seems to be. */
export function refuseLinks(folder: string, file: string): void {
  for (const end of ["", "-wal", "-shm", "-journal"]) {
    const refusal = stateLinkRefusal(folder, file + end);
    if (refusal !== undefined) throw new StoreError("unreadable", refusal);
  }
}

/** It holds whatever runs saw. SQLite gives the files beside it the same rights. */
export function makePrivate(folder: string, file: string): void {
  try {
    makeFolders(folder, 0o700);
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

/** Whoever could repeat it has ended long ago. */
const keptMs = 30 * 86_400_000;

class RequestKeys {
  private readonly db: Database;
  private readonly now: () => number;
  private readonly json: KeptJson;
  constructor(db: Database, now: () => number, json: KeptJson) {
    this.db = db;
    this.now = now;
    this.json = json;
  }

  /** What `work` gave when it was done under this key; else it is done now. Inside a transaction. */
  once(key: string, work: () => Json): Json {
    const row = this.db.get("SELECT result FROM request_key WHERE key = ?", key);
    if (row !== undefined) return this.json.read(row.result, `the result of ${key}`);
    const result = work();
    const now = this.now();
    this.db.run("DELETE FROM request_key WHERE at < ?", now - keptMs);
    this.db.run(
      "INSERT INTO request_key (key, at, result) VALUES (?, ?, ?)",
      key,
      now,
      this.json.write(result),
    );
    return result;
  }
}
