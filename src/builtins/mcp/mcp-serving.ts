/**
 * What a script offers to MCP clients (agents.md §20). These builtins only register; `harn mcp-serve FILE` runs the script
 * and serves what it registered.
 */

import type { Task } from "../../interp/index.ts";
import { addServedTools, type ServedPrompt, type ServedResource, served } from "../../mcp/index.ts";
import { isRegistry, toolSetOfValue } from "../../model/index.ts";
import { at, defineBuiltins, inside, readRows, refusal, row, rows } from "../../table/index.ts";
import { type Dict, List } from "../../values/index.ts";
import type { Argument } from "../arguments.ts";

function registerTools(builtin: string, task: Task, registry: Argument): null {
  if (!(registry instanceof List || isRegistry(registry)))
    throw refusal(at(builtin, "registry"), "a tool registry", registry);
  addServedTools(task.runtime, toolSetOfValue(registry, `${builtin}: `));
  return null;
}

const filledText = (doc: string) => row.filled(doc).required();
const about = {
  title: row.text("The same for people.", ""),
  description: row.text("What it is.", ""),
};

const mcpResourceFields = rows(() => ({
  uri: filledText("What it is known by."),
  name: filledText("What it is called."),
  text: row.text("Its text."),
  handler: row.closure("Gives its text."),
  mime_type: row.text("What form it has.", "text/plain"),
  ...about,
}));

const mcpTemplateFields = rows(() => ({
  uri_template: filledText("The pattern of what they are known by."),
  name: filledText("What they are called."),
  handler: row.closure("Gives the text of one.").required(),
  mime_type: row.text("What form they have.", "text/plain"),
  ...about,
}));

const mcpPromptFields = rows(() => ({
  name: filledText("What it is called."),
  handler: row.closure("Gives its text or messages.").required(),
  arguments: row.list(
    row.either([row.filled(), row.dict(promptArgumentFields)]),
    'What it takes: `"topic"`, or `{name, description, required}`.',
    [],
  ),
  ...about,
}));

const promptArgumentFields = rows(() => ({
  name: filledText("What it is called."),
  description: row.text("What it is.", ""),
  required: row.bool("A client has to give it.", true),
}));

function resourceOf(value: Dict): ServedResource {
  const place = at("mcp_resource");
  const { handler, text, ...read } = readRows(value, mcpResourceFields, place);
  if (handler === null && text === null) throw refusal(inside(place, "text"), "string", null);
  return { ...read, text: handler ?? text! };
}

const promptOf = (value: Dict): ServedPrompt => {
  const read = readRows(value, mcpPromptFields, at("mcp_prompt"));
  const taken = read.arguments.map((one) =>
    typeof one === "string" ? { name: one, description: "", required: true } : one,
  );
  return { ...read, arguments: taken };
};

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
    sig: "(config!: dict) -> nil",
    effect: "state",
    example: 'mcp_resource({uri: "note://1", name: "note", text: "hello"})  // nil',
    fields: { config: () => mcpResourceFields },
    run: (task, config: Dict) => {
      const resource = resourceOf(config);
      task.runtime.state(served).resources.set(resource.uri, resource);
      return null;
    },
  },
  mcp_resource_template: {
    doc: "Offers all resources of a pattern: `{uri_template, name, handler, title?, description?, mime_type?}`. The handler gets the variables and `uri`.",
    sig: "(config!: dict) -> nil",
    effect: "state",
    fields: { config: () => mcpTemplateFields },
    run: (task, config: Dict) => {
      const template = readRows(config, mcpTemplateFields, at("mcp_resource_template"));
      task.runtime.state(served).templates.set(template.uriTemplate, template);
      return null;
    },
  },
  mcp_prompt: {
    doc: "Offers a prompt: `{name, handler, arguments?, title?, description?}`. The handler gets a dict and gives a text or a list of messages.",
    sig: "(config!: dict) -> nil",
    effect: "state",
    fields: { config: () => mcpPromptFields },
    run: (task, config: Dict) => {
      const prompt = promptOf(config);
      task.runtime.state(served).prompts.set(prompt.name, prompt);
      return null;
    },
  },
});
