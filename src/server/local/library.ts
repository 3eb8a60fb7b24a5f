/** `harn/server`: the server of `harn serve` inside a program of one's own. */
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { principalRoles } from "../../durable/index.ts";
import { version } from "../../host/command/index.ts";
import type { RunFlags } from "../../run/setup/index.ts";
import { openStore, ownPlaceCheck, statePlacesOf } from "../../store/index.ts";
import { presentFields } from "../../values/index.ts";
import { createApiServer, type Fetch, type Logged, type PrincipalRole } from "../index.ts";
import { areAnswersWritten } from "./agents.ts";
import { conversationSupervisor } from "./conversation-supervisor.ts";
import { recordedRuns } from "./recorded-runs.ts";

export type { Fetch, Logged, PrincipalRole } from "../index.ts";

export interface Agent {
  /** In addresses and records: letters, digits, `_` and `-`. */
  readonly name: string;
  /** Path of the script. */
  readonly script: string;
  readonly title?: string;
  /** Of new conversations. */
  readonly mode?: "plan" | "execute";
  /** Of new conversations, below what they say themselves. */
  readonly config?: Readonly<Record<string, string | number | boolean | null>>;
  /** Tasks that the page offers to begin with. */
  readonly examples?: readonly string[];
}

export interface CreateServerOptions {
  readonly agents: readonly Agent[];
  /** Folder of the project: its state folder is the server's. Default the working folder. */
  readonly project?: string;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: a free one. */
  readonly port?: number;
  /** PEM texts. */
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly allowedHosts?: readonly string[];
  /** Runs at once; 4. */
  readonly jobs?: number;
  /** Milliseconds that a run may take; none. */
  readonly timeout?: number;
  /** Megabytes that a run may take; 1024. */
  readonly memory?: number;
  /** Which models answer, and what runs may do: as the flags of `harn run`. Paths are absolute. */
  readonly flags?: Pick<RunFlags, "provider" | "model" | "baseUrl" | "tape" | "llmMock" | "allow" | "deny">;
  readonly log?: (line: Logged) => void;
  /** What a server has to say to whoever operates it; default nothing. */
  readonly report?: (text: string) => void;
}

export interface HarnServer {
  /** A request without sockets; it counts as one of this machine. */
  readonly fetch: Fetch;
  /** Begins to take work, and listens; gives the address: `http://127.0.0.1:4747`. */
  listen(): Promise<string>;
  /** A principal's token, told once; `undefined` when there is one of this name. */
  addPrincipal(name: string, role: PrincipalRole): string | undefined;
  /** Lets runs come to a rest (10 s), ends streams and connections, closes the store. */
  close(): Promise<void>;
}

export async function createServer(options: CreateServerOptions): Promise<HarnServer> {
  const {
    host,
    port,
    tls,
    allowedHosts,
    log,
    report = () => {},
    jobs,
    timeout,
    memory,
    flags = {},
  } = options;
  const project = resolve(options.project ?? process.cwd());
  const places = statePlacesOf(project, new Map(Object.entries(process.env) as [string, string][]));
  const { state } = places;
  const store = openStore(state);
  const workspaces = join(state, "workspaces");
  ownPlaceCheck(places, (text) => new Error(text))(workspaces);
  mkdirSync(workspaces, { recursive: true, mode: 0o700 });
  // As it lies in the package: this module is bundled as dist/server.js.
  const launcher = fileURLToPath(new URL("../bin/harn.cjs", import.meta.url));
  // Known when it listens.
  let denied = (): readonly string[] => [];
  const supervisor = await conversationSupervisor({
    store,
    agents: options.agents.map(({ name, script, title = name, mode = null, config = {}, examples = [] }) => ({
      name,
      script: resolve(project, script),
      title,
      mode,
      config,
      examples,
    })),
    flags,
    denied: () => denied(),
    report,
    timeout,
    memory,
    ...(jobs === undefined ? {} : { jobs }),
    launcher,
  });
  const recorded = recordedRuns(state, launcher);
  const server = createApiServer({
    store,
    supervisor,
    workspaces,
    version,
    recorded,
    writtenAnswers: areAnswersWritten(flags),
    ...presentFields({ host, port, tls, allowedHosts, log }),
  });
  denied = server.ownAddresses;
  return {
    fetch: server.fetch,
    listen: async () => {
      const address = await server.listen();
      await supervisor.start();
      return address;
    },
    addPrincipal: (name, role) => {
      if (!principalRoles.includes(role)) throw new Error(`addPrincipal: there is no role ${String(role)}`);
      return server.access.add(name, role);
    },
    close: async () => {
      server.drain();
      await supervisor.stop("drain");
      recorded.close();
      await server.close();
      store.close();
    },
  };
}
