/**
 * Who asks a job to stop rings for it (NOTIFY); whoever works on it hears the bell, and looks now and then in case it was lost: with the
 * connection, or in a pooler that passes none on.
 */
import type { Client } from "pg";
import { type DatabasePlace, databaseConnection, dropped } from "./connection.ts";
import type { DatabaseRow } from "./connections.ts";
import type { SqlStatement } from "./statements.ts";

export type StopListener = (name: string, reason: string) => void;

interface HeldJob {
  readonly fence: number;
  isNotified: boolean;
}

interface BellOptions {
  readonly place: DatabasePlace;
  readonly listen: SqlStatement;
  /** Those of the jobs that are still held under these fences. */
  readonly held: (names: readonly string[], fences: readonly number[]) => Promise<readonly DatabaseRow[]>;
  readonly lookMs: number;
}

export class StopBell {
  private readonly options: BellOptions;
  private readonly listeners = new Set<StopListener>();
  private readonly jobs = new Map<string, HeldJob>();
  private client: Client | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isLooking = false;
  /** It has rung since the last look began. */
  private hasRung = false;
  private isClosed = false;

  constructor(options: BellOptions) {
    this.options = options;
  }

  /** `isNotified`: whoever took it knows that it is to stop. */
  hold(name: string, fence: number, isNotified: boolean): void {
    this.jobs.set(name, { fence, isNotified });
  }

  drop(name: string, fence: number): void {
    if (this.jobs.get(name)?.fence === fence) this.jobs.delete(name);
  }

  listen(listener: StopListener): () => void {
    this.listeners.add(listener);
    if (this.timer === undefined && !this.isClosed) {
      this.timer = setInterval(() => void this.look(), this.options.lookMs);
      void this.look();
    }
    return () => this.listeners.delete(listener);
  }

  close(): void {
    this.isClosed = true;
    clearInterval(this.timer);
    if (this.client !== undefined) dropped(this.client);
  }

  /** One that can't be had is tried for again with the next look. */
  private async connect(): Promise<void> {
    const { place, listen } = this.options;
    try {
      const client = await databaseConnection(place, "harn bell");
      if (this.isClosed) return dropped(client);
      this.client = client;
      client.on("notification", ({ payload = "" }) => {
        this.hasRung ||= this.jobs.has(payload);
        if (this.hasRung) void this.look();
      });
      client.on("end", () => {
        if (this.client === client) this.client = undefined;
      });
      await client.query(listen.text);
    } catch {
      if (this.client !== undefined) dropped(this.client);
      this.client = undefined;
    }
  }

  private async look(): Promise<void> {
    if (this.isLooking || this.isClosed) return;
    this.isLooking = true;
    try {
      if (this.client === undefined) await this.connect();
      do {
        this.hasRung = false;
        await this.lookOnce();
      } while (this.hasRung);
    } catch {
      // The database is away: whoever works on the jobs finds that out by what it writes.
    } finally {
      this.isLooking = false;
    }
  }

  private async lookOnce(): Promise<void> {
    const asked = [...this.jobs];
    if (asked.length === 0) return;
    const rows = await this.options.held(
      asked.map(([name]) => name),
      asked.map(([, { fence }]) => fence),
    );
    const found = new Map(rows.map(({ name, stop }) => [String(name), stop]));
    for (const [name, job] of asked) {
      if (this.jobs.get(name) !== job) continue;
      if (!found.has(name)) this.jobs.delete(name);
      const stop = found.get(name);
      if (typeof stop !== "string" || job.isNotified) continue;
      job.isNotified = true;
      for (const listener of this.listeners) listener(name, String(JSON.parse(stop)));
    }
  }
}
