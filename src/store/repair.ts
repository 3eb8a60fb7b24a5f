/**
 * A store that is damaged (a disk that lost pages, a file that was cut or edited): what can be read of it is copied into a
 * new one, row by row, from both ends of each table, because a page that can't be read hides what lies behind it. Then each
 * run is looked through: it keeps its records up to the first that is not what was written, or that refers to a piece that
 * is lost, and can be resumed from there. The damaged file stays beside the new one.
 */
import { existsSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { hasHash, recordIn } from "./checked-text.ts";
import { crc32 } from "./crc.ts";
import { type Column, Database, type SqlRow } from "./database.ts";
import { describeOwner, mayTake } from "./owner.ts";
import { cutIn, noteCut, noUserOfPiece } from "./runs.ts";
import { serverTableKeys } from "./schema/server-tables.ts";
import { migrate, migrateCopied } from "./schema.ts";
import { makePrivate, refuseLinks } from "./store.ts";
import { StoreError } from "./store-error.ts";

export interface RepairedRun {
  readonly name: string;
  readonly records: number;
  /** There were more, which can't be read or are not what was written. */
  readonly cut: boolean;
  /** How many more, as far as that is known. */
  readonly lost: number;
}

export interface RepairReport {
  /** Where the damaged store lies now. */
  readonly damaged: string;
  readonly runs: readonly RepairedRun[];
  /** Runs of which the beginning is lost, and the rest is dropped with it. */
  readonly dropped: number;
}

/** Tables in an order in which none refers to a later one, with what orders their rows. */
const tables: readonly (readonly [name: string, key: string])[] = [
  ["run", "id"],
  ["blob", "id"],
  ["record", "run, seq"],
  ["blob_use", "run, blob"],
  ["question", "run, place"],
  ["entry", "space, key"],
  ["mailbox_message", "seq"],
  ["lease", "name"],
  ["event", "stream, seq"],
  ["request_key", "key"],
  ...serverTableKeys,
];

/** Replaces the store in a file by what can be read of it. A `StoreError` when there is none, or somebody works on it. */
export function repairStore(file: string, now: number): RepairReport {
  refuseLinks(dirname(file), file);
  if (!existsSync(file))
    throw new StoreError("missing", `there is no store ${file}: nothing was recorded yet`);
  const made = `${file}.repairing`;
  removeDatabase(made);
  makePrivate(dirname(made), made);
  const to = new Database(made);
  let found: Omit<RepairReport, "damaged">;
  try {
    migrate(to);
    // What refers to something lost is removed at the end, not refused at the beginning.
    to.exec("PRAGMA foreign_keys = OFF");
    found = to.transaction(() => {
      salvage(file, to);
      mustBeIdle(to, now);
      return new Inspection(to, now).runs();
    });
  } catch (error) {
    to.close();
    removeDatabase(made);
    throw error;
  }
  to.close();
  const damaged = freeName(`${file}.damaged`);
  moveDatabase(file, damaged);
  moveDatabase(made, file);
  return { damaged, ...found };
}

function salvage(file: string, to: Database): void {
  let from: Database | undefined;
  try {
    from = new Database(file, { damaged: true });
    const known = tableNames(from);
    for (const [table, key] of tables) {
      // A store of an earlier version has fewer tables; where the list of them is damaged, each is tried.
      const source = known.size === 0 || known.has(table) ? table : formerly[table];
      if (source === undefined) continue;
      const whole = copy(from, to, { table, source, key }, "ASC");
      if (!whole) copy(from, to, { table, source, key }, "DESC");
    }
    migrateCopied(from, to);
  } catch (error) {
    // Not even its first page can be read.
    if (!(error instanceof StoreError) || error.fault !== "corrupt") throw error;
  } finally {
    from?.close();
  }
}

/** How tables that were renamed are read from a store of an earlier version. */
const formerly: { readonly [table: string]: string | undefined } = {
  mailbox_message:
    "seq, queue AS mailbox, body, key, enqueued, due, claims, owner, owned_until, dead AS dead_reason FROM item",
};

/** The tables there are; empty when that can't be read. */
function tableNames(from: Database): Set<string> {
  try {
    const rows = from.all("SELECT name FROM sqlite_master WHERE type = 'table'");
    return new Set(rows.map(({ name }) => String(name)));
  } catch (error) {
    if (error instanceof StoreError) return new Set();
    throw error;
  }
}

interface TableCopy {
  readonly table: string;
  /** The table's name, or columns and table as an earlier version had them. */
  readonly source: string;
  readonly key: string;
}

/** Whether the end was reached. */
function copy(
  from: Database,
  to: Database,
  { table, source, key }: TableCopy,
  order: "ASC" | "DESC",
): boolean {
  const by = key.split(", ").map((column) => `${column} ${order}`);
  // A new store that can't be written is another matter than an old one that can't be read.
  let unwritable: unknown;
  const visit = (row: SqlRow): void => {
    try {
      insert(to, table, row);
    } catch (error) {
      unwritable = error;
      throw error;
    }
  };
  try {
    const what = source === table ? `* FROM ${table}` : source;
    from.each(`SELECT ${what} ORDER BY ${by.join(", ")}`, visit);
    return true;
  } catch (error) {
    if (unwritable === undefined && error instanceof StoreError) return false;
    throw error;
  }
}

function insert(to: Database, table: string, row: SqlRow): void {
  const columns = Object.keys(row);
  const marks = columns.map(() => "?").join(", ");
  to.run(
    `INSERT OR IGNORE INTO ${table} (${columns.join(", ")}) VALUES (${marks})`,
    ...(Object.values(row) as Column[]),
  );
}

function mustBeIdle(db: Database, now: number): void {
  for (const row of db.all(
    "SELECT name, owner, owned_until FROM run WHERE owner IS NOT NULL AND ended IS NULL",
  )) {
    const owner = String(row.owner);
    if (mayTake(owner, Number(row.owned_until), now)) continue;
    throw new StoreError("taken", `the run ${row.name} is being worked on by ${describeOwner(owner)}`, [
      "wait until it has ended, or end it first",
    ]);
  }
}

/** Looks through what was copied, and cuts each run where it stops being what was recorded. */
class Inspection {
  private readonly db: Database;
  /** Pieces by hash: whether they, and all that they refer to, are there. */
  private readonly whole = new Map<string, boolean>();

  private readonly now: number;

  constructor(db: Database, now: number) {
    this.db = db;
    this.now = now;
  }

  runs(): Omit<RepairReport, "damaged"> {
    const runs: RepairedRun[] = [];
    for (const row of this.db.all("SELECT id, name, header FROM run ORDER BY id DESC")) {
      if (recordIn(row.header)?.t === "run") runs.push(this.run(row));
      else this.db.run("DELETE FROM run WHERE id = ?", row.id as number);
    }
    const orphaned = "SELECT count(DISTINCT run) AS n FROM record WHERE run NOT IN (SELECT id FROM run)";
    const dropped = Number(this.db.get(orphaned)?.n);
    for (const table of ["record", "blob_use", "question"]) {
      this.db.run(`DELETE FROM ${table} WHERE run NOT IN (SELECT id FROM run)`);
    }
    this.db.run("DELETE FROM blob_use WHERE blob NOT IN (SELECT id FROM blob)");
    this.db.run("DELETE FROM piece_holder WHERE piece NOT IN (SELECT id FROM blob)");
    this.db.run("UPDATE source SET blob = NULL WHERE blob NOT IN (SELECT id FROM blob)");
    this.db.run(`DELETE FROM blob WHERE ${noUserOfPiece}`);
    return { runs, dropped };
  }

  private run(run: SqlRow): RepairedRun {
    const id = Number(run.id);
    const records = this.db.all("SELECT seq, body, crc FROM record WHERE run = ? ORDER BY seq", id);
    const good = this.goodRecords(String(run.header), records);
    const sql = "SELECT ended, written, shown FROM run WHERE id = ?";
    const { ended, written, shown } = this.db.get(sql, id) as SqlRow;
    const known = Math.max(Number(written ?? 0), Number(records.at(-1)?.seq ?? -1) + 1);
    const cut = known > good || (ended !== null && endIsMissing(records));
    const name = String(run.name);
    const before = cut ? cutIn(this.db, name) : undefined;
    const lost = Math.max(known, (before?.records ?? 0) + (before?.lost ?? 0)) - good;
    if (cut) {
      this.db.run("DELETE FROM record WHERE run = ? AND seq >= ?", id, good);
      this.db.run(
        "UPDATE run SET ended = NULL, reason = NULL, exit_code = NULL, owner = NULL, written = ? WHERE id = ?",
        written === null ? null : good,
        id,
      );
      noteCut(
        this.db,
        name,
        { records: good, lost, shown: Math.max(Number(shown), before?.shown ?? 0) },
        this.now,
      );
    }
    return { name, records: good, cut, lost };
  }

  private goodRecords(header: string, records: readonly SqlRow[]): number {
    let crc = crc32(header);
    for (const [at, row] of records.entries()) {
      const body = String(row.body);
      crc = crc32(body, crc);
      if (Number(row.seq) !== at || Number(row.crc) !== crc || !this.isGood(body)) return at;
    }
    return records.length;
  }

  private isGood(body: string): boolean {
    const record = recordIn(body);
    if (record === undefined) return false;
    const named = record.t === "source" ? [record.hash] : piecesNamedIn(record);
    return named.every((hash) => this.isWhole(hash));
  }

  /** Whether a piece is there as it was written, with all that it names. Long lists are chains of thousands: no recursion. */
  private isWhole(asked: string): boolean {
    const open = [asked];
    const judged = new Map<string, readonly string[]>();
    for (let hash = open.at(-1); hash !== undefined; hash = open.at(-1)) {
      const names = judged.get(hash);
      if (names !== undefined) {
        this.whole.set(
          hash,
          names.every((name) => this.whole.get(name) === true),
        );
        judged.delete(hash);
      }
      if (this.whole.has(hash)) {
        open.pop();
        continue;
      }
      // A piece that names itself is none.
      this.whole.set(hash, false);
      const found = this.piecesOf(hash);
      if (found === undefined) continue;
      judged.set(hash, found);
      for (const name of found) if (!this.whole.has(name)) open.push(name);
    }
    return this.whole.get(asked) === true;
  }

  /** What a piece names; undefined for one that is missing or changed. */
  private piecesOf(hash: string): readonly string[] | undefined {
    const row = this.db.get("SELECT body FROM blob WHERE hash = ?", Buffer.from(hash, "hex"));
    const body = row === undefined ? undefined : String(row.body);
    return body !== undefined && hasHash(body, hash) ? piecesNamedIn(JSON.parse(body)) : undefined;
  }
}

/** The pieces that a record or a piece names itself, however deep it nests. */
function piecesNamedIn(json: unknown): readonly string[] {
  const found: string[] = [];
  const left = [json];
  while (left.length > 0) {
    const part = left.pop();
    if (part === null || typeof part !== "object") continue;
    if (Object.hasOwn(part, "$blob")) found.push(String((part as { $blob: unknown }).$blob));
    else {
      // A script's own dict with such a key stands below `$esc`.
      const inner = Object.hasOwn(part, "$esc") ? (part as { $esc: unknown }).$esc : part;
      if (inner !== null && typeof inner === "object") for (const one of Object.values(inner)) left.push(one);
    }
  }
  return found;
}

/** The run says that it ended, its records don't: the last of them are lost. */
const endIsMissing = (records: readonly SqlRow[]): boolean => recordIn(records.at(-1)?.body)?.t !== "end";

/** A database is a file and its log. */
const parts = ["", "-wal", "-shm"];

function moveDatabase(from: string, to: string): void {
  for (const part of parts) if (existsSync(from + part)) renameSync(from + part, to + part);
}

function removeDatabase(file: string): void {
  for (const part of parts) rmSync(file + part, { force: true });
}

function freeName(file: string): string {
  let name = file;
  for (let number = 2; existsSync(name); number++) name = `${file}-${number}`;
  return name;
}
