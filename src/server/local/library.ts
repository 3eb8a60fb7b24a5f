/** The server of `harn serve` inside a program of one's own. Its options have been checked (`harn/server`), but for what lies on this machine. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { asUsageError, shippedFolder, UsageError, version, writing } from "../../host/command/index.ts";
import { checkWorkFlags, type WorkFlags } from "../../run/setup/index.ts";
import { openStore, ownPlaceCheck, type Store, statePlacesOf } from "../../store/index.ts";
import { presentFields } from "../../values/index.ts";
import { type ApiServer, createApiServer, type Logged } from "../index.ts";
import type { ServedAgent, StoreSupervisor } from "../supervise/index.ts";
import { agentsOfProgram, areAnswersWritten, checkServed, type GivenAgent } from "./agents.ts";
import { conversationSupervisor } from "./conversation-supervisor.ts";
import { recordedRuns } from "./recorded-runs.ts";
import { type Certificate, checkCertificate } from "./server-access.ts";

export { principalRoles } from "../../durable/index.ts";
export { principalName } from "../auth/store-access.ts";
export type { Fetch, Logged, PrincipalRole } from "../index.ts";
export { agentConfigProblem, agentName } from "./agents.ts";
export { listenFailure } from "./listen-failure.ts";

export interface ServerSettings {
  readonly agents: readonly GivenAgent[];
  /** Folder of the project, absolute: its state folder is the server's. */
  readonly project: string;
  readonly host: string;
  readonly port: number;
  readonly tls?: Certificate | undefined;
  readonly allowedHosts?: readonly string[] | undefined;
  readonly jobs?: number | undefined;
  /** Milliseconds. */
  readonly timeout?: number | undefined;
  readonly memory?: number | undefined;
  /** Paths are absolute. */
  readonly flags: WorkFlags;
  readonly log?: ((line: Logged) => void) | undefined;
  readonly report: (text: string) => void;
}

export interface OpenedServer {
  readonly api: ApiServer;
  /** Begins to take work. */
  start(): Promise<void>;
  /** Lets runs come to a rest (10 s), ends streams and connections, closes the store. */
  close(): Promise<void>;
}

/** What a server needs of this machine, looked at before anything of it begins. Throws a `UsageError`. */
export async function checkedServer({
  agents: given,
  project,
  tls,
  flags,
  report,
}: ServerSettings): Promise<readonly ServedAgent[]> {
  const tlsWords = { cert: "`tls.cert`", key: "`tls.key`", certFile: "`tls.cert`", keyFile: "`tls.key`" };
  if (tls !== undefined) checkCertificate(tls, tlsWords, report);
  const agents = agentsOfProgram(project, given);
  checkWorkFlags(flags);
  await checkServed(agents, report);
  return agents;
}

/** Where it fails, nothing is left open. */
export async function openServer(
  settings: ServerSettings,
  agents: readonly ServedAgent[],
): Promise<OpenedServer> {
  const places = statePlacesOf(settings.project, new Map(Object.entries(process.env) as [string, string][]));
  const workspaces = join(places.state, "workspaces");
  ownPlaceCheck(places, (text) => new UsageError(text, "HARN-CLI-008"))(workspaces);
  const store = stateStore(places.state);
  try {
    writing(workspaces, () => mkdirSync(workspaces, { recursive: true, mode: 0o700 }));
    return await serverOn(store, workspaces, settings, agents);
  } catch (error) {
    store.close();
    throw error;
  }
}

function stateStore(state: string): Store {
  try {
    return openStore(state);
  } catch (error) {
    throw asUsageError(error);
  }
}

async function serverOn(
  store: Store,
  workspaces: string,
  settings: ServerSettings,
  agents: readonly ServedAgent[],
): Promise<OpenedServer> {
  const { flags, report, jobs, timeout, memory, host, port, tls, allowedHosts, log } = settings;
  const launcher = join(shippedFolder("bin").path, "harn.cjs");
  // Known when it listens.
  let denied = (): readonly string[] => [];
  const supervisor: StoreSupervisor = await conversationSupervisor({
    store,
    agents,
    flags,
    denied: () => denied(),
    report,
    timeout,
    memory,
    ...(jobs === undefined ? {} : { jobs }),
    launcher,
  });
  const recorded = recordedRuns(store.folder, launcher);
  try {
    const api = createApiServer({
      store,
      supervisor,
      workspaces,
      version,
      host,
      port,
      recorded,
      writtenAnswers: areAnswersWritten(presentFields(flags)),
      ...presentFields({ tls, allowedHosts, log }),
    });
    denied = api.ownAddresses;
    return {
      api,
      start: () => supervisor.start(),
      close: async () => {
        api.drain();
        await supervisor.stop("drain");
        recorded.close();
        await api.close();
        store.close();
      },
    };
  } catch (error) {
    await supervisor.stop("now");
    recorded.close();
    throw error;
  }
}
