/**
 * From a registry as scripts hold it to a `ToolSet`: entries read once, parameter shorthands turned into JSON Schema.
 *
 * Forgiving about who built the dict (`tool_define`, a `tool` declaration, a hand-written list, a vendor's own shape),
 * strict about what can't work: an entry without a name, an executor that does not exist.
 */

import type { Task } from "../../interp/index.ts";
import { at, refusal } from "../../table/index.ts";
import {
  Callable,
  Dict,
  display,
  List,
  type MaybePromise,
  shapeSchema,
  thrown,
  toJson,
  type Value,
  wireSchema,
} from "../../values/index.ts";
import { type JsonObject, type JsonSchema, type ModelTool, parametersSchema } from "../llm/index.ts";
import type { ToolCall, ToolEntry, ToolExecutor, ToolOrigin, ToolSet } from "./types.ts";

export const toolExecutors: readonly ToolExecutor[] = [
  "harn",
  "host_bridge",
  "mcp_server",
  "provider_native",
];

/** No tools at all. */
export const noTools: ToolSet = { entries: [], byName: new Map() };

/** A registry dict. */
export function isRegistry(value: Value | undefined): value is Dict {
  return value instanceof Dict && value.get("_type") === "tool_registry";
}

/** The entries of a registry dict; other things in its list are left out. */
export function registryEntries(registry: Dict): Dict[] {
  const tools = registry.get("tools");
  return tools instanceof List ? tools.toArray().filter((tool) => tool instanceof Dict) : [];
}

/** A registry dict from entries. */
export function registryOf(entries: readonly Dict[]): Dict {
  return Dict.of({ _type: "tool_registry", tools: new List([...entries]) });
}

/**
 * Reads whatever a `tools` option may hold: nil, a registry, a list of registries or of tool dicts. `caller` begins
 * error texts (`agent_loop: `), "" for `llm_call`.
 */
export function toolSetOfValue(value: Value | undefined, caller = ""): ToolSet {
  if (value === null || value === undefined) return noTools;
  const dicts = toolDicts(value);
  if (dicts === undefined)
    throw refusal(at(`${caller}tools`), "a tool_registry or list of tool definitions", value);
  return toolSetOf(dicts.map((dict) => toolEntryOf(dict, caller, "user")));
}

function toolDicts(value: Value): Dict[] | undefined {
  if (isRegistry(value)) return registryEntries(value);
  if (!(value instanceof List)) return undefined;
  const dicts: Dict[] = [];
  for (const item of value) {
    if (isRegistry(item)) dicts.push(...registryEntries(item));
    else if (item instanceof Dict) dicts.push(item);
    else return undefined;
  }
  return dicts;
}

/** A set from entries; a later one replaces an earlier one of the same name in its place. */
export function toolSetOf(entries: readonly ToolEntry[]): ToolSet {
  const byName = new Map<string, ToolEntry>();
  for (const entry of entries) byName.set(entry.name, entry);
  return { entries: [...byName.values()], byName };
}

/** Several sets as one; later names win. */
export function joinToolSets(...sets: readonly ToolSet[]): ToolSet {
  return toolSetOf(sets.flatMap((set) => set.entries));
}

/** The part of a set that `keep` accepts. */
export function selectTools(set: ToolSet, keep: (entry: ToolEntry) => boolean): ToolSet {
  return toolSetOf(set.entries.filter(keep));
}

/** A tool of the runtime itself. */
export function runtimeTool(tool: {
  name: string;
  description: string;
  parameters: JsonObject;
  run: (task: Task, args: Dict, call: ToolCall) => MaybePromise<Value>;
  annotations?: Dict;
}): ToolEntry {
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: parametersSchema(tool.parameters),
    outputSchema: undefined,
    handler: undefined,
    executor: "harn",
    hostCapability: undefined,
    mcpServer: undefined,
    annotations: tool.annotations,
    deferLoading: false,
    namespace: undefined,
    strict: false,
    origin: "runtime",
    native: tool.run,
    raw: Dict.of({ name: tool.name, description: tool.description, executor: "harn" }),
  };
}

/** Servers refuse whole requests that offer a tool of another name. */
export function toolNameProblem(name: string): string | undefined {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return undefined;
  return `tool name "${name}" must consist of 1 to 64 letters, digits, "_" and "-" ([A-Za-z0-9_-]{1,64})`;
}

function toolEntryOf(dict: Dict, caller: string, origin: ToolOrigin): ToolEntry {
  const wrapped = dict.get("function");
  // OpenAI's wrapper: `{type: "function", function: {name, description, parameters}}`.
  const source =
    wrapped instanceof Dict && dict.get("type") === "function"
      ? wrapped.merge(dict.without("function"))
      : dict;
  const name = source.get("name");
  if (typeof name !== "string" || name === "") {
    throw thrown(`${caller}tools: every tool needs a non-empty string \`name\`; got ${display(dict)}`);
  }
  const problem = toolNameProblem(name);
  if (problem !== undefined) throw thrown(`${caller}tools: ${problem}`);
  const handler = source.get("handler");
  return {
    name,
    description: display(source.get("description") ?? ""),
    inputSchema: definedToolParameters(source),
    outputSchema: schemaOf(source.get("outputSchema") ?? source.get("returns")),
    handler: handler instanceof Callable ? handler : undefined,
    executor: executorOfEntry(source, name, caller),
    hostCapability: text(source.get("host_capability")),
    mcpServer: text(source.get("mcp_server")),
    annotations: dictOf(source.get("annotations")),
    deferLoading: source.get("defer_loading") === true,
    namespace: text(source.get("namespace")),
    strict: source.get("strict") === true,
    origin,
    native: undefined,
    raw: source,
  };
}

/** The argument schema of an entry, whichever of the spellings it uses. */
export function definedToolParameters(entry: Dict): JsonSchema {
  const declared = entry.get("parameters") ?? entry.get("input_schema") ?? entry.get("inputSchema");
  if (!(declared instanceof Dict)) return parametersSchema(null);
  if (isFullSchema(toJson(declared) as JsonObject))
    return parametersSchema(toJson(wireSchema(declared)) as JsonObject);
  return toJson(wireSchema(shapeSchema(declared))) as JsonSchema;
}

/** `{type: "object", properties: {…}}`, as against a dict of parameters. */
export function isFullSchema(parameters: JsonObject): boolean {
  const { properties, type } = parameters;
  const isDict = typeof properties === "object" && properties !== null && !Array.isArray(properties);
  return isDict && (type === undefined || type === "object" || type === "dict");
}

function executorOfEntry(entry: Dict, name: string, caller: string): ToolExecutor {
  const input = entry.get("executor") ?? null;
  if (input === null || input === "harn_builtin") return "harn";
  const executor = toolExecutors.find((known) => known === input);
  if (executor !== undefined) return executor;
  throw thrown(
    `${caller}unknown executor "${display(input)}" for tool "${name}". Valid executors: ${toolExecutors.join(", ")}`,
  );
}

function schemaOf(value: Value | undefined): JsonSchema | undefined {
  const input = typeof value === "string" ? Dict.of({ type: value }) : value;
  return input instanceof Dict ? (toJson(wireSchema(input)) as JsonSchema) : undefined;
}
const text = (value: Value | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
const dictOf = (value: Value | undefined): Dict | undefined => (value instanceof Dict ? value : undefined);

/** The set as a request offers it; remembered per set, because the same list goes out every turn. */
export function modelTools(set: ToolSet): ModelTool[] {
  let tools = offered.get(set);
  if (tools === undefined) {
    tools = set.entries.map(modelTool);
    offered.set(set, tools);
  }
  return tools;
}
const offered = new WeakMap<ToolSet, ModelTool[]>();

function modelTool(entry: ToolEntry): ModelTool {
  const tool: ModelTool = { name: entry.name, description: entry.description, parameters: entry.inputSchema };
  if (entry.deferLoading) tool.defer_loading = true;
  if (entry.namespace !== undefined) tool.namespace = entry.namespace;
  if (entry.strict) tool.strict = true;
  return tool;
}
