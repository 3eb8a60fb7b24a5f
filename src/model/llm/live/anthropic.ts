/**
 * Anthropic's Messages API.
 *
 * Structured output takes one of three ways, the first that the model has: the vendor's own output format, a
 * forced call of a tool whose input is the answer (folded back into text here), words in the system text.
 */
import { versionOf } from "../catalogue/capabilities.ts";
import { effortBudgets } from "../effort.ts";
import type { Json, JsonObject, ModelOutcome, ModelRequest, StopReason, Thinking } from "../port.ts";
import { anthropicTool, isObject } from "../tool-wire.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import {
  type Adapter,
  type AnswerReader,
  argumentPiece,
  brokenOff,
  idOf,
  type LiveCall,
  nameOf,
  receive,
  schemaInWords,
  sentSchema,
  sentTools,
  splitSystem,
  textOf,
  withOverrides,
  wordOf,
} from "./call.ts";
import { tokenCount } from "./openai-chat.ts";

/** The tool whose input is the answer. */
const answerTool = "json_answer";
/** The vendor requires a limit; the same as `llm_call`'s default. */
const defaultMaxTokens = 16_384;
interface AnthropicEvent {
  type: string;
  index?: number;
  message?: { id?: string; usage?: JsonObject };
  content_block?: JsonObject & { type: string };
  delta?: JsonObject & { type?: string };
  usage?: JsonObject;
}

interface Whole {
  id?: string;
  content?: (JsonObject & { type: string })[];
  stop_reason?: string | null;
  usage?: JsonObject;
}

/** Runs one call. */
export const anthropic: Adapter = async (call) => {
  const { Anthropic } = await import("@anthropic-ai/sdk");
  const { endpoint, guard } = call;
  const client = new Anthropic({
    baseURL: endpoint.baseUrl,
    // A server of one's own may want no key, but the SDK wants one or the other.
    apiKey: endpoint.apiKey ?? "none",
    // Set, so that the SDK looks for no other credentials and traces nothing.
    authToken: null,
    openTelemetry: false,
    maxRetries: 0,
    fetch: boundedFetch(endpoint.provider.name, call.request, defaultMaxTokens, call.fetch),
    timeout: guard.totalMs + 5_000,
    logLevel: "off",
  });
  const { body, beta } = anthropicBody(call, call.request.stream !== false);
  const headers = beta.length > 0 ? { "anthropic-beta": beta.join(",") } : {};
  // Not `messages.create`: it writes a line to the console for every call to a model that the vendor wants to retire.
  const sent = client.post("/v1/messages", {
    body,
    stream: call.request.stream !== false,
    signal: guard.signal,
    headers,
    timeout: guard.totalMs + 5_000,
  });
  return await receive(sent, call, "request-id", new MessageReader(call));
};

/** The request body and the beta features it needs. */
export function anthropicBody(call: LiveCall, streaming: boolean): { body: JsonObject; beta: string[] } {
  const { request, can } = call;
  const { system, messages } = splitSystem(request);
  const maxTokens = request.max_tokens ?? defaultMaxTokens;
  const thinking = thinkingField(request.thinking ?? null, call, maxTokens);
  const thinks = thinking !== null && thinking.type !== "disabled";
  const format = anthropicFormat(call, thinks);
  const said = [system, format.words ?? ""].filter(Boolean).join("\n\n");
  const effort =
    request.thinking?.mode === "effort" && isAdaptive(call) ? vendorEffort(request.thinking.level) : null;
  const output = { ...(format.field ? { format: format.field } : {}), ...(effort ? { effort } : {}) };
  // The vendor refuses these beside thinking.
  const sampling = can.sampling && !thinks;
  const body: JsonObject = {
    model: request.model,
    max_tokens: maxTokens,
    system:
      said === ""
        ? null
        : request.cache
          ? [{ type: "text", text: said, cache_control: { type: "ephemeral" } }]
          : said,
    messages: anthropicMessages(messages, request.cache === true, canPrefill(request, thinks)),
    stream: streaming,
    ...anthropicTools(request, thinks, format.tool),
    temperature: sampling ? (request.temperature ?? null) : null,
    top_p: sampling ? (request.top_p ?? null) : null,
    top_k: sampling ? (request.top_k ?? null) : null,
    stop_sequences: request.stop ?? null,
    thinking,
    output_config: Object.keys(output).length > 0 ? output : null,
    speed: request.fast ? "fast" : null,
  };
  return {
    body: withOverrides(body, request.provider_overrides),
    beta: betaFeatures(request, can.anthropic_beta_features),
  };
}

/** Models from 4.6 on refuse an open assistant turn, and every model does while it thinks. */
function canPrefill(request: ModelRequest, thinks: boolean): string | null {
  const [major, minor] = versionOf(request.model);
  return thinks || major > 4 || (major === 4 && minor >= 6) ? null : (request.prefill ?? null);
}

function betaFeatures(request: ModelRequest, supported: readonly string[]): string[] {
  const beta = new Set(request.anthropic_beta_features ?? []);
  if (request.interleaved_thinking) beta.add("interleaved-thinking-2025-05-14");
  if (request.thinking?.mode === "enabled") for (const feature of supported) beta.add(feature);
  if (request.fast) beta.add("fast-mode-2026-02-01");
  return [...beta];
}

function isAdaptive({ can }: LiveCall): boolean {
  return can.thinking_modes.includes("adaptive");
}

/** Lowers a thinking option to what this model takes. */
function thinkingField(thinking: Thinking | null, call: LiveCall, maxTokens: number): JsonObject | null {
  if (!thinking) return null;
  const off = thinking.mode === "disabled" || (thinking.mode === "effort" && thinking.level === "none");
  if (off) return call.can.thinking_default === "on" ? { type: "disabled" } : null;
  if (isAdaptive(call) || thinking.mode === "adaptive") return { type: "adaptive" };
  const asked = thinking.mode === "effort" ? effortBudgets.get(thinking.level) : thinking.budget_tokens;
  // At least 1,024 and less than the whole answer.
  const budget = Math.min(Math.max(asked ?? 4096, 1024), maxTokens - 1);
  return budget < 1024 ? null : { type: "enabled", budget_tokens: budget };
}

function vendorEffort(level: string): string | null {
  if (level === "minimal") return "low";
  return ["low", "medium", "high", "xhigh", "max"].includes(level) ? level : null;
}

interface WantedFormat {
  field: JsonObject | null;
  tool: JsonObject | null;
  words: string | null;
}

function anthropicFormat({ request, answer }: LiveCall, thinks: boolean): WantedFormat {
  const none: WantedFormat = { field: null, tool: null, words: null };
  const format = request.output_format;
  if (!format || format.kind === "text") return none;
  if (format.kind === "json_object") return { ...none, words: schemaInWords(format.schema ?? null) };
  const { schema, strict } = sentSchema(format);
  const [major, minor] = versionOf(request.model);
  // The vendor's format knows no references and only strict schemas.
  const own =
    (major > 4 || (major === 4 && minor >= 5)) && strict && !JSON.stringify(schema).includes('"$ref"');
  if (own) {
    answer.response.strict_nulls = true;
    return { ...none, field: { type: "json_schema", schema } };
  }
  if (thinks || request.tools?.length || format.schema.type !== "object")
    return { ...none, words: schemaInWords(format.schema) };
  return {
    ...none,
    tool: { name: answerTool, description: "Gives the answer.", input_schema: format.schema },
  };
}

function anthropicTools(request: ModelRequest, thinks: boolean, answering: JsonObject | null): JsonObject {
  if (answering) return { tools: [answering], tool_choice: { type: "tool", name: answerTool } };
  const tools: JsonObject[] = [...(request.provider_tools ?? []), ...sentTools(request).map(anthropicTool)];
  if (tools.length === 0) return {};
  if (request.cache) tools[tools.length - 1] = { ...tools.at(-1)!, cache_control: { type: "ephemeral" } };
  const choice = request.tool_choice;
  if (!choice) return { tools };
  if (choice === "auto" || choice === "none") return { tools, tool_choice: { type: choice } };
  // While a model thinks, the vendor lets it choose.
  if (thinks) return { tools, tool_choice: { type: "auto" } };
  return {
    tools,
    tool_choice: choice === "required" ? { type: "any" } : { type: "tool", name: choice.name },
  };
}

/** Collects events into the answer. */
class MessageReader implements AnswerReader<AnthropicEvent, Whole> {
  private readonly call: LiveCall;
  private stop: string | null = null;
  private ended = false;
  private calls = 0;
  private folded = false;
  private readonly blocks = new Map<number, JsonObject & { type: string }>();
  private counts: JsonObject = {};
  /** Blocks that are complete and may have to go back, in their order. */
  private readonly said: (JsonObject & { type: string })[] = [];
  private readonly texts = new Map<number, string>();
  /** Inputs of the vendor's own tools, as text, by block. */
  private readonly hostedInput = new Map<number, string>();

  constructor(call: LiveCall) {
    this.call = call;
  }

  read(event: AnthropicEvent): void {
    this.call.guard.touch();
    const index = event.index ?? 0;
    switch (event.type) {
      case "message_start":
        this.call.answer.response.request_id ??= wordOf(event.message?.id);
        this.readUsage(event.message?.usage);
        return;
      case "content_block_start":
        this.begin(index, event.content_block!);
        return;
      case "content_block_delta":
        this.grow(index, event.delta ?? {});
        return;
      case "content_block_stop":
        this.end(index);
        return;
      case "message_delta":
        this.stop = wordOf(event.delta?.stop_reason) ?? this.stop;
        this.readUsage(event.usage);
        return;
      case "message_stop":
        this.ended = true;
    }
  }

  private begin(index: number, block: JsonObject & { type: string }): void {
    const { answer } = this.call;
    this.blocks.set(index, { ...block });
    if (block.type === "tool_use" && this.isAnswer(block)) this.folded = true;
    else if (block.type === "tool_use") {
      this.calls++;
      answer.callStart(index, idOf(block.id), nameOf(block.name));
    }
    if (block.type === "text") this.readText(index, block.text);
    if (block.type === "thinking") answer.thinking(textOf(block.thinking));
  }

  private readText(index: number, argument: unknown): void {
    const text = textOf(argument);
    this.texts.set(index, (this.texts.get(index) ?? "") + text);
    this.call.answer.text(text);
  }

  private isAnswer(block: JsonObject): boolean {
    return block.name === answerTool && this.call.request.output_format?.kind === "json_schema";
  }

  private grow(index: number, delta: JsonObject & { type?: string }): void {
    const { answer } = this.call;
    const block = this.blocks.get(index);
    if (delta.type === "text_delta") this.readText(index, delta.text);
    else if (delta.type === "input_json_delta") {
      const piece = argumentPiece(delta.partial_json);
      if (block !== undefined && isHosted(block.type))
        this.hostedInput.set(index, (this.hostedInput.get(index) ?? "") + piece);
      else if (block?.type === "tool_use" && this.isAnswer(block)) answer.text(piece);
      else answer.callDelta(index, piece);
    } else if (delta.type === "thinking_delta") {
      const piece = textOf(delta.thinking);
      answer.thinking(piece);
      if (block) block.thinking = textOf(block.thinking) + piece;
    } else if (delta.type === "signature_delta" && block) block.signature = delta.signature;
  }

  private end(index: number): void {
    const block = this.blocks.get(index);
    if (!block) return;
    if (block.type === "tool_use") this.call.answer.callEnd(index);
    if (block.type === "text") this.said.push({ ...block, text: this.texts.get(index) ?? "" });
    else if (isHosted(block.type)) this.endHosted(index, block);
    else if (block.type === "redacted_thinking" || (block.type === "thinking" && block.signature))
      this.said.push(block);
  }

  /**
   * What goes back as it came, in its order. Texts stand in it only beside what the vendor did by itself: the parts of such
   * an answer refer to what stands before them.
   */
  private seal(): void {
    const continues = this.call.request.messages.at(-1)?.role === "assistant";
    const hosted = continues || this.said.some(({ type }) => isHosted(type));
    for (const item of this.said) {
      const blank = item.type === "text" && textOf(item.text).trim() === "";
      if (blank || (item.type === "text" && !hosted)) continue;
      this.call.answer.reasoning({ protocol: "anthropic", item });
    }
  }

  /** The vendor's own search and what it found; both must be seen again by the next call. */
  private endHosted(index: number, block: JsonObject & { type: string }): void {
    const typed = this.hostedInput.get(index);
    const input = typed === undefined ? (block.input ?? {}) : parsedInput(typed);
    const item = typed !== undefined || block.input !== undefined ? { ...block, input } : block;
    this.call.answer.hosted(hostedBlock(item));
    this.said.push(item);
  }

  /** An answer that came in one piece. */
  whole(message: Whole): void {
    this.call.answer.response.request_id ??= wordOf(message.id);
    for (const [index, block] of (message.content ?? []).entries()) {
      this.begin(index, block);
      if (block.type === "tool_use")
        this.grow(index, { type: "input_json_delta", partial_json: JSON.stringify(block.input ?? {}) });
      this.end(index);
    }
    this.readUsage(message.usage);
    this.stop = wordOf(message.stop_reason);
    this.ended = message.stop_reason !== undefined;
  }

  /** Counts come twice, the later ones cumulative and partly null. */
  private readUsage(usage: JsonObject | undefined): void {
    for (const [name, value] of Object.entries(usage ?? {}))
      if (value !== null) this.counts[name] = value as Json;
    const read = tokenCount(this.counts.cache_read_input_tokens);
    const write = tokenCount(this.counts.cache_creation_input_tokens);
    const details = isObject(this.counts.output_tokens_details) ? this.counts.output_tokens_details : {};
    this.call.answer.usage({
      // The vendor counts the cached part apart.
      input_tokens: tokenCount(this.counts.input_tokens) + read + write,
      output_tokens: tokenCount(this.counts.output_tokens),
      cache_read_tokens: read,
      cache_write_tokens: write,
      reasoning_tokens: tokenCount(details.thinking_tokens),
    });
    if (this.counts.speed === "standard") this.call.answer.priceFactor = 1;
  }

  finish(): ModelOutcome {
    const { answer, endpoint, guard } = this.call;
    if (guard.cause || !this.ended) throw brokenOff(endpoint);
    this.seal();
    return answer.succeed(this.reason());
  }

  private reason(): StopReason | null {
    if (this.stop === "model_context_window_exceeded") return "context_window";
    if (this.stop === "tool_use" && this.folded && this.calls === 0) return "end_turn";
    return this.stop;
  }
}

function parsedInput(text: string): Json {
  try {
    return JSON.parse(text === "" ? "{}" : text) as Json;
  } catch {
    return {};
  }
}

/** What the vendor did by itself: calls of its own tools and what they gave, whatever they are called. */
const isHosted = (type: string): boolean => type !== "tool_use" && /tool_(?:use|result)$/.test(type);

/** A block of the vendor's own tools, in the terms of agents.md §1.2. */
function hostedBlock(block: JsonObject & { type: string }): JsonObject {
  const { id, name, input, tool_use_id } = block;
  const visibility = "internal";
  if (block.type === "server_tool_use" && String(name).startsWith("tool_search_tool_"))
    return { type: "tool_search_query", id, name, query: input, visibility };
  if (block.type !== "tool_search_tool_result") {
    const about = tool_use_id === undefined ? { id, name, input } : { tool_use_id, content: block.content };
    return { type: block.type, ...about, visibility };
  }
  const content = isObject(block.content) ? block.content : {};
  const references = Array.isArray(content.tool_references) ? content.tool_references : [];
  const names = references.flatMap((one) => (isObject(one) ? [one.tool_name ?? null] : []));
  return {
    type: "tool_search_result",
    tool_use_id,
    tool_names: names,
    ...(content.error_code === undefined ? {} : { error: content.error_code }),
    visibility,
  };
}
