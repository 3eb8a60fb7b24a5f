/**
 * Who wants to hear of which stream, and the text that arrives in it just now. One for the whole server: it listens to the
 * supervisor, and to what the routes write themselves.
 */
import type { Conversations } from "../../threads/index.ts";
import type { EphemeralEnvelope, Published, Supervisor } from "../supervise/index.ts";

export type HubListener = (stream: string, event: Published) => void;

/** What an unfinished message has said so far. */
export interface Unfinished {
  readonly run: string | null;
  readonly loop: string;
  readonly parent: EphemeralEnvelope["parent"];
  readonly turn: number;
  readonly message: string | null;
  readonly text: string;
}

interface Live {
  /** Number of the log's last event that was looked at. */
  seen: number;
  /** By loop. */
  readonly texts: Map<string, Unfinished>;
}

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
    this.unlisten = supervisor.listen((stream, event) => this.publish(stream, event));
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
    this.publish(stream, { more: this.conversations.head(stream) });
  }

  /** What is said in a stream and not finished: as it arrived here, else as another server keeps it. */
  unfinished(stream: string): readonly Unfinished[] {
    const here = [...(this.live.get(stream)?.texts.values() ?? [])];
    const kept = this.conversations
      .partials(stream)
      .filter(({ loop, turn }) => !here.some((one) => one.loop === loop && one.turn >= turn))
      .map(
        ({ run, loop, turn, text }): Unfinished => ({ run, loop, parent: null, turn, message: null, text }),
      );
    return [...here, ...kept];
  }

  close(): void {
    this.unlisten();
  }

  private publish(stream: string, event: Published): void {
    this.note(stream, event);
    for (const listener of this.byStream.get(stream) ?? []) listener(stream, event);
    for (const listener of this.everybody) listener(stream, event);
  }

  /** Keeps the text of unfinished messages as it comes. */
  private note(stream: string, event: Published): void {
    if ("more" in event) {
      this.prune(stream, event.more);
      return;
    }
    const { type, loop, turn, data } = event;
    if (type !== "message.delta" || loop === null) return;
    let live = this.live.get(stream);
    if (live === undefined) {
      live = { seen: this.conversations.head(stream), texts: new Map() };
      this.live.set(stream, live);
    }
    const before = live.texts.get(loop);
    const continues = before !== undefined && before.turn === (turn ?? 0) && before.run === event.run;
    live.texts.set(loop, {
      run: event.run,
      loop,
      parent: event.parent,
      turn: turn ?? 0,
      message: typeof data.message === "string" ? data.message : null,
      text: `${continues ? before.text : ""}${String(data.text)}`,
    });
  }

  private prune(stream: string, head: number): void {
    const live = this.live.get(stream);
    if (live === undefined) return;
    const { items } = this.conversations.events(stream, { after: live.seen, types: ends });
    live.seen = Math.max(live.seen, head);
    for (const { type, loop, run } of items) {
      if (type === "run.end" || type === "run.resumed") {
        for (const [name, one] of live.texts) if (one.run === run) live.texts.delete(name);
      } else if (loop !== null) live.texts.delete(loop);
    }
    if (live.texts.size === 0) this.live.delete(stream);
  }
}
