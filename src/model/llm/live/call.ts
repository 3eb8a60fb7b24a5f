/** What an adapter is given for one call, and the few things all adapters do alike. */
import { type Answer, finishedCall } from "../answer.ts";
import type { ModelCapabilities } from "../catalogue/capabilities.ts";
import { textOfMessage } from "../content.ts";
import type {
  Json,
  JsonObject,
  JsonSchema,
  ModelMessage,
  ModelOutcome,
  ModelRequest,
  ModelTool,
} from "../port.ts";
import { strictify } from "../strictify.ts";
import { isObject } from "../tool-wire.ts";
import type { Endpoint } from "./endpoint.ts";
import { AnswerFault, addressOf, plainFault } from "./faults.ts";
import type { CallGuard } from "./guard.ts";

export interface LiveCall {
  request: ModelRequest;
  endpoint: Endpoint;
  can: ModelCapabilities;
  answer: Answer;
  guard: CallGuard;
  /** What makes the request; the global one unless given. */
  fetch: typeof fetch | undefined;
}

/** Speaks one protocol. Throws whatever goes wrong; the caller words it. */
export type Adapter = (call: LiveCall) => Promise<ModelOutcome>;

/** The body with the caller's own fields on top; a field set to null is left out. */
export function withOverrides(body: JsonObject, overrides: JsonObject | null | undefined): JsonObject {
  // The first is no vendor's field: it steers tool search (agents.md §9). How an answer travels is the request's `stream`.
  const { force_native_tool_search: _own, stream: _transport, ...rest } = overrides ?? {};
  const merged = { ...body, ...rest };
  for (const [name, value] of Object.entries(merged))
    if (value === null || value === undefined) delete merged[name];
  return merged;
}

/** System text and conversation, with system messages at the head of the list moved into the former. */
export function splitSystem(request: ModelRequest): { system: string; messages: ModelMessage[] } {
  const first = request.messages.findIndex((message) => message.role !== "system");
  const head = first < 0 ? request.messages : request.messages.slice(0, first);
  const parts = [request.system ?? "", ...head.map(textOfMessage)].filter((part) => part !== "");
  return { system: parts.join("\n\n"), messages: request.messages.slice(head.length) };
}

/** A system message in the middle of a conversation, for vendors that know system texts at its start only. */
export function lateSystem(message: ModelMessage): string {
  return `<system>\n${textOfMessage(message)}\n</system>`;
}

/** The id of the call that a tool's answer belongs to, in either spelling. */
export function answeredLiveCall(message: ModelMessage): string | undefined {
  return message.tool_call_id ?? message.tool_use_id;
}

/**
 * Arguments of a call that goes back to the model: always an object, because servers refuse a conversation with anything
 * else in it. Malformed ones were answered with an error; their text stays readable inside.
 */
export function sentArguments(value: Json | undefined): JsonObject {
  if (isObject(value)) return value;
  if (value === undefined || value === null || value === "") return {};
  if (typeof value !== "string") return { malformed_arguments: value };
  return finishedCall("", "", value).arguments ?? { malformed_arguments: value };
}

/** The schema as it is sent, and whether in strict form. `strict: false` in the request keeps it as written. */
export function sentSchema(format: { schema: JsonSchema; strict?: boolean }): {
  schema: JsonSchema;
  strict: boolean;
} {
  if (format.strict === false) return { schema: format.schema, strict: false };
  const { schema, strict } = strictify(format.schema);
  return { schema, strict };
}

/** Models that reason take no temperature and its kin, some of them unless they are told not to reason. */
export const takesSampling = ({ request: { thinking }, can }: LiveCall): boolean =>
  can.sampling || (thinking?.mode === "effort" && thinking.level === "none");

/** Puts a schema into words, for routes that cannot be given one. */
export function schemaInWords(schema: JsonSchema | null): string {
  const ask = "Answer with a single JSON value and nothing else: no prose, no code fence.";
  return schema ? `${ask} It must satisfy this JSON Schema:\n${JSON.stringify(schema)}` : ask;
}

/** The kind of body that arrived instead of events. */
function bodyKind(response: { headers: { get(name: string): string | null } }): "events" | "json" | "other" {
  const type = response.headers.get("content-type") ?? "";
  if (/event-stream|ndjson/i.test(type) || type === "") return "events";
  return /json/i.test(type) ? "json" : "other";
}

/** An answer in a format nobody asked for, most often the page of a proxy or a wrong address. */
async function notAnAnswer(response: Response, endpoint: Endpoint): Promise<AnswerFault> {
  const text = plainFault((await response.text()).slice(0, 20_000), endpoint, 120);
  const type = response.headers.get("content-type") ?? "unknown type";
  const shown = text === "" ? "an empty body" : `"${text}"`;
  return new AnswerFault(
    "generic",
    `${endpoint.provider.name} at ${addressOf(endpoint)} answered with ${type} instead of JSON: ${shown}. Is the address right?`,
  );
}

/** A stream that ended without saying so. */
export function brokenOff(endpoint: Endpoint): AnswerFault {
  return new AnswerFault(
    "transient_network",
    `${endpoint.provider.name} broke off in the middle of its answer`,
  );
}

/** A request on its way, as both SDKs give it. */
interface SdkRequest {
  asResponse(): Promise<Response>;
  withResponse(): Promise<{ data: unknown; response: Response }>;
}

/** Takes an answer in, piece by piece or whole. */
export interface AnswerReader<Event, Whole> {
  read(event: Event): void;
  whole(answer: Whole): void;
  finish(): ModelOutcome;
}

/**
 * Waits for the answer and feeds it to the reader. Bodies that came in one piece are read here and not by the SDKs,
 * which stumble over anything that is no JSON; a whole answer in place of a stream is taken as well.
 */
export async function receive<Event, Whole>(
  sent: SdkRequest,
  call: LiveCall,
  idHeader: string,
  reader: AnswerReader<Event, Whole>,
): Promise<ModelOutcome> {
  const streaming = call.request.stream !== false;
  const { data, response } = streaming
    ? await sent.withResponse()
    : { data: null, response: await sent.asResponse() };
  call.answer.start(response.headers.get(idHeader));
  if (response.body === null) throw noAnswer(call.endpoint, `HTTP ${response.status} without a body`);
  const kind = bodyKind(response);
  if (streaming && kind === "events") {
    for await (const event of callEvents(data as AsyncIterable<Event>, call.endpoint))
      understood(call.endpoint, event, () => reader.read(event));
  } else if (kind === "json") {
    const whole = (await response.json()) as Whole;
    understood(call.endpoint, whole, () => reader.whole(whole));
  } else throw await notAnAnswer(response, call.endpoint);
  return reader.finish();
}

/**
 * Reads one event. The types say what vendors promise, and servers of all kinds send something else: what a reader
 * stumbles over is a fault of the answer, never one of the program.
 */
function understood(endpoint: Endpoint, event: unknown, read: () => void): void {
  if (!isObject(event)) throw noAnswer(endpoint, shortEvent(event, endpoint));
  if (deeper(event, maxEventDepth)) throw noAnswer(endpoint, `an event of more than ${maxEventDepth} levels`);
  try {
    read();
  } catch (error) {
    const stumbled = error instanceof TypeError || error instanceof RangeError;
    throw stumbled ? noAnswer(endpoint, shortEvent(event, endpoint)) : error;
  }
}

/** As for arguments of calls: everything that walks what is kept of an event would have to be ready for more. */
const maxEventDepth = 1000;

function deeper(value: unknown, levels: number): boolean {
  let layer: unknown[] = [value];
  for (let depth = 0; layer.length > 0; depth++) {
    if (depth > levels) return true;
    const next: unknown[] = [];
    for (const one of layer)
      if (typeof one === "object" && one !== null)
        for (const part of Object.values(one)) if (typeof part === "object" && part !== null) next.push(part);
    layer = next;
  }
  return false;
}

/**
 * Text as servers send it: a string, a list of parts with texts in them, or nothing. Anything else is no text, and is
 * said so: put into words it would be `[object Object]`.
 */
export function textOf(content: unknown): string {
  if (content === undefined || content === null) return "";
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map(textOf).join("");
  if (isObject(content) && (typeof content.text === "string" || typeof content.type === "string"))
    return textOf(content.text);
  throw new TypeError("not a text");
}

/** A name that must be one: that of a tool. */
export function nameOf(name: unknown): string {
  if (typeof name === "string" && name !== "") return name;
  throw new TypeError("not a name");
}

/** An id, however it is spelt; empty when there is none. */
export function idOf(id: unknown): string {
  return typeof id === "string" || typeof id === "number" ? String(id) : "";
}

/** A piece of argument text; some servers send the arguments as the object itself. */
export function argumentPiece(piece: unknown): string {
  if (piece === undefined || piece === null) return "";
  return typeof piece === "string" ? piece : JSON.stringify(piece);
}

/** A word of the protocol: a reason, a status; anything but text is none. */
export function wordOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** The events of a stream; the SDKs, too, stumble over some. */
async function* callEvents<Event>(stream: AsyncIterable<Event>, endpoint: Endpoint): AsyncGenerator<Event> {
  const stumbles = /^Cannot (read|destructure|convert)|^Attempted to iterate|is not (a function|iterable)/;
  try {
    yield* stream;
  } catch (error) {
    const own = error instanceof Error && error.cause === undefined && stumbles.test(error.message);
    throw own ? noAnswer(endpoint, "an event that cannot be read") : error;
  }
}

/** The fault of an answer that is none in its protocol. */
export function noAnswer(endpoint: Endpoint, got: string): AnswerFault {
  const { name } = endpoint.provider;
  return new AnswerFault("server_error", `${name} sent what is no answer in its protocol: ${got}`);
}

const shortEvent = (event: unknown, endpoint: Endpoint): string => plainFault(written(event), endpoint, 120);

/**
 * The tools as they go out. Without a search of the vendor's own nothing may be deferred: the model could never reach it,
 * and servers refuse fields that they do not know.
 */
export function sentTools(request: ModelRequest): ModelTool[] {
  const tools = request.tools ?? [];
  if ((request.provider_tools ?? []).some(({ type }) => String(type).startsWith("tool_search"))) return tools;
  return tools.map(({ defer_loading: _deferred, namespace: _group, ...tool }) => tool);
}

/** An event as text; some can't be written in one piece. */
function written(event: unknown): string {
  try {
    return JSON.stringify(event) ?? String(event);
  } catch {
    return "an event that cannot be written";
  }
}
