/**
 * SQLite as this project uses it (a rename of its class is announced), loaded when a store is first opened. Write-ahead log,
 * one connection per process, and two kinds of commit:
 *
 *   durable    survives a power loss: waits for the disk (0.1–4 ms)
 *   ordinary   survives the end of this process, also a violent one: handed to the system (about 25 µs). The next
 *              durable commit makes it durable too, because the log is written in order.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { type SqliteModule, sqliteModule } from "../process/index.ts";
import { StoreError, storeError } from "./store-error.ts";

/** How long a writer waits for another process unless it says otherwise. */
const usualBusyTimeoutMs = 30_000;
/** Between two looks at a lock that another process holds, at most. */
const longestPauseMs = 5;
/**
 * Pages of the log (16 MiB) from which on a commit takes them over into the file and waits for the disk twice. SQLite's own number is
 * a quarter of it; a page that changes again and again is taken over once.
 */
const checkpointPages = 4000;

export type Column = null | number | bigint | string | Uint8Array;
export type SqlRow = Readonly<Record<string, Column>>;

export interface DatabaseOptions {
  readonly readOnly?: boolean;
  readonly damaged?: boolean;
  readonly sqlite?: SqliteModule;
  /** How long a writer waits for another process, in milliseconds; default 30,000. */
  readonly busyTimeoutMs?: number;
}

/** A row without values; objects that are copied from it share its layout. */
function patternOf(columns: readonly string[]): SqlRow {
  const known = patterns.get(columns);
  if (known !== undefined) return known;
  const pattern = JSON.parse(`{${columns.map((name) => `${JSON.stringify(name)}:null`).join()}}`) as SqlRow;
  patterns.set(columns, pattern);
  return pattern;
}
const patterns = new WeakMap<readonly string[], SqlRow>();

/** Who waits for it waits for the time alone. */
const neverChanged = new Int32Array(new SharedArrayBuffer(4));

export class Database {
  readonly file: string;
  private readonly db: DatabaseSync;
  private readonly busyTimeoutMs: number;
  private readonly statements = new Map<string, StatementSync>();
  private durable = true;
  private inTransaction = false;
  /** The transaction in progress is one that nothing breaks off. */
  private steady = false;
  /** What is done when the transaction in progress is committed. */
  private afterwards: (() => void)[] = [];

  /**
   * Opens or makes the file; it must not exist as anything else. `damaged`: only to read what can be read; a file that is
   * shorter than it says opens only so.
   */
  constructor(file: string, options: DatabaseOptions = {}) {
    const { readOnly = false, damaged = false, busyTimeoutMs = usualBusyTimeoutMs } = options;
    this.file = file;
    this.busyTimeoutMs = busyTimeoutMs;
    const { DatabaseSync: Opened } = options.sqlite ?? sqliteModule();
    try {
      const writable = damaged ? { readOnly: true, defensive: false } : { readOnly };
      this.db = new Opened(file, { ...writable, timeout: 0 });
    } catch (error) {
      throw storeError(file, error);
    }
    if (damaged) this.exec("PRAGMA writable_schema = ON");
    if (readOnly || damaged) return;
    this.exec("PRAGMA journal_mode = WAL");
    this.exec("PRAGMA synchronous = FULL");
    this.exec("PRAGMA foreign_keys = ON");
    this.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}`);
  }

  /**
   * What another process holds is asked for again and again, each few milliseconds. SQLite's own waiting (its `timeout`) goes
   * over to a tenth of a second between two looks, and gets nothing for many seconds where others commit back to back; and
   * while another one switches to the log, recovers or removes it, it does not wait at all.
   */
  private patiently<T>(work: () => T): T {
    let began: number | undefined;
    for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs + 1, longestPauseMs)) {
      try {
        return work();
      } catch (error) {
        const problem = storeError(this.file, error);
        if (!(problem instanceof StoreError && problem.fault === "busy")) throw problem;
        began ??= performance.now();
        if (performance.now() - began >= this.busyTimeoutMs) throw problem;
        Atomics.wait(neverChanged, 0, 0, pauseMs);
      }
    }
  }

  exec(sql: string): void {
    this.patiently(() => this.db.exec(sql));
  }

  /** Runs a statement; gives how many rows it changed. */
  run(sql: string, ...values: readonly Column[]): number {
    return this.patiently(() => Number(this.statement(sql).run(...(values as SQLInputValue[])).changes));
  }

  /** The first row. */
  get(sql: string, ...values: readonly Column[]): SqlRow | undefined {
    return this.patiently(
      () => this.statement(sql).get(...(values as SQLInputValue[])) as SqlRow | undefined,
    );
  }

  /** Inserts a row; gives its number. */
  insert(sql: string, ...values: readonly Column[]): number {
    return this.patiently(() =>
      Number(this.statement(sql).run(...(values as SQLInputValue[])).lastInsertRowid),
    );
  }

  all(sql: string, ...values: readonly Column[]): SqlRow[] {
    return this.patiently(() => this.statement(sql).all(...(values as SQLInputValue[])) as SqlRow[]);
  }

  /**
   * Rows of these columns, in the order of the statement's; the same list of names each time. Objects that are made from a pattern share one layout; those that
   * `all` makes are tables of their own, which takes five times the memory and twice the time.
   */
  records(sql: string, columns: readonly string[], ...values: readonly Column[]): SqlRow[] {
    return this.patiently(() => {
      const pattern = patternOf(columns);
      const statement = this.statement(sql);
      const rows: SqlRow[] = [];
      statement.setReturnArrays(true);
      try {
        for (const cells of statement.iterate(...(values as SQLInputValue[]))) {
          const row: Record<string, Column> = { ...pattern };
          let at = 0;
          for (const name of columns) row[name] = (cells as unknown as Column[])[at++] as Column;
          rows.push(row);
        }
      } finally {
        statement.setReturnArrays(false);
      }
      return rows;
    });
  }

  /** The same rows as lists of their values, in the order of the columns: of many rows a fraction of the work. */
  lists(sql: string, ...values: readonly Column[]): Column[][] {
    return this.patiently(() => {
      const statement = this.statement(sql);
      statement.setReturnArrays(true);
      try {
        return statement.all(...(values as SQLInputValue[])) as unknown as Column[][];
      } finally {
        statement.setReturnArrays(false);
      }
    });
  }

  /** Row by row; what was visited before a damaged page was visited. */
  each(sql: string, visit: (row: SqlRow) => void): void {
    try {
      const [rows, first] = this.patiently(() => {
        const rows = this.statement(sql).iterate();
        return [rows, rows.next()] as const;
      });
      for (let at = first; at.done !== true; at = rows.next()) visit(at.value as SqlRow);
    } catch (error) {
      throw storeError(this.file, error);
    }
  }

  /**
   * Everything that `work` writes, or nothing. It holds the writer's lock from its beginning, so what it reads stays true.
   * Inside another transaction it is part of that one.
   */
  transaction<T>(work: () => T, durable = true): T {
    if (this.inTransaction) return work();
    this.commitAs(durable);
    return this.within("BEGIN IMMEDIATE", work);
  }

  /** What `work` reads is true at one moment; it must not write. Inside a transaction it is part of that one. */
  look<T>(work: () => T): T {
    return this.inTransaction ? work() : this.within("BEGIN", work);
  }

  /** Inside a transaction: of what `work` writes nothing stays when it throws, and the transaction goes on. */
  part<T>(work: () => T): T {
    const { length } = this.afterwards;
    this.step("SAVEPOINT part");
    try {
      const result = work();
      this.step("RELEASE part");
      return result;
    } catch (error) {
      this.afterwards.length = length;
      // A full disk may have undone the whole transaction: then there is nothing to go back to, and its end says so.
      if (this.db.isTransaction) {
        this.step("ROLLBACK TO part");
        this.step("RELEASE part");
      }
      throw error;
    }
  }

  get isInTransaction(): boolean {
    return this.inTransaction;
  }

  /** Does it now, or once the transaction is committed that this is a part of; never when that comes to nothing. */
  afterCommit(work: () => void): void {
    if (this.inTransaction) this.afterwards.push(work);
    else work();
  }

  /** What begins and ends transactions, prepared once: `exec` reads the text each time. */
  private step(sql: string): void {
    this.patiently(() => this.statement(sql).run());
  }

  private within<T>(begin: string, work: () => T): T {
    this.step(begin);
    this.inTransaction = true;
    if (this.afterwards.length > 0) this.afterwards = [];
    let result: T;
    try {
      result = work();
      this.step("COMMIT");
    } catch (error) {
      this.rollBack();
      throw error;
    } finally {
      this.inTransaction = false;
    }
    if (this.afterwards.length > 0) for (const each of this.afterwards.splice(0)) each();
    return result;
  }

  /**
   * An interrupt may have broken a transaction off in the middle, without any clean-up: undoes what is left of it. Only
   * for those who are never called inside one.
   */
  recover(): void {
    if (this.steady) return;
    this.inTransaction = false;
    this.rollBack();
  }

  /**
   * A transaction that may take journals in (`RunWriter`). Only where no interrupt breaks work off: outside of the stretches
   * in which programs compute.
   */
  steadily<T>(work: () => T, durable: boolean): T {
    this.recover();
    const before = this.steady;
    this.steady = true;
    try {
      return this.transaction(work, durable);
    } finally {
      this.steady = before;
    }
  }

  private commitAs(durable: boolean): void {
    if (durable === this.durable) return;
    this.exec(`PRAGMA synchronous = ${durable ? "FULL" : "NORMAL"}`);
    this.durable = durable;
  }

  /** A failed COMMIT may have rolled back already. */
  private rollBack(): void {
    try {
      if (this.db.isTransaction) this.db.exec("ROLLBACK");
    } catch {
      // The error that led here says more.
    }
  }

  private statement(sql: string): StatementSync {
    let statement = this.statements.get(sql);
    if (statement === undefined) {
      statement = this.db.prepare(sql);
      this.statements.set(sql, statement);
    }
    return statement;
  }

  close(): void {
    this.statements.clear();
    if (this.db.isOpen) this.db.close();
  }
}
