/** What servers of HTTP and of web sockets have in common: certificate, address, the other side. */
import type { IncomingMessage, RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { hostError } from "./os-errors.ts";
import type { ListenAddress } from "./socket-port.ts";

/** A server that listens. */
export async function listeningServer(
  { host, port, tls }: ListenAddress,
  answer: RequestListener,
): Promise<Server> {
  const { createServer } = process.getBuiltinModule("node:http");
  const server =
    tls === undefined
      ? createServer(answer)
      : (process.getBuiltinModule("node:https").createServer(tls, answer) as unknown as Server);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(hostError(error)));
    server.listen(port, host, resolve);
  });
  return server;
}

/** An IPv6 address stands in brackets. */
const hostAndPort = (host: string, port: number): string =>
  `${host.includes(":") ? `[${host}]` : host}:${port}`;

export function addressOf(server: Server): string {
  const { address, port } = server.address() as AddressInfo;
  return hostAndPort(address, port);
}

export function remoteOf({ socket: { remoteAddress = "", remotePort = 0 } }: IncomingMessage): string {
  return hostAndPort(remoteAddress, remotePort);
}
