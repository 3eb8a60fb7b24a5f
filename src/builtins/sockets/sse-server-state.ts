/**
 * Event streams that a server sends (builtins.md §2.15). What is sent waits in a bounded buffer until the client takes it:
 * the mocked client of a test, or the connection of a request that is being answered.
 */
import { stateKey, type Task } from "../../interp/index.ts";
import { Dict, type MaybePromise, proceed, thrown, type Value } from "../../values/index.ts";
import { type Argument, option, optionsOf, textOf } from "../arguments.ts";
import { headerDict } from "../http/http-messages.ts";
import { messageBytes } from "../http/transport-mocks.ts";
import { sseResponseFields } from "../rows/http.ts";
import { eventDict, frameOf, frameText, type SseFrame } from "./sse-frames.ts";

/** Something sent: what a mocked client sees of it, and the text that goes over the wire. */
interface SentFrame {
  readonly seen: Dict;
  readonly frame: string;
}

export interface SseResponse {
  readonly id: string;
  readonly maxEventBytes: number;
  readonly maxBufferedEvents: number;
  readonly status: number;
  readonly headers: Dict;
  /** What the client has not taken yet, events and heartbeats alike. */
  readonly buffer: SentFrame[];
  sent: number;
  flushed: number;
  disconnected: boolean;
  cancelReason: string | undefined;
  closed: boolean;
  /** The client of a request that is being answered; `undefined` while nobody is connected, as in tests. */
  client: SseClient | undefined;
}

/** The way to a connected client. Sending is an effect, and may tell that it has gone. */
export interface SseClient {
  send(task: Task, frames: string): MaybePromise<boolean>;
  end(): void;
}

const responses = stateKey<{ made: number; readonly all: Map<string, SseResponse> }>("sse responses", () => ({
  made: 0,
  all: new Map(),
}));

export function makeSseResponse(task: Task, options: Argument): Value {
  const state = task.runtime.state(responses);
  const read = optionsOf("sse_server_response", options, sseResponseFields);
  const headers = Dict.of({
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
    connection: "keep-alive",
    "x-accel-buffering": "no",
  }).merge(headerDict(read.headers ?? undefined));
  const made: SseResponse = {
    id: `sse_response_${++state.made}`,
    maxEventBytes: read.maxEventBytes,
    maxBufferedEvents: read.maxBufferedEvents,
    status: read.status,
    headers,
    buffer: [],
    sent: 0,
    flushed: 0,
    disconnected: false,
    cancelReason: undefined,
    closed: false,
    client: undefined,
  };
  state.all.set(made.id, made);
  return Dict.of({
    id: made.id,
    type: "sse_response",
    status: made.status,
    headers,
    body: null,
    streaming: true,
    max_event_bytes: made.maxEventBytes,
    max_buffered_events: made.maxBufferedEvents,
  });
}

/** The stream of a response, or its id. */
export function sseResponse(task: Task, caller: string, handle: Argument): SseResponse {
  const id = textOf(option(handle, "id") ?? handle);
  const found = task.runtime.state(responses).all.get(id);
  if (found !== undefined) return found;
  throw thrown(`${caller}: unknown stream '${id}'`);
}

const isOver = (stream: SseResponse): boolean => stream.closed || stream.disconnected;

export const sendEvent = (task: Task, stream: SseResponse, value: Argument): MaybePromise<boolean> =>
  send(task, stream, "sse_server_send", () => frameOf("sse_server_send", value));

export const sendHeartbeat = (task: Task, stream: SseResponse, comment: Argument): MaybePromise<boolean> =>
  send(task, stream, "sse_server_heartbeat", () => ({
    event: undefined,
    comment: textOf(comment ?? undefined, "heartbeat"),
  }));

function send(task: Task, stream: SseResponse, caller: string, value: () => SseFrame): MaybePromise<boolean> {
  if (isOver(stream)) return false;
  const frame = value();
  const raw = frameText(frame);
  if (messageBytes(raw) > stream.maxEventBytes)
    throw thrown(`${caller}: event exceeded max_event_bytes (${stream.maxEventBytes})`);
  if (stream.buffer.length >= stream.maxBufferedEvents)
    throw thrown(`${caller}: buffered events exceeded max_buffered_events (${stream.maxBufferedEvents})`);
  const seen =
    frame.event === undefined
      ? Dict.of({ type: "comment", comment: frame.comment ?? "" })
      : eventDict(frame.event);
  stream.buffer.push({ seen: seen.with("raw", raw), frame: raw });
  stream.sent++;
  return pump(task, stream);
}

/** Hands what waits to the client, when one is connected; false when it has gone. */
function pump(task: Task, stream: SseResponse): MaybePromise<boolean> {
  const { client } = stream;
  if (client === undefined) return true;
  let frames = "";
  for (let next = takeSent(stream); next !== undefined; next = takeSent(stream)) frames += next.frame;
  if (frames === "") return true;
  return proceed(client.send(task, frames), (sent) => {
    if (sent) stream.flushed = stream.sent;
    else disconnect(stream);
    return sent;
  });
}

/** A client is connected from now on, and gets what waits. */
export function connectClient(task: Task, stream: SseResponse, client: SseClient): MaybePromise<void> {
  stream.client = client;
  return proceed(pump(task, stream), () => {
    if (isOver(stream)) client.end();
  });
}

/** All that was sent is on its way; it stays buffered until the client has taken it. */
export function flushEvents(stream: SseResponse): boolean {
  if (isOver(stream)) return false;
  stream.flushed = stream.sent;
  return true;
}

/** What was sent before still reaches the client. */
export function closeEventStream(stream: SseResponse): boolean {
  if (isOver(stream)) return false;
  stream.closed = true;
  stream.client?.end();
  return true;
}

/** Closes it, too: what was sent before still reaches the client. */
export function cancelEventStream(stream: SseResponse, reason: Argument): boolean {
  if (!closeEventStream(stream)) return false;
  stream.cancelReason = textOf(reason ?? undefined, "cancelled");
  return true;
}

/** The client has gone, with what it had not taken. */
export function disconnect(stream: SseResponse): boolean {
  if (stream.disconnected) return false;
  stream.disconnected = true;
  stream.buffer.length = 0;
  return true;
}

/** The next thing for the client; `undefined` when nothing waits. */
export const takeSent = (stream: SseResponse): SentFrame | undefined => stream.buffer.shift();

/** What a mocked client receives next. */
export function mockReceive(stream: SseResponse): Value {
  const next = takeSent(stream);
  if (next !== undefined) return next.seen;
  return isOver(stream)
    ? Dict.of({ type: "close", server_closed: stream.closed, reason: stream.cancelReason ?? null })
    : Dict.of({ type: "timeout" });
}

export function statusOf(stream: SseResponse): Value {
  return Dict.of({
    id: stream.id,
    status: stream.status,
    headers: stream.headers,
    max_event_bytes: stream.maxEventBytes,
    max_buffered_events: stream.maxBufferedEvents,
    buffered_events: stream.buffer.length,
    sent_events: stream.sent,
    flushed_events: stream.flushed,
    disconnected: stream.disconnected,
    cancelled: stream.cancelReason !== undefined,
    cancel_reason: stream.cancelReason ?? null,
    closed: stream.closed,
  });
}
