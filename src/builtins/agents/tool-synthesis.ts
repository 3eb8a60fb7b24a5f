/**
 * Tools looked at and made: `tool_surface_validate` (agents.md §6.4), and tools that are described but not written (§6.5):
 * a closure that checks its arguments and says what it would do.
 */

import { callHost, checkCeilings, hostBridge, validateSurface } from "../../agent/index.ts";
import { NativeCallable, stateKey, type Task } from "../../interp/index.ts";
import { callTool, type McpClient } from "../../mcp/index.ts";
import { definedToolParameters, toolSetOfValue } from "../../model/index.ts";
import { at, defineBuiltins, type Read, refusal } from "../../table/index.ts";
import {
  Dict,
  display,
  fromJson,
  jsonStringify,
  List,
  type MaybePromise,
  sha256Hex,
  sortTexts,
  thrown,
  typeOf,
  type Value,
} from "../../values/index.ts";
import { type Argument, optionsOf } from "../arguments.ts";
import { surfaceFields, synthesisFields } from "../rows/agents.ts";

/** By id, in the order in which they were made. */
const synthesized = stateKey<Map<string, Dict>>("synthesized tools", () => new Map());

const maxName = 64;

function synthesize(task: Task, config: Dict): Value {
  const read = optionsOf("tool_synthesize", config, synthesisFields);
  const spec = specOf(task, read);
  task.runtime.state(synthesized).set(spec.get("id") as string, spec);
  return new NativeCallable(spec.get("name") as string, ["args"], (caller, [input]) => {
    const args = synthesizedArgumentsOf(spec, input ?? null);
    checkCeilings(caller, toolText(spec, "name"), toolText(spec, "side_effect_level"));
    if (read.executor === "host_bridge") return runOnHost(caller, toolText(spec, "host_tool"), args);
    return read.executor === "mcp_server"
      ? runOnServer(caller, read.mcpClient, spec, args)
      : dryRun(spec, args);
  });
}

const toolText = (spec: Dict, key: string): string => display(spec.get(key) ?? "");

function specOf(task: Task, read: Read<typeof synthesisFields>): Dict {
  const { description, executor } = read;
  if (read.handler !== null || read.body !== null)
    throw thrown(
      "tool_synthesize: executable handlers must be supplied with tool_define; synthesized tools are dry-run, host_bridge, or mcp_server only",
    );
  const name = read.name ?? nameFrom(description);
  const capabilities = sortTexts([...new Set(read.capabilities)]);
  const spec = Dict.of({
    name,
    description,
    parameters: read.parameters ?? new Dict(),
    return_type: read.returnType,
    capabilities: new List(capabilities),
    side_effect_level: read.sideEffectLevel ?? sideEffectLevel(capabilities),
    executor,
    ...(executor === "host_bridge" ? { host_tool: read.hostTool ?? name } : undefined),
    ...(executor === "mcp_server"
      ? { mcp_tool: read.mcpTool ?? name, mcp_server: read.mcpServer ?? undefined }
      : undefined),
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

/** Words of capabilities that need a level, the strongest first. */
const levels: readonly (readonly [level: string, words: RegExp])[] = [
  ["network", /^(?:https?|oauth\d?|net|network|connectors?|mcp)$/],
  ["process_exec", /^(?:process|processes|exec|shell)$/],
  ["workspace_write", /^(?:write|apply|delete|edit|move|remove)$/],
];

function sideEffectLevel(capabilities: readonly string[]): string {
  if (capabilities.length === 0) return "none";
  const words = capabilities.flatMap((capability) => capability.toLowerCase().split(/[^a-z0-9]+/));
  return levels.find(([, rule]) => words.some((word) => rule.test(word)))?.[0] ?? "read_only";
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
    sig: "(config!: dict) -> fn(dict) -> any",
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

function validate(surface: Argument, options: Argument): Value {
  if (!(surface instanceof Dict))
    throw thrown(`tool_surface_validate: requires a surface dict; got ${typeOf(surface ?? null)}`);
  const merged = options instanceof Dict ? surface.merge(options) : surface;
  const dict = (key: string): Dict | null => {
    const value = merged.get(key);
    return value instanceof Dict ? value : null;
  };
  const texts = merged.get("prompt_texts") ?? null;
  const prompts = [merged.get("system") ?? null, ...(texts instanceof List ? texts : [texts])];
  const diagnostics = validateSurface({
    tools: toolSetOfValue(merged.get("tools"), "tool_surface_validate: "),
    policy: dict("policy"),
    approval: dict("approval_policy"),
    prompts: prompts.filter((text) => typeof text === "string"),
  });
  return Dict.of({
    valid: !diagnostics.some(({ severity }) => severity === "error"),
    diagnostics: new List(diagnostics.map((one) => fromJson({ ...one }))),
  });
}

export const toolSurface = defineBuiltins("tools", {
  tool_surface_validate: {
    doc: "What is likely to go wrong with tools, policies and prompts: `{valid, diagnostics: [{code, severity, message, tool?, field?}]}`, errors first.",
    sig: "(surface: dict, options: dict | nil = nil) -> dict",
    effect: "pure",
    example: "tool_surface_validate({tools: tool_registry()}).valid  // true",
    fields: { surface: () => surfaceFields, options: () => surfaceFields },
    run: (_task, surface: Argument, options: Argument) => validate(surface, options),
  },
});
