/**
 * Server-sent events, the client's side (builtins.md §2.15). A handle with a recipe: the request, and the id of the last
 * event, with which a replay that goes on live asks the server to go on.
 */

import { shape } from "../../effects/index.ts";
import { HostError, type HttpBody } from "../../host/index.ts";
import { stateKey, type Task } from "../../interp/index.ts";
import {
  Dict,
  fromJson,
  type MaybePromise,
  proceed,
  thrown,
  toJson,
  type Value,
} from "../../values/index.ts";
import { type Argument, option, textOf } from "../arguments.ts";
import { httpOptions, type Outgoing, outgoing } from "../http/http-options.ts";
import {
  type CookieReceipt,
  hooksFor,
  isOk,
  learn,
  learntShape,
  methodEffect,
  sendError,
  shownRequest,
} from "../http/http-send.ts";
import { messageBytes, noteTransport, transportMock } from "../http/transport-mocks.ts";
import { sseConnectFields } from "../rows/http.ts";
import { type ArrivalSource, takeInTime, waitMs } from "../time/timed-wait.ts";
import { LiveConnection } from "./live-connections.ts";
import { eventDict, SseReader, sseEventOf } from "./sse-frames.ts";

interface EventStream {
  readonly handle: string;
  readonly request: Outgoing;
  readonly maxMessageBytes: number;
  readonly connection: LiveConnection<LiveEvents>;
  /** What a mock has left to give. */
  mocked: Value[] | undefined;
  announced: boolean;
  ended: boolean;
  lastId: string | undefined;
}

const streams = stateKey<{ opened: number; readonly open: Map<string, EventStream> }>("sse streams", () => ({
  opened: 0,
  open: new Map(),
}));

/** The events of one connection, read only as far as somebody waits for them. */
class LiveEvents implements ArrivalSource<Dict> {
  private readonly body: HttpBody;
  private readonly reader: SseReader;
  private readonly arrived: Dict[] = [];
  private reading: Promise<void> | undefined;
  private over = false;

  constructor(body: HttpBody, reader: SseReader) {
    this.body = body;
    this.reader = reader;
  }

  ready(): Promise<void> {
    if (this.arrived.length > 0 || this.over) return Promise.resolve();
    this.reading ??= this.readOn().finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  private async readOn(): Promise<void> {
    while (this.arrived.length === 0 && !this.over) {
      const piece = await this.body.read(64 * 1024);
      if (piece === undefined) this.over = true;
      else this.arrived.push(...this.reader.push(piece).map(eventDict));
    }
  }

  take(): Dict | "empty" | undefined {
    return this.arrived.shift() ?? (this.over ? undefined : "empty");
  }

  close(): void {
    this.over = true;
    this.body.close();
  }
}

function eventStreamOf(task: Task, caller: string, handle: Argument): EventStream {
  const stream = task.runtime.state(streams).open.get(textOf(handle));
  if (stream !== undefined) return stream;
  throw thrown(`${caller}: unknown stream '${textOf(handle)}'`);
}

export function connectEvents(
  task: Task,
  method: Argument,
  url: Argument,
  options: Argument,
): MaybePromise<Value> {
  if (textOf(url) === "") throw thrown("sse_connect: URL is required");
  const read = httpOptions(task, "sse_connect", options, sseConnectFields);
  const asked = outgoing(task, {
    surface: "sse_connect",
    method: textOf(method, "GET").toUpperCase() || "GET",
    url: textOf(url),
    options: read,
    isMocked: (whole) => transportMock(task, "sse", whole) !== undefined,
  });
  const accepts = asked.headers.some(([name]) => name === "accept");
  const request: Outgoing = {
    ...asked,
    headers: accepts ? asked.headers : [...asked.headers, ["accept", "text/event-stream"]],
    maxBytes: Number.MAX_SAFE_INTEGER,
  };
  const state = task.runtime.state(streams);
  const handle = `sse_${++state.opened}`;
  const stream: EventStream = {
    handle,
    request,
    maxMessageBytes: read.maxMessageBytes,
    connection: new LiveConnection(task),
    mocked: undefined,
    announced: false,
    ended: false,
    lastId: undefined,
  };
  return proceed(connectOnce(task, stream), () => {
    state.open.set(handle, stream);
    return handle;
  });
}

function connectOnce(task: Task, stream: EventStream): MaybePromise<void> {
  const { request, handle } = stream;
  const mock = transportMock(task, "sse", request.url);
  if (mock !== undefined) {
    stream.mocked = [...mock.messages];
    noteTransport(task, {
      transport: "sse",
      operation: "connect",
      handle,
      url: request.url,
      headers: request.headers,
    });
    return;
  }
  const connected = task.perform<CookieReceipt | undefined>({
    effect: methodEffect(request.method),
    kind: "sse.connect",
    args: () => shownRequest(request),
    run: async (signal) => {
      const { hooks, learnt } = hooksFor(task, request);
      await stream.connection.get(() => openEvents(task, stream, signal, hooks));
      return learnt;
    },
    result: shape.orNull(learntShape).as<CookieReceipt | undefined>(
      (learnt) => learnt ?? null,
      (stored) => stored ?? undefined,
    ),
  });
  return proceed(connected, (learnt) => learn(request.session, learnt));
}

async function openEvents(
  task: Task,
  stream: EventStream,
  signal: AbortSignal,
  hooks: ReturnType<typeof hooksFor>["hooks"],
): Promise<LiveEvents> {
  const { request, lastId } = stream;
  const headers =
    lastId === undefined ? request.headers : [...request.headers, ["last-event-id", lastId] as const];
  let body: HttpBody;
  try {
    body = await task.runtime.host.network.open({ ...request, headers }, { signal, ...hooks });
  } catch (error) {
    throw sendError(error);
  }
  const why = eventsRefusalOf(body);
  if (why === undefined)
    return new LiveEvents(
      body,
      new SseReader(task.runtime.host.libraries.eventSourceParser(), stream.maxMessageBytes, lastId),
    );
  body.close();
  throw thrown(`sse_connect: ${why}`);
}

function eventsRefusalOf(body: HttpBody): string | undefined {
  if (!isOk(body)) return `the server answered ${body.status}`;
  const type = body.headers.find(([name]) => name === "content-type")?.[1] ?? "";
  if (/^text\/event-stream\b/i.test(type)) return undefined;
  return `expected text/event-stream, got ${type === "" ? "no content type" : type}`;
}

export function receiveEvent(task: Task, handle: Argument, timeout: Argument): MaybePromise<Value> {
  const stream = eventStreamOf(task, "sse_receive", handle);
  const ms = waitMs("sse_receive", timeout);
  if (stream.ended) return null;
  if (!stream.announced) {
    stream.announced = true;
    return Dict.of({ type: "open" });
  }
  const received = stream.mocked === undefined ? receiveLive(task, stream, ms) : nextMockedEvent(stream);
  return proceed(received, (event) => {
    if (event === null) finish(stream);
    else if (event instanceof Dict)
      stream.lastId = (event.get("id") as string | null | undefined) ?? stream.lastId;
    return event;
  });
}

function nextMockedEvent(stream: EventStream): Value {
  const value = stream.mocked?.shift();
  if (value === undefined) return null;
  if (option(value, "type") === "timeout") return Dict.of({ type: "timeout" });
  const event = sseEventOf("sse_mock", value);
  if (messageBytes(event.data) > stream.maxMessageBytes)
    throw thrown(`sse_receive: message exceeds max_message_bytes (${stream.maxMessageBytes})`);
  return eventDict(event);
}

const receiveLive = (task: Task, stream: EventStream, ms: number | undefined): MaybePromise<Value> =>
  task.perform<Value>({
    effect: "read",
    kind: "sse.receive",
    args: () => ({ stream: stream.handle, timeout: ms ?? null }),
    run: async (signal) => {
      try {
        const live = await stream.connection.get(() => reopenEvents(task, stream, signal));
        const event = await takeInTime(task.runtime.host.clock, live, ms, signal);
        return event === "late" ? Dict.of({ type: "timeout" }) : (event ?? null);
      } catch (error) {
        throw sendError(error);
      }
    },
    result: shape.json.as<Value>(toJson, fromJson),
  });

/** After a replay: the server is asked for what comes after the last event. */
function reopenEvents(task: Task, stream: EventStream, signal: AbortSignal): Promise<LiveEvents> {
  const { method } = stream.request;
  if (methodEffect(method) === "write")
    throw new HostError(
      "EINVAL",
      `stream '${stream.handle}' can't go on after a replay: its ${method} would be sent twice`,
    );
  return openEvents(task, stream, signal, hooksFor(task, stream.request).hooks);
}

function finish(stream: EventStream): void {
  stream.ended = true;
  stream.connection.close();
}

/** False when it was not open. */
export function closeEvents(task: Task, handle: Argument): boolean {
  const { open } = task.runtime.state(streams);
  const stream = open.get(textOf(handle));
  if (stream === undefined) return false;
  open.delete(stream.handle);
  finish(stream);
  if (stream.mocked !== undefined)
    noteTransport(task, {
      transport: "sse",
      operation: "close",
      handle: stream.handle,
      url: stream.request.url,
    });
  return true;
}
