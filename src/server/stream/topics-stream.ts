/**
 * Many logs in one stream, ordered by the number that counts over all of them. `conversations` brings the summary of a
 * conversation whenever something happened in it; a summary has no number of its own, so it stands before the number
 * (`mark`, or an event) after which a client that comes again goes on.
 */
import type { Conversations, NumberedEnvelope } from "../../threads/index.ts";
import type { ServerClock } from "../clock.ts";
import type { PublishedEvent } from "../supervise/index.ts";
import type { Connection, Feed } from "./connection.ts";
import type { Cursor } from "./cursor.ts";
import type { Hub } from "./hub.ts";
import { envelopeAt } from "./log-stream.ts";

const atOnce = 200;

export interface TopicsStreamOptions {
  /** Names of streams. */
  readonly streams: ReadonlySet<string>;
  /** The summary of a conversation, for those who may see it and listen to `conversations`; else `undefined`. */
  readonly summary: (conversation: string) => unknown;
  readonly hasSummaries: boolean;
  /** Whether a `paper.changed` of this stream is told under `papers`. */
  readonly isPaperSeen: (event: NumberedEnvelope) => boolean;
  readonly cursor: Cursor;
  readonly conversations: Conversations;
  readonly hub: Hub;
  readonly clock: ServerClock;
  readonly connection: Connection;
  readonly onEnd: () => void;
}

export class TopicsStream implements Feed {
  private readonly options: TopicsStreamOptions;
  private cursor = 0;
  private head = 0;
  private hasDropped = false;
  private unlisten = (): void => {};

  constructor(options: TopicsStreamOptions) {
    this.options = options;
  }

  begin(): void {
    const { cursor, conversations, hub, connection } = this.options;
    this.unlisten = hub.listen(undefined, (stream, published) => this.receive(stream, published));
    this.head = conversations.store.streams.lastId();
    this.cursor = cursor === "tail" ? this.head : (cursor ?? 0);
    if (cursor === null || this.cursor > this.head) {
      this.cursor = 0;
      this.control("reset", { reason: "the number of the last event can't be used", from: 1 });
    }
    this.control("hello", { head: this.head, from: this.cursor });
    this.emitUnfinished();
    connection.mark(this.cursor);
    this.more();
  }

  more(): void {
    const { conversations, connection } = this.options;
    while (connection.room && this.cursor < this.head) {
      const batch = conversations.eventsAfterId(this.cursor, atOnce);
      const last = batch.at(-1)?.id ?? this.head;
      this.emitSummaries(batch);
      const published = this.sendEvents(batch);
      if (published !== last) connection.mark(last);
      this.cursor = last;
    }
    if (this.hasDropped && connection.room) {
      this.hasDropped = false;
      this.emitUnfinished();
    }
  }

  ping(): unknown {
    const { conversations, hub, clock } = this.options;
    this.head = conversations.store.streams.lastId();
    this.more();
    return {
      topic: null,
      event: this.envelope("", "ping", { at: clock.now(), head: this.head, ...hub.trouble() }),
    };
  }

  end(): void {
    this.unlisten();
    this.options.onEnd();
  }

  private receive(stream: string, published: PublishedEvent): void {
    const { connection, streams, conversations } = this.options;
    if ("more" in published) {
      this.head = conversations.store.streams.lastId();
      this.more();
    } else if (!streams.has(stream)) {
      return;
    } else if (connection.room && this.cursor >= this.head) {
      connection.write(published.type, { topic: stream, event: { ...published, seq: null } });
    } else this.hasDropped = true;
  }

  private emitSummaries(batch: readonly NumberedEnvelope[]): void {
    const { hasSummaries, summary, connection } = this.options;
    if (!hasSummaries) return;
    for (const stream of new Set(batch.map((one) => one.stream))) {
      const event = summary(stream);
      if (event !== undefined) connection.write("summary", { topic: "conversations", event });
    }
  }

  /** Gives the number of the last one that was told. */
  private sendEvents(batch: readonly NumberedEnvelope[]): number {
    const { streams, isPaperSeen, connection } = this.options;
    let last = 0;
    for (const one of batch) {
      const { id, stream, event } = one;
      const isKnown = streams.has(stream);
      // The number comes with the last of what one event is told as.
      if (event.type === "paper.changed" && isPaperSeen(one)) {
        connection.write(event.type, { topic: "papers", event }, isKnown ? undefined : id);
        last = id;
      }
      if (!isKnown) continue;
      connection.write(event.type, { topic: stream, event }, id);
      last = id;
    }
    return last;
  }

  private emitUnfinished(): void {
    const { streams, hub, connection } = this.options;
    for (const stream of streams) {
      for (const { run, loop, parent, turn, message, text } of hub.unfinished(stream)) {
        const event = { ...this.envelope(stream, "partial", { message, text }), run, loop, parent, turn };
        connection.write("partial", { topic: stream, event });
      }
    }
  }

  private control(type: string, data: unknown): void {
    this.options.connection.write(type, { topic: null, event: this.envelope("", type, data) });
  }

  private envelope(stream: string, type: string, data: unknown): Record<string, unknown> {
    return {
      ...envelopeAt(stream, this.options.clock.now(), type, data),
      ...(stream === "" ? { conversation: null } : {}),
    };
  }
}
