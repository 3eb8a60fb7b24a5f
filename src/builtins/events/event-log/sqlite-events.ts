/** Events in a SQLite file: several processes may write at once, and numbers stay without gaps and repeats. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Json } from "../../../effects/index.ts";
import { keptFiles, keptText, type Runtime } from "../../../interp/index.ts";
import { thrown } from "../../../values/index.ts";
import { parentPath } from "../../files/path-text.ts";
import type { EventStore, NewEvent, StoredEvent } from "./event-store.ts";

const layout = `
  CREATE TABLE IF NOT EXISTS events (
    topic TEXT NOT NULL, id INTEGER NOT NULL, kind TEXT NOT NULL,
    payload TEXT NOT NULL, headers TEXT NOT NULL, at_ms REAL NOT NULL,
    PRIMARY KEY (topic, id)
  ) WITHOUT ROWID`;

const insert = `INSERT INTO events SELECT ?, coalesce(max(id), 0) + 1, ?, ?, ?, ? FROM events WHERE topic = ? RETURNING id`;
const selectAfter = "SELECT * FROM events WHERE topic = ? AND id > ? ORDER BY id LIMIT ?";
const selectLatest = "SELECT * FROM events WHERE topic = ? ORDER BY id DESC LIMIT 1";
const selectTopics = "SELECT topic, max(id) AS latest FROM events GROUP BY topic ORDER BY topic";

/** How long a write waits for another process's. */
const busyMs = 5000;

export class SqliteEvents implements EventStore {
  readonly backend = "sqlite";
  readonly location: string;
  private readonly runtime: Runtime;
  private opened: DatabaseSync | undefined;
  /** Prepared once each. */
  private readonly statements = new Map<string, StatementSync>();

  constructor(runtime: Runtime, path: string) {
    this.runtime = runtime;
    this.location = path;
  }

  append(topic: string, event: NewEvent): number {
    const { kind, payload, headers, atMs } = event;
    const row = this.use(insert, (statement) =>
      statement.get(
        topic,
        kind,
        this.kept.hide(JSON.stringify(payload)),
        this.kept.hide(JSON.stringify(headers)),
        atMs,
        topic,
      ),
    );
    return Number(row?.id);
  }

  read(topic: string, after: number, limit: number): readonly StoredEvent[] {
    // SQLite's word for "no limit".
    const most = Number.isFinite(limit) ? limit : -1;
    return this.use(selectAfter, (statement) => statement.all(topic, after, most)).map((row) =>
      this.eventOf(row),
    );
  }

  latest(topic: string): StoredEvent | undefined {
    const row = this.use(selectLatest, (statement) => statement.get(topic));
    return row === undefined ? undefined : this.eventOf(row);
  }

  topics(): readonly (readonly [string, number])[] {
    return this.use(selectTopics, (statement) => statement.all()).map(
      (row) => [String(row.topic), Number(row.latest)] as const,
    );
  }

  /** For the end of the run. */
  close(): void {
    this.statements.clear();
    this.opened?.close();
    this.opened = undefined;
  }

  private use<T>(sql: string, work: (statement: StatementSync) => T): T {
    try {
      this.opened ??= this.open();
      let statement = this.statements.get(sql);
      if (statement === undefined) {
        statement = this.opened.prepare(sql);
        this.statements.set(sql, statement);
      }
      return work(statement);
    } catch (error) {
      if ((error as { code?: unknown }).code !== "ERR_SQLITE_ERROR") throw error;
      throw thrown(`event_log: cannot use ${this.location}: ${(error as Error).message}`);
    }
  }

  private get kept(): ReturnType<typeof keptText> {
    return keptText(this.runtime, this.runtime.host.files, this.location);
  }

  private eventOf(row: Record<string, unknown>): StoredEvent {
    const { kept } = this;
    return {
      id: Number(row.id),
      kind: String(row.kind),
      payload: JSON.parse(kept.reveal(String(row.payload))) as Json,
      headers: JSON.parse(kept.reveal(String(row.headers))) as Json,
      atMs: Number(row.at_ms),
    };
  }

  private open(): DatabaseSync {
    const { libraries } = this.runtime.host;
    const files = keptFiles(this.runtime);
    // Through the files port, so that a run without permission to write here is refused.
    files.makeDir(parentPath(this.location));
    files.append(this.location, "");
    const db = new (libraries.sqlite().DatabaseSync)(this.location);
    // A crash of the process loses nothing; one of the machine may lose the last events, never the file.
    db.exec(`PRAGMA busy_timeout = ${busyMs}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;`);
    db.exec(layout);
    return db;
  }
}
