/**
 * The servers of the project: `[[mcp]]` entries of the manifest. Who needs one holds it (`ensureActive`) and lets it go
 * again (`letGo`); a lazy server that nobody holds ends, `keep_alive_ms` later if its entry says so. Those that are not
 * lazy belong to the run: they are connected before the program starts (`harn:hooks`), stand in the global `mcp`
 * (`projectClients`), and end with it.
 */
import { stateKey, type Task, withMutex } from "../interp/index.ts";
import { projectManifest } from "../model/index.ts";
import { at, refusal } from "../table/index.ts";
import { Dict, fromJson, List, thrown } from "../values/index.ts";
import { connectServer, type McpClient } from "./client.ts";
import { type McpServerConfig, serverConfigOf } from "./server-config.ts";

interface Registry {
  configs: ReadonlyMap<string, McpServerConfig> | undefined;
  readonly clients: Map<string, McpClient>;
  /** How many hold a server, by its name. */
  readonly holders: Map<string, number>;
}

const registry = stateKey<Registry>("agent.mcp registry", () => ({
  configs: undefined,
  clients: new Map(),
  holders: new Map(),
}));

/** The servers that the manifest names, by name. */
export function registeredServers(task: Task): ReadonlyMap<string, McpServerConfig> {
  const state = task.runtime.state(registry);
  state.configs ??= readRegistry(task);
  return state.configs;
}

function readRegistry(task: Task): Map<string, McpServerConfig> {
  const manifest = projectManifest(task);
  const table = manifest === null ? null : fromJson(manifest.tables.mcp ?? null);
  if (table === null) return new Map();
  if (!(table instanceof List)) throw refusal(at(manifest?.path ?? "", "[[mcp]]"), "list of tables", table);
  const found = new Map<string, McpServerConfig>();
  for (const [index, entry] of [...table].entries()) {
    const config = serverConfigOf(entry, `${manifest?.path}: [[mcp]] entry ${index + 1}`);
    if (found.has(config.name))
      throw thrown(`${manifest?.path}: [[mcp]] names the server '${config.name}' twice`);
    found.set(config.name, config);
  }
  return found;
}

/** The client of a registered server, if it was needed already. */
export function activeServer(task: Task, name: string): McpClient | undefined {
  const known = task.runtime.state(registry).clients.get(name);
  return known?.disconnected === true ? undefined : known;
}

/** The global `mcp`: clients of the servers that are not lazy, by name. One that could not be started is missing. */
export function projectClients(task: Task): Dict {
  const eager = [...registeredServers(task).values()].filter(({ lazy }) => !lazy);
  const clients = eager.map(({ name }) => [name, activeServer(task, name)] as const);
  return Dict.of(
    Object.fromEntries(clients.filter((pair): pair is [string, McpClient] => pair[1] !== undefined)),
  );
}

function configOf(task: Task, name: string): McpServerConfig {
  const config = registeredServers(task).get(name);
  if (config !== undefined) return config;
  throw thrown(`mcp: no server named '${name}' is registered (check harn.toml)`);
}

/** How many hold a server. */
export const holdersOf = (task: Task, name: string): number =>
  task.runtime.state(registry).holders.get(name) ?? 0;

/**
 * Connects a registered server, or gives the client that there is, and counts a holder. Tasks that ask at once get the
 * same one.
 */
export async function ensureActive(task: Task, name: string): Promise<McpClient> {
  const client = await activated(task, configOf(task, name));
  task.runtime.state(registry).holders.set(name, holdersOf(task, name) + 1);
  return client;
}

async function activated(task: Task, config: McpServerConfig): Promise<McpClient> {
  const { name } = config;
  const state = task.runtime.state(registry);
  await withMutex(task, `mcp server ${name}`, async () => {
    if (activeServer(task, name) !== undefined) return;
    const client = await connectServer(task, config, "mcp");
    state.clients.set(name, client);
    state.holders.delete(name);
  });
  return state.clients.get(name) as McpClient;
}

/** Takes a holder away. Gives the client that has to be closed now, if it was the last one. */
export function letGo(task: Task, name: string): McpClient | undefined {
  const held = holdersOf(task, name);
  // Nobody holds it, or there is no such server: what a `finally` calls hides no error that led to it.
  if (held === 0) return undefined;
  const { lazy, keepAliveMs } = configOf(task, name);
  task.runtime.state(registry).holders.set(name, held - 1);
  const client = activeServer(task, name);
  if (held > 1 || !lazy || client === undefined) return undefined;
  if (keepAliveMs === 0) return client;
  client.rest(keepAliveMs);
  return undefined;
}
