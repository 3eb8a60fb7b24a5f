/** Servers of the Model Context Protocol (agents.md §20): connections, what they offer, the servers of the project. */

import type { Task } from "../../interp/index.ts";
import {
  activeServer,
  askServer,
  callTool,
  connectServer,
  contentEntriesIn,
  disconnectServer,
  ensureActive,
  holdersOf,
  isConnected,
  letGo,
  type McpClient,
  mcpServerFields,
  registeredServers,
  serverConfigOf,
  valueOfResource,
} from "../../mcp/index.ts";
import { at, defineBuiltins, refusal, row, rows } from "../../table/index.ts";
import { Dict, display, fromJson, List, thrown, type Value } from "../../values/index.ts";
import { type Argument, optionsOf, textOf } from "../arguments.ts";
import { serverCard } from "./mcp-cards.ts";

// ── connections ───────────────────────────────────────────────────────────────────────────────────────────────────

async function connect(task: Task, target: Argument, more?: Dict | List | null): Promise<McpClient> {
  const entry = target instanceof Dict ? target : shortEntry(target, more);
  const config = serverConfigOf(entry, "mcp_connect", { name: usualName(entry), restarts: 0 });
  return await connectServer(task, config, "mcp_connect");
}

/** `mcp_connect("npx", ["-y", "server"])`, `mcp_connect("https://…", {headers: …})`. */
function shortEntry(target: Argument, more?: Dict | List | null): Dict {
  if (typeof target !== "string" || target === "")
    throw refusal(at("mcp_connect", "target"), "a command, a URL or a dict", target);
  const options = more instanceof Dict ? more : new Dict();
  if (/^https?:\/\//.test(target)) return options.with("url", target);
  return (more instanceof List ? options.with("args", more) : options).with("command", target);
}

/** A name from what there is: the program or the host. */
function usualName(entry: Dict): string {
  const url = entry.get("url");
  const command = entry.get("command");
  const program = command instanceof List ? [...command][0] : command;
  const text =
    typeof url === "string"
      ? url.replace(/^https?:\/\//, "").replace(/[/?#].*$/, "")
      : display(program ?? "");
  const plain = text.replace(/^.*[\\/]/, "").replace(/[^A-Za-z0-9-]+/g, "_");
  return plain.replace(/^_+|_+$/g, "") || "server";
}

// ── what a server offers ──────────────────────────────────────────────────────────────────────────────────────────

type McpListMethod = "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list";

async function listOf(
  task: Task,
  builtin: string,
  server: McpClient,
  method: McpListMethod,
  key: string,
): Promise<List> {
  const result = await askServer(task, server, { method }, builtin);
  const entries = contentEntriesIn(result, key).map((entry) => fromJson(entry));
  if (method !== "tools/list") return new List(entries);
  return new List(entries.map((entry) => (entry as Dict).with("_mcp_server", server.name)));
}

const mcpCallFields = rows(() => ({
  timeout_ms: row.duration("Milliseconds that the call may take.", null, { min: 1 }).bounds(),
}));

async function call(
  task: Task,
  server: McpClient,
  tool: string,
  args: Dict = new Dict(),
  options?: Argument,
): Promise<Value> {
  const { timeoutMs } = optionsOf("mcp_call", options, mcpCallFields);
  return await callTool(task, server, tool, args, "mcp_call", timeoutMs ?? undefined);
}

async function readResource(task: Task, server: McpClient, uri: string): Promise<Value> {
  const ask = { method: "resources/read", uri } as const;
  return valueOfResource(await askServer(task, server, ask, "mcp_read_resource"));
}

async function getPrompt(task: Task, server: McpClient, name: string, args = new Dict()): Promise<Value> {
  const texts = [...args.entries()].map(([key, value]) => [key, display(value)]);
  const ask = {
    method: "prompts/get",
    name,
    arguments: Object.fromEntries(texts) as Record<string, string>,
  } as const;
  return fromJson(await askServer(task, server, ask, "mcp_get_prompt"));
}

async function serverInfo(task: Task, server: McpClient): Promise<Value> {
  const { name, version, protocol_version, instructions, capabilities } = server.facts;
  return Dict.of({
    name: server.name,
    connected: await isConnected(task, server),
    server_name: name,
    version,
    protocol_version,
    instructions,
    capabilities: fromJson(capabilities),
  });
}

// ── the servers of the project ────────────────────────────────────────────────────────────────────────────────────

async function registryStatus(task: Task): Promise<List> {
  const rows: Dict[] = [];
  for (const { name, lazy, card } of registeredServers(task).values()) {
    const client = activeServer(task, name);
    const active = client !== undefined && (await isConnected(task, client));
    const row = Dict.of({ name, lazy, active, ref_count: holdersOf(task, name) });
    rows.push(card === "" ? row : row.with("card", card));
  }
  return new List(rows);
}

async function release(task: Task, name: string): Promise<null> {
  const client = letGo(task, name);
  return client === undefined ? null : await disconnectServer(task, client);
}

async function cardOf(task: Task, place: string): Promise<Value> {
  const isPlace = /^https?:\/\//.test(place) || /[./\\]/.test(place);
  if (isPlace) return await serverCard(task, place);
  const server = registeredServers(task).get(place);
  if (server === undefined)
    throw thrown(
      `mcp_server_card: no MCP server '${place}' registered (check harn.toml) — pass a URL or path directly instead`,
    );
  if (server.card === "") throw thrown(`mcp_server_card: server '${place}' has no 'card' field in harn.toml`);
  return await serverCard(task, server.card);
}

export const mcp = defineBuiltins("mcp", {
  mcp_connect: {
    doc:
      "Connects to an MCP server: a program with its arguments, the URL of an HTTP server with options, or a dict " +
      "`{name, command | url, args, env, headers, cwd, connect_timeout_ms, timeout_ms}`. `${NAME}` in `url`, `env` and " +
      "`headers` stands for a variable of the environment. The connection ends with the run at the latest.",
    sig: "(target: string | dict, args!: list | dict | nil = nil) -> mcp_client",
    effect: "write",
    traits: ["opens"],
    performs: true,
    suspends: "may",
    capability: "process net",
    fields: { target: () => mcpServerFields, args: () => mcpServerFields },
    run: connect,
  },
  mcp_list_tools: {
    doc: "The tools of a server: dicts with `name`, `description`, `inputSchema` … as the server gives them, and `_mcp_server`, the server's name.",
    sig: "(client!: mcp_client) -> list",
    effect: "read",
    performs: true,
    suspends: "may",
    run: (task, client: McpClient) => listOf(task, "mcp_list_tools", client, "tools/list", "tools"),
  },
  mcp_call: {
    doc:
      "Calls a tool of a server. A single text comes as a string, other content as a list, structured content without " +
      "text as its value; a tool that failed throws its text. `options`: `{timeout_ms}`.",
    sig: '(client!: mcp_client, name: string != "", args!: dict = {}, options: dict? = nil) -> any',
    effect: "write",
    traits: ["unvalidated"],
    performs: true,
    suspends: "may",
    fields: { args: "arguments of the tool", options: () => mcpCallFields },
    run: call,
  },
  mcp_list_resources: {
    doc: "The resources of a server.",
    sig: "(client!: mcp_client) -> list",
    effect: "read",
    performs: true,
    suspends: "may",
    run: (task, client: McpClient) =>
      listOf(task, "mcp_list_resources", client, "resources/list", "resources"),
  },
  mcp_list_resource_templates: {
    doc: "The resource templates of a server.",
    sig: "(client!: mcp_client) -> list",
    effect: "read",
    performs: true,
    suspends: "may",
    run: (task, client: McpClient) =>
      listOf(task, "mcp_list_resource_templates", client, "resources/templates/list", "resourceTemplates"),
  },
  mcp_read_resource: {
    doc: "The content of a resource: a single text as a string, everything else as a list.",
    sig: '(client!: mcp_client, uri: string != "") -> any',
    effect: "read",
    performs: true,
    suspends: "may",
    run: readResource,
  },
  mcp_list_prompts: {
    doc: "The prompts of a server.",
    sig: "(client!: mcp_client) -> list",
    effect: "read",
    performs: true,
    suspends: "may",
    run: (task, client: McpClient) => listOf(task, "mcp_list_prompts", client, "prompts/list", "prompts"),
  },
  mcp_get_prompt: {
    doc: "A prompt of a server, filled in: `{description?, messages}`.",
    sig: '(client!: mcp_client, name: string != "", args!: dict = {}) -> dict',
    effect: "read",
    performs: true,
    suspends: "may",
    fields: { args: "arguments of the prompt" },
    run: getPrompt,
  },
  mcp_server_info: {
    doc: "`{name, connected}` and what the server said of itself: `server_name, version, protocol_version, instructions, capabilities`.",
    sig: "(client!: mcp_client) -> dict",
    effect: "observe",
    performs: true,
    suspends: "may",
    run: serverInfo,
  },
  mcp_disconnect: {
    doc: "Ends a connection, and with it a server that was started for it.",
    sig: "(client!: mcp_client) -> nil",
    effect: "write",
    performs: true,
    suspends: "may",
    run: (task, client: McpClient) => disconnectServer(task, client),
  },
  mcp_registry_status: {
    doc: "The servers of `[[mcp]]` in `harn.toml`: `{name, lazy, active, ref_count, card?}` each; `ref_count` counts who holds it (`mcp_ensure_active`).",
    sig: "() -> list",
    effect: "observe",
    performs: true,
    suspends: "may",
    run: registryStatus,
  },
  mcp_ensure_active: {
    doc: "The connected client of a server of `[[mcp]]`; who asks holds it until `mcp_release`.",
    sig: "(name: string) -> mcp_client",
    effect: "write",
    performs: true,
    suspends: "may",
    capability: "process net",
    run: (task, name: Argument) => ensureActive(task, textOf(name)),
  },
  mcp_release: {
    doc: "Lets go of a server of `[[mcp]]`. A lazy one that nobody holds any more ends, after its `keep_alive_ms`. What nobody holds, or has no row there, is let go already.",
    sig: "(name!: string) -> nil",
    effect: "write",
    performs: true,
    suspends: "may",
    run: release,
  },
  mcp_server_card: {
    doc:
      "The card of a server, parsed: `name, version, protocolVersion, capabilities, tools, publisher` as far as it has them. " +
      "`source` is a path, a URL, or the name of a server of `[[mcp]]` with a `card`. Kept for five minutes; a URL is tried again with `/.well-known/mcp-card`.",
    sig: '(source: string != "") -> dict',
    effect: "read",
    performs: true,
    suspends: "may",
    capability: "fs.read net",
    run: cardOf,
  },
});
