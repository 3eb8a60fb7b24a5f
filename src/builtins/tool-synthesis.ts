/** Tools described but not written (agents.md §6.5): a closure that checks its arguments and says what it would do. */

import { callTool, McpClient, NativeCallable, toolParameters } from "../agent/index.ts";
import type { StateKey, Task } from "../interp/index.ts";
import { defineBuiltins } from "../table/index.ts";
import {
  Dict,
  display,
  jsonStringify,
  List,
  type MaybePromise,
  sortTexts,
  thrown,
  typeOf,
  type Value,
} from "../values/index.ts";
import type { Given } from "./arguments.ts";
import { synthesisFields } from "./rows/agents.ts";

/** By id, in the order in which they were made. */
const synthesized: StateKey<Map<string, Dict>> = { name: "synthesized tools", create: () => new Map() };

const executors: readonly string[] = ["dry_run", "mcp"];
/** Needs a host that is not there. */
const executorsElsewhere: readonly string[] = ["host_bridge"];

function synthesize(task: Task, config: Given): Value {
  if (!(config instanceof Dict)) throw thrown("tool_synthesize: requires a config dict");
  const spec = specOf(task, config);
  const client = clientOf(spec, config);
  task.runtime.state(synthesized).set(spec.get("id") as string, spec);
  return new NativeCallable(spec.get("name") as string, ["args"], (caller, [given]) => {
    const args = argumentsOf(spec, given ?? null);
    return client === null ? dryRun(spec, args) : runOnServer(caller, client, spec, args);
  });
}

function specOf(task: Task, config: Dict): Dict {
  const description = config.get("description");
  if (typeof description !== "string" || description.trim() === "")
    throw thrown("tool_synthesize: description must be a non-empty string");
  if ((config.get("handler") ?? null) !== null)
    throw thrown("tool_synthesize: executable handlers must be supplied with tool_define");
  const executor = config.get("executor") ?? "dry_run";
  if (executorsElsewhere.includes(executor as string))
    throw thrown(
      `tool_synthesize: executor \`${display(executor)}\` is not available in this version; use dry_run`,
    );
  if (!executors.includes(executor as string))
    throw thrown(
      `tool_synthesize: unknown executor \`${display(executor)}\`; expected one of ${executors.join(", ")}`,
    );
  const name = config.get("name") ?? null;
  if (name !== null && (typeof name !== "string" || !/^[A-Za-z0-9_]+$/.test(name)))
    throw thrown(
      `tool_synthesize: invalid tool name "${display(name)}"; use ASCII letters, digits, and underscores`,
    );
  const parameters = config.get("parameters") ?? new Dict();
  if (!(parameters instanceof Dict))
    throw thrown(`tool_synthesize: parameters must be a dict; got ${typeOf(parameters)}`);
  const capabilities = namesOf(config.get("capabilities") ?? null);
  const own = Dict.of({
    description,
    executor,
    parameters,
    capabilities: new List(capabilities),
    side_effect_level: config.get("side_effect_level") ?? sideEffectOf(capabilities),
    return_type: config.get("return_type") ?? undefined,
    host_tool: config.get("host_tool") ?? undefined,
    mcp_tool: config.get("mcp_tool") ?? undefined,
  });
  const text = jsonStringify(name === null ? own : own.with("name", name));
  const id = `tool_synth_${hash(task, text).slice(0, 16)}`;
  return own.merge(Dict.of({ id, name: name ?? id }));
}

function namesOf(value: Value): string[] {
  if (value === null) return [];
  if (typeof value === "string") return [value];
  if (!(value instanceof List))
    throw thrown(`tool_synthesize: capabilities must be a list; got ${typeOf(value)}`);
  return sortTexts([...value].map(display));
}

function sideEffectOf(capabilities: readonly string[]): string {
  const any = (...starts: string[]): boolean =>
    capabilities.some((capability) => starts.some((start) => capability.startsWith(start)));
  if (any("http", "net", "oauth")) return "network";
  if (any("process")) return "process_exec";
  return any("fs.write", "workspace.write") ? "workspace_write" : "read_only";
}

function hash(task: Task, text: string): string {
  const bytes = task.runtime.host.crypto.hash("sha256", new TextEncoder().encode(text));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The server of a tool that runs on one. */
function clientOf(spec: Dict, config: Dict): McpClient | null {
  if (spec.get("executor") !== "mcp") return null;
  const client = config.get("mcp_client") ?? null;
  if (client instanceof McpClient) return client;
  throw thrown(`tool_synthesize: executor \`mcp\` needs a connected \`mcp_client\`; got ${typeOf(client)}`);
}

function runOnServer(task: Task, client: McpClient, spec: Dict, args: Dict): MaybePromise<Value> {
  const own = spec.get("mcp_tool");
  const tool = typeof own === "string" && own !== "" ? own : display(spec.get("name") ?? "");
  return callTool(task, client, tool, args, display(spec.get("name") ?? ""));
}

/** The arguments of a call, complete. */
function argumentsOf(spec: Dict, given: Value): Dict {
  const name = display(spec.get("name") ?? "");
  const args = given ?? new Dict();
  if (!(args instanceof Dict)) throw thrown(`${name}: arguments must be a dict; got ${typeOf(args)}`);
  const { required } = toolParameters(spec);
  const missing = Array.isArray(required) ? required.find((key) => !args.has(key as string)) : undefined;
  if (missing !== undefined) throw thrown(`${name}: missing required argument "${String(missing)}"`);
  return args;
}

function dryRun(spec: Dict, args: Dict): Value {
  const name = display(spec.get("name") ?? "");
  return Dict.of({
    _type: "synthesized_tool_result",
    status: "dry_run",
    tool_id: spec.get("id"),
    name,
    description: spec.get("description"),
    args,
    capabilities: spec.get("capabilities"),
    side_effect_level: spec.get("side_effect_level"),
    message: `Dry run: ${name} was not executed.`,
    return_type: spec.get("return_type"),
  });
}

export const toolSynthesis = defineBuiltins("tools", {
  tool_synthesize: {
    doc: 'A closure for a tool that is only described: it checks its arguments and gives a dry-run result, or, with `executor: "mcp"`, calls `mcp_tool` of `mcp_client`.',
    sig: "(config: dict) -> fn(dict) -> any",
    effect: "state",
    fields: { config: () => synthesisFields },
    run: synthesize,
  },
  tool_synthesis_cache: {
    doc: "The tools that `tool_synthesize` has made; the same description is one tool.",
    sig: "() -> list",
    effect: "state",
    example: "tool_synthesis_cache()  // []",
    run: (task) => new List([...task.runtime.state(synthesized).values()]),
  },
  tool_synthesis_clear: {
    doc: "Forgets them.",
    sig: "() -> nil",
    effect: "state",
    example: "tool_synthesis_clear()  // nil",
    run: (task) => {
      task.runtime.state(synthesized).clear();
      return null;
    },
  },
});
