/**
 * Who wants to hear of which stream, and the text that arrives in it just now. One for the whole server: it listens to the
 * supervisor, and to what the routes write themselves.
 */
import type { Conversations } from "../../threads/index.ts";
import type { EphemeralEnvelope, Supervisor, Told } from "../supervise/index.ts";

export type Heard = (stream: string, told: Told) => void;

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

type Heardable = Pick<Supervisor, "listen" | "trouble">;

export class Hub {
  private readonly conversations: Conversations;
  private readonly supervisor: Heardable;
  private readonly everybody = new Set<Heard>();
  private readonly byStream = new Map<string, Set<Heard>>();
  private readonly live = new Map<string, Live>();
  private readonly unlisten: () => void;

  constructor(conversations: Conversations, supervisor: Heardable) {
    this.conversations = conversations;
    this.supervisor = supervisor;
    this.unlisten = supervisor.listen((stream, told) => this.tell(stream, told));
  }

  /** Of one stream, or of all. Gives the way to stop it. */
  listen(stream: string | undefined, heard: Heard): () => void {
    if (stream === undefined) {
      this.everybody.add(heard);
      return () => void this.everybody.delete(heard);
    }
    const those = this.byStream.get(stream) ?? new Set();
    this.byStream.set(stream, those.add(heard));
    return () => {
      those.delete(heard);
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
    this.tell(stream, { more: this.conversations.head(stream) });
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

  private tell(stream: string, told: Told): void {
    this.note(stream, told);
    for (const heard of this.byStream.get(stream) ?? []) heard(stream, told);
    for (const heard of this.everybody) heard(stream, told);
  }

  /** Keeps the text of unfinished messages as it comes. */
  private note(stream: string, told: Told): void {
    if ("more" in told) {
      this.prune(stream, told.more);
      return;
    }
    const { type, loop, turn, data } = told;
    if (type !== "message.delta" || loop === null) return;
    let live = this.live.get(stream);
    if (live === undefined) {
      live = { seen: this.conversations.head(stream), texts: new Map() };
      this.live.set(stream, live);
    }
    const before = live.texts.get(loop);
    const goesOn = before !== undefined && before.turn === (turn ?? 0) && before.run === told.run;
    live.texts.set(loop, {
      run: told.run,
      loop,
      parent: told.parent,
      turn: turn ?? 0,
      message: typeof data.message === "string" ? data.message : null,
      text: `${goesOn ? before.text : ""}${String(data.text)}`,
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
