/**
 * Event streams that a server sends (builtins.md §2.15). What is sent waits in a bounded buffer until the client takes it:
 * the mocked client of a test, or the connection of a request that is being answered.
 */
import type { StateKey, Task } from "../interp/index.ts";
import { Dict, type MaybePromise, proceed, thrown, type Value } from "../values/index.ts";
import { type Given, intOr, limitOption, option, textOf } from "./arguments.ts";
import { headerDict } from "./http-messages.ts";
import { eventDict, eventOf, writeComment, writeFrame } from "./sse-frames.ts";
import { messageBytes } from "./transport-mocks.ts";

const defaultEventBytes = 1024 * 1024;
const defaultBufferedEvents = 1000;

/** Something sent: what a mocked client sees of it, and the text that goes over the wire. */
interface Sent {
  readonly seen: Dict;
  readonly frame: string;
}

export interface SseResponse {
  readonly id: string;
  readonly maxEventBytes: number;
  readonly maxBufferedEvents: number;
  readonly buffer: Sent[];
  /** How many of the buffer's first were flushed. */
  flushedAhead: number;
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

const responses: StateKey<{ made: number; readonly all: Map<string, SseResponse> }> = {
  name: "sse responses",
  create: () => ({ made: 0, all: new Map() }),
};

export function makeSseResponse(task: Task, options: Given): Value {
  const state = task.runtime.state(responses);
  const limit = (name: string, standard: number): number =>
    limitOption("sse_server_response", options, name, standard, 1);
  const made: SseResponse = {
    id: `sse_response_${++state.made}`,
    maxEventBytes: limit("max_event_bytes", defaultEventBytes),
    maxBufferedEvents: limit("max_buffered_events", defaultBufferedEvents),
    buffer: [],
    flushedAhead: 0,
    sent: 0,
    flushed: 0,
    disconnected: false,
    cancelReason: undefined,
    closed: false,
    client: undefined,
  };
  state.all.set(made.id, made);
  const standard = Dict.of({
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
    "x-accel-buffering": "no",
  });
  return Dict.of({
    id: made.id,
    type: "sse_response",
    status: intOr(option(options, "status"), 200),
    headers: standard.merge(headerDict(option(options, "headers"))),
    body: null,
    streaming: true,
  });
}

/** The stream behind a response, or its id. */
export function sseResponse(task: Task, caller: string, handle: Given): SseResponse {
  const id = textOf(option(handle, "id") ?? handle);
  const found = task.runtime.state(responses).all.get(id);
  if (found !== undefined) return found;
  throw thrown(`${caller}: unknown SSE response '${id}'`);
}

const isOver = (stream: SseResponse): boolean =>
  stream.closed || stream.disconnected || stream.cancelReason !== undefined;

export function sendEvent(task: Task, stream: SseResponse, given: Given): MaybePromise<boolean> {
  if (isOver(stream)) return false;
  const event = eventOf("sse_server_send", given);
  const frame = writeFrame(event);
  const size = messageBytes(frame);
  if (size > stream.maxEventBytes)
    throw thrown(`sse_server_send: event of ${size} bytes exceeds max_event_bytes (${stream.maxEventBytes})`);
  put("sse_server_send", stream, { seen: eventDict(event), frame });
  stream.sent++;
  return pump(task, stream);
}

export function sendHeartbeat(task: Task, stream: SseResponse, comment: Given): MaybePromise<boolean> {
  if (isOver(stream)) return false;
  const text = textOf(comment, "heartbeat");
  put("sse_server_heartbeat", stream, {
    seen: Dict.of({ type: "comment", comment: text }),
    frame: writeComment(text),
  });
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
    if (!sent) disconnect(stream);
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

function put(caller: string, stream: SseResponse, sent: Sent): void {
  if (stream.buffer.length >= stream.maxBufferedEvents)
    throw thrown(
      `${caller}: the buffer of ${stream.maxBufferedEvents} events is full; the client does not take them`,
    );
  stream.buffer.push(sent);
}

const isEvent = ({ seen }: Sent): boolean => seen.get("type") === "event";

export function flushEvents(stream: SseResponse): boolean {
  if (isOver(stream)) return false;
  stream.flushed += stream.buffer.slice(stream.flushedAhead).filter(isEvent).length;
  stream.flushedAhead = stream.buffer.length;
  return true;
}

/** What was sent before still reaches the client. */
export function closeEventStream(stream: SseResponse): boolean {
  if (isOver(stream)) return false;
  stream.closed = true;
  stream.client?.end();
  return true;
}

/** The client gets nothing more, not even what waits. */
export function cancelEventStream(stream: SseResponse, reason: Given): boolean {
  if (isOver(stream)) return false;
  stream.cancelReason = textOf(reason, "cancelled");
  drop(stream);
  stream.client?.end();
  return true;
}

export function disconnect(stream: SseResponse): boolean {
  if (stream.disconnected) return false;
  stream.disconnected = true;
  drop(stream);
  return true;
}

function drop(stream: SseResponse): void {
  stream.buffer.length = 0;
  stream.flushedAhead = 0;
}

/** The next thing for the client; `undefined` when nothing waits. */
export function takeSent(stream: SseResponse): Sent | undefined {
  const next = stream.buffer.shift();
  if (next === undefined) return undefined;
  if (stream.flushedAhead > 0) stream.flushedAhead--;
  else if (isEvent(next)) stream.flushed++;
  return next;
}

/** What a mocked client receives next. */
export function mockReceive(stream: SseResponse): Value {
  const next = takeSent(stream);
  if (next !== undefined) return next.seen;
  return isOver(stream)
    ? Dict.of({ type: "close", reason: stream.cancelReason ?? null })
    : Dict.of({ type: "timeout" });
}

export function statusOf(stream: SseResponse): Value {
  return Dict.of({
    buffered_events: stream.buffer.filter(isEvent).length,
    sent_events: stream.sent,
    flushed_events: stream.flushed,
    disconnected: stream.disconnected,
    cancelled: stream.cancelReason !== undefined,
    cancel_reason: stream.cancelReason ?? null,
    closed: stream.closed,
  });
}
