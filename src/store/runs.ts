/** The runs of a project: their journals, who owns them, how they ended. */

import {
  type AgentFailure,
  type EndRecord,
  type Journal,
  JournalProblem,
  type JournalRecord,
  type Json,
  journalFormat,
  type LostPart,
  oldestFormat,
  type ResumePoint,
  type RunHeader,
  validRecords,
} from "../effects/index.ts";
import { callerWords } from "../process/index.ts";
import { hasHash, recordIn } from "./checked-text.ts";
import type { RunMirror } from "./copies/run-mirror.ts";
import { crc32 } from "./crc.ts";
import type { Column, Database, SqlRow } from "./database.ts";
import type { KeptJson } from "./kept-json.ts";
import { leaseMs } from "./leases.ts";
import { describeOwner, mayTake, type Owner, runOwner } from "./owner.ts";
import { type Question, Questions } from "./questions.ts";
import { type NewRunOptions, piecesOfRun, RunWriter, type RunWriterOptions } from "./run-writer.ts";
import { isElsewhere, RunsElsewhere } from "./runs-elsewhere.ts";
import { intentsAndResults, keptRecord } from "./schema/kept-record.ts";
import { StoreError } from "./store-error.ts";

/**
 * `running` its owner is at work · `interrupted` its process died · `stopped` asked to (Ctrl-C, TERM …) · `waiting` for a
 * person, or over with an agent that stands still until somebody resumes it · `failed` with an uncaught error or a limit · `done`
 */
export type RunState = "running" | "interrupted" | "stopped" | "waiting" | "failed" | "done";

export interface StoredRunSummary {
  readonly name: string;
  readonly state: RunState;
  /** It was handed over to workers: the state is the one that it had then. */
  readonly isOnWorkers: boolean;
  /** Path of the script. */
  readonly entry: string;
  readonly argv: readonly string[];
  /** Milliseconds since the epoch. */
  readonly began: number;
  readonly ended: number | undefined;
  readonly exitCode: number | undefined;
  /** The run that it was forked from. */
  readonly parent: string | undefined;
  readonly records: number;
  /** What was noted when it ended: agents that failed, and nobody looked. */
  readonly notes: readonly string[];
  /** How its agent ended that did not do its work, whatever the program made of it. */
  readonly outcome: AgentFailure | undefined;
}

/** A run's state in a word or two, for people. */
export const stateWords = ({
  state,
  isOnWorkers,
}: Pick<StoredRunSummary, "state" | "isOnWorkers">): string => (isOnWorkers ? "on workers" : state);

export interface PruneRules {
  /** So many of the newest stay. */
  readonly keep?: number;
  /** Those that began at this moment or later stay. */
  readonly before?: number;
}

const uncounted = `id, name, header, parent, began, ended, reason, exit_code, shown, written, fence, owner, owned_until, ${isElsewhere} AS elsewhere, (SELECT body FROM record WHERE record.run = run.id ORDER BY seq DESC LIMIT 1) AS last`;
const columns = `${uncounted}, (SELECT count(*) FROM record WHERE record.run = run.id) AS records`;

/** Space of the store's entries that says of which runs records are lost. */
const cutSpace = "run.cut";

export interface CutRun {
  /** Those that were kept. */
  readonly records: number;
  /** How many more there were, as far as that is known: at least so many. */
  readonly lost: number;
  /** Pieces of standard output that had been shown. */
  readonly shown: number;
}

export function cutIn(db: Database, name: string): CutRun | undefined {
  const cut = db.get("SELECT value FROM entry WHERE space = ? AND key = ?", cutSpace, name);
  if (cut === undefined) return undefined;
  return {
    lost: 0,
    shown: 0,
    ...(JSON.parse(String(cut.value)) as Pick<CutRun, "records"> & Partial<CutRun>),
  };
}

export function noteCut(db: Database, name: string, cut: CutRun, now: number): void {
  const sql = "INSERT OR REPLACE INTO entry (space, key, value, changed) VALUES (?, ?, ?, ?)";
  db.run(sql, cutSpace, name, JSON.stringify(cut), now);
}

/** What refers to a piece. */
const pieceUsers = [
  "blob_use WHERE blob_use.blob",
  "eval_sample WHERE eval_sample.body",
  "eval_trial WHERE eval_trial.outcome",
  "eval_score WHERE eval_score.body",
  "eval_draw WHERE eval_draw.result",
  "piece_holder WHERE piece_holder.piece",
  "source WHERE source.blob",
];

/** SQL: nothing refers to the row of `blob`. */
export const noUserOfPiece = pieceUsers
  .map((user) => `NOT EXISTS (SELECT 1 FROM ${user} = blob.id)`)
  .join(" AND ");

export class Runs {
  readonly questions: Questions;
  /** Those that other machines work on. */
  readonly elsewhere: RunsElsewhere;
  private readonly db: Database;
  private readonly now: () => number;
  private readonly mirror: RunMirror | undefined;

  /** `mirror`: gets a copy of what is written. */
  constructor(db: Database, now: () => number, json: KeptJson, mirror?: RunMirror) {
    this.db = db;
    this.now = now;
    this.mirror = mirror;
    this.questions = new Questions(db, json);
    this.elsewhere = new RunsElsewhere(db, now, json);
  }

  /** Begins a run with the first record that is written, its header; this process owns it. */
  begin(name: string, options: NewRunOptions = {}): RunWriter {
    return new RunWriter(this.db, this.now, name, { ...options, mirror: this.mirrorWith(undefined) });
  }

  private mirrorWith(records: number | undefined): RunWriterOptions["mirror"] {
    return this.mirror === undefined ? undefined : { to: this.mirror, records };
  }

  /**
   * Takes a run over, to resume it. It stays as it ended until something is added. A `StoreError` "taken" while
   * somebody else owns it. `isOurs`: whoever worked on it has lost it, which the caller knows.
   */
  take(name: string, { isOurs = false } = {}): RunWriter {
    // It may have to wait for the answer, and nobody else should wait with it.
    const mirror = this.mirrorWith(this.mirror?.recordsOf(name));
    return this.db.transaction(() => {
      if (!isOurs) this.mustBeFree(name);
      const row = this.mustFind(name);
      const fence = Number(row.fence) + 1;
      this.db.run(
        "UPDATE run SET fence = ?, owner = ?, owned_until = ? WHERE id = ?",
        fence,
        runOwner(),
        this.now() + leaseMs,
        row.id as number,
      );
      const last = this.db.get(
        "SELECT seq, crc FROM record WHERE run = ? ORDER BY seq DESC LIMIT 1",
        row.id as number,
      );
      const records = last === undefined ? 0 : Number(last.seq) + 1;
      const crc = last === undefined ? crc32(String(row.header)) : Number(last.crc);
      if (mirror?.records !== undefined && mirror.records > records)
        throw new StoreError(
          "taken",
          `the copy of the run ${name} is longer: somebody else has gone on with it`,
        );
      const run = { id: Number(row.id), fence, records, crc };
      return new RunWriter(this.db, this.now, name, { run, mirror });
    });
  }

  /** A `StoreError` while somebody works on it, or when there is no such run. */
  mustBeFree(name: string): void {
    const row = this.mustFind(name);
    this.elsewhere.mustBeHere(name);
    const owner = row.owner as Owner | null;
    if (owner === null || mayTake(owner, Number(row.owned_until), this.now())) return;
    throw new StoreError("taken", `the run ${name} is being worked on by ${describeOwner(owner)}`, [
      "wait until it has ended, or end it first",
    ]);
  }

  /** A run's journal as it is now. Large pieces are read when asked for. Throws a `JournalProblem` when it is damaged. */
  read(name: string): Journal {
    const { journal, damage } = this.readable(name);
    if (damage !== undefined) throw damage;
    return journal;
  }

  /** The same for a run that is gone through to prove it: pieces that nothing will ask for are looked at, too. */
  wholeJournal(name: string): Journal {
    const journal = this.read(name);
    for (const { hash, value } of this.blobs(name)) if (value === undefined) throw damagedPiece(hash);
    return journal;
  }

  /** What can be read of a run: its records up to the first that is damaged. */
  readable(name: string): { readonly journal: Journal; readonly damage: JournalProblem | undefined } {
    const row = this.mustFind(name);
    const header = runHeaderOf(row);
    const records: JournalRecord[] = [];
    const damage = this.takeRecords(row, records);
    const journal = { header, records, shown: Number(row.shown), blob: (hash: string) => this.blob(hash) };
    return { journal, damage };
  }

  private takeRecords(run: SqlRow, records: JournalRecord[]): JournalProblem | undefined {
    let crc = crc32(String(run.header));
    const sql = "SELECT seq, body, crc FROM record WHERE run = ? ORDER BY seq";
    for (const row of this.db.all(sql, run.id as number)) {
      const body = String(row.body);
      crc = crc32(body, crc);
      const isSound = crc === Number(row.crc) && Number(row.seq) === records.length;
      const record = isSound ? recordIn(body) : undefined;
      if (record === undefined) return damagedRun(String(run.name), records.length);
      records.push(record);
    }
    const lost = Number(run.written ?? records.length) - records.length;
    return lost > 0 ? withoutEnd(String(run.name), records.length, lost) : undefined;
  }

  /** What a run has lost; `undefined`: nothing that is known of. */
  cut(name: string): CutRun | undefined {
    return cutIn(this.db, name);
  }

  /**
   * What is lost of a run that is resumed there. Where the store did not count what it wrote, output that was shown after all
   * records there are tells of it; so does not the output of a program that was edited.
   */
  lostPart(name: string, journal: Journal, { history, because }: ResumePoint): LostPart {
    const cut = this.cut(name);
    if (cut !== undefined) {
      const madeSince = history.records.length - validRecords(journal.records.slice(0, cut.records)).length;
      return { records: Math.max(0, cut.lost - madeSince), shown: cut.shown };
    }
    const isCounted = (this.mustFind(name).written ?? null) !== null;
    return { records: 0, shown: isCounted || because !== "cut off" ? 0 : (journal.shown ?? 0) };
  }

  /** Notes what a run has lost, for all that resume it from here on. */
  noteLost(name: string, lost: CutRun): void {
    this.db.transaction(() => noteCut(this.db, name, lost, this.now()));
  }

  /** A large piece by the hash of its content. Throws a `JournalProblem` when it is not what was written. */
  blob(hash: string): Json | undefined {
    const row = this.db.get("SELECT body FROM blob WHERE hash = ?", Buffer.from(hash, "hex"));
    if (row === undefined) return undefined;
    const body = String(row.body);
    if (!hasHash(body, hash)) throw damagedPiece(hash);
    return JSON.parse(body) as Json;
  }

  /** The pieces of one run; without a value one that is damaged. */
  blobs(name: string): { readonly hash: string; readonly value: Json | undefined }[] {
    return this.keptPieces(name).map(({ hash, body }) => {
      const isSound = hash !== "" && hasHash(body, hash);
      return { hash, value: isSound ? (JSON.parse(body) as Json) : undefined };
    });
  }

  /** The same as their texts. */
  keptPieces(name: string): ReturnType<typeof piecesOfRun> {
    return piecesOfRun(this.db, this.mustFind(name).id as number);
  }

  /** Header and records as they are kept, read by nobody. */
  keptTexts(name: string): { readonly header: string; readonly records: readonly string[] } {
    const row = this.mustFind(name);
    const records = this.db.all("SELECT body FROM record WHERE run = ? ORDER BY seq", row.id as number);
    return { header: String(row.header), records: records.map(({ body }) => String(body)) };
  }

  /**
   * Newest first, as the store got to know them: the clock may have been set back in between. Attempts of trials and their
   * scorings, of which a set may have thousands, only when they are asked for.
   */
  list(options: { readonly trials?: boolean } = {}): StoredRunSummary[] {
    const which = options.trials === true ? "" : " WHERE trial IS NULL";
    return this.db.all(`SELECT ${columns} FROM run${which} ORDER BY id DESC`).map((row) => this.summary(row));
  }

  /**
   * Some of that list, without counting records: those after a run, at most `limit`; only of the conversations of an owner
   * when one is named. `undefined` when there is no run `after`.
   */
  page(options: {
    readonly after?: string | undefined;
    readonly limit: number;
    readonly owner?: string | undefined;
  }): Omit<StoredRunSummary, "records">[] | undefined {
    const { after, limit, owner } = options;
    const anchor = after === undefined ? undefined : this.db.get("SELECT id FROM run WHERE name = ?", after);
    if (after !== undefined && anchor === undefined) return undefined;
    const own = `name IN (SELECT run FROM conversation_run JOIN conversation ON conversation.id = conversation
      WHERE conversation.owner = ?)`;
    const which = [
      "trial IS NULL",
      ...(anchor === undefined ? [] : ["id < ?"]),
      ...(owner === undefined ? [] : [own]),
    ];
    const values = [
      ...(anchor === undefined ? [] : [Number(anchor.id)]),
      ...(owner === undefined ? [] : [owner]),
    ];
    return this.db
      .all(
        `SELECT ${uncounted} FROM run WHERE ${which.join(" AND ")} ORDER BY id DESC LIMIT ?`,
        ...values,
        limit,
      )
      .map((row) => this.summary(row));
  }

  has(name: string): boolean {
    return this.db.get("SELECT 1 FROM run WHERE name = ?", name) !== undefined;
  }

  /** Names of the runs of a trial of an evaluation, the oldest first. */
  ofTrial(trial: number): string[] {
    return this.db
      .all("SELECT name FROM run WHERE trial = ? ORDER BY id", trial)
      .map((row) => String(row.name));
  }

  /** Runs of trials of a set that are not over, and scorings of those that are, which did not come to their ends. */
  unsettledOf(set: number): { readonly name: string; readonly trial: number }[] {
    return this.db
      .all(
        `SELECT run.id, run.name, run.trial FROM eval_trial t JOIN run ON run.trial = t.id
           WHERE t.eval_set = ?1 AND t.attempts > 0 AND t.state NOT IN ('done', 'errored')
         UNION ALL SELECT run.id, run.name, run.trial FROM run JOIN eval_trial t ON t.id = run.trial
           WHERE run.trial IS NOT NULL AND (run.ended IS NULL OR run.reason NOT IN ('done', 'error'))
             AND run.name GLOB '*.score*' AND t.eval_set = ?1 AND t.state = 'done'
         ORDER BY 1`,
        set,
      )
      .map(({ name, trial }) => ({ name: String(name), trial: Number(trial) }));
  }

  /** The name of a run by its number. */
  nameOf(id: number): string | undefined {
    const row = this.db.get("SELECT name FROM run WHERE id = ?", id);
    return row === undefined ? undefined : String(row.name);
  }

  /** Removes runs that nobody works on, with what only they refer to: those of the trials of a set, and its plan. */
  removeAll(names: readonly string[]): void {
    this.db.transaction(() => {
      const rows = names.map((name) => this.row(name)).filter((row) => row !== undefined);
      for (const row of rows) this.mustBeFree(String(row.name));
      this.remove(rows.map((row) => Number(row.id)));
    });
  }

  find(name: string): StoredRunSummary | undefined {
    const row = this.row(name);
    return row === undefined ? undefined : this.summary(row);
  }

  /** How many owners a run has had: only the newest may write; `undefined` when there is no such run. */
  fenceOf(name: string): number | undefined {
    const row = this.db.get("SELECT fence FROM run WHERE name = ?", name);
    return row === undefined ? undefined : Number(row.fence);
  }

  /** How many intents and results a run has recorded: what tells whether it got on. 0 when there is no such run. */
  progressOf(name: string): number {
    const isOne = intentsAndResults.map(() => "body LIKE ?").join(" OR ");
    const sql = `SELECT count(*) AS n FROM record JOIN run ON run.id = record.run WHERE run.name = ? AND (${isOne})`;
    return Number(this.db.get(sql, name, ...intentsAndResults)?.n ?? 0);
  }

  /** Who works on a run; `undefined` when nobody does. A `StoreError` when there is no such run. */
  ownerOf(name: string): Owner | undefined {
    const row = this.mustFind(name);
    return this.stateOf(row) === "running" ? String(row.owner) : undefined;
  }

  /** The full names of the runs whose names begin or end like this. */
  named(part: string): string[] {
    return this.list({ trials: true })
      .map(({ name }) => name)
      .filter((name) => name === part || name.startsWith(part) || name.endsWith(part));
  }

  /** What a run waits for people to say. */
  openQuestions(): Question[] {
    return this.questions.open();
  }

  /** Removes a run and what only it refers to. One that is being worked on is not removed. */
  delete(name: string): void {
    this.db.transaction(() => {
      const row = this.mustFind(name);
      this.elsewhere.mustBeHere(name);
      if (this.stateOf(row) === "running") {
        throw new StoreError(
          "taken",
          `the run ${name} is being worked on by ${describeOwner(String(row.owner))}`,
        );
      }
      this.remove([Number(row.id)]);
    });
  }

  /** Removes old runs that have ended; gives their names. Those at work, interrupted or waiting stay. */
  prune(rules: PruneRules): string[] {
    return this.db.transaction(() => {
      // Trials and plans of evaluations go with their set, runs of conversations with those, never by age.
      const own = `trial IS NULL AND NOT ${isElsewhere} AND NOT EXISTS (SELECT 1 FROM eval_set WHERE plan = run.id)
        AND NOT EXISTS (SELECT 1 FROM conversation_run WHERE conversation_run.run = run.name)`;
      const rows = this.db.all(`SELECT ${columns} FROM run WHERE ${own} ORDER BY id DESC`);
      const old = rows
        .slice(rules.keep ?? 0)
        .filter((row) => rules.before === undefined || Number(row.began) < rules.before)
        .filter((row) => ["done", "failed", "stopped"].includes(this.stateOf(row)));
      this.remove(old.map((row) => Number(row.id)));
      return old.map((row) => String(row.name));
    });
  }

  /** Makes a run of a journal that came from elsewhere. */
  add(journal: Journal, options: NewRunOptions = {}): void {
    const writer = this.begin(journal.header.run, options);
    writer.append(journal.header);
    for (const record of journal.records) writer.append(record);
    const shown = journal.records.reduce((most, record) => (record.t === "shown" ? record.w : most), 0);
    writer.flush(true);
    writer.shown(journal.shown ?? shown);
    writer.close();
  }

  /** Inside a transaction: the run has this header and no records. What refers to the run in other tables still does. */
  beginAnew(header: RunHeader): RunWriter {
    const id = Number(this.mustFind(header.run).id);
    for (const table of ["record", "blob_use"]) this.db.run(`DELETE FROM ${table} WHERE run = ?`, id);
    this.db.run("DELETE FROM entry WHERE space = ? AND key = ?", cutSpace, header.run);
    this.db.run(
      "UPDATE run SET header = ?, ended = NULL, reason = NULL, exit_code = NULL, shown = 0, written = 0 WHERE id = ?",
      keptRecord(header),
      id,
    );
    return this.take(header.run, { isOurs: true });
  }

  private remove(ids: readonly number[]): void {
    for (const id of ids) this.db.run("DELETE FROM run WHERE id = ?", id);
    if (ids.length === 0) return;
    this.sweep();
  }

  /** Removes pieces that nothing refers to any more. */
  sweep(): void {
    this.db.run(`DELETE FROM blob WHERE ${noUserOfPiece}`);
  }

  private row(name: string): SqlRow | undefined {
    return this.db.get(`SELECT ${columns} FROM run WHERE name = ?`, name);
  }

  private mustFind(name: string): SqlRow {
    const row = this.row(name);
    if (row !== undefined) return row;
    throw new StoreError("missing", `there is no run ${name}`, [
      `\`${callerWords().command("runs list")}\` shows those there are`,
    ]);
  }

  private stateOf(row: SqlRow): RunState {
    if (row.owner !== null && !mayTake(String(row.owner), Number(row.owned_until), this.now()))
      return "running";
    if (row.ended === null) return "interrupted";
    const states: Readonly<Record<string, RunState>> = {
      done: "done",
      exit: "done",
      error: "failed",
      parked: "waiting",
    };
    const state = states[String(row.reason)] ?? "stopped";
    return state === "done" && linesIn(row.last, "waits").length > 0 ? "waiting" : state;
  }

  private summary(row: SqlRow): StoredRunSummary {
    const header = parsedHeader(row);
    return {
      name: String(row.name),
      state: this.stateOf(row),
      isOnWorkers: Number(row.elsewhere) === 1,
      entry: header?.entry ?? "(damaged)",
      argv: header?.argv ?? [],
      began: Number(row.began),
      ended: maybe(row.ended),
      exitCode: maybe(row.exit_code),
      parent: row.parent === null ? undefined : String(row.parent),
      records: Number(row.records),
      notes: [...linesIn(row.last, "notes"), ...linesIn(row.last, "waits")],
      outcome: endIn(row.last, "outcome")?.outcome,
    };
  }
}

const maybe = (column: Column | undefined): number | undefined =>
  column === null || column === undefined ? undefined : Number(column);

/** A run's last record, when that is its end and has this field. */
function endIn(last: Column | undefined, key: "notes" | "waits" | "outcome"): EndRecord | undefined {
  const text = typeof last === "string" ? last : "";
  const record = text.includes(`"${key}"`) ? recordIn(text) : undefined;
  return record?.t === "end" ? record : undefined;
}

const linesIn = (last: Column | undefined, key: "notes" | "waits"): string[] => [
  ...(endIn(last, key)?.[key] ?? []),
];

/** `undefined` when it is damaged. */
function parsedHeader(row: SqlRow): RunHeader | undefined {
  const record = recordIn(row.header);
  return record?.t === "run" ? record : undefined;
}

const runHeaderOf = (row: SqlRow): RunHeader => readableHeader(String(row.name), parsedHeader(row));

/** A `JournalProblem` when it is none, or of a version that this one does not read. */
export function readableHeader(run: string, header: JournalRecord | undefined): RunHeader {
  if (header?.t !== "run") throw damagedRun(run, 0);
  if (header.format >= oldestFormat && header.format <= journalFormat) return header;
  throw new JournalProblem(
    "unreadable",
    `the run ${header.run} has format ${header.format}, this version of harn reads up to format ${journalFormat}`,
    [`it was written by harn ${header.runtime}; use that version`],
  );
}

export function damagedPiece(hash: string): JournalProblem {
  return new JournalProblem(
    "unreadable",
    `a piece of what was recorded is damaged (${hash.slice(0, 12)}…): it is not what was written`,
    [
      "`harn runs show` shows what can still be read",
      "`harn runs repair` cuts the run where it is needed, so that it can be resumed from there",
    ],
  );
}

function withoutEnd(name: string, records: number, lost: number): JournalProblem {
  return new JournalProblem("unreadable", `the run ${name} has lost its last ${lost} record(s)`, [
    `${records} of ${records + lost} are in the store, and are as they were recorded`,
    "`harn runs repair` notes that, so that it can be shown and resumed",
  ]);
}

export function damagedRun(name: string, record: number): JournalProblem {
  return new JournalProblem("unreadable", `the run ${name} is damaged at record ${record}`, [
    `its checksum does not match; the ${record} record(s) before it are as they were recorded`,
    "`harn runs repair` cuts it there, so that it can be shown and resumed",
  ]);
}
