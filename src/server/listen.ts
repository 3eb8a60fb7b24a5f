/** The app behind sockets. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { listeningServer, type ServerBounds } from "../host/index.ts";
import type { Fetch } from "./app.ts";
import type { ServerLimits } from "./server-limits.ts";
import { cutsBy } from "./stream/cut.ts";

export interface ListenOptions {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  /** PEM texts. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

export interface Listening {
  readonly host: string;
  readonly port: number;
  /** Takes no more connections; idle ones are closed. Resolves when the last has ended, or after `ms`, when the rest are cut. */
  close(ms: number): Promise<void>;
}

export async function listen(
  fetch: Fetch,
  { host, port, tls }: ListenOptions,
  limits: ServerLimits,
): Promise<Listening> {
  const bounds: ServerBounds = {
    connections: limits.connections,
    headMs: limits.headerTime,
    // Node counts from the head's beginning to the body's end.
    requestMs: limits.headerTime + limits.bodyTime,
    idleMs: limits.keepAlive,
    takeMs: limits.stuckSocket,
  };
  const answer = getRequestListener(
    (request, env) => {
      cutsBy(request, () => env.incoming.socket.destroy());
      const { socket, url = "" } = env.incoming;
      const target = URL.canParse(url) ? new URL(url).host : undefined;
      return fetch(request, { remote: socket.remoteAddress ?? "", target });
    },
    { overrideGlobalObjects: false },
  );
  const server = await listeningServer(
    { host, port, tls },
    (incoming, outgoing) => void answer(incoming, outgoing),
    bounds,
  );
  const address = server.address() as AddressInfo;
  return { host: address.address, port: address.port, close: (ms) => closed(server, ms) };
}

function closed(server: Server, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), ms);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
