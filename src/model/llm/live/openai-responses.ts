/**
 * OpenAI's Responses API.
 *
 * Nothing is stored at the vendor (`store: false`): a run must be replayable and forkable from our side alone. What a
 * reasoning model must see again is therefore carried sealed in the conversation (`reasoning.encrypted_content`).
 */

import { textOfMessage } from "../content.ts";
import type {
  ContentBlock,
  Json,
  JsonObject,
  ModelMessage,
  ModelOutcome,
  ModelRequest,
  ModelTool,
  StopReason,
} from "../port.ts";
import { chatTool, isObject } from "../tool-wire.ts";
import {
  type Adapter,
  type AnswerReader,
  answeredLiveCall,
  argumentPiece,
  brokenOff,
  idOf,
  type LiveCall,
  nameOf,
  receive,
  schemaInWords,
  sentArguments,
  sentSchema,
  sentTools,
  splitSystem,
  takesSampling,
  textOf,
  withOverrides,
  wordOf,
} from "./call.ts";
import { dataUrl } from "./chat-messages.ts";
import { AnswerFault } from "./faults.ts";
import { tokenCount } from "./openai-chat.ts";
import { openaiClient } from "./openai-client.ts";

/** An event, or an item inside one, as far as it is read. */
interface ResponseEvent {
  type: string;
  delta?: string;
  arguments?: string;
  output_index?: number;
  item?: ResponseItem;
  response?: ResponseResult;
  logprobs?: Json[];
  message?: string;
  code?: string | null;
}

interface ResponseItem extends JsonObject {
  type: string;
  id?: string;
  call_id?: string;
  name?: string;
  arguments?: string;
}

interface ResponseResult {
  id?: string;
  /** The service that answered; not always the one that was asked for. */
  service_tier?: string | null;
  status?: string;
  usage?: JsonObject | null;
  output?: ResponseItem[];
  error?: { code?: string; message?: string } | null;
  incomplete_details?: { reason?: string } | null;
}

/** Runs one call. */
export const openaiResponses: Adapter = async (call) => {
  const client = await openaiClient(call);
  const body = responsesBody(call, call.request.stream !== false);
  const sent = client.responses.create(body as never, { signal: call.guard.signal });
  return await receive(sent, call, "x-request-id", new ResponsesReader(call));
};

/** The request body. */
export function responsesBody(call: LiveCall, streaming: boolean): JsonObject {
  const { request, can } = call;
  const { system, messages } = splitSystem(request);
  const format = responsesFormat(call);
  const effort = request.thinking?.mode === "effort" ? request.thinking.level : null;
  const reasons = effort !== null || can.reasoning_effort_supported;
  const include = [
    ...(reasons ? ["reasoning.encrypted_content"] : []),
    ...(request.logprobs ? ["message.output_text.logprobs"] : []),
  ];
  const body: JsonObject = {
    model: request.model,
    instructions: [system, format.words ?? ""].filter(Boolean).join("\n\n") || null,
    input: messages.flatMap(inputItems),
    stream: streaming,
    store: false,
    ...responsesTools(request),
    max_output_tokens: request.max_tokens ?? null,
    temperature: takesSampling(call) ? (request.temperature ?? null) : null,
    top_p: takesSampling(call) ? (request.top_p ?? null) : null,
    top_logprobs: request.top_logprobs ?? null,
    text: format.field ? { format: format.field } : null,
    reasoning: effort === null ? null : { effort },
    include: include.length > 0 ? include : null,
    service_tier: request.fast ? "priority" : null,
  };
  return withOverrides(body, request.provider_overrides);
}

/** The vendor infers how a search is run from its presence; namespaces stand on the tools. */
function hostedTool(tool: JsonObject): JsonObject {
  if (tool.type !== "tool_search") return tool;
  const { mode: _mode, namespaces: _namespaces, ...rest } = tool;
  return { ...rest, execution: "server" };
}

/** Tools of one namespace stand in a group, at the place of the first. */
function ownTools(tools: readonly ModelTool[]): JsonObject[] {
  const groups = new Map<string, JsonObject[]>();
  return tools.flatMap((tool): JsonObject[] => {
    const { function: inner, namespace, ...outer } = chatTool(tool) as { function: JsonObject } & JsonObject;
    // This API makes tools strict unless told not to, and then refuses optional parameters.
    const wire: JsonObject = { ...outer, ...inner, strict: false };
    if (typeof namespace !== "string") return [wire];
    const group = groups.get(namespace);
    if (group !== undefined) {
      group.push(wire);
      return [];
    }
    const members = [wire];
    groups.set(namespace, members);
    return [{ type: "namespace", name: namespace, description: `Tools of ${namespace}`, tools: members }];
  });
}

function responsesTools(request: ModelRequest): JsonObject {
  const tools = [...(request.provider_tools ?? []).map(hostedTool), ...ownTools(sentTools(request))];
  if (tools.length === 0) return {};
  const choice = request.tool_choice ?? null;
  const named = choice !== null && typeof choice === "object";
  return { tools, tool_choice: named ? { type: "function", name: choice.name } : choice };
}

function responsesFormat({ request, answer }: LiveCall): { field: JsonObject | null; words: string | null } {
  const format = request.output_format;
  if (!format || format.kind === "text") return { field: null, words: null };
  if (format.kind === "json_object")
    return { field: { type: "json_object" }, words: schemaInWords(format.schema ?? null) };
  const { schema, strict } = sentSchema(format);
  answer.response.strict_nulls = strict;
  return { field: { type: "json_schema", name: format.name ?? "answer", schema, strict }, words: null };
}

function inputItems(message: ModelMessage): JsonObject[] {
  if (message.role === "tool" || message.role === "tool_result") {
    return [
      {
        type: "function_call_output",
        call_id: answeredLiveCall(message) ?? "",
        output: textOfMessage(message),
      },
    ];
  }
  if (message.role === "assistant") return assistantItems(message);
  const role = message.role === "system" || message.role === "developer" ? message.role : "user";
  if (typeof message.content === "string") return [{ role, content: message.content }];
  return [{ role, content: (message.content ?? []).map(part) }];
}

function assistantItems(message: ModelMessage): JsonObject[] {
  const items: JsonObject[] = (message.reasoning ?? [])
    .filter((sealed) => sealed.protocol === "openai_responses")
    .map((sealed) => sealed.item);
  const text = textOfMessage(message);
  if (text !== "") items.push({ role: "assistant", content: text });
  for (const call of message.tool_calls ?? []) {
    items.push({
      type: "function_call",
      call_id: call.id,
      name: call.name,
      arguments: JSON.stringify(sentArguments(call.arguments)),
    });
  }
  return items;
}

function part(block: ContentBlock): JsonObject {
  switch (block.type) {
    case "text":
    case "output_text":
    case "reasoning":
      return { type: "input_text", text: block.text };
    case "image":
      return {
        type: "input_image",
        image_url: block.url ?? dataUrl(block.base64, block.media_type ?? "image/png"),
        detail: block.detail ?? "auto",
      };
    case "pdf":
    case "document":
      if (block.url) return { type: "input_file", file_url: block.url };
      return {
        type: "input_file",
        filename: block.name ?? "document.pdf",
        file_data: dataUrl(block.base64, block.media_type ?? "application/pdf"),
      };
    default:
      throw new AnswerFault(
        "generic",
        `openai's Responses API takes no content block of type ${JSON.stringify(block.type)}`,
      );
  }
}

/** What an answer itself consists of; every other item is something that the vendor did. */
const ownItems: ReadonlySet<string> = new Set(["message", "function_call", "reasoning"]);

/** Collects events into the answer. */
class ResponsesReader implements AnswerReader<ResponseEvent, ResponseResult> {
  private readonly call: LiveCall;
  private result: ResponseResult | null = null;
  private calls = 0;
  private refused = false;
  private readonly logprobs: Json[] = [];

  constructor(call: LiveCall) {
    this.call = call;
  }

  read(event: ResponseEvent): void {
    const { answer, guard } = this.call;
    guard.touch();
    const index = event.output_index ?? 0;
    switch (event.type) {
      case "response.created":
        answer.response.request_id ??= wordOf(event.response?.id);
        return;
      case "response.output_text.delta":
        if (event.logprobs && this.call.request.logprobs) this.logprobs.push(...event.logprobs);
        answer.text(textOf(event.delta));
        return;
      case "response.refusal.delta":
        this.refused = true;
        answer.text(textOf(event.delta));
        return;
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        answer.thinking(textOf(event.delta));
        return;
      case "response.output_item.added":
        if (event.item?.type === "function_call") this.begin(index, event.item);
        return;
      case "response.function_call_arguments.delta":
        answer.callDelta(index, argumentPiece(event.delta));
        return;
      case "response.function_call_arguments.done":
        answer.callEnd(index, argumentPiece(event.arguments));
        return;
      case "response.output_item.done":
        this.itemDone(index, event.item);
        return;
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        this.result = event.response ?? {};
        this.readUsage(this.result.usage);
        return;
      case "error":
        throw failure(event.code, event.message);
    }
  }

  private begin(index: number, item: ResponseItem): void {
    this.calls++;
    this.call.answer.callStart(index, idOf(item.call_id ?? item.id), nameOf(item.name));
  }

  private itemDone(index: number, item: ResponseItem | undefined): void {
    if (item?.type === "function_call") this.call.answer.callEnd(index, argumentPiece(item.arguments));
    if (item === undefined || typeof item.type !== "string") return;
    if (item.type === "reasoning" && item.encrypted_content) {
      const { status: _status, ...sealed } = item;
      this.call.answer.reasoning({ protocol: "openai_responses", item: sealed });
    } else if (!ownItems.has(item.type)) this.hosted(item);
  }

  /** The vendor's own search and what it found; both must be seen again by the next call. */
  private hosted(item: ResponseItem): void {
    const search = item.type === "tool_search_call" || item.type === "tool_search_output";
    const { status: _status, ...bare } = item;
    const sent: JsonObject = search ? bare : item;
    const call = item.type === "tool_search_call";
    const tools = Array.isArray(item.tools) ? item.tools : [];
    const names = tools.flatMap((tool) => (isObject(tool) ? [tool.name ?? null] : []));
    const shown = !search
      ? { type: item.type, id: item.call_id ?? item.id ?? "", name: item.name ?? null }
      : call
        ? {
            type: "tool_search_query",
            id: item.call_id ?? item.id ?? "",
            name: "tool_search",
            query: item.arguments ?? {},
          }
        : { type: "tool_search_result", tool_use_id: item.call_id ?? item.id ?? "", tool_names: names };
    this.call.answer.hosted({ ...shown, visibility: "internal" });
    this.call.answer.reasoning({ protocol: "openai_responses", item: sent });
  }

  /** An answer that came in one piece. */
  whole(result: ResponseResult): void {
    const { answer } = this.call;
    answer.response.request_id ??= wordOf(result.id);
    for (const [index, item] of (result.output ?? []).entries()) {
      if (item.type === "function_call") this.begin(index, item);
      if (item.type === "message") {
        for (const content of (item.content as JsonObject[] | undefined) ?? []) {
          if (content.type === "refusal") this.refused = true;
          answer.text(textOf(content.text ?? content.refusal));
          if (Array.isArray(content.logprobs) && content.logprobs.length > 0)
            this.logprobs.push(...content.logprobs);
        }
      }
      if (item.type === "reasoning") {
        for (const summary of (item.summary as JsonObject[] | undefined) ?? [])
          answer.thinking(textOf(summary.text));
      }
      this.itemDone(index, item);
    }
    this.result = result;
    this.readUsage(result.usage);
  }

  private readUsage(usage: JsonObject | null | undefined): void {
    if (!usage) return;
    const input = isObject(usage.input_tokens_details) ? usage.input_tokens_details : {};
    const output = isObject(usage.output_tokens_details) ? usage.output_tokens_details : {};
    this.call.answer.usage({
      input_tokens: tokenCount(usage.input_tokens),
      output_tokens: tokenCount(usage.output_tokens),
      cache_read_tokens: tokenCount(input.cached_tokens),
      cache_write_tokens: tokenCount(input.cache_write_tokens),
      reasoning_tokens: tokenCount(output.reasoning_tokens),
    });
  }

  finish(): ModelOutcome {
    const { answer, endpoint, guard } = this.call;
    const result = this.result;
    if (guard.cause || !result) throw brokenOff(endpoint);
    if (result.service_tier === "default") answer.priceFactor = 1;
    if (result.status === "failed" || result.error) throw failure(result.error?.code, result.error?.message);
    return answer.succeed(this.stop(result), this.logprobs.length > 0 ? { logprobs: this.logprobs } : {});
  }

  private stop(result: ResponseResult): StopReason {
    if (this.refused) return "refusal";
    const why = wordOf(result.incomplete_details?.reason);
    if (why === "max_output_tokens") return "max_tokens";
    if (why === "content_filter") return "refusal";
    return this.calls > 0 ? "tool_use" : (why ?? "end_turn");
  }
}

function failure(errorCode: unknown, value: unknown): AnswerFault {
  const code = wordOf(errorCode);
  const said = wordOf(value) ?? "the answer failed without an explanation";
  const text = `openai: ${said}${code === null ? "" : ` [${code}]`}`;
  if (code === "rate_limit_exceeded" || code === "insufficient_quota")
    return new AnswerFault("rate_limit", text);
  return new AnswerFault(code === "server_error" || code === null ? "server_error" : "generic", text);
}
