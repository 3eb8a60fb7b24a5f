/**
 * Puts an answer together while it arrives and tells about it: the one place that turns pieces into a
 * `ModelResponse` and events, for every adapter, the mock and tapes.
 *
 * Invariants: events come in the order of the pieces; exactly one of `succeed` and `fail` ends it; a tool call is
 * announced once its name is known, and its arguments are parsed only when it is complete.
 */
import { jsonNestsTooDeep, maxJsonDepth } from "../../values/index.ts";
import {
  emptyResponse,
  type Json,
  type JsonObject,
  type ModelError,
  type ModelEvent,
  type ModelOutcome,
  type ModelRequest,
  type ModelResponse,
  type ModelToolCall,
  type ModelUsage,
  type ReasoningPart,
  type StopReason,
} from "./port.ts";
import { estimateInputTokens, estimateTextTokens } from "./tokens.ts";

/** Prices a finished answer; null when the model has no price. */
export type Pricer = (provider: string, model: string, usage: ModelUsage) => number | null;

interface OpenCall {
  id: string;
  name: string;
  raw: string;
  index: number;
}

export class Answer {
  readonly response: ModelResponse;
  /** How many times the usual price this answer costs: that of the vendor's faster service. */
  priceFactor = 1;
  /** What was asked, for counts that the server does not report; null for answers that were written beforehand. */
  asked: ModelRequest | null = null;
  private readonly emit: (event: ModelEvent) => void;
  private readonly price: Pricer;
  private readonly open = new Map<string | number, OpenCall>();
  private calls = 0;
  private readonly ids = new Set<string>();
  private begun = false;
  private thoughts = "";
  private readonly hostedBlocks: JsonObject[] = [];

  constructor(
    provider: string,
    model: string,
    price: Pricer,
    onEvent: ((event: ModelEvent) => void) | undefined,
  ) {
    this.response = emptyResponse(provider, model);
    this.price = price;
    this.emit = onEvent ?? (() => {});
  }

  get hasThoughts(): boolean {
    return this.thoughts !== "";
  }

  start(requestId: string | null): void {
    this.begun = true;
    this.response.request_id = requestId;
    const { provider, model } = this.response;
    this.emit({ kind: "start", provider, model, request_id: requestId });
  }

  text(delta: string): void {
    if (delta === "") return;
    this.response.text += delta;
    this.emit({ kind: "text", delta });
  }

  thinking(delta: string): void {
    if (delta === "") return;
    this.thoughts += delta;
    this.emit({ kind: "thinking", delta });
  }

  /** `key` is whatever the vendor tells calls of one answer apart by. Gives the id that the call has from here on. */
  callStart(key: string | number, id: string, name: string): string {
    // Where one call stands there is no place for another: what begins ends the one before it.
    this.callEnd(key);
    const call = { id: this.ownId(id), name, raw: "", index: this.calls++ };
    this.open.set(key, call);
    this.emit({ kind: "tool_call_start", index: call.index, id: call.id, name });
    return call.id;
  }

  /** An id of its own for each call of an answer: a result must not answer two. */
  private ownId(id: string): string {
    const base = id === "" ? `call_${this.calls + 1}` : id;
    let own = base;
    for (let n = 2; this.ids.has(own); n++) own = `${base}_${n}`;
    this.ids.add(own);
    return own;
  }

  callDelta(key: string | number, delta: string): void {
    const call = this.open.get(key);
    if (!call || delta === "") return;
    call.raw += delta;
    this.emit({ kind: "tool_call_delta", index: call.index, delta });
  }

  /** Ends a call; `raw`, when the vendor repeats the whole text, replaces what was put together. */
  callEnd(key: string | number, raw?: string): void {
    const open = this.open.get(key);
    if (!open) return;
    this.open.delete(key);
    const call = finishedCall(open.id, open.name, raw || open.raw);
    this.response.tool_calls[open.index] = call;
    this.emit({ kind: "tool_call_end", index: open.index, call });
  }

  /** A call whose parts are already known. */
  call(call: ModelToolCall): void {
    const index = this.calls++;
    this.emit({ kind: "tool_call_start", index, id: call.id, name: call.name });
    if (call.raw_arguments) this.emit({ kind: "tool_call_delta", index, delta: call.raw_arguments });
    this.response.tool_calls[index] = call;
    this.emit({ kind: "tool_call_end", index, call });
  }

  reasoning(part: ReasoningPart): void {
    this.response.reasoning.push(part);
  }

  /** What the vendor did by itself on the way (a hosted tool search): shown in `blocks`, and sent back as it came. */
  hosted(block: JsonObject): void {
    this.hostedBlocks.push(block);
  }

  usage(usage: ModelUsage): void {
    this.response.usage = usage;
  }

  /** The answer is complete. `blocks` are built from it unless given. */
  succeed(stop: StopReason | null, extra: { blocks?: JsonObject[]; logprobs?: Json } = {}): ModelOutcome {
    for (const key of [...this.open.keys()]) this.callEnd(key);
    const response = this.settle(stop);
    response.blocks = extra.blocks ?? [...this.hostedBlocks, ...blocksOf(response)];
    if (extra.logprobs !== undefined) response.logprobs = extra.logprobs;
    this.emit({ kind: "usage", usage: response.usage });
    this.emit({ kind: "finish", stop_reason: stop, usage: response.usage, cost_usd: response.cost_usd });
    return { ok: true, response };
  }

  /** The call failed. Calls still open are dropped: half an argument list must never be run. */
  fail(error: ModelError): ModelOutcome {
    const partial = this.settle(null);
    partial.tool_calls = partial.tool_calls.filter((call) => call !== undefined);
    partial.blocks = [...this.hostedBlocks, ...blocksOf(partial)];
    this.emit({ kind: "error", error });
    return { ok: false, error, partial, begun: this.begun };
  }

  private settle(stop: StopReason | null): ModelResponse {
    const response = this.response;
    response.stop_reason = stop;
    if (this.thoughts !== "") response.thinking = this.thoughts;
    if (this.asked !== null && this.begun) response.usage = withEstimates(this.asked, response);
    const usual = this.price(response.provider, response.model, response.usage);
    response.cost_usd = usual === null ? null : usual * this.priceFactor;
    return response;
  }
}

/** Usage without gaps: a limit on tokens or money holds also where a server does not count. */
function withEstimates(request: ModelRequest, response: ModelResponse): ModelUsage {
  const { usage, text, thinking, tool_calls: calls } = response;
  const input = usage.input_tokens > 0 ? usage.input_tokens : estimateInputTokens(request);
  // Calls that never ended are holes in the list; `flatMap` leaves them out.
  const said = [text, thinking ?? "", ...calls.flatMap((call) => call?.raw_arguments ?? "")];
  const output =
    usage.output_tokens > 0
      ? usage.output_tokens
      : said.reduce((sum, part) => sum + estimateTextTokens(part), 0);
  if (input === usage.input_tokens && output === usage.output_tokens) return usage;
  return { ...usage, input_tokens: input, output_tokens: output, estimated: true };
}

/** A call with its arguments parsed. No text at all means no arguments. */
export function finishedCall(id: string, name: string, raw: string): ModelToolCall {
  if (jsonNestsTooDeep(raw))
    return unparsed(id, name, raw, `the arguments are nested more than ${maxJsonDepth} levels deep`);
  if (raw.trim() === "") return { id, name, raw_arguments: raw, arguments: {}, parse_error: null };
  try {
    const value: unknown = JSON.parse(raw);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { id, name, raw_arguments: raw, arguments: value as JsonObject, parse_error: null };
    }
    const got = value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`;
    return unparsed(id, name, raw, `the arguments must be a JSON object, got ${got}`);
  } catch (error) {
    return unparsed(id, name, raw, `the arguments are not valid JSON: ${(error as Error).message}`);
  }
}

function unparsed(id: string, name: string, raw: string, why: string): ModelToolCall {
  return { id, name, raw_arguments: raw, arguments: null, parse_error: why };
}

/** The `blocks` list of agents.md §1.2: reasoning, text, then calls. */
export function blocksOf(response: ModelResponse): JsonObject[] {
  const blocks: JsonObject[] = [];
  if (response.thinking) blocks.push({ type: "reasoning", text: response.thinking, visibility: "private" });
  if (response.text) blocks.push({ type: "output_text", text: response.text, visibility: "public" });
  for (const call of response.tool_calls) {
    const { id, name } = call;
    blocks.push({ type: "tool_call", id, name, arguments: call.arguments ?? {}, visibility: "internal" });
  }
  return blocks;
}

/**
 * Turns that a vendor pauses (`pause_turn`: its own tools took long): asked again with what it has said so far, it goes on
 * where it was. The parts are one answer.
 */
export const isPaused = ({ stop_reason }: ModelResponse): boolean => stop_reason === "pause_turn";

/** The request that lets the vendor go on. */
export function continuing(request: ModelRequest, { text, reasoning }: ModelResponse): ModelRequest {
  return { ...request, messages: [...request.messages, { role: "assistant", content: text, reasoning }] };
}

/** An answer and what came after its pause. */
export function joinedAnswer(first: ModelResponse, then: ModelResponse): ModelResponse {
  const thinking = [first.thinking, then.thinking].filter((part) => part !== null).join("");
  const joined: ModelResponse = {
    ...then,
    text: first.text + then.text,
    thinking: thinking === "" ? null : thinking,
    tool_calls: [...first.tool_calls, ...then.tool_calls],
    reasoning: [...first.reasoning, ...then.reasoning],
    usage: sumOfUsage(first.usage, then.usage),
    cost_usd: first.cost_usd === null || then.cost_usd === null ? null : first.cost_usd + then.cost_usd,
  };
  joined.blocks = [...hosted(first), ...hosted(then), ...blocksOf(joined)];
  return joined;
}

const builtBlocks: readonly unknown[] = ["reasoning", "output_text", "tool_call"];
const hosted = ({ blocks }: ModelResponse): JsonObject[] =>
  blocks.filter(({ type }) => !builtBlocks.includes(type));

function sumOfUsage(a: ModelUsage, b: ModelUsage): ModelUsage {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cache_read_tokens: a.cache_read_tokens + b.cache_read_tokens,
    cache_write_tokens: a.cache_write_tokens + b.cache_write_tokens,
    reasoning_tokens: a.reasoning_tokens + b.reasoning_tokens,
    ...(a.estimated || b.estimated ? { estimated: true as const } : {}),
  };
}
