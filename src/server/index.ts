/** The server of `harn serve`: an app over the store and its supervisor, and the sockets in front of it. */
import { EmbeddedOperations } from "../durable/index.ts";
import type { Store } from "../store/index.ts";
import { Conversations } from "../threads/index.ts";
import { type Fetch, type Logged, makeApp } from "./app.ts";
import { FailureLimit, RequestRate } from "./auth/failures.ts";
import { StoreAccess } from "./auth/store-access.ts";
import { type ServerClock, systemClock } from "./clock.ts";
import type { Services } from "./context.ts";
import { type Listening, listen, ownAddresses } from "./listen.ts";
import { openApi } from "./openapi.ts";
import { RecordedLogs, type RecordedRuns } from "./recorded-logs.ts";
import type { Route } from "./route.ts";
import { allRoutes } from "./routes/index.ts";
import { type ServerLimits, serverLimits } from "./server-limits.ts";
import { Hub } from "./stream/hub.ts";
import { OpenStreams } from "./stream/open-streams.ts";
import type { Supervisor } from "./supervise/index.ts";

export type { Fetch, Logged } from "./app.ts";
export type { PrincipalRole } from "./auth/access.ts";
export { revokePrincipal } from "./auth/revoke.ts";
export * from "./auth/store-access.ts";
export { type ServerClock, systemClock } from "./clock.ts";
export { openApi } from "./openapi.ts";
export type { DurableEnvelope } from "./protocol/index.ts";
export type { RecordedRuns } from "./recorded-logs.ts";
export { allRoutes } from "./routes/index.ts";
export { reportHtml, ViewerFiles, viewerPages } from "./static/index.ts";

export interface ServerOptions {
  /** Of the project; whoever made it closes it, after the server. */
  readonly store: Store;
  readonly supervisor: Supervisor;
  /** The folder with a folder for each conversation; absolute. */
  readonly workspaces: string;
  /** Of harn. */
  readonly version: string;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: a free one. */
  readonly port?: number;
  /** PEM texts. */
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly allowedHosts?: readonly string[];
  /** Pages and their files; `undefined`: there is none of this address. */
  readonly pages?: (request: Request) => Response | undefined;
  /** Without it runs that no server watched have no log, and there are no reports. */
  readonly recorded?: RecordedRuns;
  /** Answers come from a file instead of a model; default false. */
  readonly writtenAnswers?: boolean;
  readonly log?: (line: Logged) => void;
  /** For tests. */
  readonly clock?: ServerClock;
  readonly limits?: Partial<ServerLimits>;
  readonly routes?: readonly Route[];
}

export interface ApiServer {
  /** A request without sockets; it counts as one of this machine. */
  readonly fetch: Fetch;
  readonly access: StoreAccess;
  /** Gives its address: `http://127.0.0.1:4747`. */
  listen(): Promise<string>;
  /** Where it listens, as rules of `HARN_EGRESS_DENY`; nothing before. */
  ownAddresses(): readonly string[];
  /** From now on no new work is taken: 503, and health says `stopping`. */
  drain(): void;
  /** Ends streams and takes no more connections; answers in progress may end. The supervisor is its owner's to stop. */
  close(): Promise<void>;
}

/** How long answers in progress may take when the server ends. */
const closeMs = 2000;

export function createApiServer(options: ServerOptions): ApiServer {
  const {
    store,
    supervisor,
    host = "127.0.0.1",
    port = 0,
    tls,
    allowedHosts = [],
    clock = systemClock,
  } = options;
  const limits: ServerLimits = { ...serverLimits, ...options.limits };
  const rows = options.routes ?? allRoutes;
  const access = new StoreAccess(new EmbeddedOperations(store), clock);
  const conversations = new Conversations(store);
  const hub = new Hub(conversations, supervisor);
  const streams = new OpenStreams(limits, clock);
  let listening: Listening | undefined;
  let isStopping = false;
  let stopSweeping = (): void => {};
  const ownPort = (): number => listening?.port ?? port;
  const services: Services = {
    clock,
    limits,
    store,
    conversations,
    supervisor,
    hub,
    streams,
    recorded: new RecordedLogs(() => services, options.recorded),
    workspaces: options.workspaces,
    access,
    kept: access,
    version: options.version,
    writtenAnswers: options.writtenAnswers ?? false,
    failures: new FailureLimit(clock, limits.loginFailures),
    rate: new RequestRate(clock, limits.requestsPerSecond, limits.requestBurst),
    inFlight: new Set(),
    isStopping: () => isStopping,
    cookieName: () => `harn_${ownPort()}`,
    isTls: tls !== undefined,
    description: () => openApi(rows, options.version),
  };
  const fetch = makeApp({
    services,
    rows,
    names: () => ({ host, port: ownPort(), isTls: tls !== undefined, allowed: allowedHosts }),
    pages: options.pages ?? (() => undefined),
    log: options.log ?? (() => {}),
  });
  return {
    fetch,
    access,
    listen: async () => {
      listening = await listen(fetch, { host, port, tls }, limits);
      stopSweeping = services.recorded.sweepDaily();
      const name = listening.host.includes(":") ? `[${listening.host}]` : listening.host;
      return `${tls === undefined ? "http" : "https"}://${name}:${listening.port}`;
    },
    ownAddresses: () => (listening === undefined ? [] : ownAddresses(listening.host, listening.port)),
    drain: () => {
      isStopping = true;
    },
    close: async () => {
      isStopping = true;
      stopSweeping();
      streams.closeAll();
      await listening?.close(closeMs);
      listening = undefined;
      hub.close();
    },
  };
}
