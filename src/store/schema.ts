/**
 * The tables, as a list of migrations: a store is at version n when the first n have been done. A migration that is
 * released is never changed; a store from a newer version of harn is refused, because writing it could lose what it
 * means.
 *
 *   run        one row a run; `fence` counts its owners, and only the newest may write
 *   record     its journal: `crc` goes on from record to record, so that a damaged or edited one is noticed
 *   blob       large pieces by the hash of their content, shared by all runs; `blob_use` says by which
 *   question   what a run asks a person, and the answer
 *   entry      keys and values by space
 *   mailbox_message  durable mailboxes: first in, first out within a mailbox
 *   lease      named leases with a fencing token
 *   event      streams of events, numbered without gaps
 *   request_key  results of what is done once
 */
import type { Database } from "./database.ts";
import { StoreError } from "./store-error.ts";

const migrations: readonly string[] = [
  `
  CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    header TEXT NOT NULL,
    parent TEXT,
    began INTEGER NOT NULL,
    ended INTEGER,
    reason TEXT,
    exit_code INTEGER,
    shown INTEGER NOT NULL DEFAULT 0,
    fence INTEGER NOT NULL DEFAULT 0,
    owner TEXT,
    owned_until INTEGER NOT NULL DEFAULT 0
  );
  CREATE TABLE record (
    run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    body TEXT NOT NULL,
    crc INTEGER NOT NULL,
    PRIMARY KEY (run, seq)
  ) WITHOUT ROWID;
  CREATE TABLE blob (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    body TEXT NOT NULL
  );
  CREATE TABLE blob_use (
    run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    blob INTEGER NOT NULL REFERENCES blob(id),
    PRIMARY KEY (run, blob)
  ) WITHOUT ROWID;
  CREATE INDEX blob_used ON blob_use (blob);
  CREATE TABLE question (
    run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    place TEXT NOT NULL,
    asked INTEGER NOT NULL,
    body TEXT NOT NULL,
    answer TEXT,
    answered INTEGER,
    answered_by TEXT,
    PRIMARY KEY (run, place)
  ) WITHOUT ROWID;
  CREATE TABLE entry (
    space TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    changed INTEGER NOT NULL,
    PRIMARY KEY (space, key)
  ) WITHOUT ROWID;
  CREATE TABLE item (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    queue TEXT NOT NULL,
    body TEXT NOT NULL,
    key TEXT,
    enqueued INTEGER NOT NULL,
    due INTEGER NOT NULL,
    claims INTEGER NOT NULL DEFAULT 0,
    owner TEXT,
    owned_until INTEGER NOT NULL DEFAULT 0,
    dead TEXT
  );
  CREATE INDEX item_order ON item (queue, seq);
  CREATE INDEX item_due ON item (due) WHERE dead IS NULL;
  CREATE UNIQUE INDEX item_key ON item (queue, key) WHERE key IS NOT NULL AND dead IS NULL;
  CREATE TABLE lease (
    name TEXT PRIMARY KEY,
    owner TEXT,
    fence INTEGER NOT NULL,
    owned_until INTEGER NOT NULL
  ) WITHOUT ROWID;
  `,
  // Words of queues (terms.md): SQLite renames the columns of the indexes, too. `events` is the table that an event log had
  // when it was a database of its own; a store of a project has none.
  `
  ALTER TABLE item RENAME TO mailbox_message;
  ALTER TABLE mailbox_message RENAME COLUMN queue TO mailbox;
  ALTER TABLE mailbox_message RENAME COLUMN dead TO dead_reason;
  CREATE TABLE event (
    stream TEXT NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (stream, seq)
  ) WITHOUT ROWID;
  CREATE TABLE request_key (
    key TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    result TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX request_key_age ON request_key (at);
  CREATE TABLE IF NOT EXISTS events (topic TEXT, id INTEGER, kind TEXT, payload TEXT, headers TEXT, at_ms REAL);
  INSERT INTO event (stream, seq, at, type, body)
    SELECT 'log:' || topic, id, CAST(at_ms AS INTEGER), kind,
      json_object('payload', payload, 'headers', headers) FROM events;
  DROP TABLE events;
  `,
];

export const storeVersion = migrations.length;

/** Brings a store up to this version. Two processes that begin the same store do it once. */
export function migrate(db: Database): void {
  if (storeVersionOf(db) === storeVersion) return;
  db.transaction(() => {
    const version = storeVersionOf(db);
    if (version > storeVersion) {
      throw new StoreError(
        "newer",
        `the store ${db.file} has version ${version}, this version of harn reads up to ${storeVersion}`,
        ["use the newer harn, or another folder (HARN_STATE_DIR)"],
      );
    }
    for (const migration of migrations.slice(version)) db.exec(migration);
    db.exec(`PRAGMA user_version = ${storeVersion}`);
  });
}

const storeVersionOf = (db: Database): number => Number(db.get("PRAGMA user_version")?.user_version ?? 0);
