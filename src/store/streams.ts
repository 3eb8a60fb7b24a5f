/**
 * Streams of events: append only, numbered from 1 without gaps within a stream, and by one number over all streams. An event
 * that names its origin is there once in its stream.
 */
import type { Json } from "../effects/index.ts";
import type { Database, SqlRow } from "./database.ts";
import type { KeptJson } from "./kept-json.ts";

/** An event as it is kept. */
export interface StreamEvent {
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly type: string;
  readonly body: Json;
}

/** With its stream and its number over all streams. */
export interface NumberedStreamEvent extends StreamEvent {
  readonly id: number;
  readonly stream: string;
}

export interface NewStreamEvent {
  readonly at: number;
  readonly type: string;
  readonly body: Json;
  /** What made it: a second event of the same origin is not appended. */
  readonly origin?: string;
}

/** Where reading begins, by the number of an event, and in which direction it goes on. */
export type LogCursor = { readonly after: number } | { readonly before: number };

const columns = "id, stream, seq, at, type, body";

export class Streams {
  private readonly db: Database;
  private readonly json: KeptJson;
  constructor(db: Database, json: KeptJson) {
    this.db = db;
    this.json = json;
  }

  /** Gives the event's number. */
  append(stream: string, event: NewStreamEvent): number {
    return this.appendAll(stream, [event]);
  }

  /** Appends those whose origin is not there yet; gives the number of the last event. */
  appendAll(stream: string, events: readonly NewStreamEvent[]): number {
    return this.db.transaction(() => {
      let seq = this.last(stream);
      for (const { at, type, body, origin } of events)
        seq += this.db.run(
          "INSERT INTO event (stream, seq, origin, at, type, body) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (stream, origin) WHERE origin IS NOT NULL DO NOTHING",
          stream,
          seq + 1,
          origin ?? null,
          at,
          type,
          this.json.write(body),
        );
      return seq;
    });
  }

  /** The events after a number, oldest first, at most `limit`. */
  after(stream: string, after: number, limit: number): StreamEvent[] {
    const sql = `SELECT ${columns} FROM event WHERE stream = ? AND seq > ? ORDER BY seq LIMIT ?`;
    return this.db.all(sql, stream, after, sqlLimit(limit)).map((row) => this.eventOf(row));
  }

  /**
   * Events from a place on for people, secrets by name: after a number, oldest first, or before one, newest first; only of
   * these types when some are named.
   */
  shown(stream: string, place: LogCursor, limit: number, types: readonly string[] = []): StreamEvent[] {
    const [beyond, from] =
      "after" in place
        ? ["seq > ?", place.after]
        : ["seq < ?", Math.min(place.before, Number.MAX_SAFE_INTEGER)];
    const only = types.length === 0 ? "" : ` AND type IN (${types.map(() => "?").join(", ")})`;
    const order = "after" in place ? "seq" : "seq DESC";
    const sql = `SELECT ${columns} FROM event WHERE stream = ? AND ${beyond}${only} ORDER BY ${order} LIMIT ?`;
    return this.db.all(sql, stream, from, ...types, sqlLimit(limit)).map((row) => this.shownEvent(row));
  }

  /** Events of all streams after a number over all of them, oldest first, for people. */
  shownAfterId(id: number, limit: number): NumberedStreamEvent[] {
    return this.db
      .all(`SELECT ${columns} FROM event WHERE id > ? ORDER BY id LIMIT ?`, id, sqlLimit(limit))
      .map((row) => ({ id: Number(row.id), stream: String(row.stream), ...this.shownEvent(row) }));
  }

  /** Number of the last event; 0 when there is none. */
  last(stream: string): number {
    return Number(this.db.get("SELECT max(seq) AS last FROM event WHERE stream = ?", stream)?.last ?? 0);
  }

  /** The number over all streams of the last event; 0 when there is none. */
  lastId(): number {
    return Number(this.db.get("SELECT max(id) AS last FROM event")?.last ?? 0);
  }

  /** Streams with events after a number over all of them, with the number of their last event. */
  grown(after: number): (readonly [stream: string, last: number])[] {
    const sql = "SELECT stream, max(seq) AS last FROM event WHERE id > ? GROUP BY stream";
    return this.db.all(sql, after).map((row) => [String(row.stream), Number(row.last)] as const);
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

  private eventOf(row: SqlRow): StreamEvent {
    return { ...eventFacts(row), body: this.json.read(row.body, eventName(row)) };
  }

  private shownEvent(row: SqlRow): StreamEvent {
    return { ...eventFacts(row), body: this.json.readable(row.body, eventName(row)) };
  }
}

const eventName = (row: SqlRow): string => `event ${row.seq} of the stream ${row.stream}`;

const eventFacts = (row: SqlRow): Omit<StreamEvent, "body"> => ({
  seq: Number(row.seq),
  at: Number(row.at),
  type: String(row.type),
});

const sqlLimit = (limit: number): number => (Number.isFinite(limit) ? limit : -1);
