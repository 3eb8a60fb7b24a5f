/**
 * Turns that a vendor pauses (`pause_turn`: its own tools took long): asked again with what it has said so far, it goes on
 * where it was. The parts are one answer.
 */
import { blocksOf } from "./answer.ts";
import type { JsonObject, ModelRequest, ModelResponse, ModelUsage } from "./port.ts";

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
