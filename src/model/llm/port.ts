/**
 * The model port: what a model call is, as plain data.
 *
 * Everything above (`agent/`, `builtins/`) speaks to models through `ModelClient.stream` and sees only the
 * records of this file; everything below (`scripted/`, `live/`) implements it. Requests, outcomes and events
 * hold JSON values only, because they are journaled, fixtured and compared byte by byte. They are therefore
 * spelled as scripts and files see them (snake_case); functions and options around them are camelCase.
 *
 * Invariants:
 * - A failing call never throws: `stream` resolves to `{ok: false, error, partial}` and emits one `error` event.
 *   A rejection means a bug of ours.
 * - No API key, header or other credential is ever part of a request, an outcome or an event.
 * - Exactly one `finish` or `error` event ends a call; nothing is emitted after it.
 */

/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object. Never index it with a name chosen by a script: use `Object.hasOwn` or a Map. */
export interface JsonObject {
  [key: string]: Json | undefined;
}

/** A JSON Schema, as sent to vendors. */
export type JsonSchema = JsonObject;

/**
 * One part of a message's content (agents.md §1.6 and the `blocks` of §1.2).
 * `output_text` and `reasoning` occur in assistant messages that were built from an answer.
 */
export type ContentBlock =
  | { type: "text"; text: string }
  | { type: "output_text"; text: string; visibility?: string }
  | { type: "image"; url?: string; base64?: string; media_type?: string; detail?: string }
  | { type: "audio"; base64: string; media_type: string }
  | { type: "pdf" | "document"; url?: string; base64?: string; media_type?: string; name?: string }
  | { type: "video"; url?: string; base64?: string; media_type?: string }
  | { type: "reasoning"; text: string; visibility?: string };

/** A call inside an assistant message that is sent back to the model. `arguments` may be an object or raw text. */
export interface MessageToolCall {
  id: string;
  name: string;
  arguments: Json;
  type?: string;
}

/**
 * A vendor's own reasoning part. Put the answer's `reasoning` list on the assistant message that
 * goes back: vendors refuse or forget a tool conversation without it. Other vendors' parts are dropped.
 */
export interface ReasoningPart {
  protocol: Protocol;
  /** Whose it is, where several vendors speak the protocol: it goes back to nobody else. */
  provider?: string;
  /** The vendor's block or item, verbatim. */
  item: JsonObject;
}

/**
 * One message, in the shape scripts use. Extra fields (`timestamp`, …) are kept in recordings and never sent to
 * vendors. A tool's answer is `role: "tool"` with `tool_call_id`, or `role: "tool_result"` with `tool_use_id`: both are read.
 */
export interface ModelMessage {
  role: string;
  content?: string | ContentBlock[] | null;
  tool_calls?: MessageToolCall[];
  tool_call_id?: string;
  tool_use_id?: string;
  name?: string;
  is_error?: boolean;
  reasoning?: ReasoningPart[];
}

/** A tool offered to the model. `parameters` is a JSON Schema of an object. */
export interface ModelTool {
  name: string;
  description: string;
  parameters: JsonSchema;
  defer_loading?: boolean;
  namespace?: string;
  strict?: boolean;
}

/** Which tool the model may or must call. */
export type ToolChoice = "auto" | "none" | "required" | { name: string };

/** What a thinking option means (agents.md §1.5). */
export type Thinking =
  | { mode: "disabled" }
  | { mode: "enabled"; budget_tokens?: number }
  | { mode: "adaptive" }
  | { mode: "effort"; level: string };

/** What the answer must look like. */
export type OutputFormat =
  | { kind: "text" }
  /** `schema`: the server can't be held to it; the model is told it in words. */
  | { kind: "json_object"; schema?: JsonSchema }
  | { kind: "json_schema"; schema: JsonSchema; strict?: boolean; name?: string };

/** The wire protocol that a route speaks. */
export type Protocol = "anthropic" | "openai_responses" | "openai_chat" | "mock";

/** One model call. Absent and null mean the same: the vendor's default. */
export interface ModelRequest {
  provider: string;
  model: string;
  system?: string | null;
  /** Messages are never changed; the list may grow at its end once the call is over, and in no other way. */
  messages: ModelMessage[];
  tools?: ModelTool[] | null;
  /** Vendor-native tool entries, sent as they are before `tools` (hosted tool search). */
  provider_tools?: JsonObject[] | null;
  tool_choice?: ToolChoice | null;
  max_tokens?: number | null;
  temperature?: number | null;
  top_p?: number | null;
  top_k?: number | null;
  stop?: string[] | null;
  seed?: number | null;
  frequency_penalty?: number | null;
  presence_penalty?: number | null;
  logprobs?: boolean | null;
  top_logprobs?: number | null;
  thinking?: Thinking | null;
  interleaved_thinking?: boolean | null;
  anthropic_beta_features?: string[] | null;
  output_format?: OutputFormat | null;
  prefill?: string | null;
  /** Set for `llm_completion`: the bare prefix and suffix, which the mock's default answer speaks of. */
  completion?: { prefix: string; suffix: string | null } | null;
  /** The vendor's faster service, at its price. Set only where the catalogue has one. */
  fast?: boolean | null;
  /** Ask for prompt caching (and let the mock play a prompt cache). */
  cache?: boolean | null;
  /** Transport only: the outcome is the same. Default true. */
  stream?: boolean | null;
  /** Whole call; default 120,000. */
  timeout_ms?: number | null;
  /** Longest silence between two pieces of the answer. */
  idle_timeout_ms?: number | null;
  /** `"responses"` or `"chat"`: which of OpenAI's two APIs; chosen by the route when absent. */
  api_mode?: string | null;
  /** Another server for this call; wins over environment and catalogue. */
  base_url?: string | null;
  /** Body fields merged last, as they are: the `<provider name>: {…}` option of scripts. */
  provider_overrides?: JsonObject | null;
  /** For the caller's own bookkeeping (session, iteration); never sent. */
  metadata?: JsonObject | null;
}

/** Token counts. `input_tokens` is the whole prompt, cached part included, for every vendor. */
export interface ModelUsage {
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  /** Part of `output_tokens` spent on reasoning, where the vendor says so. */
  reasoning_tokens: number;
  /** The server reported nothing (or only one side): what is missing was estimated from the texts. */
  estimated?: true;
  /** A scripted answer that names no count: its default says nothing of how anybody counts. */
  assumed?: true;
}

/**
 * A call that the model made. `raw_arguments` is the vendor's text; `arguments` is its value, or null
 * when it is no JSON object, and `parse_error` then says why.
 */
export interface ModelToolCall {
  id: string;
  name: string;
  raw_arguments: string;
  arguments: JsonObject | null;
  parse_error: string | null;
}

/** Why a model stopped, in one vocabulary for all vendors; null where the source says nothing (mock). */
export type StopReason =
  | "end_turn"
  | "tool_use"
  | "max_tokens"
  | "stop_sequence"
  | "refusal"
  | "pause_turn"
  | "context_window"
  | (string & {});

/** The answer. Also the shape of the part that had arrived when a call failed. */
export interface ModelResponse {
  text: string;
  tool_calls: ModelToolCall[];
  thinking: string | null;
  thinking_summary: string | null;
  /** To be sent back with the assistant message; empty unless the vendor needs it. */
  reasoning: ReasoningPart[];
  /** The `blocks` list of agents.md §1.2. */
  blocks: JsonObject[];
  logprobs: Json;
  /**
   * The answer followed a strict form of the schema, in which optional properties may be null: `unstrictify` takes
   * those nulls out of the parsed data.
   */
  strict_nulls: boolean;
  stop_reason: StopReason | null;
  usage: ModelUsage;
  model: string;
  provider: string;
  request_id: string | null;
  /** It was not asked for: a kept answer to an equal request, at no cost. */
  cached?: true;
  /** By the price table, or null when the model has no price there. Local and mock models cost 0. */
  cost_usd: number | null;
}

/** The categories of agents.md §1.7. */
export const errorCategories = [
  "rate_limit",
  "overloaded",
  "server_error",
  "transient_network",
  "timeout",
  "auth",
  "not_found",
  "schema_validation",
  "tool_error",
  "tool_rejected",
  "cancelled",
  "circuit_open",
  "budget_exceeded",
  "egress_blocked",
  "schema_stream_aborted",
  "generic",
] as const;
export type ErrorCategory = (typeof errorCategories)[number];

/** A failed call as data; `errorDict` gives the dict that scripts catch. */
export interface ModelError {
  kind: "transient" | "terminal";
  reason: string;
  category: ErrorCategory;
  message: string;
  provider: string;
  model: string;
  status?: number;
  /** Where the call went, without credentials; absent for calls that went nowhere. */
  address?: string;
  retry_after_ms?: number;
  /** Worth repeating unchanged. */
  retryable: boolean;
}

/** How a call ended. */
export type ModelOutcome =
  | { ok: true; response: ModelResponse }
  /** `begun`: the server had begun to answer, so what was asked may have to be paid. */
  | { ok: false; error: ModelError; partial: ModelResponse; begun?: boolean };

/** What is seen while a call runs. `index` numbers the tool calls of one answer from 0. */
export type ModelEvent =
  | { kind: "start"; provider: string; model: string; request_id: string | null }
  | { kind: "text"; delta: string }
  | { kind: "thinking"; delta: string }
  | { kind: "tool_call_start"; index: number; id: string; name: string }
  | { kind: "tool_call_delta"; index: number; delta: string }
  | { kind: "tool_call_end"; index: number; call: ModelToolCall }
  | { kind: "usage"; usage: ModelUsage }
  | { kind: "finish"; stop_reason: StopReason | null; usage: ModelUsage; cost_usd: number | null }
  | { kind: "error"; error: ModelError };

/** What a caller gives along. Aborting the signal ends the HTTP request and gives category `cancelled`. */
export interface StreamOptions {
  signal?: AbortSignal;
  /** Called synchronously, in order. Must not throw. */
  onEvent?: (event: ModelEvent) => void;
  /**
   * Asked before anything is sent: why this address must not be reached, if so. `named`: its vendor or the user named it,
   * not only the script.
   */
  refuses?: (url: string, named: boolean) => string | undefined;
}

/** The port. */
export interface ModelClient {
  stream(request: ModelRequest, options?: StreamOptions): Promise<ModelOutcome>;
}

/** No tokens at all. */
export function noUsage(): ModelUsage {
  return {
    input_tokens: 0,
    output_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
  };
}

/** An answer with nothing in it, to be filled while it arrives. */
export function emptyResponse(provider: string, model: string): ModelResponse {
  return {
    text: "",
    tool_calls: [],
    thinking: null,
    thinking_summary: null,
    reasoning: [],
    blocks: [],
    logprobs: null,
    strict_nulls: false,
    stop_reason: null,
    usage: noUsage(),
    model,
    provider,
    request_id: null,
    cost_usd: null,
  };
}
