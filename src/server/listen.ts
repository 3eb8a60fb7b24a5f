/** The app behind sockets. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
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

/** Where a server can be reached from its own machine: what the runs that it serves must not speak to. */
const everywhere = new Set(["0.0.0.0", "::"]);

/** As rules of `HARN_EGRESS_DENY`: `192.0.2.7:4747`, `[2001:db8::7]:4747`. `addresses`: those of the machine. */
export function ownAddresses(
  host: string,
  port: number,
  addresses: readonly string[] = machineAddresses(),
): string[] {
  const bound = everywhere.has(host) ? [host, "127.0.0.1", "::1", ...addresses] : [host];
  const plain = bound.map((address) => address.replace(/%.*$/, ""));
  return [...new Set(plain)].map((address) =>
    address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`,
  );
}

const machineAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((found) => (found ?? []).map(({ address }) => address));
