/**
 * Sets in the store: rows as they are, in the words of the engine. Whoever writes a set holds its lease (`eval:NAME`).
 *
 *   set ─▶ tasks ─▶ samples × variants ─▶ trials ─▶ attempts (runs) · outcome · scores
 */
import {
  type Cells,
  type ClientOf,
  clientOf,
  type EmbeddedOperations,
  type EvalAttemptRow,
  type EvalDrawRow,
  type EvalLabelRow,
  type EvalLimitRow,
  type EvalPiece,
  type EvalSampleRow,
  type EvalScoreRow,
  type EvalSetRow,
  type EvalTableName,
  type EvalTables,
  type EvalTaskRow,
  type EvalTrialRow,
  type EvalVariantRow,
  type EvalWrite,
  evals,
} from "../../durable/index.ts";
import type { Digest } from "../../effects/index.ts";
import type { TrialState } from "../report/recorded-set.ts";
import { type UnsettledMoney, unsettledMoney } from "./unsettled-money.ts";

/** A row without its number, and with names of runs where the table has numbers. */
export type NewRow = { readonly [column: string]: string | number | null };

/** Which cells of rows are read; rows are bounded by the first column of their key. */
export interface EvalCells {
  readonly columns: readonly string[];
  readonly after?: number;
  readonly upTo?: number;
  readonly limit?: number;
}

/** Large texts that rows refer to by their hash. */
export class Pieces {
  readonly list: EvalPiece[] = [];
  private readonly digest: Digest;

  constructor(digest: Digest) {
    this.digest = digest;
  }

  /** Gives what a column of a row says; null for no text. */
  keep(text: string | null): string | null {
    if (text === null) return null;
    const hash = this.digest(text);
    this.list.push({ hash, text });
    return hash;
  }
}

export class EvalStore {
  readonly operations: EmbeddedOperations;
  readonly stored: ClientOf<typeof evals>;
  readonly digest: Digest;

  constructor(operations: EmbeddedOperations, digest: Digest) {
    this.operations = operations;
    this.stored = new (clientOf(evals))(operations);
    this.digest = digest;
  }

  // ── looks ─────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Newest first. */
  sets(): readonly EvalSetRow[] {
    return this.rows("eval_set", {}).toReversed();
  }

  /** By name; `last` is the newest. */
  set(name: string): EvalSetRow | undefined {
    return name === "last" ? this.sets()[0] : this.rows("eval_set", { name })[0];
  }

  /** As a program sees them: `last` is the newest that has tasks, for the one that the program plans has none yet. */
  setWithTasks(name: string): EvalSetRow | undefined {
    if (name !== "last") return this.set(name);
    return this.sets().find(({ id }) => this.tasks(id).length > 0);
  }

  tasks(set: number): readonly EvalTaskRow[] {
    return this.rows("eval_task", { eval_set: set });
  }

  /** Of all tasks; those that are gone from their dataset have `retired` 1. */
  samples(set: number): readonly EvalSampleRow[] {
    return this.rows("eval_sample", { eval_set: set });
  }

  sample(id: number): EvalSampleRow | undefined {
    return this.rows("eval_sample", { id })[0];
  }

  variants(set: number): readonly EvalVariantRow[] {
    return this.rows("eval_variant", { eval_set: set });
  }

  trials(set: number): readonly EvalTrialRow[] {
    return this.rows("eval_trial", { eval_set: set });
  }

  /** How many of its own trials a set has; with a state, how many are in it. */
  trialCount(set: number, state?: TrialState): number {
    const where = { eval_set: set, kind: "epoch", ...(state === undefined ? {} : { state }) };
    return this.stored.count({ table: "eval_trial", where });
  }

  trial(id: number): EvalTrialRow | undefined {
    return this.rows("eval_trial", { id })[0];
  }

  /** All versions and draws. */
  scores(set: number): readonly EvalScoreRow[] {
    return this.rows("eval_score", { eval_set: set });
  }

  scoresOf(trial: number): readonly EvalScoreRow[] {
    return this.rows("eval_score", { trial });
  }

  attempts(trial: number): readonly EvalAttemptRow[] {
    return this.rows("eval_attempt", { trial });
  }

  /** What people said of these trials. */
  labels(trials: ReadonlySet<number>): readonly EvalLabelRow[] {
    return this.rows("eval_label", {}).filter(({ trial }) => trials.has(trial));
  }

  /** What was spent on trials and scorings that are not over. */
  unsettled(set: number): UnsettledMoney {
    return unsettledMoney(this.operations.store, set);
  }

  limits(set: number): readonly EvalLimitRow[] {
    return this.rows("eval_limit", { eval_set: set });
  }

  /** A kept answer of a model. */
  draw(key: string): EvalDrawRow | undefined {
    return this.rows("eval_draw", { key })[0];
  }

  /** All kept answers, the newest first. */
  draws(): readonly EvalDrawRow[] {
    return this.rows("eval_draw", {}).toSorted((a, b) => b.made - a.made);
  }

  /** A large text by its number. */
  piece(id: number | null): string | null {
    return id === null ? null : (this.stored.pieces({ ids: [id] })[0] ?? null);
  }

  /** Rows of a set as lists of the values of some columns. */
  cells(
    table: "eval_sample" | "eval_trial" | "eval_score",
    where: NewRow,
    page: EvalCells,
  ): readonly Cells[] {
    const { columns, after = null, upTo = null, limit = Number.MAX_SAFE_INTEGER } = page;
    return this.stored.cells({ table, where, columns, after, up_to: upTo, limit });
  }

  /** The rows have the type of their table. */
  private rows<T extends EvalTableName>(table: T, where: NewRow): readonly EvalTables[T][] {
    const rows: readonly unknown[] = this.stored.rows({ table, where });
    return rows as readonly EvalTables[T][];
  }

  // ── writes ────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Inserts rows of a table whose key is a number; gives the numbers. */
  insert(table: EvalTableName, rows: readonly NewRow[], pieces?: Pieces): readonly number[] {
    if (rows.length === 0) return [];
    return this.stored.insert({ table, rows, pieces: pieces?.list ?? [] });
  }

  /** Writes whole rows, replacing those with their keys. */
  write(writes: readonly EvalWrite[], pieces?: Pieces): void {
    if (writes.length > 0) this.stored.write({ writes, pieces: pieces?.list ?? [] });
  }

  /** Changes columns of a set; gives the row as it is now. */
  changeSet(set: EvalSetRow, change: Partial<EvalSetRow>): EvalSetRow {
    const row = { ...set, ...change };
    this.write([{ table: "eval_set", row: { ...row } }]);
    return row;
  }

  /**
   * All that `work` writes, or nothing: journals of this store included. It survives the end of the process, and a power loss
   * from the next durable commit on. Not in code that an interrupt may break off.
   */
  together<T>(work: () => T): T {
    return this.operations.store.withJournals(work, false);
  }

  /** Inside `together`: nothing of what `work` writes stays when it throws, and the rest does. */
  alone<T>(work: () => T): T {
    return this.operations.store.part(work);
  }
}
