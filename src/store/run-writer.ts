/**
 * A run's journal on its way into the store. Records are kept in memory until `flush`, which writes them in one
 * transaction together with the pieces they refer to, and only while this process owns the run: a process that was frozen
 * and taken over writes nothing more.
 *
 * An interrupt may break a computation off wherever a function begins, also in here, without any clean-up. So nothing is
 * forgotten before it is committed, and writing it again is harmless: a record has its number from the beginning.
 */
import { JournalProblem, type JournalRecord, type JournalWriter, type RunHeader } from "../effects/index.ts";
import { callerWords } from "../process/index.ts";
import type { MirroredWrite, RunMirror } from "./copies/run-mirror.ts";
import { crc32 } from "./crc.ts";
import type { Database } from "./database.ts";
import { leaseMs } from "./leases.ts";
import { runOwner } from "./owner.ts";
import { keptRecord } from "./schema/kept-record.ts";
import { StoreError } from "./store-error.ts";

/** Records, and characters of large pieces, that are written even when nobody asks. */
const bufferSize = 2048;
const bufferedText = 64 * 1024;

/** A large piece, as JSON text. */
interface TextPiece {
  readonly t: "piece";
  readonly hash: string;
  readonly text: string;
}

/** What a run in the store is to its owner. */
export interface OwnedRun {
  /** The row. */
  readonly id: number;
  readonly fence: number;
  /** Records there are, and the checksum so far. */
  readonly records: number;
  readonly crc: number;
}

/** Of a run that begins. */
export interface NewRunOptions {
  /** The run that it goes on from. */
  readonly parent?: string;
  /** Row of the trial that it is an attempt of. */
  readonly trial?: number;
  /** Written in the transaction in which it begins. */
  readonly also?: (() => void) | undefined;
}

export interface RunWriterOptions extends NewRunOptions {
  /** Default: it begins. */
  readonly run?: OwnedRun;
  /** A second copy, and how many records that has of the run; `undefined`: it has no such run. */
  readonly mirror?: { readonly to: RunMirror; readonly records: number | undefined } | undefined;
}

/** What a transaction writes, for the copy. */
interface Copying extends MirroredWrite {
  header: string | undefined;
  parent: string | undefined;
  readonly records: string[];
  readonly pieces: (readonly [hash: string, body: string])[];
}

/** What is true once a transaction is committed. */
interface Progress {
  readonly id: number;
  readonly records: number;
  readonly crc: number;
}

export class RunWriter implements JournalWriter {
  readonly name: string;
  private readonly db: Database;
  private readonly now: () => number;
  private readonly fence: number;
  private readonly parent: string | undefined;
  private readonly trial: number | undefined;
  private readonly alsoBegins: () => void;
  /** Not yet written. */
  private buffer: (JournalRecord | TextPiece)[] = [];
  private bufferedText = 0;
  private progress: Progress | undefined;
  /** It resumes a run that had ended, and has added nothing yet. */
  private ended: boolean;
  private readonly mirror: RunMirror | undefined;
  /** Records that the copy has. */
  private mirrored: number | undefined;
  /** What the transaction in progress writes, for the copy. */
  private copying: Copying | undefined = undefined;
  /** What is committed here, and was not given to the copy: broken off there, it is given once more. */
  private owed: readonly MirroredWrite[] = [];
  /** What was written last is not durable, here or in the copy. */
  private isUnsettled = false;
  private ownedUntil = 0;
  private renewal: NodeJS.Timeout | undefined;
  private closed = false;

  /** Resumes `run`, or begins a new one with the first record, which must be its header. */
  constructor(db: Database, now: () => number, name: string, options: RunWriterOptions) {
    this.db = db;
    this.now = now;
    this.name = name;
    this.parent = options.parent;
    this.trial = options.trial;
    this.alsoBegins = options.also ?? (() => {});
    this.fence = options.run?.fence ?? 1;
    this.progress = options.run;
    this.ended = options.run !== undefined;
    this.mirror = options.mirror?.to;
    this.mirrored = options.mirror?.records;
    // A run that waits for a model for minutes keeps its lease.
    this.renewal = setInterval(() => this.renew(), leaseMs / 3);
    this.renewal.unref();
  }

  append(record: JournalRecord): void {
    this.buffer.push(record);
    if (this.buffer.length >= bufferSize) this.flush(false);
  }

  blob(hash: string, text: string): void {
    this.buffer.push({ t: "piece", hash, text });
    this.bufferedText += text.length;
    if (this.bufferedText >= bufferedText) this.flush(false);
  }

  flush(durable = false): void {
    // What an ordinary commit has written may be the intent of an effect that begins now.
    if (this.buffer.length > 0 || (durable && this.isUnsettled)) this.write(() => {}, durable);
  }

  shown(pieces: number): void {
    this.write((id) => this.db.run("UPDATE run SET shown = ? WHERE id = ?", pieces, id), false, pieces);
  }

  /** Keeps a question for those who can answer it, in one transaction with what else is written about it. */
  question(place: string, body: string, also: () => void = () => {}): void {
    const sql = "INSERT OR IGNORE INTO question (run, place, asked, body) VALUES (?, ?, ?, ?)";
    this.write((id) => {
      this.db.run(sql, id, place, this.now(), body);
      also();
    }, true);
  }

  /** A question that needs no answer any more, in one transaction with what else is written about it. */
  settled(place: string, also: () => void = () => {}): void {
    const sql = "DELETE FROM question WHERE run = ? AND place = ?";
    this.write((id) => {
      this.db.run(sql, id, place);
      also();
    }, true);
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    clearInterval(this.renewal);
    if (this.progress === undefined && this.buffer.length === 0) return;
    // A power loss now would leave a run without its end: resuming it finds that there is nothing left to do.
    this.write((id) => this.db.run("UPDATE run SET owner = NULL WHERE id = ?", id), false);
  }

  /** One transaction, if this process still owns the run: what is kept in memory, then `work`. */
  private write(work: (id: number) => void, durable: boolean, shown?: number): void {
    this.db.recover();
    const { buffer, mirror } = this;
    const isPart = this.db.isInTransaction;
    let progress: Progress;
    try {
      progress = this.db.transaction(() => {
        if (this.progress !== undefined) this.mustOwn(this.progress.id);
        if (this.ended && buffer.length > 0) this.reopen();
        this.copying = mirror === undefined ? undefined : this.beginCopy(shown);
        const reached = this.writeBuffer(buffer);
        // A transaction that writes nothing would not be waited for.
        if (durable || reached.records !== this.progress?.records) this.noteWritten(reached);
        work(reached.id);
        return reached;
      }, durable);
    } catch (error) {
      throw this.problemOf(error);
    }
    // Broken off here, all of it is written once more, as the same.
    if (this.copying !== undefined) this.owed = [...this.owed, this.copying];
    this.mirrored = progress.records;
    this.isUnsettled = mirror !== undefined || !durable || isPart;
    this.ended &&= buffer.length === 0;
    this.progress = progress;
    this.buffer = [];
    this.bufferedText = 0;
    if (mirror !== undefined) this.db.afterCommit(() => this.giveCopy(mirror, durable && !isPart));
  }

  private giveCopy(mirror: RunMirror, durable: boolean): void {
    try {
      for (const write of this.owed) mirror.append(write, durable);
    } catch (error) {
      throw this.problemOf(error);
    }
    this.owed = [];
    this.isUnsettled = !durable;
  }

  private beginCopy(shown: number | undefined): Copying {
    const { name: run, progress, mirrored } = this;
    const from = Math.min(mirrored ?? 0, progress?.records ?? 0);
    const copying: Copying = {
      run,
      header: undefined,
      parent: undefined,
      from,
      records: [],
      pieces: [],
      shown,
    };
    if (progress === undefined) return copying;
    // It was begun without the copy, or the copy lacks the end of it.
    if (mirrored === undefined) {
      const row = this.db.get("SELECT header, parent FROM run WHERE id = ?", progress.id);
      copying.header = String(row?.header);
      if (typeof row?.parent === "string") copying.parent = row.parent;
      addPieces(copying, this.db, progress.id);
    }
    const missing = "SELECT body FROM record WHERE run = ? AND seq >= ? AND seq < ? ORDER BY seq";
    if (from < progress.records)
      for (const { body } of this.db.all(missing, progress.id, from, progress.records))
        copying.records.push(String(body));
    return copying;
  }

  private problemOf(error: unknown): unknown {
    clearInterval(this.renewal);
    return error instanceof StoreError ? this.unwritable(error) : error;
  }

  private unwritable({ fault, message, advice }: StoreError): JournalProblem {
    if (fault === "taken") return new JournalProblem("unwritable", message, advice);
    // Nothing of this run is there to resume when not even its beginning could be written.
    const onward =
      this.progress === undefined
        ? []
        : [`then \`${callerWords().command(`run --resume ${this.name}`)}\` goes on from here`];
    return new JournalProblem("unwritable", `cannot write the journal: ${message}`, [...advice, ...onward]);
  }

  private writeBuffer(buffer: readonly (JournalRecord | TextPiece)[]): Progress {
    let progress = this.progress;
    for (const record of buffer) {
      if (record.t === "run") progress = this.begin(record);
      else if (progress === undefined) throw new Error("a journal begins with its header");
      else if (record.t === "piece") this.putBlob(progress.id, record.hash, record.text);
      else if (record.t === "blob") this.putBlob(progress.id, record.hash, JSON.stringify(record.v));
      else progress = this.add(progress, record);
    }
    if (progress === undefined) throw new Error("a journal begins with its header");
    return progress;
  }

  /** Kept beside the records: a store that has lost the last of them can tell. */
  private noteWritten({ id, records }: Progress): void {
    this.db.run("UPDATE run SET written = ? WHERE id = ?", records, id);
  }

  private reopen(): void {
    const id = this.progress?.id ?? null;
    this.db.run("UPDATE run SET ended = NULL, reason = NULL, exit_code = NULL WHERE id = ?", id);
  }

  private begin(header: RunHeader): Progress {
    const text = keptRecord(header);
    const known = this.db.get("SELECT id FROM run WHERE name = ?", header.run);
    if (known !== undefined) {
      throw new StoreError("exists", `there is a run ${header.run} in the store already`);
    }
    const now = this.now();
    this.ownedUntil = now + leaseMs;
    const id = this.db.insert(
      "INSERT INTO run (name, header, parent, began, fence, owner, owned_until, trial) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      header.run,
      text,
      this.parent ?? null,
      now,
      this.fence,
      runOwner(),
      this.ownedUntil,
      this.trial ?? null,
    );
    if (this.parent !== undefined) this.shareBlobs(id, this.parent);
    if (this.copying !== undefined) {
      this.copying.header = text;
      this.copying.parent = this.parent;
      if (this.parent !== undefined) addPieces(this.copying, this.db, id);
    }
    this.alsoBegins();
    return { id, records: 0, crc: crc32(text) };
  }

  /** A fork begins with records of its parent, which refer to its parent's pieces. */
  private shareBlobs(id: number, parent: string): void {
    this.db.run(
      `INSERT OR IGNORE INTO blob_use (run, blob)
       SELECT ?, blob FROM blob_use JOIN run ON run.id = blob_use.run WHERE run.name = ?`,
      id,
      parent,
    );
  }

  private add(progress: Progress, record: JournalRecord): Progress {
    const { id, records } = progress;
    const body = keptRecord(record);
    const crc = crc32(body, progress.crc);
    this.copying?.records.push(body);
    this.db.run(
      "INSERT OR REPLACE INTO record (run, seq, body, crc) VALUES (?, ?, ?, ?)",
      id,
      records,
      body,
      crc,
    );
    if (record.t === "end") this.noteEnd(id, record.reason, record.code);
    return { id, records: records + 1, crc };
  }

  private noteEnd(id: number, reason: string, code: number): void {
    this.db.run(
      "UPDATE run SET ended = ?, reason = ?, exit_code = ? WHERE id = ?",
      this.now(),
      reason,
      code,
      id,
    );
  }

  private putBlob(id: number, hash: string, text: string): void {
    const key = Buffer.from(hash, "hex");
    this.copying?.pieces.push([hash, text]);
    this.db.run("INSERT OR IGNORE INTO blob (hash, body) VALUES (?, ?)", key, text);
    this.db.run("INSERT OR IGNORE INTO blob_use (run, blob) SELECT ?, id FROM blob WHERE hash = ?", id, key);
  }

  private mustOwn(id: number): void {
    const row = this.db.get("SELECT fence FROM run WHERE id = ?", id);
    if (row === undefined) throw new StoreError("taken", `the run ${this.name} was deleted while it ran`);
    if (Number(row.fence) !== this.fence) {
      throw new StoreError("taken", `the run ${this.name} was taken over by another process; this one stops`);
    }
    const now = this.now();
    if (this.ownedUntil - now > leaseMs / 2 && this.ownedUntil - now <= leaseMs) return;
    this.ownedUntil = now + leaseMs;
    this.db.run("UPDATE run SET owned_until = ? WHERE id = ?", this.ownedUntil, id);
  }

  /** From a timer, so nobody could take an error: the next write reports it. */
  private renew(): void {
    const { progress } = this;
    if (progress === undefined) return;
    try {
      this.db.transaction(() => this.mustOwn(progress.id), false);
    } catch {
      clearInterval(this.renewal);
    }
  }
}

/** The pieces of the run of a row, as they are kept, the oldest first; without a hash one whose row is damaged. */
export const piecesOfRun = (db: Database, id: number): { readonly hash: string; readonly body: string }[] =>
  db
    .all(
      "SELECT hash, body FROM blob JOIN blob_use ON blob_use.blob = blob.id WHERE blob_use.run = ? ORDER BY blob.id",
      id,
    )
    .map(({ hash, body }) => ({
      hash: hash instanceof Uint8Array ? Buffer.from(hash).toString("hex") : "",
      body: String(body),
    }));

function addPieces({ pieces }: Copying, db: Database, id: number): void {
  for (const { hash, body } of piecesOfRun(db, id)) pieces.push([hash, body]);
}
