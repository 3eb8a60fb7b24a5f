/** The server of `harn serve`: an app over the store and its supervisor, and the sockets in front of it. */
import { type Fetch, type Logged, makeApp } from "./app.ts";
import type { Access } from "./auth/access.ts";
import { FailureLimit, RequestRate } from "./auth/failures.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { Services } from "./context.ts";
import type { KeptAnswers } from "./kept-answers.ts";
import { type ServerLimits, serverLimits } from "./limits.ts";
import { type Listening, listen } from "./listen.ts";
import { openApi } from "./openapi.ts";
import type { Route } from "./route.ts";
import { allRoutes } from "./routes/index.ts";

export type { Logged } from "./app.ts";
export type { Access, ListedPrincipal, Principal, PrincipalRole } from "./auth/access.ts";
export type { KeptAnswer, KeptAnswers } from "./kept-answers.ts";

export interface ServerOptions {
  readonly access: Access;
  readonly kept: KeptAnswers;
  /** Of harn. */
  readonly version: string;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: a free one. */
  readonly port?: number;
  /** PEM texts. */
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly allowedHosts?: readonly string[];
  readonly log?: (line: Logged) => void;
  /** For tests. */
  readonly clock?: Clock;
  readonly limits?: Partial<ServerLimits>;
  readonly routes?: readonly Route[];
}

export interface HarnServer {
  /** A request without sockets; it counts as one of this machine. */
  readonly fetch: Fetch;
  /** Gives its address: `http://127.0.0.1:4747`. */
  listen(): Promise<string>;
  /** Takes no more work, ends streams, lets answers under way end. */
  close(): Promise<void>;
}

/** How long answers under way may take when the server ends. */
const closeMs = 2000;

export function createServer(options: ServerOptions): HarnServer {
  const { host = "127.0.0.1", port = 0, tls, allowedHosts = [], clock = systemClock } = options;
  const limits: ServerLimits = { ...serverLimits, ...options.limits };
  const rows = options.routes ?? allRoutes;
  let listening: Listening | undefined;
  let isStopping = false;
  const ownPort = (): number => listening?.port ?? port;
  const services: Services = {
    clock,
    limits,
    access: options.access,
    kept: options.kept,
    version: options.version,
    failures: new FailureLimit(clock, limits.loginFailures),
    rate: new RequestRate(clock, limits.requestsPerSecond, limits.requestBurst),
    underWay: new Set(),
    isStopping: () => isStopping,
    cookieName: () => `harn_${ownPort()}`,
    isTls: tls !== undefined,
    description: () => openApi(rows, options.version),
  };
  const fetch = makeApp({
    services,
    rows,
    names: () => ({ host, port: ownPort(), isTls: tls !== undefined, allowed: allowedHosts }),
    pages: () => undefined,
    log: options.log ?? (() => {}),
  });
  return {
    fetch,
    listen: async () => {
      listening = await listen(fetch, { host, port, tls }, limits);
      const name = listening.host.includes(":") ? `[${listening.host}]` : listening.host;
      return `${tls === undefined ? "http" : "https"}://${name}:${listening.port}`;
    },
    close: async () => {
      isStopping = true;
      await listening?.close(closeMs);
      listening = undefined;
    },
  };
}
