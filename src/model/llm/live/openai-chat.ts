/**
 * OpenAI's Chat Completions, spoken by every compatible server.
 *
 * Compatible servers differ in small things, all met here: calls without an index or id, reasoning under two names,
 * usage in one chunk or in all, a plain JSON answer where a stream was asked for.
 */
import type { ModelCapabilities } from "../catalogue/capabilities.ts";
import type {
  Json,
  JsonObject,
  JsonSchema,
  ModelOutcome,
  ModelRequest,
  StopReason,
  Thinking,
} from "../port.ts";
import { chatTool, isObject } from "../tool-wire.ts";
import {
  type Adapter,
  type AnswerReader,
  argumentPiece,
  brokenOff,
  idOf,
  type LiveCall,
  noAnswer,
  receive,
  schemaInWords,
  sentSchema,
  sentTools,
  takesSampling,
  textOf,
  withOverrides,
  wordOf,
} from "./call.ts";
import { chatMessages } from "./chat-messages.ts";
import { AnswerFault } from "./faults.ts";
import { openaiClient } from "./openai-client.ts";

/** One chunk, or a whole completion (`message` in place of `delta`), as far as it is read. */
interface ChatChunk {
  service_tier?: string | null;
  id?: string;
  choices?: {
    delta?: Delta;
    message?: Delta;
    finish_reason?: string | null;
    logprobs?: { content?: Json[] | null } | null;
  }[];
  usage?: JsonObject | null;
}

interface Delta {
  content?: string | null;
  refusal?: string | null;
  reasoning?: string | null;
  reasoning_content?: string | null;
  /** OpenRouter: what the model's own vendor wants to see again. */
  reasoning_details?: Json[] | null;
  tool_calls?: ChunkCall[] | null;
}

interface ChunkCall {
  index?: number;
  id?: string;
  function?: { name?: string; arguments?: string };
  /** Gemini: the signature of the thought that led to the call. */
  extra_content?: JsonObject;
}

/** Runs one call. */
export const openaiChat: Adapter = async (call) => {
  const client = await openaiClient(call);
  const body = chatBody(call, call.request.stream !== false);
  const sent = client.chat.completions.create(body as never, { signal: call.guard.signal });
  return await receive(sent, call, "x-request-id", new ChatReader(call));
};

/** The request body. */
export function chatBody(call: LiveCall, streaming: boolean): JsonObject {
  const { request, endpoint, can } = call;
  const own = endpoint.provider.name === "openai";
  const wanted = chatFormat(call);
  const body: JsonObject = {
    model: request.model,
    messages: chatMessages(request, endpoint.provider, wanted.words),
    stream: streaming,
    stream_options: streaming ? { include_usage: true } : null,
    ...chatTools(request),
    // OpenAI has renamed the field; the others mostly know the old name only.
    [own || can.requires_completion_tokens ? "max_completion_tokens" : "max_tokens"]:
      request.max_tokens ?? null,
    temperature: takesSampling(call) ? (request.temperature ?? null) : null,
    top_p: takesSampling(call) ? (request.top_p ?? null) : null,
    top_k: own ? null : (request.top_k ?? null),
    stop: request.stop ?? null,
    seed: request.seed ?? null,
    frequency_penalty: request.frequency_penalty ?? null,
    presence_penalty: request.presence_penalty ?? null,
    logprobs: request.logprobs ?? null,
    top_logprobs: request.top_logprobs ?? null,
    response_format: wanted.field,
    service_tier: request.fast ? "priority" : null,
    ...thinkingFields(call),
  };
  return withOverrides(body, request.provider_overrides);
}

function chatTools(request: ModelRequest): JsonObject {
  const tools = [...(request.provider_tools ?? []), ...sentTools(request).map(chatTool)];
  if (tools.length === 0) return {};
  const choice = request.tool_choice ?? null;
  const named = choice !== null && typeof choice === "object";
  return { tools, tool_choice: named ? { type: "function", function: { name: choice.name } } : choice };
}

/** How structured output is asked for: a field of the body, or words in the system text. */
function chatFormat({ request, can, answer }: LiveCall): {
  field: JsonObject | null;
  words: string | null;
} {
  const format = request.output_format;
  if (!format || format.kind === "text") return { field: null, words: null };
  if (format.kind === "json_object" || can.json_schema !== "native")
    return formatInWords(format.schema ?? null);
  const { schema, strict } = sentSchema(format);
  answer.response.strict_nulls = strict;
  return {
    field: { type: "json_schema", json_schema: { name: format.name ?? "answer", schema, strict } },
    words: null,
  };
}

/** The mode `json_object` allows objects alone: other answers are asked for in words only. */
function formatInWords(schema: JsonSchema | null): { field: JsonObject | null; words: string } {
  const object = schema === null || schema.type === undefined || schema.type === "object";
  return { field: object ? { type: "json_object" } : null, words: schemaInWords(schema) };
}

/** Thinking in the words of each gateway (agents.md §1.5). Qwen's `/no_think` is part of the system text. */
function thinkingFields({ request, endpoint, can }: LiveCall): JsonObject {
  const { thinking } = request;
  if (!thinking) return {};
  const provider = endpoint.provider.name;
  if (provider === "openrouter") {
    if (thinking.mode === "disabled") return { reasoning: { enabled: false } };
    if (thinking.mode === "effort") return { reasoning: { effort: thinking.level } };
    const budget = thinking.mode === "enabled" ? thinking.budget_tokens : undefined;
    return { reasoning: budget === undefined ? { enabled: true } : { max_tokens: budget } };
  }
  if (provider === "together") return { reasoning: { enabled: thinking.mode !== "disabled" } };
  if (provider === "deepseek") return deepseekThinking(thinking);
  if (provider === "gemini" && thinking.mode !== "effort") return geminiBudget(thinking, can);
  return thinking.mode === "effort" ? { reasoning_effort: thinking.level } : {};
}

function deepseekThinking(thinking: Thinking): JsonObject {
  if (thinking.mode === "disabled" || (thinking.mode === "effort" && thinking.level === "none"))
    return { thinking: { type: "disabled" } };
  const effort = thinking.mode === "effort" ? { reasoning_effort: thinking.level } : {};
  return { thinking: { type: "enabled" }, ...effort };
}

/** -1: the model decides; 0: not at all. */
function geminiBudget(thinking: Thinking, can: ModelCapabilities): JsonObject {
  const off = thinking.mode === "disabled";
  if (!can.thinking_modes.includes("enabled") || (off && can.thinking_default === "always")) return {};
  const budget = off ? 0 : thinking.mode === "enabled" ? (thinking.budget_tokens ?? -1) : -1;
  return { extra_body: { google: { thinking_config: { thinking_budget: budget } } } };
}

/** A call in the stream; its arguments are held back until its name has come. */
interface Growing {
  readonly key: number;
  /** As the server numbers it; `own`: as the answer does. */
  id: string;
  own: string;
  named: boolean;
  held: string;
  extra: JsonObject | null;
}

/** Collects chunks into the answer. */
class ChatReader implements AnswerReader<ChatChunk, ChatChunk> {
  private readonly call: LiveCall;
  private stop: string | null = null;
  private refused = false;
  private serial = 0;
  private reported = 0;
  private readonly logprobs: Json[] = [];
  /** The field of that name was there, be it empty: DeepSeek wants it back then. */
  private reasoned: string | null = null;
  private readonly details: Json[] = [];
  /** Per index of the stream: the call that now grows there. */
  private readonly growing = new Map<number, Growing>();

  constructor(call: LiveCall) {
    this.call = call;
  }

  read(chunk: ChatChunk): void {
    this.call.guard.touch();
    const { answer } = this.call;
    answer.response.request_id ??= wordOf(chunk.id);
    if (isObject(chunk.usage)) this.readUsage(chunk.usage);
    // The service that answered; not always the one that was asked for.
    if (chunk.service_tier === "default") answer.priceFactor = 1;
    const choice = chunk.choices?.[0];
    if (!choice) return;
    const delta = choice.delta ?? choice.message ?? {};
    answer.thinking(textOf(delta.reasoning_content ?? delta.reasoning));
    if (typeof delta.reasoning_content === "string")
      this.reasoned = (this.reasoned ?? "") + delta.reasoning_content;
    if (Array.isArray(delta.reasoning_details)) this.details.push(...delta.reasoning_details);
    answer.text(textOf(delta.content));
    if (delta.refusal) {
      this.refused = true;
      answer.text(textOf(delta.refusal));
    }
    if (Array.isArray(delta.tool_calls)) for (const part of delta.tool_calls) this.readCall(part);
    if (Array.isArray(choice.logprobs?.content)) this.logprobs.push(...choice.logprobs.content);
    this.stop = wordOf(choice.finish_reason) ?? this.stop;
  }

  whole(completion: ChatChunk): void {
    this.read(completion);
  }

  private readCall(part: ChunkCall): void {
    const { answer } = this.call;
    const name = wordOf(part.function?.name) ?? "";
    const id = idOf(part.id);
    const index = part.index ?? (id ? this.serial : Math.max(0, this.serial - 1));
    let current = this.growing.get(index);
    // Some servers number every call 0: a new id with a name begins a new call.
    const another = current !== undefined && id !== "" && id !== current.id && name !== "" && current.named;
    if (!current || another) {
      if (current) this.endCall(current);
      const key = this.serial++;
      current = { key, id, own: id, named: false, held: "", extra: null };
      this.growing.set(index, current);
    }
    if (!current.named) {
      current.id ||= id;
      if (name !== "") {
        current.named = true;
        current.own = answer.callStart(current.key, current.id, name);
        answer.callDelta(current.key, current.held);
      }
    }
    if (isObject(part.extra_content)) current.extra = part.extra_content;
    const piece = argumentPiece(part.function?.arguments);
    if (current.named) answer.callDelta(current.key, piece);
    else current.held += piece;
  }

  private endCall({ key, named, own, extra }: Growing): void {
    if (!named) throw noAnswer(this.call.endpoint, "a call without the name of a tool");
    this.call.answer.callEnd(key);
    if (extra !== null) this.seal({ tool_call_id: own, extra_content: extra });
  }

  private seal(item: JsonObject): void {
    const { answer, endpoint } = this.call;
    answer.reasoning({ protocol: "openai_chat", provider: endpoint.provider.name, item });
  }

  /** What servers refuse or forget a conversation with calls without; texts alone need none of it. */
  private sealThoughts(): void {
    if (this.serial === 0) return;
    if (this.details.length > 0) this.seal({ reasoning_details: joinedDetails(this.details) });
    else if (this.reasoned !== null) this.seal({ reasoning_content: this.reasoned });
  }

  private readUsage(usage: JsonObject): void {
    const prompt = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
    const completion = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
    this.reported = tokenCount(usage.completion_tokens);
    this.call.answer.usage({
      input_tokens: tokenCount(usage.prompt_tokens),
      output_tokens: this.reported,
      // DeepSeek's own name comes second.
      cache_read_tokens: tokenCount(prompt.cached_tokens ?? usage.prompt_cache_hit_tokens),
      cache_write_tokens: tokenCount(prompt.cache_write_tokens),
      reasoning_tokens: tokenCount(completion.reasoning_tokens),
    });
  }

  finish(): ModelOutcome {
    const { answer, endpoint, guard } = this.call;
    if (guard.cause || this.stop === null) throw brokenOff(endpoint);
    for (const call of this.growing.values()) this.endCall(call);
    this.sealThoughts();
    const { text, tool_calls } = answer.response;
    const nothing = text === "" && this.serial === 0 && tool_calls.length === 0 && !answer.hasThoughts;
    if (nothing && this.reported > 0 && this.stop !== "content_filter") {
      const said = `${endpoint.provider.name} reported ${this.reported} completion tokens but delivered no content, reasoning, or tool calls`;
      throw new AnswerFault("server_error", said);
    }
    const stop = this.refused ? "refusal" : stopReason(this.stop, this.serial > 0);
    return answer.succeed(stop, this.logprobs.length > 0 ? { logprobs: this.logprobs } : {});
  }
}

/** Pieces of one entry come one after the other, told apart by type and index: they go back as one. */
function joinedDetails(details: readonly Json[]): Json[] {
  const entries: JsonObject[] = [];
  for (const piece of details) {
    if (!isObject(piece)) continue;
    const last = entries.at(-1);
    const same = last !== undefined && last.type === piece.type && last.index === piece.index;
    if (!same) {
      entries.push({ ...piece });
      continue;
    }
    for (const [name, value] of Object.entries(piece)) {
      const before = last[name];
      const grows = ["text", "summary", "data"].includes(name);
      if (grows && typeof before === "string" && typeof value === "string") last[name] = before + value;
      else if (value !== null && value !== undefined) last[name] = value;
    }
  }
  return entries;
}

function stopReason(reason: string, called: boolean): StopReason {
  if (reason === "length") return "max_tokens";
  if (reason === "content_filter") return "refusal";
  if (reason === "tool_calls" || reason === "function_call") return "tool_use";
  // Several servers say `stop` after tool calls.
  if (reason === "stop") return called ? "tool_use" : "end_turn";
  return reason;
}

/** More than any model counts: sums and prices of it would say nothing. */
const largestCount = 1e12;

/** A count out of a vendor's usage; 0 for what is none, which is then estimated. */
export function tokenCount(value: Json | undefined): number {
  return typeof value === "number" && value > 0 && value <= largestCount ? value : 0;
}
