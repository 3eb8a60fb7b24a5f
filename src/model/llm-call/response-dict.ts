/** The result dict of a call (agents.md §1.2) and the transcript in it (§3.1). */

import type { Task } from "../../interp/index.ts";
import { newId } from "../../interp/index.ts";
import { type KnownKeys, keysOf, type ValuesOf } from "../../table/index.ts";
import { Dict, Float, fromJson, List, type Value } from "../../values/index.ts";
import { cacheSavings, type ModelMessage, type ModelRequest, type ModelResponse } from "../llm/index.ts";
import { modelsOf } from "../model-call/index.ts";
import { argumentValues } from "../tools/arguments.ts";
import { parseFencedJson } from "../tools/fenced-json.ts";
import type { ToolFormat } from "../tools/format.ts";
import { parseTaggedText, type TaggedResponse } from "../tools/tagged-text.ts";
import { callsFromResponse, callsFromText } from "../tools/tool-calls.ts";
import type { ToolCall, ToolSet } from "../tools/types.ts";
import { cleanVisibleText, withoutReasoning } from "../tools/visible-text.ts";

/** What a schema is read from. The tags of the protocol are data in an answer that had no tools. */
export function structuredText(answer: ReadAnswer): string {
  const { text } = answer.response;
  if (answer.tagged === null) return withoutReasoning(text);
  return answer.visibleText === "" ? text : answer.visibleText;
}

/** An answer with its text read. */
export interface ReadAnswer {
  readonly response: ModelResponse;
  readonly calls: readonly ToolCall[];
  /** Null for a call without tools. */
  readonly tagged: TaggedResponse | null;
  readonly visibleText: string;
  readonly prose: string;
}

/** Reads text and calls. With tools the text is read by the tagged grammar in every format but the fenced one. */
export function parsedAnswer(response: ModelResponse, tools: ToolSet, format: ToolFormat): ReadAnswer {
  const native = callsFromResponse(response);
  if (tools.entries.length === 0) {
    const visible = cleanVisibleText(response.text);
    return { response, calls: native, tagged: null, visibleText: visible, prose: visible };
  }
  const read = format === "json" ? parseFencedJson : parseTaggedText;
  const tagged = read(response.text, { toolNames: tools.byName.keys() });
  return {
    response,
    calls: native.length > 0 ? native : callsFromText(tagged.calls),
    tagged,
    visibleText: tagged.visibleText,
    prose: tagged.prose === "" ? response.text : tagged.prose,
  };
}

/** The answers that result dicts stand for, by their `usage`: dicts that were merged with something keep it. */
const remembered = new WeakMap<Dict, ModelResponse>();

/** The answer that a result dict was made from, for as long as this process knows it. */
export function rememberedResponse(value: Dict): ModelResponse | undefined {
  const usage = value.get("usage");
  return usage instanceof Dict ? remembered.get(usage) : undefined;
}

const countKeys = keysOf(
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "cache_creation_input_tokens",
  "cache_hit_ratio",
  "cache_savings_usd",
);

/** Every key that the result of a model call may have. */
export const modelResultKeys = {
  ...keysOf("text", "visible_text", "prose", "model", "provider"),
  ...countKeys,
  usage: countKeys,
  ...keysOf("native_tool_calls", "blocks", "transcript", "cost_usd", "data", "tool_calls", "thinking"),
  ...keysOf("private_reasoning", "thinking_summary", "stop_reason", "logprobs"),
  ...keysOf("canonical_text", "protocol_violations", "tool_parse_errors", "done_marker"),
} as const satisfies KnownKeys;

/** What other runtimes call keys of it. */
export const modelOtherKeys: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["content", "output", "answer", "response", "message", "result", "completion", "output_text"].map(
      (name) => [name, "text"],
    ),
  ),
  finish_reason: "stop_reason",
  cost: "cost_usd",
  tokens: "output_tokens",
  parsed: "data",
  reasoning: "thinking",
};

export interface DictParts {
  readonly request: ModelRequest;
  readonly data: Value | undefined;
  readonly experiment?: Dict | undefined;
}

export function modelResponseDict(task: Task, answer: ReadAnswer, parts: DictParts): Dict {
  const { response, tagged } = answer;
  const { usage } = response;
  const price = modelsOf(task).catalogue.price(response.model);
  const counts = {
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    cache_read_tokens: usage.cache_read_tokens,
    cache_write_tokens: usage.cache_write_tokens,
    cache_creation_input_tokens: usage.cache_write_tokens,
    cache_hit_ratio: new Float(hitRatio(usage.cache_read_tokens, usage.input_tokens)),
    cache_savings_usd: new Float(cacheSavings(price, usage)),
  };
  const calls = new List(answer.calls.map(callDict));
  const usageDict = Dict.of(counts satisfies ValuesOf<typeof countKeys>);
  remembered.set(usageDict, response);
  const result: ValuesOf<typeof modelResultKeys> = {
    text: response.text,
    visible_text: answer.visibleText,
    prose: answer.prose,
    model: response.model,
    provider: response.provider,
    ...counts,
    usage: usageDict,
    native_tool_calls: new List(callsFromResponse(response).map(callDict)),
    blocks: fromJson(response.blocks),
    transcript: callTranscript(task, answer, parts),
    cost_usd: response.cost_usd === null ? null : new Float(response.cost_usd),
    data: parts.data,
    tool_calls: calls.length > 0 ? calls : undefined,
    thinking: response.thinking ?? undefined,
    private_reasoning: response.thinking ?? undefined,
    thinking_summary: response.thinking_summary ?? undefined,
    stop_reason: response.stop_reason ?? undefined,
    logprobs: response.logprobs === null ? undefined : fromJson(response.logprobs),
    ...(tagged === null ? {} : taggedFields(tagged)),
  };
  return Dict.of({ ...result });
}

function taggedFields(tagged: TaggedResponse): ValuesOf<typeof modelResultKeys> {
  return {
    canonical_text: tagged.recognised ? tagged.canonical : undefined,
    protocol_violations: tagged.violations.length > 0 ? new List([...tagged.violations]) : undefined,
    tool_parse_errors: tagged.errors.length > 0 ? new List([...tagged.errors]) : undefined,
    done_marker: tagged.doneMarker ?? undefined,
  };
}

const hitRatio = (read: number, input: number): number => (input <= 0 ? 0 : Math.min(1, read / input));

/** `{id, type: "tool_call", name, arguments}`; unreadable arguments stand as their text. */
export function callDict(call: ToolCall): Dict {
  const args = call.arguments === null ? call.rawArguments : argumentValues(call);
  return Dict.of({
    id: call.id,
    type: "tool_call",
    name: call.name,
    arguments: args,
    parse_error: call.parseError ?? undefined,
  });
}

// ── transcript ────────────────────────────────────────────────────────────────────────────────────────────────────

function callTranscript(task: Task, answer: ReadAnswer, parts: DictParts): Dict {
  const assistant = responseAssistantMessage(answer);
  const messages = [...parts.request.messages.map(modelMessageDict), assistant];
  const events: Value[] = messages.map((message) => responseMessageEvent(task, message));
  events.push(payloadEvent(task, answer, parts));
  const { thinking } = answer.response;
  if (thinking !== null) {
    events.push(event(task, "private_reasoning", "assistant", "private", thinking));
  }
  return Dict.of({
    _type: "transcript",
    version: 2,
    id: newId(task),
    messages: new List(messages),
    events: new List(events),
    assets: new List([]),
    state: "active",
  });
}

function responseAssistantMessage(answer: ReadAnswer): Dict {
  const { response, calls } = answer;
  if (calls.length === 0) {
    const texts = response.blocks.filter((block) => block.type === "output_text");
    return Dict.of({ role: "assistant", content: texts.length > 0 ? fromJson(texts) : response.text });
  }
  return Dict.of({ role: "assistant", content: response.text, tool_calls: new List(calls.map(openAiCall)) });
}

function openAiCall(call: ToolCall): Dict {
  const text = call.rawArguments === "" ? JSON.stringify(call.arguments ?? {}) : call.rawArguments;
  return Dict.of({ id: call.id, type: "function", function: Dict.of({ name: call.name, arguments: text }) });
}

const modelMessageDict = (message: ModelMessage): Dict =>
  fromJson(JSON.parse(JSON.stringify(message))) as Dict;

function responseMessageEvent(task: Task, message: Dict): Dict {
  const role = message.get("role") as string;
  const content = message.get("content") ?? null;
  const isResult = role === "tool_result";
  const text = typeof content === "string" ? content : responseBlocksText(content);
  return event(task, isResult ? "tool_result" : "message", role, isResult ? "internal" : "public", text);
}

function responseBlocksText(content: Value): string {
  if (!(content instanceof List)) return "";
  const texts = content.toArray().map((block) => (block instanceof Dict ? block.get("text") : undefined));
  return texts.filter((text) => typeof text === "string" && text !== "").join(" ");
}

function payloadEvent(task: Task, answer: ReadAnswer, parts: DictParts): Dict {
  const { response, calls } = answer;
  const metadata = Dict.of({
    model: response.model,
    input_tokens: response.usage.input_tokens,
    output_tokens: response.usage.output_tokens,
    tool_calls: new List(calls.map(callDict)),
    blocks: fromJson(response.blocks),
    stop_reason: response.stop_reason ?? undefined,
    structural_experiment: parts.experiment,
  });
  return event(task, "provider_payload", "assistant", "internal", "").with("metadata", metadata);
}

function event(task: Task, kind: string, role: string, visibility: string, text: string): Dict {
  return Dict.of({ id: newId(task), kind, role, visibility, text, blocks: new List([]) });
}
