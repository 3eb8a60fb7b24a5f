/**
 * The tables, as a list of migrations: a store is at version n when the first n have been done. A migration that is
 * released is never changed; a store from a newer version of harn is refused, because writing it could lose what it
 * means.
 *
 *   run        one row a run; `fence` counts its owners, and only the newest may write; `written` is how many records it has, so
 *              that a lost end is noticed (null: it was written before there was this count)
 *   record     its journal: `crc` goes on from record to record, so that a damaged or edited one is noticed
 *   blob       large pieces by the hash of their content, shared by all runs; `blob_use` says by which
 *   question   what a run asks a person, and the answer
 *   entry      keys and values by space
 *   mailbox_message  durable mailboxes: first in, first out within a mailbox
 *   lease      named leases with a fencing token
 *   event      streams of events, numbered without gaps (`schema/server-tables.ts`, with what servers keep)
 *   request_key  results of what is done once
 *   eval_*     sets of evaluations: their tasks, samples, variants, trials, attempts, scores, labels, draws and limits; large parts
 *              are in `blob`, and `run.trial` says of which trial a run is an attempt or a scoring
 */
import { callerWords } from "../process/index.ts";
import type { Database } from "./database.ts";
import { escapedNames } from "./schema/kept-columns.ts";
import { serverTables } from "./schema/server-tables.ts";
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
  // Columns named eval_set besides that of the task stand there so that a whole set is read in one look.
  `
  ALTER TABLE run ADD COLUMN trial INTEGER;
  CREATE INDEX run_trial ON run (trial) WHERE trial IS NOT NULL;
  CREATE TABLE eval_set (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    plan INTEGER REFERENCES run(id) ON DELETE SET NULL,
    seed TEXT NOT NULL,
    spec TEXT NOT NULL,
    state TEXT NOT NULL,
    why TEXT,
    program TEXT NOT NULL,
    began INTEGER NOT NULL,
    ended INTEGER,
    receipt TEXT
  );
  CREATE TABLE eval_task (
    id INTEGER PRIMARY KEY,
    eval_set INTEGER NOT NULL REFERENCES eval_set(id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    spec TEXT NOT NULL,
    digest TEXT NOT NULL,
    UNIQUE (eval_set, name)
  );
  CREATE TABLE eval_sample (
    id INTEGER PRIMARY KEY,
    eval_set INTEGER NOT NULL REFERENCES eval_set(id) ON DELETE CASCADE,
    task INTEGER NOT NULL REFERENCES eval_task(id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    digest TEXT NOT NULL,
    ord INTEGER NOT NULL,
    cluster TEXT,
    retired INTEGER NOT NULL DEFAULT 0,
    body INTEGER REFERENCES blob(id),
    UNIQUE (task, key, digest)
  );
  CREATE INDEX eval_sample_set ON eval_sample (eval_set);
  CREATE INDEX eval_sample_body ON eval_sample (body);
  CREATE TABLE eval_variant (
    id INTEGER PRIMARY KEY,
    eval_set INTEGER NOT NULL REFERENCES eval_set(id) ON DELETE CASCADE,
    task INTEGER NOT NULL REFERENCES eval_task(id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    digest TEXT NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (task, key)
  );
  CREATE INDEX eval_variant_set ON eval_variant (eval_set);
  CREATE TABLE eval_trial (
    id INTEGER PRIMARY KEY,
    eval_set INTEGER NOT NULL REFERENCES eval_set(id) ON DELETE CASCADE,
    sample INTEGER NOT NULL REFERENCES eval_sample(id) ON DELETE CASCADE,
    variant INTEGER NOT NULL REFERENCES eval_variant(id) ON DELETE CASCADE,
    epoch INTEGER NOT NULL,
    streams TEXT NOT NULL,
    kind TEXT NOT NULL,
    ord INTEGER NOT NULL,
    state TEXT NOT NULL,
    digest TEXT NOT NULL,
    run INTEGER REFERENCES run(id) ON DELETE SET NULL,
    outcome INTEGER REFERENCES blob(id),
    error TEXT,
    category TEXT,
    limit_hit TEXT,
    faults TEXT,
    blame TEXT,
    input_tokens INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0,
    cost REAL NOT NULL DEFAULT 0,
    doubtful REAL NOT NULL DEFAULT 0,
    turns INTEGER NOT NULL DEFAULT 0,
    working_ms INTEGER NOT NULL DEFAULT 0,
    wall_ms INTEGER NOT NULL DEFAULT 0,
    began INTEGER,
    ended INTEGER,
    attempts INTEGER NOT NULL DEFAULT 0,
    UNIQUE (sample, variant, epoch, streams, kind)
  );
  CREATE INDEX eval_trial_set ON eval_trial (eval_set);
  CREATE INDEX eval_trial_outcome ON eval_trial (outcome);
  CREATE TABLE eval_attempt (
    trial INTEGER NOT NULL REFERENCES eval_trial(id) ON DELETE CASCADE,
    n INTEGER NOT NULL,
    run INTEGER REFERENCES run(id) ON DELETE SET NULL,
    state TEXT NOT NULL,
    error TEXT,
    category TEXT,
    began INTEGER NOT NULL,
    ended INTEGER,
    PRIMARY KEY (trial, n)
  ) WITHOUT ROWID;
  CREATE TABLE eval_score (
    eval_set INTEGER NOT NULL REFERENCES eval_set(id) ON DELETE CASCADE,
    trial INTEGER NOT NULL REFERENCES eval_trial(id) ON DELETE CASCADE,
    scorer TEXT NOT NULL,
    version INTEGER NOT NULL,
    draw INTEGER NOT NULL,
    value REAL,
    pass INTEGER,
    label TEXT,
    body INTEGER REFERENCES blob(id),
    run INTEGER REFERENCES run(id) ON DELETE SET NULL,
    cost REAL NOT NULL DEFAULT 0,
    PRIMARY KEY (trial, scorer, version, draw)
  ) WITHOUT ROWID;
  CREATE INDEX eval_score_set ON eval_score (eval_set);
  CREATE INDEX eval_score_body ON eval_score (body);
  CREATE TABLE eval_label (
    trial INTEGER NOT NULL REFERENCES eval_trial(id) ON DELETE CASCADE,
    scorer TEXT NOT NULL,
    rater TEXT NOT NULL,
    value REAL,
    label TEXT,
    note TEXT,
    at INTEGER NOT NULL,
    PRIMARY KEY (trial, scorer, rater)
  ) WITHOUT ROWID;
  CREATE TABLE eval_draw (
    key TEXT PRIMARY KEY,
    result INTEGER NOT NULL REFERENCES blob(id),
    made INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX eval_draw_result ON eval_draw (result);
  CREATE TABLE eval_limit (
    id INTEGER PRIMARY KEY,
    eval_set INTEGER NOT NULL REFERENCES eval_set(id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    provider TEXT NOT NULL,
    old INTEGER NOT NULL,
    new INTEGER NOT NULL,
    reason TEXT NOT NULL
  );
  CREATE INDEX eval_limit_set ON eval_limit (eval_set);
  CREATE INDEX run_of_set ON eval_set (plan);
  CREATE INDEX run_of_trial ON eval_trial (run);
  CREATE INDEX run_of_attempt ON eval_attempt (run);
  CREATE INDEX run_of_score ON eval_score (run);
  `,
  serverTables,
  // Most scores have neither a run nor a text of their own. Records may be lists from here on (`schema/kept-record.ts`), which
  // earlier versions can't read.
  `
  DROP INDEX run_of_score;
  DROP INDEX eval_score_body;
  CREATE INDEX run_of_score ON eval_score (run) WHERE run IS NOT NULL;
  CREATE INDEX eval_score_body ON eval_score (body) WHERE body IS NOT NULL;
  `,
  `
  ALTER TABLE run ADD COLUMN written INTEGER;
  `,
  escapedNames,
];

export const storeVersion = migrations.length;

/** The version from which on secrets stand by name in columns of what was said. */
const versionOfNames = migrations.indexOf(escapedNames) + 1;

/** Rows that were copied from a store of an earlier version become what its migrations would have made of them. */
export function migrateCopied(from: Database, to: Database): void {
  if (storeVersionOf(from) < versionOfNames) to.exec(escapedNames);
}

/** Brings a store up to this version. Two processes that begin the same store do it once. */
export function migrate(db: Database): void {
  if (storeVersionOf(db) === storeVersion) return;
  db.transaction(() => {
    const version = storeVersionOf(db);
    if (version > storeVersion) {
      throw new StoreError(
        "newer",
        `the store ${db.file} has version ${version}, this version of harn reads up to ${storeVersion}`,
        [`use the newer harn, or another folder (${callerWords().storeFolder()})`],
      );
    }
    for (const migration of migrations.slice(version)) db.exec(migration);
    db.exec(`PRAGMA user_version = ${storeVersion}`);
  });
}

const storeVersionOf = (db: Database): number => Number(db.get("PRAGMA user_version")?.user_version ?? 0);
