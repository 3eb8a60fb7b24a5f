/** The log of a conversation as it grows, with what arrives in between, each at its place. For adapters that end with a run. */
import type { Conversations, StoredEnvelope } from "../../threads/index.ts";
import type { Hub } from "../stream/hub.ts";
import type { PassingEnvelope } from "../supervise/index.ts";

/** Nothing has happened for a while. */
export interface Quiet {
  readonly quiet: true;
}

export type StreamedEnvelope = StoredEnvelope | PassingEnvelope | Quiet;

export interface FollowOptions {
  readonly conversations: Conversations;
  readonly hub: Hub;
  readonly stream: string;
  /** Number of the last event that is known. */
  readonly after: number;
  /** `Quiet` is told after so many milliseconds without anything. */
  readonly quietMs: number;
}

/** Ephemeral events that wait; beyond, later ones are left out until those are taken: ends bring what is missing. */
const maxWaiting = 1000;
const atOnce = 200;

/** Listens from the moment that it is made, so that nothing is missed before somebody reads. */
export class RunFollower {
  private readonly options: FollowOptions;
  private readonly waiting: { readonly event: PassingEnvelope; readonly head: number }[] = [];
  private readonly unlisten: () => void;
  private isOver = false;
  private wake = (): void => {};

  constructor(options: FollowOptions) {
    this.options = options;
    const { conversations, hub, stream } = options;
    this.unlisten = hub.listen(stream, (_stream, published) => {
      if (!("more" in published) && this.waiting.length < maxWaiting)
        this.waiting.push({ event: published, head: conversations.store.streams.last(stream) });
      this.wake();
    });
  }

  /** Until it is stopped. */
  async *events(): AsyncGenerator<StreamedEnvelope> {
    const { conversations, stream } = this.options;
    let cursor = this.options.after;
    try {
      while (!this.isOver) {
        const next = this.waiting[0];
        if (next !== undefined && next.head <= cursor) {
          this.waiting.shift();
          yield next.event;
          continue;
        }
        const until = next?.head ?? Number.POSITIVE_INFINITY;
        const { items } = conversations.events(stream, { after: cursor, limit: atOnce });
        for (const event of items) {
          if (event.seq > until) break;
          cursor = event.seq;
          yield event;
        }
        if (items.length === 0 && this.waiting.length === 0 && (await this.isQuiet())) yield { quiet: true };
      }
    } finally {
      this.stop();
    }
  }

  stop(): void {
    this.isOver = true;
    this.unlisten();
    this.wake();
  }

  private isQuiet(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(!this.isOver), this.options.quietMs);
      this.wake = () => {
        clearTimeout(timer);
        resolve(false);
      };
    });
  }
}
