/** Servers of web sockets (builtins.md §2.15): where they listen, which clients they let in. */

import { redactHeader, shape } from "../../effects/index.ts";
import {
  type AcceptedSocket,
  HostError,
  type SocketAdmission,
  type SocketAsking,
  type SocketLimits,
  type SocketServer,
} from "../../host/index.ts";
import { stateKey, type Task } from "../../interp/index.ts";
import type { Read } from "../../table/index.ts";
import { Dict, type MaybePromise, proceed, thrown, type Value } from "../../values/index.ts";
import { type Argument, option, optionsOf, textOf, utf8 } from "../arguments.ts";
import { sameBytes } from "../formats/encodings.ts";
import { closer, matchPath, parseRoutePattern, type RoutePattern } from "../http/servers/http-routes.ts";
import { parseListenAddress, tlsFiles } from "../http/servers/listen-address.ts";
import { socketRouteFields, socketServerFields } from "../rows/http.ts";
import { takeInTime, waitMs } from "../time/timed-wait.ts";
import { LiveConnection } from "./live-connections.ts";
import { registerSocket, socketLimits } from "./sockets-state.ts";

interface SocketRoute {
  readonly pattern: RoutePattern;
  readonly bearer: string | undefined;
  readonly limits: SocketLimits;
}

interface SocketListener {
  readonly id: string;
  readonly routes: SocketRoute[];
  readonly connection: LiveConnection<SocketServer>;
  /** Where it listens, and listens again after a replay. */
  address: { readonly host: string; readonly port: number };
  /** A descriptor of `http_server_tls_…`. */
  readonly tls: Value | undefined;
  closed: boolean;
}

const listeners = stateKey<{ made: number; readonly all: Map<string, SocketListener> }>(
  "web socket servers",
  () => ({ made: 0, all: new Map() }),
);

function listenerOf(task: Task, caller: string, handle: Argument): SocketListener {
  const id = textOf(option(handle, "id") ?? handle);
  const listener = task.runtime.state(listeners).all.get(id);
  if (listener !== undefined) return listener;
  throw thrown(`${caller}: unknown WebSocket server '${id}'`);
}

export function listenForSockets(task: Task, bind: Argument, options: Argument): MaybePromise<Value> {
  const wanted = parseListenAddress("websocket_server", bind);
  const read = optionsOf("websocket_server", options, socketServerFields);
  const state = task.runtime.state(listeners);
  const listener: SocketListener = {
    id: `websocket_server_${++state.made}`,
    routes: [],
    connection: new LiveConnection(task),
    address: wanted,
    tls: read.tls,
    closed: false,
  };
  if (read.path !== null) addWebsocketRoute(listener, read.path, read);
  const secure = option(listener.tls, "terminate_tls") === true;
  const listening = task.perform<string>({
    effect: "write",
    kind: "websocket.listen",
    args: () => ({ ...wanted, tls: secure }),
    run: async () => (await open(task, listener)).address,
    result: shape.text,
  });
  return proceed(listening, (addr) => {
    state.all.set(listener.id, listener);
    listener.address = { ...wanted, port: Number(/\d+$/.exec(addr)?.[0]) };
    return Dict.of({ id: listener.id, addr, url: `${secure ? "wss" : "ws"}://${addr}` });
  });
}

async function open(task: Task, listener: SocketListener): Promise<SocketServer> {
  const { sockets } = task.runtime.host.network;
  const { host, port } = listener.address;
  try {
    return await listener.connection.get(async () => {
      const tls = tlsFiles(task, "websocket_server", listener.tls);
      return sockets.listen({ host, port, tls }, (asking) => admit(listener, asking));
    });
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    throw thrown(`websocket_server: can't listen on ${host}:${port}: ${error.message}`);
  }
}

function routeFor(listener: SocketListener, path: string): { route: SocketRoute; params: Dict } | undefined {
  let best: { route: SocketRoute; params: Dict } | undefined;
  for (const route of listener.routes) {
    const params = matchPath(route.pattern, path);
    if (params === undefined) continue;
    if (best === undefined || closer(route.pattern, best.route.pattern) < 0)
      best = { route, params: Dict.from(params) };
  }
  return best;
}

function admit(listener: SocketListener, { path, headers }: SocketAsking): SocketAdmission {
  const found = routeFor(listener, path);
  if (found === undefined) return { status: 404, text: "websocket route not found" };
  const { bearer, limits } = found.route;
  const authorization = headers.find(([name]) => name === "authorization")?.[1] ?? "";
  if (bearer !== undefined && !sameBytes(utf8(authorization), utf8(`Bearer ${bearer}`)))
    return { status: 401, text: "websocket route unauthorized" };
  return limits;
}

export function addSocketRoute(task: Task, handle: Argument, path: Argument, options: Argument): Value {
  const listener = listenerOf(task, "websocket_route", handle);
  addWebsocketRoute(listener, textOf(path), optionsOf("websocket_route", options, socketRouteFields));
  return true;
}

/** The same pattern replaces. */
function addWebsocketRoute(
  { routes }: Pick<SocketListener, "routes">,
  path: string,
  read: Read<typeof socketRouteFields>,
): void {
  const pattern = parseRoutePattern(path);
  if (typeof pattern === "string") throw thrown(`websocket_route: ${pattern}`);
  const route: SocketRoute = {
    pattern,
    bearer: read.auth ?? undefined,
    limits: socketLimits(read),
  };
  const same = routes.findIndex((one) => one.pattern.text === pattern.text);
  if (same < 0) routes.push(route);
  else routes[same] = route;
}

/** What is recorded of a client that came in. */
const arrivalShape = shape.record<SocketAsking>({
  path: shape.text,
  query: shape.text,
  headers: shape.listOf(shape.pair(shape.text, shape.text)),
  remoteAddress: shape.text,
});

export function acceptSocket(task: Task, handle: Argument, timeout: Argument): MaybePromise<Value> {
  const listener = listenerOf(task, "websocket_accept", handle);
  const ms = waitMs("websocket_accept", timeout);
  if (listener.closed) return null;
  let link: AcceptedSocket["link"] | undefined;
  const accepted = task.perform<SocketAsking | "late" | null>({
    effect: "read",
    kind: "websocket.accept",
    args: () => ({ server: listener.id, timeout: ms ?? null }),
    run: async (signal) => {
      const server = await open(task, listener);
      const next = await takeInTime(task.runtime.host.clock, server, ms, signal);
      if (next === "late") return next;
      if (next === undefined) return null;
      const { link: opened, headers, ...facts } = next;
      link = opened;
      // The route has checked the token; handlers and journals need not see it.
      const shown = headers.map(([name, value]): [string, string] => [
        name,
        name === "authorization" ? redactHeader(name, value) : value,
      ]);
      return { ...facts, headers: shown };
    },
    result: shape.orNull(shape.either(arrivalShape, shape.oneOf("late"))),
  });
  return proceed(accepted, (arrival): Value => {
    if (arrival === "late") return Dict.of({ type: "timeout" });
    return arrival === null ? null : welcome(task, listener, arrival, link);
  });
}

function welcome(
  task: Task,
  listener: SocketListener,
  arrival: SocketAsking,
  link: AcceptedSocket["link"] | undefined,
): Value {
  const found = routeFor(listener, arrival.path);
  const socket = registerSocket(task, {
    url: arrival.path,
    limits: found?.route.limits ?? socketLimits(socketRouteFields.usual),
    reopen: undefined,
    mocked: undefined,
  });
  if (link !== undefined) void socket.connection.get(() => Promise.resolve(link));
  return Dict.of({
    id: socket.handle,
    path: arrival.path,
    peer: arrival.remoteAddress,
    params: found?.params ?? new Dict(),
    query: arrival.query,
    headers: Dict.from(arrival.headers),
    remote_addr: arrival.remoteAddress,
  });
}

/** False when it was closed already. Its connections end too. */
export function closeSocketServer(task: Task, handle: Argument): boolean {
  const listener = listenerOf(task, "websocket_server_close", handle);
  if (listener.closed) return false;
  listener.closed = true;
  listener.connection.close();
  return true;
}
