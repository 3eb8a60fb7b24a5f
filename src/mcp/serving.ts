/**
 * What a script offers to MCP clients: tools, resources, templates and prompts, registered while the program runs. Who
 * serves them (`harn mcp-serve`) asks here, each request in a task of its own.
 */

import { dispatchCall } from "../agent/index.ts";
import { Interruption, type Runtime, stateKey, Task } from "../interp/index.ts";
import type { ToolCall, ToolSet } from "../model/index.ts";
import { joinToolSets, noTools } from "../model/index.ts";
import {
  type Callable,
  Dict,
  display,
  fromJson,
  jsonStringify,
  List,
  toJson,
  type Value,
} from "../values/index.ts";

export interface ServedResource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  /** Its text, or what gives it. */
  readonly text: string | Callable;
}

interface ServedTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  readonly handler: Callable;
}

export interface ServedPrompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description: string;
    readonly required: boolean;
  }[];
  readonly handler: Callable;
}

/** Of a run; later registrations of a name or URI replace earlier ones. */
export interface ServedSurface {
  tools: ToolSet;
  readonly resources: Map<string, ServedResource>;
  readonly templates: Map<string, ServedTemplate>;
  readonly prompts: Map<string, ServedPrompt>;
  /** Requests so far: their tasks are numbered. */
  requests: number;
}

export const served = stateKey<ServedSurface>("agent.mcp served", () => ({
  tools: noTools,
  resources: new Map(),
  templates: new Map(),
  prompts: new Map(),
  requests: 0,
}));

/** Adds tools to what is served. */
export function addServedTools(runtime: Runtime, tools: ToolSet): void {
  const state = runtime.state(served);
  state.tools = joinToolSets(state.tools, tools);
}

/** A task of its own for one request; the signal ends it. */
function requestTask(runtime: Runtime, signal: AbortSignal | undefined): Task {
  const { effects } = runtime;
  const number = ++runtime.state(served).requests;
  const task = new Task(runtime, undefined, `task_mcp:${number}`, effects.child(effects.root));
  signal?.addEventListener("abort", () => task.abort(new Interruption("cancelled")), { once: true });
  return task;
}

async function inTask<T>(
  runtime: Runtime,
  signal: AbortSignal | undefined,
  body: (task: Task) => Promise<T>,
): Promise<T> {
  const task = requestTask(runtime, signal);
  try {
    return await body(task);
  } finally {
    task.end();
  }
}

interface ServedAnswer {
  readonly content: readonly ServedContent[];
  readonly isError: boolean;
  /** The value, when it is a dict. */
  readonly structured: { [key: string]: unknown } | undefined;
}

/** Runs a served tool like a loop would: arguments checked, failures as text. */
export function callServedTool(
  runtime: Runtime,
  name: string,
  args: { [key: string]: unknown },
  signal?: AbortSignal,
): Promise<ServedAnswer> {
  return inTask(runtime, signal, async (task) => {
    const call: ToolCall = {
      id: `mcp_${runtime.state(served).requests}`,
      name,
      arguments: args as ToolCall["arguments"],
      rawArguments: "",
      parseError: null,
      channel: "native",
    };
    const outcome = await dispatchCall(task, call, runtime.state(served).tools, {
      sessionId: "",
      iteration: 0,
    });
    const { result } = outcome;
    if (!outcome.ok) {
      const text = outcome.error ?? outcome.rendered;
      return { content: [{ type: "text", text }], isError: true, structured: undefined };
    }
    const structured = result instanceof Dict ? (toJson(result) as { [key: string]: unknown }) : undefined;
    return { content: contentList(result), isError: false, structured };
  });
}

/** Text of a served resource. */
export function servedEntries(
  runtime: Runtime,
  resource: ServedResource,
  signal?: AbortSignal,
): Promise<string> {
  const { text } = resource;
  if (typeof text === "string") return Promise.resolve(text);
  return inTask(runtime, signal, async (task) =>
    servedText(await text.call(task, [Dict.of({ uri: resource.uri })])),
  );
}

/** Text of a resource that fits a template. */
export function servedTemplate(
  runtime: Runtime,
  template: ServedTemplate,
  uri: string,
  variables: { readonly [name: string]: unknown },
  signal?: AbortSignal,
): Promise<string> {
  return inTask(runtime, signal, async (task) => {
    const bindings = Dict.of({ uri }).merge(fromJson(variables) as Dict);
    return servedText(await template.handler.call(task, [bindings]));
  });
}

interface PromptMessage {
  readonly role: "user" | "assistant";
  readonly content: ServedContent;
}

/** The messages of a served prompt: a text is one message of the user. */
export function fillServedPrompt(
  runtime: Runtime,
  prompt: ServedPrompt,
  args: { readonly [name: string]: unknown },
  signal?: AbortSignal,
): Promise<PromptMessage[]> {
  return inTask(runtime, signal, async (task) => {
    const answer = await prompt.handler.call(task, [fromJson(args)]);
    const list = answer instanceof Dict ? (answer.get("messages") ?? null) : answer;
    if (!(list instanceof List)) return userSays(list);
    return [...list].flatMap((message) => {
      if (!(message instanceof Dict) || contentItem(message) !== undefined) return userSays(message);
      const role = message.get("role") === "assistant" ? "assistant" : "user";
      const said = contentList(message.get("content") ?? message.get("text") ?? null);
      return said.map((content) => ({ role, content }));
    });
  });
}

const userSays = (value: Value): PromptMessage[] =>
  contentList(value).map((content) => ({ role: "user", content }));

/** Values of a script as content of the protocol: text, pictures, sound, resources and links to them. */
type ServedContent = { readonly type: string; readonly [key: string]: unknown };

/** Names that scripts write in their own way. */
const spellings: { readonly [name: string]: string } = { mime_type: "mimeType", base64: "data" };

/** A dict that says that it is content, in the protocol's spelling; `undefined` for any other value. */
function contentItem(value: Value): ServedContent | undefined {
  if (!(value instanceof Dict)) return undefined;
  const item = spelled(value);
  const has = (...names: string[]): boolean => names.every((name) => typeof item[name] === "string");
  switch (item.type) {
    case "text":
      return has("text") ? (item as ServedContent) : undefined;
    case "image":
    case "audio":
      return has("data", "mimeType") ? (item as ServedContent) : undefined;
    case "resource_link":
      return has("uri", "name") ? (item as ServedContent) : undefined;
    case "resource": {
      const inner = value.get("resource");
      if (!(inner instanceof Dict)) return undefined;
      const resource = spelled(inner);
      const whole = typeof resource.uri === "string" && ["text", "blob"].some((name) => name in resource);
      return whole ? { ...item, type: "resource", resource } : undefined;
    }
    default:
      return undefined;
  }
}

function spelled(dict: Dict): { [key: string]: unknown } {
  const plain = toJson(dict) as { readonly [key: string]: unknown };
  return Object.fromEntries(Object.entries(plain).map(([name, value]) => [spellings[name] ?? name, value]));
}

/** A list of content as it is; everything else is one text. */
function contentList(value: Value): ServedContent[] {
  if (value instanceof List && value.toArray().length > 0) {
    const items = value.toArray().map(contentItem);
    if (items.every((item) => item !== undefined)) return items;
  }
  const item = contentItem(value);
  return [item ?? { type: "text", text: servedText(value) }];
}

/** Texts as they are, other values as JSON. */
function servedText(value: Value): string {
  if (typeof value === "string") return value;
  return value === null || typeof value === "boolean" || typeof value === "number"
    ? display(value)
    : jsonStringify(value);
}
