/** Tools described but not written (agents.md §6.5): a closure that checks its arguments and says what it would do. */

import { callHost, checkCeilings, hostBridge, levelRank, sideEffectLevels } from "../../agent/index.ts";
import type { StateKey, Task } from "../../interp/index.ts";
import { NativeCallable } from "../../interp/index.ts";
import { callTool, McpClient } from "../../mcp/index.ts";
import { definedToolParameters } from "../../model/index.ts";
import { at, defineBuiltins, refusal } from "../../table/index.ts";
import {
  Dict,
  display,
  jsonStringify,
  List,
  type MaybePromise,
  sha256Hex,
  sortTexts,
  thrown,
  type Value,
} from "../../values/index.ts";
import type { Argument } from "../arguments.ts";
import { synthesisFields } from "../rows/agents.ts";

/** By id, in the order in which they were made. */
const synthesized: StateKey<Map<string, Dict>> = { name: "synthesized tools", create: () => new Map() };

const executors: readonly string[] = ["dry_run", "host_bridge", "mcp_server"];
const maxName = 64;

function synthesize(task: Task, config: Argument): Value {
  if (!(config instanceof Dict)) throw thrown("tool_synthesize: requires a config dict");
  const spec = specOf(task, config);
  const client = clientOf(config);
  task.runtime.state(synthesized).set(spec.get("id") as string, spec);
  return new NativeCallable(spec.get("name") as string, ["args"], (caller, [input]) => {
    const args = synthesizedArgumentsOf(spec, input ?? null);
    checkCeilings(caller, toolText(spec, "name"), toolText(spec, "side_effect_level"));
    if (spec.get("executor") === "host_bridge") return runOnHost(caller, toolText(spec, "host_tool"), args);
    return spec.get("executor") === "mcp_server"
      ? runOnServer(caller, client, spec, args)
      : dryRun(spec, args);
  });
}

const toolText = (spec: Dict, key: string): string => display(spec.get(key) ?? "");

/** The first of several names for one thing that is given. */
function configured(config: Dict, ...keys: readonly string[]): Value {
  for (const key of keys) {
    const value = config.get(key) ?? null;
    if (value !== null) return value;
  }
  return null;
}

function specOf(task: Task, config: Dict): Dict {
  const description = config.get("description");
  if (typeof description !== "string" || description.trim() === "")
    throw refusal(at("tool_synthesize", "description"), "a text that is not empty", description);
  if (configured(config, "handler", "body") !== null)
    throw thrown(
      "tool_synthesize: executable handlers must be supplied with tool_define; synthesized tools are dry-run, host_bridge, or mcp_server only",
    );
  const executor = configured(config, "executor") ?? "dry_run";
  if (!executors.includes(executor as string))
    throw thrown(
      `tool_synthesize: unknown executor "${display(executor)}"; expected "dry_run", "host_bridge", or "mcp_server"`,
    );
  const name = configured(config, "name") ?? nameFrom(description);
  if (typeof name !== "string" || !/^[A-Za-z0-9_]+$/.test(name))
    throw thrown(
      `tool_synthesize: invalid tool name "${display(name)}"; use ASCII letters, digits, and underscores`,
    );
  const parameters = configured(config, "parameters", "params") ?? new Dict();
  if (!(parameters instanceof Dict)) throw refusal(at("tool_synthesize", "parameters"), "dict", parameters);
  const capabilities = namesOf(config.get("capabilities") ?? null);
  const spec = Dict.of({
    name,
    description,
    parameters,
    return_type: configured(config, "return_type", "returns"),
    capabilities: new List(capabilities),
    side_effect_level: sideEffectLevel(configured(config, "side_effect_level"), capabilities),
    executor,
    ...targetOf(executor as string, config, name),
  });
  const id = `tool_synth_${sha256Hex(task.runtime.host.crypto, jsonStringify(spec)).slice(0, 16)}`;
  return Dict.of({ id }).merge(spec);
}

/** `Sends a mail.` is `synth_sends_a_mail`. */
function nameFrom(description: string): string {
  const slug = description
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
  return `synth_${slug === "" ? "tool" : slug}`.slice(0, maxName).replace(/_+$/, "");
}

/** Where a call goes. */
function targetOf(executor: string, config: Dict, name: string): { readonly [key: string]: Value } {
  if (executor === "dry_run") return {};
  const key = executor === "host_bridge" ? "host_tool" : "mcp_tool";
  const target = configured(config, key) ?? name;
  if (typeof target !== "string" || target.trim() === "")
    throw thrown(`tool_synthesize: ${executor} executor requires a non-empty ${key}`);
  const server = configured(config, "mcp_server");
  return executor === "mcp_server" && server !== null
    ? { [key]: target, mcp_server: server }
    : { [key]: target };
}

function namesOf(value: Value): string[] {
  if (value === null) return [];
  const names = value instanceof List ? value.toArray() : [value];
  const wrong = names.find((name) => typeof name !== "string" || name.trim() === "");
  if (wrong !== undefined)
    throw refusal(at("tool_synthesize", "capabilities"), "texts that are not empty", wrong);
  return sortTexts([...new Set(names as string[])]);
}

/** Words of capabilities that need a level, the strongest first. */
const levels: readonly (readonly [level: string, words: RegExp])[] = [
  ["network", /^(?:https?|oauth\d?|net|network|connectors?|mcp)$/],
  ["process_exec", /^(?:process|processes|exec|shell)$/],
  ["workspace_write", /^(?:write|apply|delete|edit|move|remove)$/],
];

function sideEffectLevel(asked: Value, capabilities: readonly string[]): string {
  if (asked !== null) {
    if (levelRank(asked) >= 0) return asked as string;
    throw refusal(at("tool_synthesize", "side_effect_level"), `one of ${sideEffectLevels.join(", ")}`, asked);
  }
  if (capabilities.length === 0) return "none";
  const words = capabilities.flatMap((capability) => capability.toLowerCase().split(/[^a-z0-9]+/));
  return levels.find(([, rule]) => words.some((word) => rule.test(word)))?.[0] ?? "read_only";
}

/** A client is needed by a call only; what stands for one has to be one. */
function clientOf(config: Dict): McpClient | null {
  const client = configured(config, "mcp_client");
  if (client === null || client instanceof McpClient) return client;
  throw refusal(at("tool_synthesize", "mcp_client"), "mcp_client", client);
}

function runOnServer(task: Task, client: McpClient | null, spec: Dict, args: Dict): MaybePromise<Value> {
  if (client === null)
    throw thrown("mcp_server synthesized tools require mcp_client in the synthesis config");
  return callTool(task, client, toolText(spec, "mcp_tool"), args, toolText(spec, "name"));
}

function runOnHost(task: Task, tool: string, args: Dict): MaybePromise<Value> {
  const answer = callHost(task, tool, args);
  if (answer !== undefined) return answer;
  const { operations } = task.runtime.state(hostBridge);
  throw thrown(
    operations.size === 0
      ? "host_tool_call: no host bridge is attached"
      : `host_tool_call: the host does not offer '${tool}'`,
  );
}

/** The arguments of a call, complete. */
function synthesizedArgumentsOf(spec: Dict, args: Value): Dict {
  const name = toolText(spec, "name");
  if (!(args instanceof Dict)) {
    if ((spec.get("parameters") as Dict).size === 0) return new Dict();
    throw refusal(at(name, "arguments"), "dict", args);
  }
  const { required } = definedToolParameters(spec);
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
    return_type: spec.get("return_type") ?? undefined,
  });
}

export const toolSynthesis = defineBuiltins("tools", {
  tool_synthesize: {
    doc: 'A closure for a tool that is only described: it checks its arguments and gives a dry-run result, or, with `executor: "host_bridge"`, what the host\'s `host_tool` answers, or, with `executor: "mcp_server"`, the result of `mcp_tool` of `mcp_client`. Host and server are needed by a call only. It may be the handler of `tool_define`.',
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
