/**
 * Tool registries (agents.md §6): dicts that scripts build, look at and hand to agents. Every function gives a new
 * registry. What the texts below say is observed by programs; keep them.
 */

import { stateKey, type Task } from "../../interp/index.ts";
import {
  isFullSchema,
  isRegistry,
  keywordsNotJudged,
  registryEntries,
  registryOf,
  type ToolExecutor,
  toolNameProblem,
} from "../../model/index.ts";
import { at, defineBuiltins, type Read, refusal, warnOnce } from "../../table/index.ts";
import {
  compareTexts,
  Dict,
  display,
  jsonParseOrNothing,
  List,
  optionsDict,
  thrown,
  type Value,
} from "../../values/index.ts";
import { type Argument, optionsOf, textOf } from "../arguments.ts";
import { saysType, toolFields } from "../rows/agents.ts";

// ── reading arguments ─────────────────────────────────────────────────────────────────────────────────────────────

function need(builtin: string, registry: Argument): Dict {
  if (isRegistry(registry)) return registry;
  throw refusal(at(builtin, "registry"), "a tool registry, as tool_registry() gives it", registry);
}

const nameOf = (entry: Dict): string => display(entry.get("name") ?? "");

/** The entry with its name put in, in the place of one that had the name already. */
function replacedEntry(registry: Dict, entry: Dict): Dict {
  const entries = registryEntries(registry);
  const at = entries.findIndex((known) => nameOf(known) === nameOf(entry));
  return registryOf(at < 0 ? [...entries, entry] : entries.with(at, entry));
}

// ── tool_define ───────────────────────────────────────────────────────────────────────────────────────────────────

function defineTool(registry: Argument, nameValue: Argument, descriptionValue: Argument, config: Dict): Dict {
  const known = need("tool_define", registry);
  if (config.has("params")) throw thrown("tool_define: use 'parameters', not 'params'");
  const name = textOf(nameValue ?? "");
  if (name.trim() === "") throw thrown("tool_define: name must not be empty");
  const problem = toolNameProblem(name);
  if (problem !== undefined) throw thrown(`tool_define: ${problem}`);
  const read = optionsOf("tool_define", config, toolFields);
  const executor = executorOf(read, name);
  const { handler, returns } = read;
  const output = typeof returns === "string" ? Dict.of({ type: returns }) : returns;
  return replacedEntry(
    known,
    config.without("returns").merge(
      Dict.of({
        ...(output === null ? undefined : { outputSchema: output }),
        name,
        description: textOf(descriptionValue),
        handler,
        parameters: read.parameters ?? new Dict(),
        executor,
      }),
    ),
  );
}

/** What of its schemas no call is checked for. */
function reportNotJudged(task: Task, name: string, config: Dict): void {
  for (const key of ["parameters", "returns"]) {
    const value = config.get(key);
    if (!(value instanceof Dict)) continue;
    const schema = key === "returns" || saysType(value) ? value : Dict.of({ properties: value });
    for (const path of keywordsNotJudged(schema))
      warnOnce(
        task,
        "tool_define",
        `${key}.${path}`,
        `the schema of tool \`${name}\` says \`${key}.${path}\`, which is not judged`,
        "say it with other keywords, or check it in the handler",
      );
  }
}

/** The executor that the config means; refuses combinations that can't run. */
function executorOf(read: Read<typeof toolFields>, name: string): ToolExecutor {
  if (read.executor === null) {
    if (read.handler !== null) return "harn";
    throw thrown(`tool_define: tool "${name}" ${noExecutor(name)}`);
  }
  const problem = executorProblem(read.executor, read);
  if (problem !== undefined)
    throw thrown(`tool_define: tool "${name}" declares executor: "${read.executor}" but ${problem}`);
  return read.executor;
}

const noExecutor = (name: string): string =>
  'has no `handler` and no `executor`. Either attach a `handler` fn (executor: "harn") or declare an alternate backend, ' +
  'e.g. executor: "host_bridge" + host_capability: "cap.op", executor: "mcp_server" + mcp_server: "server-name", ' +
  'executor: "provider_native". Defining a handlerless tool would surface as ' +
  `\`[builtin_call] unhandled: ${name}\` at the first model call.`;

function executorProblem(
  executor: ToolExecutor,
  { handler, hostCapability, mcpServer }: Read<typeof toolFields>,
): string | undefined {
  switch (executor) {
    case "harn":
      if (handler === null) return "has no `handler`. Attach the handler fn or change the executor.";
      if (hostCapability !== null)
        return "also sets `host_capability`. Drop one — the harn executor runs the handler in-VM and never reaches the host bridge.";
      return mcpServer === null
        ? undefined
        : 'also sets `mcp_server`. Drop one — MCP-served tools must declare executor: "mcp_server".';
    case "host_bridge":
      if (handler !== null)
        return "also has a `handler`. Drop the handler — host-bridge tools are dispatched by the host shell, not the VM.";
      return hostCapability === null
        ? 'is missing `host_capability`. Set it to the canonical bridge identifier (e.g. "interaction.ask") so `harn check` can validate the binding against the host capability manifest.'
        : undefined;
    case "mcp_server":
      if (handler !== null)
        return "also has a `handler`. Drop the handler — MCP-served tools route through the MCP transport.";
      return mcpServer === null ? "is missing `mcp_server` (the configured server name)." : undefined;
    case "provider_native":
      return handler === null
        ? undefined
        : "also has a `handler`. Provider-side tools are executed by the model server; the runtime never dispatches them locally.";
  }
}

// ── descriptions ──────────────────────────────────────────────────────────────────────────────────────────────────

const toolsByName = (a: Dict, b: Dict): number => compareTexts(nameOf(a), nameOf(b));

/** The parameters of an entry by name, with the specs as the script wrote them. */
function parameterSpecs(entry: Dict): [string, Value][] {
  const parameters = entry.get("parameters");
  if (!(parameters instanceof Dict)) return [];
  const properties = parameters.get("properties");
  const full = properties instanceof Dict && isFullSchema({ properties: {}, ...typeOnly(parameters) });
  return [...(full ? properties : parameters).entries()];
}

function typeOnly(parameters: Dict): { type?: string } {
  const type = parameters.get("type") ?? null;
  return type === null ? {} : { type: display(type) };
}

function describe(registry: Dict): string {
  const entries = registryEntries(registry).sort(toolsByName);
  if (entries.length === 0) return "Available tools:\n(none)";
  const lines = entries.flatMap((entry) => {
    const specs = parameterSpecs(entry).map(([name, spec]) => `${name}: ${display(spec)}`);
    const line = `- ${nameOf(entry)}(${specs.join(", ")}): ${textOf(entry.get("description"))}`;
    const output = entry.get("outputSchema") ?? null;
    return output === null ? [line] : [line, `  returns ${display(output)}`];
  });
  return ["Available tools:", ...lines].join("\n");
}

function toolsPromptText(registry: Dict): string {
  const entries = registryEntries(registry).sort(toolsByName);
  if (entries.length === 0) return "No tools are available.";
  const parts = [
    "# Available Tools",
    "",
    "To use a tool, write one JSON object per call between these tags:",
    '<tool_call>{"name": "tool_name", "arguments": {"key": "value"}}</tool_call>',
  ];
  for (const entry of entries) {
    parts.push("", `### ${nameOf(entry)}`, textOf(entry.get("description")));
    for (const [name, spec] of parameterSpecs(entry)) parts.push(`- ${name}: ${display(spec)}`);
    const output = entry.get("outputSchema") ?? null;
    if (output !== null) parts.push(`Returns: ${display(output)}`);
  }
  return parts.join("\n");
}

function schema(registry: Dict, components: Argument): Dict {
  const tools = registryEntries(registry).map((entry) => {
    const specs = parameterSpecs(entry);
    const properties = Dict.from(
      specs.map(([name, spec]) => [name, typeof spec === "string" ? Dict.of({ type: spec }) : spec]),
    );
    return Dict.of({
      name: nameOf(entry),
      description: textOf(entry.get("description")),
      inputSchema: Dict.of({
        type: "object",
        properties,
        required: new List(specs.map(([name]) => name).sort(compareTexts)),
      }),
      outputSchema: entry.get("outputSchema") ?? undefined,
    });
  });
  const schemas = optionsDict("tool_schema", components, "components");
  const shared = (components ?? null) === null ? undefined : Dict.of({ schemas });
  return Dict.of({ schema_version: "harn-tools/1.0", tools: new List(tools), components: shared });
}

/** The JSON objects between `<tool_call>` and `</tool_call>`; other bodies are passed over. */
function parseToolCalls(text: string): List {
  const calls: Value[] = [];
  let from = text.indexOf("<tool_call>");
  while (from !== -1) {
    const close = text.indexOf("</tool_call>", from);
    if (close === -1) break;
    const value = jsonParseOrNothing(text.slice(from + 11, close).trim());
    if (value instanceof Dict) calls.push(value);
    from = text.indexOf("<tool_call>", close);
  }
  return new List(calls);
}

// ── the bound registry ────────────────────────────────────────────────────────────────────────────────────────────

const boundRegistry = stateKey<{ registry: Dict | null }>("bound tools", () => ({ registry: null }));

function boundEntry(task: Task, builtin: string, nameValue: Argument): Dict {
  const { registry } = task.runtime.state(boundRegistry);
  const name = textOf(nameValue);
  if (registry === null)
    throw thrown(
      `${builtin}: no tool registry bound; call tool_bind(registry) before \`${name}\` is looked up`,
    );
  const entries = registryEntries(registry);
  const found = entries.find((entry) => nameOf(entry) === name);
  if (found !== undefined) return found;
  const names = entries.map(nameOf).sort(compareTexts);
  throw thrown(`${builtin}: unknown tool "${name}". Registered tools: ${names.join(", ")}`);
}

// ── the table ─────────────────────────────────────────────────────────────────────────────────────────────────────

export const tools = defineBuiltins(
  "tools",
  {
    tool_registry: {
      doc: "An empty tool registry.",
      sig: "() -> dict",
      effect: "pure",
      example: "tool_count(tool_registry())  // 0",
      run: () => registryOf([]),
    },
    tool_define: {
      doc: "A registry with one more tool. `config` holds `parameters`, `handler` and what else the entry shall keep; a tool of the same name is replaced in its place.",
      sig: "(registry: dict, name: string, description: string, config!: dict) -> dict",
      effect: "pure",
      traits: ["onlyGives"],
      example:
        'tool_count(tool_define(tool_registry(), "echo", "Repeats", {parameters: {text: "string"}, handler: { args -> args.text }}))  // 1',
      fields: { config: () => toolFields },
      run: (task, registry: Argument, name: Argument, description: Argument, config: Dict) => {
        const defined = defineTool(registry, name, description, config);
        reportNotJudged(task, textOf(name), config);
        return defined;
      },
    },
    tool_list: {
      doc: "The entries of a registry without their handlers.",
      sig: "(registry: dict) -> list",
      effect: "pure",
      run: (_task, registry: Argument) =>
        new List(registryEntries(need("tool_list", registry)).map((entry) => entry.without("handler"))),
    },
    tool_find: {
      doc: "The entry of this name, or nil.",
      sig: "(registry: dict, name: string) -> dict | nil",
      effect: "pure",
      run: (_task, registry: Argument, name: Argument) => {
        const wanted = textOf(name);
        return registryEntries(need("tool_find", registry)).find((entry) => nameOf(entry) === wanted) ?? null;
      },
    },
    tool_select: {
      doc: "A registry with only the named tools, in the registry's order. Unknown names are ignored.",
      sig: "(registry: dict, names: list) -> dict",
      effect: "pure",
      run: (_task, registry: Argument, names: Argument) => {
        const entries = registryEntries(need("tool_select", registry));
        if (!(names instanceof List)) throw refusal(at("tool_select", "names"), "list", names);
        const wanted = new Set(names.toArray().map(display));
        return registryOf(entries.filter((entry) => wanted.has(nameOf(entry))));
      },
    },
    tool_remove: {
      doc: "A registry without the named tool.",
      sig: "(registry: dict, name: string) -> dict",
      effect: "pure",
      traits: ["onlyGives"],
      run: (_task, registry: Argument, name: Argument) => {
        const gone = textOf(name);
        return registryOf(
          registryEntries(need("tool_remove", registry)).filter((entry) => nameOf(entry) !== gone),
        );
      },
    },
    tool_count: {
      doc: "How many tools a registry holds.",
      sig: "(registry: dict) -> int",
      effect: "pure",
      run: (_task, registry: Argument) => registryEntries(need("tool_count", registry)).length,
    },
    tool_describe: {
      doc: "The tools as a readable list, sorted by name.",
      sig: "(registry: dict) -> string",
      effect: "pure",
      example: 'tool_describe(tool_registry()).split("\\n")[1]  // (none)',
      run: (_task, registry: Argument) => describe(need("tool_describe", registry)),
    },
    tool_schema: {
      doc: "The registry as JSON Schemas: `{schema_version, tools: [{name, description, inputSchema, outputSchema?}], components?}`.",
      sig: "(registry: dict, components: dict | nil = nil) -> dict",
      effect: "pure",
      run: (_task, registry: Argument, components: Argument) =>
        schema(need("tool_schema", registry), components),
    },
    tool_prompt: {
      doc: "A text for a system prompt that tells a model which tools there are and how to call them.",
      sig: "(registry: dict) -> string",
      effect: "pure",
      run: (_task, registry: Argument) => toolsPromptText(need("tool_prompt", registry)),
    },
    tool_parse_call: {
      doc: "The JSON objects found between `<tool_call>` tags. Bodies that are no JSON are skipped.",
      sig: "(text: string) -> list",
      effect: "pure",
      example: 'tool_parse_call("<tool_call>{\\"name\\": \\"a\\"}</tool_call>")  // [{name: a}]',
      run: (_task, text: Argument) => parseToolCalls(textOf(text)),
    },
    tool_format_result: {
      doc: "One tool result in tags, for a prompt.",
      sig: "(name: string, result: any) -> string",
      effect: "pure",
      example: 'tool_format_result("add", 3)  // <tool_result>{"name": "add", "result": "3"}</tool_result>',
      run: (_task, name: Argument, result: Argument) =>
        `<tool_result>{"name": ${JSON.stringify(textOf(name))}, "result": ${JSON.stringify(textOf(result))}}</tool_result>`,
    },
    tool_bind: {
      doc: "Makes a registry the one that `tool_ref` and `tool_def` look names up in; nil unbinds.",
      sig: "(registry: dict | nil) -> nil",
      effect: "state",
      run: (task, registry: Argument) => {
        if ((registry ?? null) !== null && !isRegistry(registry)) {
          throw refusal(at("tool_bind", "registry"), "a tool registry", registry);
        }
        task.runtime.state(boundRegistry).registry = isRegistry(registry) ? registry : null;
        return null;
      },
    },
    tool_ref: {
      doc: "The name of a tool of the bound registry; a name that is not there is an error.",
      sig: "(name: string) -> string",
      effect: "state",
      run: (task, name: Argument) => nameOf(boundEntry(task, "tool_ref", name)),
    },
    tool_def: {
      doc: "The entry of a tool of the bound registry.",
      sig: "(name: string) -> dict",
      effect: "state",
      run: (task, name: Argument) => boundEntry(task, "tool_def", name),
    },
  },
  { registry: "a registry, as `tool_registry` gives it", components: "schemas by name" },
);
