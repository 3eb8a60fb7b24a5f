/**
 * The servers of the project: `[[mcp]]` entries of the manifest, connected when they are first needed and kept until
 * the run ends. `mcp_release` has nothing to do: a server that was needed once is likely to be needed again.
 */
import { type StateKey, type Task, withMutex } from "../../interp/index.ts";
import { fromJson, List, thrown } from "../../values/index.ts";
import { projectManifest } from "../project/manifest.ts";
import { connectServer, type McpClient } from "./client.ts";
import { type McpServerConfig, readServerConfig } from "./server-config.ts";

interface Registry {
  configs: ReadonlyMap<string, McpServerConfig> | undefined;
  readonly clients: Map<string, McpClient>;
}

const registry: StateKey<Registry> = {
  name: "agent.mcp registry",
  create: () => ({ configs: undefined, clients: new Map() }),
};

/** The servers that the manifest names, by name. */
export function registeredServers(task: Task): ReadonlyMap<string, McpServerConfig> {
  const state = task.runtime.state(registry);
  state.configs ??= readRegistry(task);
  return state.configs;
}

function readRegistry(task: Task): Map<string, McpServerConfig> {
  const manifest = projectManifest(task);
  const given = manifest === null ? null : fromJson(manifest.tables.mcp ?? null);
  if (given === null) return new Map();
  if (!(given instanceof List)) throw thrown(`${manifest?.path}: [[mcp]] must be a list of tables`);
  const found = new Map<string, McpServerConfig>();
  for (const [index, entry] of [...given].entries()) {
    const config = readServerConfig(entry, `${manifest?.path}: [[mcp]] entry ${index + 1}`);
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

/** Connects a registered server, or gives the client that there is. Tasks that ask at once get the same one. */
export async function ensureActive(task: Task, name: string): Promise<McpClient> {
  const config = registeredServers(task).get(name);
  if (config === undefined) throw thrown(`mcp: no server named '${name}' is registered`);
  await withMutex(task, `mcp server ${name}`, async () => {
    if (activeServer(task, name) !== undefined) return;
    const client = await connectServer(task, config, "mcp");
    task.runtime.state(registry).clients.set(name, client);
  });
  return task.runtime.state(registry).clients.get(name) as McpClient;
}
