/**
 * What a run leaves in the store about its conversation while it works: events of its loops, the history, unfinished texts, which
 * messages it received. All of it is written at rests, after the journal, and only while this process owns the run; a run that is
 * resumed tells everything again, and what is there stays.
 */
import { type Attachment, keptConversation, keptParts, storedMessage } from "../agent/index.ts";
import type { HistoryEntry, RunOwner, SaidMessage } from "../durable/index.ts";
import type { Json } from "../effects/index.ts";
import { envelopeOfEvent, type RunEvent } from "../events/index.ts";
import type { Runtime } from "../interp/index.ts";
import { conversations as conversationsOfRun, messageText } from "../model/index.ts";
import { StoreError, StoreWatch } from "../store/index.ts";
import { sha256Hex } from "../values/index.ts";
import type { Conversations } from "./conversations.ts";
import { EventWriter, type EventWriterPorts, tableEvents } from "./event-writer.ts";
import { type Arrivals, type ServedHistory, type ServedPorts, servedMessage } from "./served-message.ts";

export interface RunLogPorts extends Pick<EventWriterPorts, "run" | "now" | "after" | "publish" | "warn"> {
  readonly conversations: Conversations;
  /** The conversation whose log and history it writes: of a fork another one than the program is told. */
  readonly conversation: string;
  /** The message that the run answers. */
  readonly message: string | null;
  /** A file that comes with a message, by its path below the conversation's folder, as it is now. */
  attachment(path: string): Attachment;
  /** Looks at the files of the conversation; absent: they are what the tools say that they write. */
  readonly changes?: { begin(): void; look(): FileChange[] };
}

export type FileChange = Extract<RunEvent, { readonly type: "file.changed" }>["data"];

/** Kinds of tools after which nobody looks. */
const quietKinds: ReadonlySet<string> = new Set(["read", "search", "fetch", "think"]);

export class RunLog {
  readonly ports: RunLogPorts;
  private runtime: Runtime | undefined;
  /** What was said before this run: of the history that it began with. */
  private begun: ServedHistory | undefined;
  private events: EventWriter | undefined;
  /** Told before the run began. */
  private early: RunEvent[] = [];
  private delivered = 0;
  private written = 0;
  private parts: readonly unknown[] = [];
  private failed = false;
  /** For what comes while it works. */
  private readonly watch: StoreWatch;

  constructor(ports: RunLogPorts) {
    this.ports = ports;
    this.watch = new StoreWatch(ports.conversations.store);
  }

  /** A sink of `RunEvents`. */
  readonly write = (event: RunEvent): void => {
    if (this.events === undefined) this.early.push(event);
    else {
      this.events.write(event);
      this.noteChanges(this.events, event);
    }
  };

  /** Calls that may write, and are under way. */
  private readonly writing = new Set<string>();
  private isWatched = false;

  /** While a run is followed again nothing is written: the log has what it wrote then. */
  private noteChanges(events: EventWriter, event: RunEvent): void {
    const { changes, run } = this.ports;
    const isStart = event.type === "tool.start";
    if (changes === undefined || !(isStart || event.type === "tool.end")) return;
    const envelope = envelopeOfEvent(event);
    if (envelope?.call == null || this.runtime?.effects.mode === "replay") return;
    const key = `${envelope.loop}:${envelope.call}`;
    if (isStart) {
      if (!quietKinds.has(event.data.kind)) this.writing.add(key);
      if (!this.isWatched) changes.begin();
      this.isWatched = true;
    } else if (this.writing.delete(key))
      for (const data of changes.look())
        events.note({ ...envelope, type: "file.changed", data }, `${run}:${key}:${data.path}`);
  }

  /** The run is about to begin. `records`: how many its journal has come to. */
  began(runtime: Runtime, records: () => number): void {
    this.runtime = runtime;
    const { conversations, conversation, run, now, after, publish, warn } = this.ports;
    this.owner();
    const { crypto } = runtime.host;
    const secrets = runtime.secrets;
    this.events = new EventWriter({
      run,
      now,
      after,
      warn,
      records,
      without: this.ports.changes === undefined ? tableEvents : new Set([...tableEvents, "file.changed"]),
      ...(publish === undefined ? {} : { publish }),
      digest: (text) => sha256Hex(crypto, text),
      hide: (text) => secrets.hide(text),
      hideIn: (json) => secrets.hideIn(json),
      output: {
        append: (events, pieces) =>
          conversations.appendEvents({ stream: conversation, owner: this.owner(), events, pieces }),
        partial: (message, text) =>
          conversations.partial({ stream: conversation, message, body: text, now: now() }),
      },
    });
    for (const event of this.early.splice(0)) this.events.write(event);
  }

  private owner(): RunOwner {
    const { conversations, run } = this.ports;
    // A run that is new has had one owner.
    this.fence ??= conversations.store.runs.fenceOf(run) ?? 1;
    return { run, fence: this.fence };
  }

  /** Of this process. */
  private fence: number | undefined;

  /** What has happened so far is in the journal. */
  readonly flush = (): void => {
    // Nothing was recorded yet: the run is not in the store.
    if (this.runtime === undefined || this.failed) return;
    this.attempt(() => {
      if (this.begun !== undefined) this.writeHistory(this.runtime as Runtime, this.begun);
    });
    this.events?.flush();
  };

  /** What the journal holds by now is to be in the log, before something else. */
  readonly flushEvents = (): void => this.events?.flush();

  /** The program has ended. */
  readonly ended = (): void => {
    this.watch.end();
    this.flush();
    this.events?.close();
  };

  private attempt(write: () => void): void {
    try {
      write();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.failed = true;
      this.ports.warn(`the history of the conversation can't be written: ${error.message}`);
    }
  }

  // ── the history ───────────────────────────────────────────────────────────────────────────────────────────────

  private writeHistory(runtime: Runtime, begun: ServedHistory): void {
    const { message: served, delivered } = runtime.state(servedMessage);
    if (delivered.size > this.delivered) {
      this.ports.conversations.receive({
        id: this.ports.conversation,
        owner: this.owner(),
        messages: [...delivered.keys()],
        now: this.ports.now(),
      });
      this.delivered = delivered.size;
    }
    const found = served === null ? undefined : runtime.state(conversationsOfRun).get(served.conversation);
    if (found === undefined) return;
    const from = begun.rows - begun.messages.length + found.forgotten;
    const first = Math.max(0, this.written - from, begun.rows - from);
    const parts = keptParts(found);
    const isKept = parts.every((part, at) => part === this.parts[at]);
    if (first >= found.log.length && isKept) return;
    const fresh = found.log.slice(first);
    const entries: HistoryEntry[] = fresh.map((logged) => ({
      id: logged.id,
      message: runtime.secrets.hideIn(storedMessage(found, logged)) as HistoryEntry["message"],
    }));
    const kept = isKept ? null : runtime.secrets.hideIn({ ...keptConversation(found), from });
    const { conversations, conversation, message, now } = this.ports;
    const texts = fresh.flatMap(({ message: one }) => (one.role === "user" ? [messageText(one)] : []));
    // After the words stand notes of pictures that a model does not see.
    const isSaid = (words: string): boolean =>
      texts.some((text) => text === words || text.startsWith(`${words}\n\n[`));
    const said = [...delivered].flatMap(([id, words]) => (isSaid(words) ? [id] : []));
    if (message !== null && texts.length > 0) said.unshift(message);
    conversations.said({
      id: conversation,
      owner: this.owner(),
      after: from + first,
      entries,
      kept,
      said,
      now: now(),
    });
    this.written = from + found.log.length;
    this.parts = parts;
  }

  /** What the run itself asks for. */
  readonly served: ServedPorts = {
    history: () => {
      const { conversations, conversation, message: answers } = this.ports;
      const { entries, kept } = conversations.history({ id: conversation });
      const secrets = this.runtime?.secrets;
      const plain = (json: Json): Json => secrets?.revealIn(json) ?? json;
      const from = Number((kept as { readonly from?: number } | null)?.from ?? 0);
      return {
        messages: entries.filter(({ n }) => n > from).map(({ message }) => plain(message)),
        kept: plain(kept),
        rows: entries.at(-1)?.n ?? 0,
        ...this.attachedTo(answers === null ? undefined : conversations.message({ message: answers })),
      };
    },
    begun: (history) => {
      this.begun = history;
    },
    arrivals: (delivered, modeChanges, signal) =>
      new Promise<Arrivals>((resolve) => {
        const over = this.watch.add(() => {
          const found = this.arrived(delivered, modeChanges);
          if (found === undefined) return;
          signal.removeEventListener("abort", over);
          over();
          resolve(found);
        });
        signal.addEventListener("abort", over, { once: true });
        if (signal.aborted) over();
        else this.watch.look();
      }),
  };

  /** The files that come with a message, as they are now. */
  private attachedTo(message: SaidMessage | undefined): { readonly attached?: readonly Attachment[] } {
    if (message === undefined || message.attachments.length === 0) return {};
    const { attachment } = this.ports;
    return {
      attached: message.attachments.map((one) => attachment((one as { readonly path: string }).path)),
    };
  }

  /** Somebody says that something came: it is looked for at once. */
  lookNow(): void {
    this.watch.look();
  }

  private arrived(delivered: ReadonlyMap<string, string>, modeChanges: number): Arrivals | undefined {
    const { conversations, conversation } = this.ports;
    const record = conversations.get({ id: conversation });
    if (record === undefined) return undefined;
    const messages = conversations.waiting({ id: conversation }).flatMap((message) => {
      const { id, text, delivery } = message;
      if (delivery === "queue" || delivered.has(id)) return [];
      return [{ id, text, delivery, ...this.attachedTo(message) }];
    });
    const changed = record.modeChanges > modeChanges;
    if (messages.length === 0 && !changed) return undefined;
    return { messages, mode: changed ? record.mode : null, modeChanges: record.modeChanges };
  }
}
