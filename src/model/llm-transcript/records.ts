/** The fields of the records in `llm_transcript.jsonl` (agents.md §2.4). */
import type { ModelError, ModelMessage, ModelRequest, ModelResponse } from "../llm/index.ts";
import type { ToolCall } from "../tools/types.ts";

export type TranscriptFields = Readonly<Record<string, unknown>>;

/** A message, its calls in the wrapped shape. */
export function messageFields({ tool_calls: calls, ...rest }: ModelMessage): TranscriptFields {
  return calls === undefined ? rest : { ...rest, tool_calls: calls.map(wrappedRecord) };
}

const wrappedRecord = (call: { id: string; name: string; arguments: unknown }): TranscriptFields => ({
  id: call.id,
  type: "function",
  function: {
    name: call.name,
    arguments: typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments),
  },
});

/** A call that is about to go out. */
export const requestFields = (request: ModelRequest, format: string | null): TranscriptFields => ({
  model: request.model,
  provider: request.provider,
  max_tokens: request.max_tokens ?? null,
  temperature: request.temperature ?? null,
  tool_choice: request.tool_choice ?? null,
  tool_format: format,
  thinking: request.thinking ?? null,
  native_tool_count: request.tools?.length ?? 0,
  message_count: request.messages.length,
  structural_experiment: null,
  route_policy: null,
  fallback_chain: null,
});

/** A call that came back. */
export const responseFields = (response: ModelResponse, durationMs: number): TranscriptFields => ({
  model: response.model,
  provider: response.provider,
  text: response.text,
  tool_calls: response.tool_calls.map(({ id, name, raw_arguments }) => ({
    id,
    type: "function",
    function: { name, arguments: raw_arguments },
  })),
  parsed_tool_calls: response.tool_calls.map(({ id, name, arguments: args }) => ({
    id,
    name,
    arguments: args,
  })),
  input_tokens: response.usage.input_tokens,
  output_tokens: response.usage.output_tokens,
  cache_read_tokens: response.usage.cache_read_tokens,
  cache_write_tokens: response.usage.cache_write_tokens,
  cost_usd: response.cost_usd,
  cache_hit: response.usage.cache_read_tokens > 0,
  thinking: response.thinking,
  thinking_summary: response.thinking_summary,
  stop_reason: response.stop_reason,
  response_ms: durationMs,
  structural_experiment: null,
});

/** A call that failed. */
export const failureFields = ({ provider, model, category, message }: ModelError): TranscriptFields => ({
  provider,
  model,
  error: { category, message },
});

/** What was made of an answer. */
export const interpretedFields = (
  format: string | null,
  prose: string,
  calls: readonly ToolCall[],
  parseErrors: readonly unknown[],
): TranscriptFields => ({
  tool_format: format,
  prose,
  tool_calls: calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
  tool_parse_errors: parseErrors,
});

/** Everything that was sent, for those who want it all. */
export const snapshotFields = (request: ModelRequest): TranscriptFields => ({
  request_snapshot: {
    system: request.system ?? null,
    messages: request.messages,
    tool_schemas: request.tools ?? null,
    native_tools: request.provider_tools ?? null,
  },
});
