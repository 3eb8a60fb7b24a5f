/**
 * Web sockets of a run: those that it connected, and those that its servers took in (builtins.md §2.15). A handle with a
 * recipe: after a replay a connection of our own is made anew at its first use; one that came in is gone, and its other
 * side has to connect again.
 */

import type { SocketLimits, SocketLink, SocketMessage } from "../../host/index.ts";
import { stateKey, type Task } from "../../interp/index.ts";
import type { Read } from "../../table/index.ts";
import { thrown, type Value } from "../../values/index.ts";
import { type Argument, option, textOf } from "../arguments.ts";
import type { socketRouteFields } from "../rows/http.ts";
import { LiveConnection } from "./live-connections.ts";

export interface OpenSocket {
  readonly handle: string;
  readonly url: string;
  readonly limits: SocketLimits;
  readonly connection: LiveConnection<SocketLink>;
  /** Makes the connection of a run that goes on after a replay; `undefined` when that is not ours to do. */
  readonly reopen: ((signal: AbortSignal) => Promise<SocketLink>) | undefined;
  /** What a mock has left to give. */
  readonly mocked: SocketMock | undefined;
  closed: boolean;
}

export interface SocketMock {
  readonly echo: boolean;
  readonly queue: Value[];
}

const openSockets = stateKey<{ made: number; readonly open: Map<string, OpenSocket> }>("web sockets", () => ({
  made: 0,
  open: new Map(),
}));

/** Limits as options say them, where 0 is no limit of idle time. */
export const socketLimits = (
  read: Pick<
    Read<typeof socketRouteFields>,
    "maxMessageBytes" | "sendBufferMessages" | "idleTimeoutMs" | "maxMessages"
  >,
): SocketLimits => ({
  maxMessageBytes: read.maxMessageBytes,
  sendBuffer: read.sendBufferMessages,
  idleTimeoutMs: read.idleTimeoutMs === 0 ? undefined : read.idleTimeoutMs,
  maxMessages: read.maxMessages ?? undefined,
});

type SocketFacts = Pick<OpenSocket, "url" | "limits" | "reopen" | "mocked">;

export function registerSocket(task: Task, facts: SocketFacts): OpenSocket {
  const state = task.runtime.state(openSockets);
  const handle = `websocket_${++state.made}`;
  const socket: OpenSocket = { ...facts, handle, connection: new LiveConnection(task), closed: false };
  state.open.set(handle, socket);
  return socket;
}

/** A connection that could not be made has no handle. */
export function unregisterSocket(task: Task, socket: OpenSocket): void {
  task.runtime.state(openSockets).open.delete(socket.handle);
}

const handleId = (value: Argument): string => textOf(option(value, "id") ?? value);

/** The socket behind a handle, or the one that `websocket_accept` gave. */
export function findSocket(task: Task, value: Argument): OpenSocket | undefined {
  return task.runtime.state(openSockets).open.get(handleId(value));
}

export function socketOf(task: Task, caller: string, value: Argument): OpenSocket {
  const socket = findSocket(task, value);
  if (socket !== undefined) return socket;
  throw thrown(`${caller}: unknown socket '${handleId(value)}'`);
}

/** The connection; `undefined` when it was the other side's and is gone since a replay. Only inside effects. */
export function linkOf(socket: OpenSocket, signal: AbortSignal): Promise<SocketLink | undefined> {
  const { reopen, connection } = socket;
  if (reopen !== undefined) return connection.get(() => reopen(signal));
  return connection.current ?? Promise.resolve(undefined);
}

/** What the other side of a lost connection would have been told. */
export const lostConnection: SocketMessage = { type: "close", code: 1006, reason: "connection lost" };
