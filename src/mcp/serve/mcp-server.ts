/**
 * What a script registered, as a server of the official package. The lists and answers are made here, from what the script
 * says at the time of the request; the package speaks the protocol.
 */
import {
  fromJsonSchema,
  ProtocolError,
  Server,
  type Transport,
  UriTemplate,
} from "@modelcontextprotocol/server";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
import type { Runtime } from "../../interp/index.ts";
import { display, ScriptError, toJson } from "../../values/index.ts";
import {
  callServedTool,
  fillServedPrompt,
  type ServedPrompt,
  type ServedSurface,
  served,
  servedEntries,
  servedTemplate,
} from "../index.ts";

/** Checks without generating code. */
const validator = new CfWorkerJsonSchemaValidator();
type JsonSchemaInput = Parameters<typeof fromJsonSchema>[0];

type JsonDocument = { readonly [key: string]: unknown };

/** How a server names itself. */
export interface ServedAs {
  readonly name: string;
  readonly version: string;
  /** Its card, parsed: served with its name and as a resource. */
  readonly card?: JsonDocument;
}

const cardUri = "well-known://mcp-card";
/** Tools that one answer to `tools/list` holds. */
const pageSize = 50;

/** `noResource` is -32002 when it is sent: the package would make -32602 of that number. */
const code = { notFound: -32601, params: -32602, internal: -32603, noResource: -32098 } as const;
const noResourceSent = -32002;
const protocolError = (number: number, message: string, data?: JsonDocument): never => {
  throw new ProtocolError(number, message, data);
};

class ScriptServer extends Server {
  override async connect(transport: Transport): Promise<void> {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      if (!("error" in message) || message.error.code !== code.noResource) return send(message, options);
      return send({ ...message, error: { ...message.error, code: noResourceSent } }, options);
    };
    await super.connect(transport);
  }
}

/** A new server over what the run has registered; one per connection. */
export function scriptServer(runtime: Runtime, as: ServedAs): Server {
  const { name, version, card } = as;
  const offered = runtime.state(served);
  const { tools, resources, templates, prompts } = offered;
  const withResources = resources.size + templates.size > 0 || card !== undefined;
  const info = { name, version, ...(card === undefined ? {} : { card }) };
  const server = new ScriptServer(info, {
    capabilities: {
      ...(tools.entries.length > 0 ? { tools: {} } : {}),
      ...(withResources ? { resources: {} } : {}),
      ...(prompts.size > 0 ? { prompts: {} } : {}),
    },
  });
  if (tools.entries.length > 0) offerTools(server, runtime, offered);
  if (withResources) offerResources(server, runtime, offered, card);
  if (prompts.size > 0) offerPrompts(server, runtime, offered);
  server.fallbackRequestHandler = async ({ method }) => {
    if (features.some((feature) => method.startsWith(feature)))
      return protocolError(code.notFound, `${method} is not supported by this server`, {
        type: "mcp.unsupportedFeature",
        feature: method,
      });
    return protocolError(code.notFound, "Method not found");
  };
  return server;
}

/** What the protocol knows and this server does not offer. */
const features = [
  "completion/",
  "elicitation/",
  "logging/",
  "prompts/",
  "resources/",
  "roots/",
  "sampling/",
  "tasks/",
  "tools/",
];

// ── tools ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function offerTools(server: Server, runtime: Runtime, { tools }: ServedSurface): void {
  const listed = tools.entries.map(({ name, description, inputSchema, outputSchema, annotations }) => {
    const hints = hintsOf(annotations === undefined ? {} : (toJson(annotations) as JsonDocument));
    return {
      name,
      description,
      inputSchema,
      ...(outputSchema?.type === "object" ? { outputSchema } : {}),
      ...(typeof hints.title === "string" ? { title: hints.title } : {}),
      annotations: hints,
    };
  });
  server.setRequestHandler("tools/list", ({ params }) => {
    const from = pageStart(params?.cursor, listed.length);
    const next = from + pageSize;
    const page = { tools: listed.slice(from, next) };
    return (next < listed.length ? { ...page, nextCursor: String(next) } : page) as never;
  });
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const { name, arguments: args = {} } = params;
    if ("task" in params && params.task !== undefined)
      protocolError(code.params, "tools/call: `task` is not supported by this server");
    const entry = tools.byName.get(name);
    if (entry === undefined) return protocolError(code.params, `Tool ${name} not found`);
    const answer = await callServedTool(runtime, name, args, mcpReq.signal);
    const { outputSchema } = entry;
    if (answer.isError || outputSchema?.type !== "object")
      return { content: answer.content, ...(answer.isError ? { isError: true } : {}) } as never;
    const wrong = await schemaMismatch(outputSchema, answer.structured);
    if (wrong !== "")
      return { content: [{ type: "text", text: `${name}: ${wrong}` }], isError: true } as never;
    return { content: answer.content, structuredContent: answer.structured } as never;
  });
}

/** Where a page begins. */
function pageStart(cursor: string | undefined, count: number): number {
  if (cursor === undefined) return 0;
  const from = Number(cursor);
  if (/^\d+$/.test(cursor) && from > 0 && from < count && from % pageSize === 0) return from;
  return protocolError(code.params, `Invalid cursor: ${cursor}`);
}

/** What is wrong with a result; "" for nothing. */
async function schemaMismatch(schema: object, value: JsonDocument | undefined): Promise<string> {
  if (value === undefined) return "the result is no dict, which its output schema says it is";
  const checked = await fromJsonSchema<JsonDocument>(schema as JsonSchemaInput, validator)[
    "~standard"
  ].validate(value);
  if (checked.issues === undefined) return "";
  const said = checked.issues.map(({ message }) => message).join("; ");
  return `the result does not match its output schema: ${said}`;
}

/** The protocol's hints, from those that the script gave and from what it says of side effects. */
function hintsOf(annotations: JsonDocument): Record<string, boolean | string> {
  const hints: Record<string, boolean | string> = {};
  for (const [own, name] of hintNames)
    for (const key of [own, name])
      if (typeof annotations[key] === "boolean") hints[name] = annotations[key] as boolean;
  if (typeof annotations.title === "string") hints.title = annotations.title;
  const level = annotations.side_effect_level;
  if (level === "none" || level === "read_only") hints.readOnlyHint ??= true;
  if (level === "network") hints.openWorldHint ??= true;
  return hints;
}

/** As scripts may write them, and as the protocol does. */
const hintNames = [
  ["read_only", "readOnlyHint"],
  ["destructive", "destructiveHint"],
  ["idempotent", "idempotentHint"],
  ["open_world", "openWorldHint"],
] as const;

// ── resources ─────────────────────────────────────────────────────────────────────────────────────────────────────

function offerResources(
  server: Server,
  runtime: Runtime,
  { resources, templates }: ServedSurface,
  card: JsonDocument | undefined,
): void {
  const cardRow = { uri: cardUri, name: "mcp-card", mimeType: "application/json" };
  server.setRequestHandler("resources/list", () => ({
    resources: [
      ...[...resources.values()].map((resource) => ({ uri: resource.uri, ...aboutResource(resource) })),
      ...(card === undefined ? [] : [cardRow]),
    ],
  }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [...templates.values()].map((template) => ({
      uriTemplate: template.uriTemplate,
      ...aboutResource(template),
    })),
  }));
  server.setRequestHandler("resources/read", async ({ params: { uri } }, { mcpReq }) => {
    const one = (mimeType: string, text: string): { contents: object[] } => ({
      contents: [{ uri, mimeType, text }],
    });
    const resource = resources.get(uri);
    if (resource !== undefined)
      return one(
        resource.mimeType,
        await asProtocolError(() => servedEntries(runtime, resource, mcpReq.signal)),
      ) as never;
    if (card !== undefined && uri === cardUri) return one(cardRow.mimeType, JSON.stringify(card)) as never;
    for (const template of templates.values()) {
      const variables = new UriTemplate(template.uriTemplate).match(uri);
      if (variables === null) continue;
      const read = (): Promise<string> => servedTemplate(runtime, template, uri, variables, mcpReq.signal);
      return one(template.mimeType, await asProtocolError(read)) as never;
    }
    return protocolError(code.noResource, `Resource not found: ${uri}`, { uri });
  });
}

/** What a client is told of a resource or a template besides where it is. */
function aboutResource(one: {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
}): { name: string; mimeType: string } {
  const { name, mimeType } = one;
  return { name, ...said("title", one.title), ...said("description", one.description), mimeType };
}

const said = (key: string, text: string): JsonDocument => (text === "" ? {} : { [key]: text });

// ── prompts ───────────────────────────────────────────────────────────────────────────────────────────────────────

function offerPrompts(server: Server, runtime: Runtime, { prompts }: ServedSurface): void {
  server.setRequestHandler("prompts/list", () => ({
    prompts: [...prompts.values()].map((prompt) => ({
      name: prompt.name,
      ...said("title", prompt.title),
      ...said("description", prompt.description),
      arguments: prompt.arguments.map(({ name, description, required }) => ({
        name,
        ...said("description", description),
        required,
      })),
    })),
  }));
  server.setRequestHandler("prompts/get", async ({ params: { name, arguments: args = {} } }, { mcpReq }) => {
    const prompt = prompts.get(name);
    if (prompt === undefined) return protocolError(code.params, `Prompt ${name} not found`);
    const missing = missingOf(prompt, args);
    if (missing !== "") protocolError(code.params, `Prompt ${name}: the argument ${missing} is required`);
    const messages = await asProtocolError(() => fillServedPrompt(runtime, prompt, args, mcpReq.signal));
    return { ...said("description", prompt.description), messages } as never;
  });
}

/** The first required argument that is not there; "" for none. */
const missingOf = (prompt: ServedPrompt, args: JsonDocument): string =>
  prompt.arguments.find(({ name, required }) => required && args[name] === undefined)?.name ?? "";

/** A handler's result; what it throws is told in its own words. */
async function asProtocolError<T>(body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    if (error instanceof ScriptError) return protocolError(code.internal, display(error.value));
    throw error;
  }
}
