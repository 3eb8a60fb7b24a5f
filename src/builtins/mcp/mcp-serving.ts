/**
 * What a script offers to MCP clients (agents.md §20). These builtins only register; `harn mcp-serve FILE` runs the script
 * and serves what it registered.
 */

import type { Task } from "../../interp/index.ts";
import {
  type ServedPrompt,
  type ServedResource,
  type ServedTemplate,
  served,
  serveTools,
} from "../../mcp/index.ts";
import { isRegistry, readToolSet } from "../../model/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { Callable, Dict, List, runtimeError, thrown, typeOf, type Value } from "../../values/index.ts";
import type { Argument } from "../arguments.ts";
import { mcpPromptFields, mcpResourceFields, mcpTemplateFields } from "../rows/more.ts";

function registerTools(builtin: string, task: Task, registry: Argument): null {
  const wanted = `${builtin}: argument must be a tool registry`;
  if (registry instanceof List) {
    serveTools(task.runtime, readToolSet(registry, `${builtin}: `));
    return null;
  }
  if (!(registry instanceof Dict)) throw runtimeError(wanted);
  if (!isRegistry(registry)) throw runtimeError(`${wanted} (created with tool_registry())`);
  serveTools(task.runtime, readToolSet(registry ?? null, `${builtin}: `));
  return null;
}

/** One description, with readers that name the field that is wrong. */
class Config {
  private readonly builtin: string;
  private readonly dict: Dict;

  constructor(builtin: string, value: Argument) {
    if (!(value instanceof Dict)) throw thrown(`${builtin}: expected a dict; got ${typeOf(value ?? null)}`);
    this.builtin = builtin;
    this.dict = value;
  }

  value(key: string): Value {
    return this.dict.get(key) ?? null;
  }

  text(key: string, usual?: string): string {
    const value = this.value(key) ?? usual ?? null;
    if (value === null) throw runtimeError(`${this.builtin}: '${key}' is required`);
    if (typeof value === "string" && (value !== "" || usual !== undefined)) return value;
    throw thrown(`${this.builtin}: \`${key}\` must be a non-empty string; got ${typeOf(value)}`);
  }

  /** A text that has to be there and may be empty. */
  whole(key: string): string {
    return this.value(key) === "" ? "" : this.text(key);
  }

  handler(): Callable {
    const value = this.value("handler");
    if (value instanceof Callable) return value;
    if (value === null) throw runtimeError(`${this.builtin}: 'handler' is required`);
    throw thrown(`${this.builtin}: \`handler\` must be a function; got ${typeOf(value)}`);
  }
}

function resourceOf(value: Argument): ServedResource {
  const config = new Config("mcp_resource", value);
  const handler = config.value("handler");
  return {
    uri: config.text("uri"),
    name: config.text("name"),
    title: config.text("title", ""),
    description: config.text("description", ""),
    mimeType: config.text("mime_type", "text/plain"),
    text: handler === null ? config.whole("text") : config.handler(),
  };
}

function templateOf(value: Argument): ServedTemplate {
  const config = new Config("mcp_resource_template", value);
  return {
    uriTemplate: config.text("uri_template"),
    name: config.text("name"),
    title: config.text("title", ""),
    description: config.text("description", ""),
    mimeType: config.text("mime_type", "text/plain"),
    handler: config.handler(),
  };
}

function promptOf(value: Argument): ServedPrompt {
  const config = new Config("mcp_prompt", value);
  const declared = config.value("arguments") ?? new List([]);
  if (!(declared instanceof List))
    throw thrown(`mcp_prompt: \`arguments\` must be a list; got ${typeOf(declared)}`);
  return {
    name: config.text("name"),
    title: config.text("title", ""),
    description: config.text("description", ""),
    arguments: [...declared].map(argumentOf),
    handler: config.handler(),
  };
}

/** `"topic"` or `{name, description?, required?}`; required unless it says otherwise. */
function argumentOf(value: Value): ServedPrompt["arguments"][number] {
  if (typeof value === "string") return { name: value, description: "", required: true };
  const config = new Config("mcp_prompt: arguments", value);
  return {
    name: config.text("name"),
    description: config.text("description", ""),
    required: config.value("required") !== false,
  };
}

export const mcpServing = defineBuiltins("mcp", {
  mcp_tools: {
    doc: "Offers the tools of a registry, or of a list of tools, to MCP clients, under `harn mcp-serve`.",
    sig: "(registry: any) -> nil",
    effect: "state",
    example: "mcp_tools(tool_registry())  // nil",
    run: (task, registry: Argument) => registerTools("mcp_tools", task, registry),
  },
  mcp_serve: {
    doc: "The same as `mcp_tools`: what is registered is served by `harn mcp-serve`.",
    sig: "(registry: any) -> nil",
    effect: "state",
    example: "mcp_serve(tool_registry())  // nil",
    run: (task, registry: Argument) => registerTools("mcp_serve", task, registry),
  },
  mcp_resource: {
    doc: "Offers a resource: `{uri, name, text | handler, title?, description?, mime_type?}`. A handler gets `{uri}` and gives the text.",
    sig: "(config: dict) -> nil",
    effect: "state",
    example: 'mcp_resource({uri: "note://1", name: "note", text: "hello"})  // nil',
    fields: { config: () => mcpResourceFields },
    run: (task, config: Argument) => {
      const resource = resourceOf(config);
      task.runtime.state(served).resources.set(resource.uri, resource);
      return null;
    },
  },
  mcp_resource_template: {
    doc: "Offers all resources of a pattern: `{uri_template, name, handler, title?, description?, mime_type?}`. The handler gets the variables and `uri`.",
    sig: "(config: dict) -> nil",
    effect: "state",
    fields: { config: () => mcpTemplateFields },
    run: (task, config: Argument) => {
      const template = templateOf(config);
      task.runtime.state(served).templates.set(template.uriTemplate, template);
      return null;
    },
  },
  mcp_prompt: {
    doc: "Offers a prompt: `{name, handler, arguments?, title?, description?}`. The handler gets a dict and gives a text or a list of messages.",
    sig: "(config: dict) -> nil",
    effect: "state",
    fields: { config: () => mcpPromptFields },
    run: (task, config: Argument) => {
      const prompt = promptOf(config);
      task.runtime.state(served).prompts.set(prompt.name, prompt);
      return null;
    },
  },
});
