/** The connections of a process to the database, a few, and how long it goes on asking while there are none. */
import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "pg";
import { askPostgres, type DatabasePlace, databaseConnection, dropped, mayPass } from "./connection.ts";
import { databaseError } from "./place.ts";
import type { SqlStatement } from "./statements.ts";

const maxIdle = 4;
const firstPauseMs = 50;
const longestPauseMs = 1000;

export type DatabaseRow = Readonly<Record<string, unknown>>;

/** Asks over one connection. */
export type AskSql = (
  statement: SqlStatement,
  values?: readonly unknown[],
  bytes?: number,
) => Promise<readonly DatabaseRow[]>;

export class Connections {
  readonly place: DatabasePlace;
  private readonly patienceMs: number;
  private readonly idle: Client[] = [];
  private isClosed = false;

  constructor(place: DatabasePlace, patienceMs: number) {
    this.place = place;
    this.patienceMs = patienceMs;
  }

  /** All that `work` asks in one transaction. It is done again while the database is away: the same twice must be the same. */
  async transaction<T>(work: (ask: AskSql) => Promise<T>): Promise<T> {
    return await this.patiently(async (client) => {
      await client.query("BEGIN");
      try {
        const result = await work(askOver(client));
        await client.query("COMMIT");
        return result;
      } catch (error) {
        await client.query("ROLLBACK").catch(() => dropped(client));
        throw error;
      }
    });
  }

  async ask(
    statement: SqlStatement,
    values?: readonly unknown[],
    bytes?: number,
  ): Promise<readonly DatabaseRow[]> {
    return await this.patiently((client) => askOver(client)(statement, values, bytes));
  }

  /** Once: whoever wants to know whether the database is there does not wait for it. */
  async atOnce<T>(work: (client: Client) => Promise<T>): Promise<T> {
    try {
      return await this.using(work);
    } catch (error) {
      throw databaseError(this.place, error);
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(this.idle.splice(0).map((client) => client.end().catch(() => {})));
  }

  private async patiently<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const began = performance.now();
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      try {
        return await this.using(work);
      } catch (error) {
        const isOver = this.isClosed || performance.now() - began + pauseMs > this.patienceMs;
        if (isOver || !mayPass(error)) throw databaseError(this.place, error);
      }
      await pause(pauseMs);
    }
  }

  private async using<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const client = this.idle.pop() ?? (await databaseConnection(this.place, "harn"));
    try {
      const result = await work(client);
      if (this.isClosed || this.idle.length >= maxIdle) await client.end();
      else this.idle.push(client);
      return result;
    } catch (error) {
      // It may be one that the server has given up while nobody asked.
      dropped(client);
      throw error;
    }
  }
}

const askOver =
  (client: Client): AskSql =>
  async (statement, values, bytes) =>
    (await askPostgres(client, statement, values, bytes)).rows as DatabaseRow[];
