/** Server-sent events as text: written for clients, read from servers (WHATWG HTML §9.2). */
import { Dict, display, jsonStringify, List, thrown, type Value } from "../../values/index.ts";
import { type Given, option, textOf } from "../arguments.ts";

export interface SseEvent {
  readonly event: string | undefined;
  readonly data: string;
  readonly id: string | undefined;
  readonly retryMs: number | undefined;
}

/** What is sent at once: an event, a comment, or both. */
export interface SseFrame {
  /** `undefined` when there is nothing but a comment. */
  readonly event: SseEvent | undefined;
  readonly comment: string | undefined;
}

/**
 * A frame as scripts give it: a dict `{event | name, data, id, retry | retry_ms, comment}`, whose missing keys `options` fill,
 * or anything else as the data. Data that is no text becomes JSON. Nothing at all is an empty comment.
 */
export function frameOf(caller: string, given: Given, options?: Given): SseFrame {
  const from = given instanceof Dict ? given : undefined;
  const field = (...names: readonly string[]): Value | undefined => {
    for (const source of [from, options])
      for (const name of names) {
        const value = option(source, name);
        if (value !== undefined) return value;
      }
    return undefined;
  };
  const line = (name: string, value: Value | undefined): string | undefined => {
    if (value === undefined) return undefined;
    const text = textOf(value);
    if (/[\r\n]/.test(text)) throw thrown(`${caller}: ${name} must not contain newlines`);
    if (text.includes("\0")) throw thrown(`${caller}: ${name} must not contain NUL`);
    return text;
  };
  const retry = field("retry_ms", "retry");
  if (retry !== undefined && !(typeof retry === "number" && retry >= 0))
    throw thrown(`${caller}: retry/retry_ms must be a non-negative integer`);
  const event = line("event", field("event", "name"));
  const id = line("id", field("id"));
  const data = from === undefined && given !== undefined && given !== null ? given : field("data");
  const comment = field("comment");
  const empty = [event, id, data, retry].every((one) => one === undefined);
  return {
    event: empty ? undefined : { event, data: dataText(data), id, retryMs: retry as number | undefined },
    comment: comment === undefined ? (empty ? "" : undefined) : textOf(comment),
  };
}

/** An event for clients; a comment alone is none. */
export function eventOf(caller: string, given: Given): SseEvent {
  const { event } = frameOf(caller, given);
  return event ?? { event: undefined, data: "", id: undefined, retryMs: undefined };
}

/** The text of a frame. */
export const frameText = ({ event, comment }: SseFrame): string =>
  event === undefined
    ? writeComment(comment ?? "")
    : `${comment === undefined ? "" : commentLines(comment)}${writeFrame(event)}`;

function dataText(data: Given): string {
  if (data === undefined || data === null) return "";
  if (typeof data === "string") return data;
  return data instanceof Dict || data instanceof List ? jsonStringify(data) : display(data);
}

const linesOf = (text: string): string[] => text.split(/\r\n|\r|\n/);

/** The frame of an event: `id:`, `event:`, `retry:`, a `data:` line for each line, a blank line. */
function writeFrame({ id, event, retryMs, data }: SseEvent): string {
  return [
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(retryMs === undefined ? [] : [`retry: ${retryMs}`]),
    ...linesOf(data).map((line) => `data: ${line}`),
    "",
    "",
  ].join("\n");
}

/** A frame that clients ignore, for connections that must not look dead. */
const writeComment = (comment: string): string => `${commentLines(comment)}\n`;

const commentLines = (comment: string): string =>
  linesOf(comment)
    .map((line) => `: ${line}\n`)
    .join("");

/** What a client is given. */
export const eventDict = ({ event, data, id, retryMs }: SseEvent): Dict =>
  Dict.of({
    type: "event",
    event: event ?? "message",
    data,
    id: id ?? null,
    retry_ms: retryMs ?? null,
  });

/** Reads a stream of events piece by piece. */
export class SseReader {
  private readonly decoder = new TextDecoder();
  private readonly maxBytes: number;
  private text = "";
  private atStart = true;
  private lines: string[] = [];
  private size = 0;
  /** The id of the last event that had one: where a new connection would go on. */
  lastId: string | undefined;

  /** An event of more bytes is refused as soon as it is known. */
  constructor(maxBytes: number, lastId: string | undefined) {
    this.maxBytes = maxBytes;
    this.lastId = lastId;
  }

  /** The events that a piece completes. */
  push(piece: Uint8Array): SseEvent[] {
    this.text += this.decoder.decode(piece, { stream: true });
    const events: SseEvent[] = [];
    let from = 0;
    for (;;) {
      const end = this.endOfLine(from);
      if (end === undefined) break;
      const event = this.line(this.text.slice(from, end.at));
      if (event !== undefined) events.push(event);
      from = end.next;
    }
    this.text = this.text.slice(from);
    if (this.size + this.text.length > this.maxBytes) throw this.tooBig();
    return events;
  }

  /** A CR at the very end may be half of a CRLF: it waits for what follows. */
  private endOfLine(from: number): { at: number; next: number } | undefined {
    for (let at = from; at < this.text.length; at++) {
      const unit = this.text.charCodeAt(at);
      if (unit === 10) return { at, next: at + 1 };
      if (unit === 13 && at + 1 < this.text.length)
        return { at, next: this.text.charCodeAt(at + 1) === 10 ? at + 2 : at + 1 };
    }
    return undefined;
  }

  private line(line: string): SseEvent | undefined {
    const text = this.atStart ? line.replace(/^\uFEFF/, "") : line;
    this.atStart = false;
    if (text === "") return this.complete();
    this.size += text.length + 1;
    if (this.size > this.maxBytes) throw this.tooBig();
    this.lines.push(text);
    return undefined;
  }

  private tooBig(): unknown {
    return thrown(`sse_receive: message exceeds max_message_bytes (${this.maxBytes})`);
  }

  private complete(): SseEvent | undefined {
    const data: string[] = [];
    let event: string | undefined;
    let retryMs: number | undefined;
    for (const line of this.lines) {
      const colon = line.indexOf(":");
      const name = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
      if (name === "data") data.push(value);
      else if (name === "event") event = value === "" ? undefined : value;
      else if (name === "id" && !value.includes("\0")) this.lastId = value;
      else if (name === "retry" && /^\d{1,9}$/.test(value)) retryMs = Number(value);
    }
    this.lines = [];
    this.size = 0;
    return data.length === 0 ? undefined : { event, data: data.join("\n"), id: this.lastId, retryMs };
  }
}
