/**
 * The log of one conversation or run, live: everything after the cursor in order, then what comes. The cursor is this
 * stream's only state, so that a client that comes again with the last number it handled misses nothing and gets nothing twice.
 */
import type { Conversations, UnfinishedText } from "../../threads/index.ts";
import type { ServerClock } from "../clock.ts";
import { protocolVersion } from "../protocol/index.ts";
import type { PublishedEvent } from "../supervise/index.ts";
import type { Connection, Feed } from "./connection.ts";
import type { Cursor } from "./cursor.ts";
import type { Hub } from "./hub.ts";

/** Events that are read at once. */
const atOnce = 200;

export interface LogStreamOptions {
  readonly stream: string;
  readonly cursor: Cursor;
  /** Only of these; empty: all. */
  readonly types: readonly string[];
  readonly conversations: Conversations;
  readonly hub: Hub;
  readonly clock: ServerClock;
  readonly connection: Connection;
  readonly onEnd: () => void;
}

export class LogStream implements Feed {
  private readonly options: LogStreamOptions;
  private cursor = 0;
  private head = 0;
  /** Ephemeral events were left out: what is unfinished is sent again when there is room. */
  private hasDropped = false;
  private unlisten = (): void => {};

  constructor(options: LogStreamOptions) {
    this.options = options;
  }

  begin(): void {
    const { stream, cursor, conversations, hub, connection } = this.options;
    // Listening comes first: what is written from here on is sent.
    this.unlisten = hub.listen(stream, (_stream, published) => this.receive(published));
    this.head = conversations.store.streams.last(stream);
    this.cursor = cursor === "tail" ? this.head : (cursor ?? 0);
    if (cursor === null) this.reset("the number of the last event can't be read");
    else if (this.cursor > this.head) this.reset("the log does not go so far");
    connection.write("hello", this.envelope("hello", { head: this.head, from: this.cursor }));
    this.emitUnfinished();
    this.more();
  }

  more(): void {
    const { stream, types, conversations, connection } = this.options;
    while (connection.room && this.cursor < this.head) {
      const { items, next, head } = conversations.events(stream, {
        after: this.cursor,
        limit: atOnce,
        types,
      });
      const first = items[0];
      if (types.length === 0 && first !== undefined && first.seq > this.cursor + 1) {
        this.cursor = first.seq - 1;
        this.reset("events of the log are gone", first.seq);
      }
      for (const event of items) connection.write(event.type, event, event.seq);
      this.head = head;
      this.cursor = next ?? Math.max(head, items.at(-1)?.seq ?? this.cursor);
    }
    if (this.hasDropped && connection.room) {
      this.hasDropped = false;
      this.emitUnfinished();
    }
  }

  ping(): unknown {
    // A look at the log besides: whatever was not sent for any reason comes at the latest now.
    const { stream, conversations, hub, clock } = this.options;
    this.head = conversations.store.streams.last(stream);
    this.more();
    return this.envelope("ping", { at: clock.now(), head: this.head, ...hub.trouble() });
  }

  end(): void {
    this.unlisten();
    this.options.onEnd();
  }

  private receive(published: PublishedEvent): void {
    if ("more" in published) {
      // A log that was made anew is shorter.
      this.head = Math.max(
        published.more,
        this.options.conversations.store.streams.last(this.options.stream),
      );
      if (this.head < this.cursor) this.reset("the log was made anew");
      this.more();
      return;
    }
    const { connection, types } = this.options;
    if (types.length > 0 && !types.includes(published.type)) return;
    if (connection.room && this.cursor >= this.head)
      connection.write(published.type, { ...published, seq: null });
    else this.hasDropped = true;
  }

  private reset(reason: string, from = 1): void {
    this.cursor = from - 1;
    this.options.connection.write("reset", this.envelope("reset", { reason, from }));
  }

  private emitUnfinished(): void {
    const { stream, hub, connection, types } = this.options;
    if (types.length > 0 && !types.includes("partial")) return;
    for (const one of hub.unfinished(stream)) connection.write("partial", this.partial(one));
  }

  private partial({ run, loop, parent, turn, message, text }: UnfinishedText): unknown {
    return { ...this.envelope("partial", { message, text }), run, loop, parent, turn };
  }

  private envelope(type: string, data: unknown): Record<string, unknown> {
    return envelopeAt(this.options.stream, this.options.clock.now(), type, data);
  }
}

/** An ephemeral event of the server itself. */
export function envelopeAt(stream: string, at: number, type: string, data: unknown): Record<string, unknown> {
  const ofRun = stream.startsWith("run:");
  return {
    v: protocolVersion,
    seq: null,
    at,
    type,
    conversation: ofRun ? null : stream,
    run: ofRun ? stream.slice("run:".length) : null,
    loop: null,
    parent: null,
    turn: 0,
    call: null,
    data,
  };
}
