/**
 * The tools of a server as tools of a loop: `<server>__<tool>`, called under their bare names. What a server says of a
 * tool's effects is a hint; one that says nothing is taken for a tool that reaches the network.
 */

import type { McpObject } from "../host/index.ts";
import type { Task } from "../interp/index.ts";
import type { JsonSchema, ToolEntry } from "../model/index.ts";
import {
  Dict,
  fromJson,
  type MaybePromise,
  proceed,
  starMatches,
  toJson,
  type Value,
} from "../values/index.ts";

import { askServer, type McpClient } from "./client.ts";
import { contentEntriesIn, valueOfCall } from "./content.ts";
import type { McpServerConfig } from "./server-config.ts";

/** Asks for the tools once. A tool without a name is left out; of two with one name the last one counts. */
export async function toolsOfServer(task: Task, client: McpClient, caller: string): Promise<ToolEntry[]> {
  const result = await askServer(task, client, { method: "tools/list" }, caller);
  const taken = new Map<string, string>();
  return contentEntriesIn(result, "tools").flatMap((tool) =>
    typeof tool.name === "string" && tool.name !== ""
      ? [entryOf(client, offeredName(client.name, tool.name, taken), tool.name, tool)]
      : [],
  );
}

/**
 * The name under which a loop offers it: `SERVER__TOOL`, other characters than models' servers take replaced by `_`, cut
 * to the length that they take; a number tells those apart that would be the same then. `taken`: bare names by theirs.
 */
function offeredName(server: string, bare: string, taken: Map<string, string>): string {
  const plain = `${server}__${bare}`.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64);
  let name = plain;
  for (let n = 2; taken.has(name) && taken.get(name) !== bare; n++)
    name = `${plain.slice(0, 63 - String(n).length)}_${n}`;
  taken.set(name, bare);
  return name;
}

function entryOf(client: McpClient, name: string, bare: string, tool: McpObject): ToolEntry {
  const description = typeof tool.description === "string" ? tool.description : "";
  const annotations = mcpAnnotationsOf(tool.annotations);
  return {
    name,
    description,
    inputSchema: inputSchemaOf(tool.inputSchema),
    outputSchema: tool.outputSchema === undefined ? undefined : (tool.outputSchema as JsonSchema),
    handler: undefined,
    executor: "mcp_server",
    hostCapability: undefined,
    mcpServer: client.name,
    annotations,
    deferLoading: isDeferred(client.config, bare),
    namespace: undefined,
    strict: false,
    origin: "mcp",
    native: (task, args) => callTool(task, client, bare, args),
    raw: Dict.of({
      name,
      description,
      executor: "mcp_server",
      mcp_server: client.name,
      mcp_tool: bare,
      inputSchema: fromJson(tool.inputSchema ?? {}),
      annotations,
    }),
  };
}

const isDeferred = ({ deferLoading: deferred }: McpServerConfig, tool: string): boolean =>
  typeof deferred === "boolean" ? deferred : deferred.some((pattern) => starMatches(pattern, tool));

/** Calls a tool of a server; gives what a handler would return, throws as one. */
export function callTool(
  task: Task,
  client: McpClient,
  tool: string,
  args: Dict,
  caller = "mcp",
  timeoutMs?: number,
): MaybePromise<Value> {
  const ask = { method: "tools/call", name: tool, arguments: toJson(args) as McpObject } as const;
  return proceed(askServer(task, client, ask, caller, timeoutMs), valueOfCall);
}

/** A schema that is none is one that takes anything. */
function inputSchemaOf(schema: McpObject["x"] | undefined): JsonSchema {
  const value = typeof schema === "object" && schema !== null && !Array.isArray(schema) ? schema : {};
  const { $schema: _dialect, ...rest } = value as { [key: string]: unknown };
  return { type: "object", properties: {}, ...rest } as JsonSchema;
}

function mcpAnnotationsOf(value: McpObject["x"] | undefined): Dict {
  const hints = fromJson(value ?? {});
  const said = hints instanceof Dict ? hints : new Dict();
  const reads = said.get("readOnlyHint") === true;
  const closed = said.get("openWorldHint") === false;
  const level = reads ? "read_only" : closed ? "workspace_write" : "network";
  return said.merge(Dict.of({ kind: reads ? "read" : "other", side_effect_level: level }));
}
