/**
 * The servers of one loop (`mcp_servers`): connected before its first turn, each asked once for its tools, closed when
 * the loop ends. A client that the script brought, or a server of the project, stays open: they are not the loop's own.
 */

import type { LoopServers } from "../agent/index.ts";
import type { Task } from "../interp/index.ts";
import type { ToolEntry, ToolSet } from "../model/index.ts";
import { at, refusal } from "../table/index.ts";
import { Dict, List, type MaybePromise, thrown, typeOf, type Value } from "../values/index.ts";
import { connectServer, McpClient } from "./client.ts";
import { ensureActive, letGo, registeredServers } from "./registry.ts";
import { serverConfigOf } from "./server-config.ts";
import { callTool, toolsOfServer } from "./server-tools.ts";

const noServers: LoopServers = {
  tools: [],
  notes: "",
  bind: (set) => bindServerTools(set, new Map()),
  close: () => {},
};

/** Longest instructions of a server that are put into the system text. */
const maxNoteLength = 4000;

/** `option` is `mcp_servers`; nil is a loop without servers of its own. */
export function openLoopServers(task: Task, option: Value): MaybePromise<LoopServers> {
  return option === null ? noServers : openAll(task, option);
}

async function openAll(task: Task, option: Value): Promise<LoopServers> {
  const entries = entriesOf(option);
  const own: McpClient[] = [];
  const held: string[] = [];
  const close = (): void => {
    for (const client of own) void client.close(task.runtime);
    for (const name of held.splice(0)) void letGo(task, name)?.close(task.runtime);
  };
  const tools: ToolEntry[] = [];
  const notes: string[] = [];
  const clients = new Map<string, McpClient>();
  try {
    for (const [index, entry] of entries.entries()) {
      const where = `agent_loop: mcp_servers[${index}]`;
      const client = await clientOf(task, entry, where, own, held);
      if (clients.has(client.name)) throw thrown(`${where}: the name '${client.name}' is taken`);
      clients.set(client.name, client);
      tools.push(...(await toolsOfServer(task, client, "agent_loop: mcp_servers")));
      const said = client.facts.instructions.trim();
      if (said !== "") notes.push(`## Server ${client.name}\n${said.slice(0, maxNoteLength)}`);
    }
  } catch (error) {
    close();
    throw error;
  }
  return { tools, notes: notes.join("\n\n"), bind: (set) => bindServerTools(set, clients), close };
}

function entriesOf(option: Value): Value[] {
  if (option === null || option === false) return [];
  if (!(option instanceof List)) throw refusal(at("agent_loop", "mcp_servers"), "list", option);
  return [...option];
}

async function clientOf(
  task: Task,
  entry: Value,
  where: string,
  own: McpClient[],
  held: string[],
): Promise<McpClient> {
  if (entry instanceof McpClient) return entry;
  if (typeof entry === "string") {
    const client = await ensureActive(task, entry);
    held.push(entry);
    return client;
  }
  if (!(entry instanceof Dict))
    throw thrown(`${where}: expected a dict, a connected client or a name of [[mcp]]; got ${typeOf(entry)}`);
  const client = await connectServer(task, serverConfigOf(entry, where), "agent_loop: mcp_servers");
  own.push(client);
  return client;
}

/**
 * Tools of a registry whose executor is a server: bound to a server of the loop, else to one of the project, which is
 * connected by the first call.
 */
function bindServerTools(set: ToolSet, clients: ReadonlyMap<string, McpClient>): ToolSet {
  const isUnbound = ({ executor, native }: ToolEntry): boolean =>
    executor === "mcp_server" && native === undefined;
  if (!set.entries.some(isUnbound)) return set;
  const bound = set.entries.map((entry) => {
    const server = entry.mcpServer;
    if (!isUnbound(entry) || server === undefined) return entry;
    const native = async (task: Task, args: Dict): Promise<Value> => {
      const client = clients.get(server) ?? (await registeredServer(task, server, entry.name));
      return await callTool(task, client, bareName(entry, server), args);
    };
    return { ...entry, native };
  });
  return { entries: bound, byName: new Map(bound.map((entry) => [entry.name, entry])) };
}

async function registeredServer(task: Task, server: string, tool: string): Promise<McpClient> {
  if (registeredServers(task).has(server)) return await ensureActive(task, server);
  throw thrown(`Tool '${tool}' runs on the MCP server '${server}', which is not connected.`);
}

function bareName(entry: ToolEntry, server: string): string {
  const own = entry.raw.get("mcp_tool");
  if (typeof own === "string" && own !== "") return own;
  return entry.name.startsWith(`${server}__`) ? entry.name.slice(server.length + 2) : entry.name;
}
