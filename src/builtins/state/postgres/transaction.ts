/**
 * A transaction that survives the process. The server rolls back what a killed process had begun, so a resumed run that
 * goes on live inside a transaction begins it again and repeats its statements before the next one; each must answer as it
 * did. Whether a commit that nobody saw answered has happened, the server knows by the transaction's number.
 */
import type {
  DatabaseAnswer,
  DatabasePool,
  DatabaseSession,
  DatabaseStatement,
} from "../../../host/index.ts";
import { HostError } from "../../../host/index.ts";
import { thrown } from "../../../values/index.ts";
import type { PgMock } from "./mock.ts";
import type { PgPool } from "./pool.ts";

interface Done {
  readonly statement: DatabaseStatement;
  /** `undefined` for one that failed. */
  readonly answer: DatabaseAnswer | undefined;
}

export type Opener = (signal: AbortSignal) => Promise<DatabasePool>;

export class Transaction {
  readonly id: string;
  readonly pool: PgPool | PgMock;
  private readonly settings: readonly (readonly [string, string])[];
  private readonly open: Opener;
  private readonly done: Done[] = [];
  private session: Promise<DatabaseSession> | undefined;

  constructor(id: string, pool: PgPool | PgMock, settings: Transaction["settings"], open: Opener) {
    this.id = id;
    this.pool = pool;
    this.settings = settings;
    this.open = open;
  }

  /** Notes what a statement gave, live or from the record, in order. */
  note(statement: DatabaseStatement, answer: DatabaseAnswer | undefined): void {
    this.done.push({ statement, answer });
  }

  /** The connection with the transaction on it, as far as it has come. */
  live(signal: AbortSignal): Promise<DatabaseSession> {
    this.session ??= this.begin(signal);
    return this.session;
  }

  private async begin(signal: AbortSignal): Promise<DatabaseSession> {
    const session = await (await this.open(signal)).session();
    try {
      await session.query({ sql: "BEGIN", params: [] }, signal);
      for (const [name, value] of this.settings)
        await session.query({ sql: "SELECT set_config($1, $2, true)", params: [name, value] }, signal);
      for (const one of this.done) await this.repeat(session, one, signal);
      return session;
    } catch (error) {
      session.release(true);
      this.session = undefined;
      throw error;
    }
  }

  private async repeat(session: DatabaseSession, done: Done, signal: AbortSignal): Promise<void> {
    let answer: DatabaseAnswer | undefined;
    try {
      answer = await session.query(done.statement, signal);
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
    }
    if (same(answer, done.answer)) return;
    throw thrown(
      `pg_transaction: the database has changed since the run was interrupted: \`${done.statement.sql}\` gives another ` +
        "result than before; nothing was committed",
    );
  }

  /** The number that the server gave it; null while it has changed nothing. */
  async number(signal: AbortSignal): Promise<string | null> {
    const session = await this.live(signal);
    const { rows } = await session.query(
      { sql: "SELECT pg_current_xact_id_if_assigned()::text", params: [] },
      signal,
    );
    return rows[0]?.[0] ?? null;
  }

  /** Once and for all: after a crash it asks the server first whether it has happened. */
  async commit(number: string | null, signal: AbortSignal): Promise<void> {
    if (this.session === undefined && number !== null && (await this.hasCommitted(number, signal))) return;
    const session = await this.live(signal);
    await session.query({ sql: "COMMIT", params: [] }, signal);
    this.end(false);
  }

  private async hasCommitted(number: string, signal: AbortSignal): Promise<boolean> {
    const session = await (await this.open(signal)).session(signal);
    try {
      const asked = { sql: "SELECT pg_xact_status($1::xid8)", params: [number] };
      const status = (await session.query(asked, signal)).rows[0]?.[0];
      if (status === "committed") return true;
      if (status === "aborted") return false;
      const what = status === "in progress" ? "is still under way" : "is older than the server remembers";
      throw thrown(
        `pg_transaction: the run was interrupted while it committed transaction ${number}, which ${what} on the server: ` +
          "it is not known whether it happened",
      );
    } finally {
      session.release(false);
    }
  }

  async rollback(signal: AbortSignal): Promise<void> {
    if (this.session === undefined) return;
    const session = await this.session;
    await session.query({ sql: "ROLLBACK", params: [] }, signal);
    this.end(false);
  }

  /** Gives the connection back; one that is `broken` is closed, and the server rolls back. */
  end(broken: boolean): void {
    const { session } = this;
    this.session = undefined;
    session?.then(
      (one) => one.release(broken),
      () => {},
    );
  }
}

const same = (a: DatabaseAnswer | undefined, b: DatabaseAnswer | undefined): boolean =>
  JSON.stringify([a?.rows, a?.rowsAffected]) === JSON.stringify([b?.rows, b?.rowsAffected]);
