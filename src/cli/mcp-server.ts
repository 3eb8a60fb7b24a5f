/** What a script registered, as a server of the official package. */
import { fromJsonSchema, McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
import {
  callServedTool,
  fillServedPrompt,
  promptSchema,
  readServed,
  readServedTemplate,
  type Served,
  served,
} from "../agent/index.ts";
import type { Runtime } from "../interp/index.ts";
import { toJson } from "../values/index.ts";

/** Checks without generating code. */
const validator = new CfWorkerJsonSchemaValidator();
type Schema = Parameters<typeof fromJsonSchema>[0];
const schemaOf = (schema: object): ReturnType<typeof fromJsonSchema<Record<string, unknown>>> =>
  fromJsonSchema<Record<string, unknown>>(schema as Schema, validator);

/** A new server over what the run has registered; one per connection. */
export function scriptServer(runtime: Runtime, name: string, version: string): McpServer {
  const server = new McpServer({ name, version });
  const offered = runtime.state(served);
  addTools(server, runtime, offered);
  addResources(server, runtime, offered);
  addPrompts(server, runtime, offered);
  return server;
}

function addTools(server: McpServer, runtime: Runtime, { tools }: Served): void {
  for (const entry of tools.entries) {
    const { name, description, inputSchema, outputSchema, annotations } = entry;
    const structured = outputSchema?.type === "object";
    server.registerTool(
      name,
      {
        description,
        inputSchema: schemaOf(inputSchema),
        ...(structured ? { outputSchema: schemaOf(outputSchema) } : {}),
        annotations: hintsOf(annotations === undefined ? {} : (toJson(annotations) as Hints)),
      },
      async (args, ctx) => {
        const answer = await callServedTool(runtime, name, args, ctx.mcpReq.signal);
        return {
          content: [{ type: "text" as const, text: answer.text }],
          ...(answer.isError ? { isError: true } : {}),
          ...(structured && answer.structured !== undefined ? { structuredContent: answer.structured } : {}),
        };
      },
    );
  }
}

type Hints = { readonly [key: string]: unknown };

/** The protocol's hints, from those that the script gave and from what it says of side effects. */
function hintsOf(annotations: Hints): Record<string, boolean | string> {
  const hints: Record<string, boolean | string> = {};
  for (const name of ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"])
    if (typeof annotations[name] === "boolean") hints[name] = annotations[name] as boolean;
  if (typeof annotations.title === "string") hints.title = annotations.title;
  const level = annotations.side_effect_level;
  if (level === "none" || level === "read_only") hints.readOnlyHint ??= true;
  if (level === "network") hints.openWorldHint ??= true;
  return hints;
}

function addResources(server: McpServer, runtime: Runtime, { resources, templates }: Served): void {
  for (const resource of resources.values()) {
    const { uri, name, mimeType } = resource;
    server.registerResource(name, uri, metadata(resource), async (_uri, ctx) => ({
      contents: [{ uri, mimeType, text: await readServed(runtime, resource, ctx.mcpReq.signal) }],
    }));
  }
  for (const template of templates.values()) {
    const { uriTemplate, name, mimeType } = template;
    const pattern = new ResourceTemplate(uriTemplate, { list: undefined });
    server.registerResource(name, pattern, metadata(template), async (uri, variables, ctx) => {
      const text = await readServedTemplate(runtime, template, uri.href, variables, ctx.mcpReq.signal);
      return { contents: [{ uri: uri.href, mimeType, text }] };
    });
  }
}

const metadata = (one: {
  description: string;
  mimeType: string;
}): { description?: string; mimeType: string } => (one.description === "" ? { mimeType: one.mimeType } : one);

function addPrompts(server: McpServer, runtime: Runtime, { prompts }: Served): void {
  for (const prompt of prompts.values()) {
    const config = { description: prompt.description, argsSchema: schemaOf(promptSchema(prompt)) };
    server.registerPrompt(prompt.name, config, async (args, ctx) => {
      const messages = await fillServedPrompt(runtime, prompt, args, ctx.mcpReq.signal);
      return {
        messages: messages.map(({ role, text }) => ({ role, content: { type: "text" as const, text } })),
      };
    });
  }
}
