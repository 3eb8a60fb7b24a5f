/**
 * Who wants to hear of which stream, and the text that arrives in it just now. One for the whole server: it listens to the
 * supervisor, and to what the routes write themselves.
 */
import type { Conversations, UnfinishedText } from "../../threads/index.ts";
import type { PublishedEvent, Supervisor } from "../supervise/index.ts";

export type HubListener = (stream: string, event: PublishedEvent) => void;

interface Live {
  /** Number of the last event that its runs have told of. The log may have more: what they say of it is still on its way. */
  seen: number;
  /** By loop. */
  readonly texts: Map<string, UnfinishedText>;
}

/** Streams of which a place is kept though nothing is said in them. */
const maxLive = 1000;

/** After them a message of the loop is finished. */
const ends = ["message.end", "loop.end", "run.end", "run.resumed"];

type LogSource = Pick<Supervisor, "listen" | "trouble">;

export class Hub {
  private readonly conversations: Conversations;
  private readonly supervisor: LogSource;
  private readonly everybody = new Set<HubListener>();
  private readonly byStream = new Map<string, Set<HubListener>>();
  private readonly live = new Map<string, Live>();
  private readonly unlisten: () => void;

  constructor(conversations: Conversations, supervisor: LogSource) {
    this.conversations = conversations;
    this.supervisor = supervisor;
    this.unlisten = supervisor.listen((stream, event) => {
      this.publish(stream, event);
      if ("more" in event) this.advance(stream, event.more);
    });
  }

  /** Of one stream, or of all. Gives the way to stop it. */
  listen(stream: string | undefined, listener: HubListener): () => void {
    if (stream === undefined) {
      this.everybody.add(listener);
      return () => void this.everybody.delete(listener);
    }
    const those = this.byStream.get(stream) ?? new Set();
    this.byStream.set(stream, those.add(listener));
    return () => {
      those.delete(listener);
      if (those.size === 0 && this.byStream.get(stream) === those) this.byStream.delete(stream);
    };
  }

  /** For heartbeats: why runs stand still, where they do. */
  trouble(): { readonly trouble?: "disk-full" } {
    const { trouble } = this.supervisor;
    return trouble === undefined ? {} : { trouble };
  }

  /** This process has written to the stream. */
  wrote(stream: string): void {
    this.publish(stream, { more: this.conversations.store.streams.last(stream) });
  }

  /** What is said in a stream and not finished: as it arrived here, else as another server keeps it. */
  unfinished(stream: string): readonly UnfinishedText[] {
    const here = [...(this.live.get(stream)?.texts.values() ?? [])];
    const kept = this.conversations
      .unfinished(stream)
      .filter(({ loop, turn }) => !here.some((one) => one.loop === loop && one.turn >= turn));
    return [...here, ...kept];
  }

  close(): void {
    this.unlisten();
  }

  private publish(stream: string, event: PublishedEvent): void {
    const fresh = this.note(stream, event);
    if (fresh === undefined) return;
    for (const listener of this.byStream.get(stream) ?? []) listener(stream, fresh);
    for (const listener of this.everybody) listener(stream, fresh);
  }

  /** Keeps the text of unfinished messages as it comes; gives what those who listen do not know of it yet. */
  private note(stream: string, event: PublishedEvent): PublishedEvent | undefined {
    if ("more" in event) {
      this.prune(stream);
      return event;
    }
    const { type, loop, run, parent, turn } = event;
    if ((type !== "message.delta" && type !== "partial") || loop === null) return event;
    const { message, text } = event.data;
    const { texts } = this.liveOf(stream);
    const before = texts.get(loop);
    const known = before !== undefined && before.turn === turn && before.run === run ? before.text : "";
    if (type === "message.delta") {
      texts.set(loop, { run, loop, parent, turn, message, text: known + text });
      return event;
    }
    if (known.startsWith(text)) return undefined;
    texts.set(loop, { run, loop, parent, turn, message, text });
    if (known === "" || !text.startsWith(known)) return event;
    return { ...event, type: "message.delta", data: { message, text: text.slice(known.length) } };
  }

  private liveOf(stream: string): Live {
    const live = this.live.get(stream) ?? {
      seen: this.conversations.store.streams.last(stream),
      texts: new Map(),
    };
    this.live.set(stream, live);
    return live;
  }

  /** Drops the texts that the log has the ends of. */
  private prune(stream: string): void {
    const live = this.live.get(stream);
    if (live === undefined || live.texts.size === 0) return;
    for (const { type, loop, run } of this.conversations.events(stream, { after: live.seen, types: ends })
      .items) {
      if (type === "run.end" || type === "run.resumed") {
        for (const [name, one] of live.texts) if (one.run === run) live.texts.delete(name);
      } else if (loop !== null) live.texts.delete(loop);
    }
  }

  /**
   * A run tells of its events behind what it said before them. So an end counts as looked at when the run has told of it, not
   * when it stands in the log: the text that it ends may arrive after it was written.
   */
  private advance(stream: string, head: number): void {
    const live = this.liveOf(stream);
    live.seen = head;
    // The streams that were told of last are the last; of one that is forgotten the log's head is taken.
    this.live.delete(stream);
    this.live.set(stream, live);
    for (const [other, { texts }] of this.live) {
      if (this.live.size <= maxLive) break;
      if (texts.size === 0) this.live.delete(other);
    }
  }
}
