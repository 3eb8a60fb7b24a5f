/**
 * One open stream of server-sent events: pulled by its client. What is not taken is not made: beyond `limits.unsent` bytes
 * nothing more is read from the log, and what is ephemeral is dropped.
 */

import { StoreError } from "../../store/index.ts";
import type { ServerClock } from "../clock.ts";
import { eventStreamHeaders, serverSentEvent } from "../sent-events.ts";
import type { ServerLimits } from "../server-limits.ts";

export interface Feed {
  /** Called once, when the client begins to read. */
  begin(): void;
  /** There is room again: whatever is after the cursor may be written, as long as `room` says so. */
  more(): void;
  /** Data of a `ping`. */
  ping(): unknown;
  /** The stream is over, whoever ended it. */
  end(): void;
}

/** Milliseconds until a browser that was cut off comes again. */
const retryMs = 1000;

export class Connection {
  readonly response: Response;
  private readonly clock: ServerClock;
  private readonly limits: ServerLimits;
  private readonly cut: () => void;
  private controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  private feed: Feed | undefined;
  private readonly encoder = new TextEncoder();
  private isOver = false;
  private isWriting = false;
  private takenAt: number;
  private stopBeating = (): void => {};

  /** `cut` ends the connection without a word. */
  constructor(clock: ServerClock, limits: ServerLimits, cut: () => void) {
    this.clock = clock;
    this.limits = limits;
    this.cut = cut;
    this.takenAt = clock.now();
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.controller = controller;
        },
        pull: () => {
          this.takenAt = this.clock.now();
          // A write may ask for more before it returns: whoever writes goes on by itself.
          if (!this.isWriting) this.feed?.more();
        },
        cancel: () => this.over(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: limits.unsent }),
    );
    this.response = new Response(body, { headers: eventStreamHeaders });
  }

  start(feed: Feed): Response {
    this.feed = feed;
    this.raw(`retry: ${retryMs}\n\n`);
    feed.begin();
    this.beat();
    return this.response;
  }

  /** Whether the client has taken enough that more may be made. */
  get room(): boolean {
    return !this.isOver && (this.controller?.desiredSize ?? 0) > 0;
  }

  /** One event; `id` only for what is durable. */
  write(type: string, data: unknown, id?: number): void {
    this.raw(serverSentEvent(type, data, id));
  }

  /** The number with which a reconnecting client goes on, without an event. */
  mark(id: number): void {
    this.raw(`id: ${id}\n\n`);
  }

  /** In good order: the client comes again after a second. */
  close(): void {
    if (this.isOver) return;
    this.raw(`retry: ${retryMs}\n\n`);
    this.over();
    this.controller?.close();
  }

  private raw(text: string): void {
    if (this.isOver) return;
    this.isWriting = true;
    this.controller?.enqueue(this.encoder.encode(text));
    this.isWriting = false;
  }

  /** A heartbeat; who has taken nothing for too long is let go. */
  private beat(): void {
    this.stopBeating = this.clock.after(this.limits.ping, () => {
      if (this.isOver) return;
      if (this.room) this.ping();
      else if (this.clock.now() - this.takenAt >= this.limits.stuckSocket) return this.letGo();
      this.beat();
    });
  }

  /** A store that can't be read just now is no end of the server: its client comes again. */
  private ping(): void {
    try {
      this.write("ping", this.feed?.ping());
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.close();
    }
  }

  /** An error of the stream would be told to whoever operates the server, with a stack of ours. */
  private letGo(): void {
    this.over();
    this.controller?.close();
    this.cut();
  }

  private over(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.stopBeating();
    this.feed?.end();
  }
}
