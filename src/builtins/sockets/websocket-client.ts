/** Connecting, sending and receiving over web sockets (builtins.md §2.15). Mocks are Runtime state; the rest are effects. */

import { shape } from "../../effects/index.ts";
import { HostError, type SocketLink, type SocketMessage, type SocketRequest } from "../../host/index.ts";
import type { Task } from "../../interp/index.ts";
import type { Read } from "../../table/index.ts";
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
import { shownRequest } from "../http/http-send.ts";
import { noteTransport, transportMock } from "../http/transport-mocks.ts";
import { socketConnectFields } from "../rows/http.ts";
import { realTime } from "../time/clock-state.ts";
import { takeInTime, waitMs } from "../time/timed-wait.ts";
import {
  closeMessage,
  messageOf,
  mockedMessage,
  sizeOf,
  socketMessageDict,
  socketMessageJson,
} from "./socket-messages.ts";
import {
  findSocket,
  linkOf,
  lostConnection,
  type OpenSocket,
  registerSocket,
  socketLimits,
  socketOf,
  unregisterSocket,
} from "./sockets-state.ts";

/** A failure of the network as scripts see it. */
function socketFailure(caller: string, error: unknown): unknown {
  return error instanceof HostError ? thrown(`${caller}: ${error.message}`) : error;
}

export function connectSocket(task: Task, url: Argument, value: Argument): MaybePromise<Value> {
  if (textOf(url) === "") throw thrown("websocket_connect: URL is required");
  const auth = option(value, "auth");
  // A token alone is a bearer token.
  const options =
    value instanceof Dict && typeof auth === "string" ? value.with("auth", Dict.of({ bearer: auth })) : value;
  const read = httpOptions(task, "websocket_connect", options, socketConnectFields);
  const asked = outgoing(task, {
    surface: "websocket_connect",
    method: "GET",
    url: textOf(url),
    options: read,
    socket: true,
    isMocked: (whole) => transportMock(task, "websocket", whole) !== undefined,
  });
  const request = requestOf(task, asked, read);
  const mock = transportMock(task, "websocket", request.url);
  const socket = registerSocket(task, {
    url: request.url,
    limits: request.limits,
    reopen: (signal) => task.runtime.host.network.sockets.connect(request, signal),
    mocked: mock === undefined ? undefined : { echo: mock.echo, queue: [...mock.messages] },
  });
  if (mock === undefined) return connectLive(task, socket, asked, request);
  const { handle } = socket;
  const { headers } = request;
  noteTransport(task, { transport: "websocket", operation: "connect", handle, url: request.url, headers });
  return handle;
}

function requestOf(task: Task, asked: Outgoing, read: Read<typeof socketConnectFields>): SocketRequest {
  const cookie = asked.session?.jar.header(asked.url, () => realTime(task));
  return {
    url: asked.url,
    headers: cookie === undefined ? asked.headers : [...asked.headers, ["cookie", cookie]],
    protocols: read.protocols,
    timeoutMs: asked.connectTimeoutMs ?? asked.timeoutMs,
    limits: socketLimits(read),
    proxy: asked.proxy,
    tls: asked.tls,
  };
}

function connectLive(
  task: Task,
  socket: OpenSocket,
  asked: Outgoing,
  request: SocketRequest,
): MaybePromise<Value> {
  const connected = task.perform<null>({
    effect: "write",
    kind: "websocket.connect",
    args: () => shownRequest({ ...asked, headers: request.headers }),
    run: async (signal) => {
      try {
        await linkOf(socket, signal);
        return null;
      } catch (error) {
        unregisterSocket(task, socket);
        throw socketFailure("websocket_connect", error);
      }
    },
    result: shape.nothing,
  });
  return proceed(connected, () => socket.handle);
}

export function sendMessage(
  task: Task,
  value: Argument,
  content: Argument,
  options: Argument,
): MaybePromise<Value> {
  const socket = socketOf(task, "websocket_send", value);
  const message = messageOf("websocket_send", content, options);
  const limit = socket.limits.maxMessageBytes;
  if (sizeOf(message) > limit) throw thrown(`websocket_send: message exceeds max_message_bytes (${limit})`);
  if (socket.closed) return false;
  if (socket.mocked !== undefined) return sendToMock(task, socket, message);
  return task.perform<boolean>({
    effect: "write",
    kind: "websocket.send",
    args: () => ({ socket: socket.handle, message: socketMessageJson(message) }),
    run: async (signal) => {
      try {
        const link = await linkOf(socket, signal);
        const outcome = link?.send(message) ?? "closed";
        if (outcome !== "full") return outcome === "sent";
      } catch (error) {
        throw socketFailure("websocket_send", error);
      }
      throw thrown("websocket_send: send buffer full");
    },
    result: shape.flag,
  });
}

function sendToMock(task: Task, socket: OpenSocket, message: SocketMessage): boolean {
  const { handle, url, mocked } = socket;
  noteTransport(task, {
    transport: "websocket",
    operation: "send",
    handle,
    url,
    message: socketMessageDict(message),
  });
  if (message.type === "close") socket.closed = true;
  else if (mocked?.echo === true) {
    const back: SocketMessage = message.type === "ping" ? { ...message, type: "pong" } : message;
    mocked.queue.push(socketMessageDict(back));
  }
  return true;
}

/** How long a message is waited for, unless a call says otherwise. */
const receiveMs = 30_000;

const timedOut = (): Dict => Dict.of({ type: "timeout" });

export function receiveMessage(task: Task, value: Argument, timeout: Argument): MaybePromise<Value> {
  const socket = socketOf(task, "websocket_receive", value);
  const ms = waitMs("websocket_receive", timeout ?? receiveMs);
  if (socket.closed) return null;
  const received =
    socket.mocked === undefined
      ? receiveLiveMessage(task, socket, ms)
      : receiveMocked(socket, ms !== undefined);
  return proceed(received, (message) => {
    if (option(message, "type") === "close" || message === null) {
      socket.closed = true;
      socket.connection.close();
    }
    return message;
  });
}

/** A mock that echoes stays open; another one ends after its last message. */
function receiveMocked(socket: OpenSocket, timed: boolean): Value {
  const arrival = socket.mocked?.queue.shift();
  if (arrival === undefined) return socket.mocked?.echo === true && timed ? timedOut() : null;
  const message = mockedMessage(arrival);
  if (message === "timeout") return timedOut();
  const { maxMessageBytes } = socket.limits;
  if (sizeOf(message) <= maxMessageBytes) return socketMessageDict(message);
  throw thrown(`websocket_receive: message exceeded max_message_bytes (${maxMessageBytes})`);
}

/** A message or a notice, as plain data. */
const messageShape = shape.json.as<Value>(toJson, fromJson);

const receiveLiveMessage = (task: Task, socket: OpenSocket, ms: number | undefined): MaybePromise<Value> =>
  task.perform<Value>({
    effect: "read",
    kind: "websocket.receive",
    args: () => ({ socket: socket.handle, timeout: ms ?? null }),
    run: async (signal) => {
      try {
        const link = await linkOf(socket, signal);
        return await nextMessage(task, link, ms, signal);
      } catch (error) {
        throw socketFailure("websocket_receive", error);
      }
    },
    result: messageShape,
  });

async function nextMessage(
  task: Task,
  link: SocketLink | undefined,
  ms: number | undefined,
  signal: AbortSignal,
): Promise<Value> {
  if (link === undefined) return socketMessageDict(lostConnection);
  const message = await takeInTime(task.runtime.host.clock, link, ms, signal);
  if (message === "late") return timedOut();
  return message === undefined ? null : socketMessageDict(message);
}

/** False when it was closed already. */
export function closeSocket(task: Task, value: Argument, code: Argument, reason: Argument): boolean {
  const message = closeMessage("websocket_close", code, reason);
  const socket = findSocket(task, value);
  if (socket === undefined || socket.closed) return false;
  socket.closed = true;
  const { handle, url, mocked, connection } = socket;
  if (mocked !== undefined)
    noteTransport(task, {
      transport: "websocket",
      operation: "close",
      handle,
      url,
      message: socketMessageDict(message),
    });
  connection.close((link) => link.close(message.code, message.reason));
  return true;
}
