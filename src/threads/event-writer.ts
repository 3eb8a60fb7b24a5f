/**
 * Writes the events of a run's loops into the log of its conversation, as they are emitted (a sink of `RunEvents`) and once what
 * made them is in the journal (`flush`, at each rest). Each has the origin `RUN:LOOP:K`, K counting the durable events of its
 * loop: whoever resumes the run tells them again from the first, and the log takes what it lacks.
 *
 *     RunEvents ─▶ tell ─┬─ durable ──▶ batch ──── flush ──▶ log        (one ordinary transaction, after the journal's)
 *                        └─ ephemeral ─▶ joined for 50 ms or 2 KiB ─▶ listeners; texts of answers also to `partial`
 *                                         what calls print: for 50 ms, and of each call the last 16 KiB
 *
 * A log that can't be written ends nothing: it is said once, and the log can be made again from the journal.
 */
import type { LogPiece, NewLogEvent } from "../durable/index.ts";
import { messageAddress } from "../durable/index.ts";
import type { Json } from "../effects/index.ts";
import { type Envelope, envelopeOfEvent, isDurable, type RunEvent } from "../events/index.ts";
import { eventLimits, type WirePlace } from "../events/wire/index.ts";
import { type LongTexts, withReferences } from "./long-texts.ts";

/** Of logs of conversations: written by the operations that change their tables. */
export const tableEvents: ReadonlySet<string> = new Set([
  "question.asked",
  "question.answered",
  "question.expired",
  "question.withdrawn",
]);

/** Where events go. Throws when that can't be written. */
export interface LogOutput {
  /** Gives the number of the log's last event. */
  append(events: readonly NewLogEvent[], pieces: readonly LogPiece[]): number;
  /** Null: it is finished. */
  partial(message: string, text: UnfinishedText | null): void;
}

/** What has been said so far of an answer that is not finished, and where it is said. */
export interface UnfinishedText {
  readonly run: string | null;
  readonly loop: string;
  readonly parent: Envelope["parent"];
  readonly turn: number;
  readonly message: string | null;
  readonly text: string;
}

/** What is emitted and not kept. */
export interface EventPiece {
  readonly type: "message.delta" | "thought.delta" | "tool.output";
  readonly at: number;
  readonly loop: string | null;
  readonly parent: Envelope["parent"];
  readonly turn: number;
  readonly call: string | null;
  readonly data: { readonly [key: string]: Json };
}

export interface EventWriterPorts extends LongTexts {
  readonly run: string;
  readonly output: LogOutput;
  /** How many records the run's journal has come to: the event stands after them. Absent: nobody knows. */
  readonly records?: () => number;
  /** The data with secrets by name. */
  hideIn(json: Json): Json;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back after so many milliseconds, unless what it gives is called. */
  after(ms: number, work: () => void): () => void;
  /** The log has grown up to this number; a piece of what is in progress. */
  readonly publish?: (what: { readonly more: number } | EventPiece) => void;
  /** Types that somebody else writes to this log. */
  readonly without?: ReadonlySet<string>;
  warn(text: string): void;
}

interface UnfinishedEvent {
  readonly said: UnfinishedText;
  readonly isKept: boolean;
}

type EventBodyJson = { readonly [key: string]: Json };

export class EventWriter {
  private readonly ports: EventWriterPorts;
  private batch: NewLogEvent[] = [];
  private pieces: LogPiece[] = [];
  /** Events outside of every loop so far. */
  private outside = 0;
  private readonly unfinished = new Map<string, UnfinishedEvent>();
  private keepPartials: (() => void) | undefined = undefined;
  private joined: EventPiece[] = [];
  private joinedSize = 0;
  private sendJoined: (() => void) | undefined = undefined;
  private failed = false;

  constructor(ports: EventWriterPorts) {
    this.ports = ports;
  }

  /** A sink of `RunEvents`. */
  readonly write = (event: RunEvent): void => {
    const envelope = envelopeOfEvent(event);
    if (envelope === null) return;
    if (isDurable(event.type)) {
      const counted = event.k ?? ++this.outside;
      if (this.ports.without?.has(event.type) === true) return;
      this.note(envelope, `${this.ports.run}:${event.loop ?? ""}:${counted}`);
    } else if (isPiece(event.type)) this.pass(envelope);
  };

  /** An event, also one that the run does not tell of itself. What has the same origin is kept once. */
  note(envelope: Envelope, origin: string): void {
    const { type } = envelope;
    const { run, now } = this.ports;
    const records = this.ports.records?.();
    const hidden = this.ports.hideIn(envelope.data as unknown as Json) as EventBodyJson;
    const { data, pieces } = withReferences(hidden, this.ports);
    this.pieces.push(...pieces);
    this.batch.push({
      at: now(),
      type,
      origin,
      body: { ...eventBody(envelope, run, data), ...(records === undefined ? {} : { records }) },
    });
    if (type === "message.end") this.finish(messageAddress(envelope));
    if (type === "turn.end" || type === "loop.end") this.finish(messageAddress(envelope));
  }

  /** Writes what has been emitted so far. At a rest, after the journal. */
  flush(): void {
    if (this.batch.length === 0 || this.failed) return;
    // A piece that is emitted after the end of its text would begin it anew.
    this.handJoined();
    const { batch, pieces } = this;
    this.batch = [];
    this.pieces = [];
    this.attempt(() => {
      const more = this.ports.output.append(batch, pieces);
      this.ports.publish?.({ more });
    });
  }

  /** The run is over. */
  close(): void {
    this.sendJoined?.();
    this.handJoined();
    this.keepPartials?.();
    this.keepPartials = undefined;
    this.flush();
  }

  private attempt(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.failed = true;
      const why = error instanceof Error ? error.message : String(error);
      this.ports.warn(`what this run does can't be written to the log of its conversation: ${why}`);
    }
  }

  // ── what is not kept ──────────────────────────────────────────────────────────────────────────────────────────

  private pass({ type, loop, parent, turn, call, data }: Envelope): void {
    const hidden = this.ports.hideIn(data as unknown as Json) as EventBodyJson;
    const text = String(hidden.text ?? "");
    if (type === "message.delta" && loop !== null) {
      const message = typeof hidden.message === "string" ? hidden.message : null;
      this.grow({ run: this.ports.run, loop, parent, turn, message, text });
    }
    if (this.ports.publish === undefined) return;
    const piece = {
      type: type as EventPiece["type"],
      at: this.ports.now(),
      loop,
      parent,
      turn,
      call,
      data: hidden,
    };
    // A program may print faster than anybody can look: its end is what counts, and calls beside it are told apart.
    const prints = type === "tool.output";
    const at = prints ? this.joined.findLastIndex((one) => isSamePlace(one, piece)) : this.joined.length - 1;
    const before = this.joined[at];
    const continues = before !== undefined && isSamePlace(before, piece);
    const whole = continues ? `${before.data.text}${text}` : text;
    const joined = {
      ...(continues ? before : piece),
      data: { ...hidden, text: prints ? endOf(whole) : whole },
    };
    if (continues) this.joined[at] = joined;
    else this.joined.push(joined);
    if (!prints) this.joinedSize += text.length;
    if (this.joinedSize >= eventLimits.deltaBytes) this.handJoined();
    else this.sendJoined ??= this.ports.after(eventLimits.deltaDelay, () => this.handJoined());
  }

  private handJoined(): void {
    this.sendJoined?.();
    this.sendJoined = undefined;
    const { joined } = this;
    this.joined = [];
    this.joinedSize = 0;
    for (const piece of joined) this.ports.publish?.(piece);
  }

  private grow(piece: UnfinishedText): void {
    const address = messageAddress(piece);
    const text = `${this.unfinished.get(address)?.said.text ?? ""}${piece.text}`;
    this.unfinished.set(address, { said: { ...piece, text }, isKept: false });
    this.keepPartials ??= this.ports.after(eventLimits.partialDelay, () => this.writePartials());
  }

  private writePartials(): void {
    this.keepPartials = undefined;
    if (this.failed) return;
    this.attempt(() => {
      for (const [address, { said, isKept }] of this.unfinished) {
        if (isKept) continue;
        this.unfinished.set(address, { said, isKept: true });
        this.ports.output.partial(address, said);
      }
    });
  }

  /** The log has all of it now, or will never have. */
  private finish(address: string): void {
    const known = this.unfinished.get(address);
    if (known === undefined) return;
    this.unfinished.delete(address);
    if (known.isKept) this.attempt(() => this.ports.output.partial(address, null));
  }
}

const isPiece = (type: string): type is EventPiece["type"] =>
  type === "message.delta" || type === "thought.delta" || type === "tool.output";

/** What is emitted at once of what a call prints. Not from the middle of a character. */
function endOf(text: string): string {
  if (text.length <= eventLimits.output) return text;
  const end = text.slice(1 - eventLimits.output);
  const first = end.charCodeAt(0);
  return `…${first >= 0xdc00 && first <= 0xdfff ? end.slice(1) : end}`;
}

/** The stored form of an event of a run: where it happened, and its data. */
export function eventBody(
  { loop, parent, turn, call }: WirePlace,
  run: string,
  data: EventBodyJson,
): EventBodyJson {
  return {
    run,
    ...(loop === null ? {} : { loop }),
    ...(parent === null ? {} : { parent: { ...parent } }),
    ...(turn === 0 ? {} : { turn }),
    ...(call === null ? {} : { call }),
    data,
  };
}

const isSamePlace = (a: EventPiece, b: EventPiece): boolean =>
  a.type === b.type && a.loop === b.loop && a.turn === b.turn && a.call === b.call;
