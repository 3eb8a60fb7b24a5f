/** What servers of HTTP and of web sockets have in common: certificate, address, the other side. */
import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { hostError } from "./node/os-errors.ts";
import type { ListenAddress } from "./socket-port.ts";

/** What one client, and all together, may hold of a server. Times in milliseconds. */
export const usualBounds = {
  /** Connections at a time; more are closed at once. */
  connections: 1000,
  /** From a connection, or the answer before, to the end of a request's head. */
  headMs: 15_000,
  /** The same to the end of its body. */
  requestMs: 120_000,
  /** A connection without a request. */
  idleMs: 10_000,
  /** For a client to take what it was sent. */
  takeMs: 60_000,
};

export type ServerBounds = Readonly<typeof usualBounds>;

/** For Node's `createServer`. */
export const serverOptions = ({ headMs, requestMs, idleMs }: ServerBounds): ServerOptions => ({
  headersTimeout: headMs,
  requestTimeout: requestMs,
  keepAliveTimeout: idleMs,
  // How often Node looks for those that are over.
  connectionsCheckingInterval: Math.min(1000, headMs),
});

/** Gives up a client that does not take what it was sent, in the time that it has for it. */
export function boundTaking(response: ServerResponse, { takeMs }: ServerBounds = usualBounds): void {
  if (response.writableFinished || response.destroyed) return;
  const timer = setTimeout(() => response.destroy(), takeMs);
  timer.unref();
  response.once("close", () => clearTimeout(timer));
}

/** A server that listens. */
export async function listeningServer(
  { host, port, tls }: ListenAddress,
  answer: RequestListener,
  bounds: ServerBounds = usualBounds,
): Promise<Server> {
  const { createServer } = process.getBuiltinModule("node:http");
  const server =
    tls === undefined
      ? createServer(serverOptions(bounds), answer)
      : (process
          .getBuiltinModule("node:https")
          .createServer({ ...tls, ...serverOptions(bounds) }, answer) as unknown as Server);
  if (tls !== undefined) answerPlainText(server);
  server.maxConnections = bounds.connections;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(hostError(error)));
    server.listen(port, host, resolve);
  });
  return server;
}

const plainAnswer = `HTTP/1.1 400 Bad Request\r
content-type: text/plain; charset=utf-8\r
connection: close\r
\r
This port speaks HTTPS: the address begins with https://\n`;

/** A request without TLS to a port that has it: said, on the bare connection, instead of a connection that breaks off. */
function answerPlainText(server: Server): void {
  const bare = new Map<string, Socket>();
  const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
  server.prependListener("connection", (socket: Socket) => {
    const name = nameOf(socket);
    bare.set(name, socket);
    socket.once("close", () => bare.delete(name));
  });
  server.on("tlsClientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === "ERR_SSL_HTTP_REQUEST") bare.get(nameOf(socket))?.end(plainAnswer);
  });
}

/** An IPv6 address stands in brackets. */
const hostAndPort = (host: string, port: number): string =>
  `${host.includes(":") ? `[${host}]` : host}:${port}`;

export function listeningAddress(server: Server): string {
  const { address, port } = server.address() as AddressInfo;
  return hostAndPort(address, port);
}

export function remoteOf({ socket: { remoteAddress = "", remotePort = 0 } }: IncomingMessage): string {
  return hostAndPort(remoteAddress, remotePort);
}
