/** Server-sent events as text: written for clients, read from servers (WHATWG HTML §9.2). */

import type { EventSourceParser } from "eventsource-parser";
import { at, refusal } from "../../table/index.ts";
import { Dict, display, jsonStringify, List, thrown, type Value } from "../../values/index.ts";
import { type Argument, option, textOf } from "../arguments.ts";

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
export function frameOf(caller: string, input: Argument, options?: Argument): SseFrame {
  const from = input instanceof Dict ? input : undefined;
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
    throw refusal(at(caller, "retry"), "int >= 0", retry);
  const event = line("event", field("event", "name"));
  const id = line("id", field("id"));
  const data = from === undefined && input !== undefined && input !== null ? input : field("data");
  const comment = field("comment");
  const empty = [event, id, data, retry].every((one) => one === undefined);
  return {
    event: empty ? undefined : { event, data: dataText(data), id, retryMs: retry as number | undefined },
    comment: comment === undefined ? (empty ? "" : undefined) : textOf(comment),
  };
}

/** An event for clients; a comment alone is none. */
export function sseEventOf(caller: string, value: Argument): SseEvent {
  const { event } = frameOf(caller, value);
  return event ?? { event: undefined, data: "", id: undefined, retryMs: undefined };
}

/** The text of a frame. */
export const frameText = ({ event, comment }: SseFrame): string =>
  event === undefined
    ? writeComment(comment ?? "")
    : `${comment === undefined ? "" : commentLines(comment)}${writeFrame(event)}`;

function dataText(data: Argument): string {
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

/** Parses a stream of events piece by piece (eventsource-parser). */
export class SseReader {
  private readonly decoder = new TextDecoder();
  private readonly parser: EventSourceParser;
  private events: SseEvent[] = [];
  private retryMs: number | undefined;
  /** The id of the last event that had one: where a new connection would go on. */
  lastId: string | undefined;

  /** An event of more than `maxLength` UTF-16 units is refused as soon as it is known. */
  constructor(library: typeof import("eventsource-parser"), maxLength: number, lastId: string | undefined) {
    this.lastId = lastId;
    const tooBig = (): unknown => thrown(`sse_receive: message exceeds max_message_bytes (${maxLength})`);
    this.parser = library.createParser({
      maxBufferSize: maxLength,
      onId: (id) => {
        this.lastId = id;
      },
      onRetry: (ms) => {
        this.retryMs = ms;
      },
      onEvent: ({ event, data }) => {
        // An event that one piece holds whole never was in the parser's buffer.
        if (data.length > maxLength) throw tooBig();
        this.events.push({ event, data, id: this.lastId, retryMs: this.retryMs });
        this.retryMs = undefined;
      },
      onError: ({ type }) => {
        if (type === "max-buffer-size-exceeded") throw tooBig();
      },
    });
  }

  /** The events that a piece completes. */
  push(piece: Uint8Array): SseEvent[] {
    this.events = [];
    this.parser.feed(this.decoder.decode(piece, { stream: true }));
    return this.events;
  }
}
