/** Streams of events: append only, numbered from 1 without gaps within a stream. */
import type { Json } from "../effects/index.ts";
import type { Database, Row } from "./database.ts";
import type { KeptJson } from "./kept-json.ts";

/** An event as it is kept. */
export interface StreamEvent {
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly type: string;
  readonly body: Json;
}

export interface NewStreamEvent {
  readonly at: number;
  readonly type: string;
  readonly body: Json;
}

export class Streams {
  private readonly db: Database;
  private readonly json: KeptJson;
  constructor(db: Database, json: KeptJson) {
    this.db = db;
    this.json = json;
  }

  /** Gives the event's number. */
  append(stream: string, { at, type, body }: NewStreamEvent): number {
    return this.db.transaction(() => {
      const seq = this.last(stream) + 1;
      this.db.run(
        "INSERT INTO event (stream, seq, at, type, body) VALUES (?, ?, ?, ?, ?)",
        stream,
        seq,
        at,
        type,
        this.json.write(body),
      );
      return seq;
    });
  }

  /** The events after a number, oldest first, at most `limit`. */
  after(stream: string, after: number, limit: number): StreamEvent[] {
    return this.db
      .all(
        "SELECT seq, at, type, body FROM event WHERE stream = ? AND seq > ? ORDER BY seq LIMIT ?",
        stream,
        after,
        Number.isFinite(limit) ? limit : -1,
      )
      .map((row) => this.eventOf(stream, row));
  }

  /** Number of the last event; 0 when there is none. */
  last(stream: string): number {
    return Number(this.db.get("SELECT max(seq) AS last FROM event WHERE stream = ?", stream)?.last ?? 0);
  }

  /** Streams whose names begin like this with the number of their last event, sorted by name. */
  list(prefix: string): (readonly [stream: string, last: number])[] {
    const sql =
      "SELECT stream, max(seq) AS last FROM event WHERE substr(stream, 1, length(?)) = ? GROUP BY stream ORDER BY stream";
    return this.db.all(sql, prefix, prefix).map((row) => [String(row.stream), Number(row.last)] as const);
  }

  /** Removes a stream: what it holds is told anew from elsewhere. */
  clear(stream: string): void {
    this.db.transaction(() => this.db.run("DELETE FROM event WHERE stream = ?", stream));
  }

  private eventOf(stream: string, row: Row): StreamEvent {
    return {
      seq: Number(row.seq),
      at: Number(row.at),
      type: String(row.type),
      body: this.json.read(row.body, `event ${row.seq} of the stream ${stream}`),
    };
  }
}
