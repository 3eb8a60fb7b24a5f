/** How calls and their results stand in the conversation, natively and as text (agents.md §7.2, §7.4). */
import type { MessageToolCall, ModelMessage, ReasoningPart, ToolCall } from "../../model/index.ts";
import { fencedCall } from "../../model/index.ts";
import type { Loop } from "./loop-state.ts";

/**
 * Whether calls and results of this turn stand as native messages. A loop without tools has no protocol of its own:
 * a model that calls one all the same did so natively.
 */
export function keptNatively(loop: Loop): boolean {
  return (loop.format === "native" || loop.channel === "none") && loop.work.fallback === "none";
}

/** The answer of one native call. */
export function resultMessage(
  id: string,
  name: string,
  text: string,
  isError: boolean,
  blocks: boolean,
): ModelMessage {
  const error = isError ? { is_error: true } : {};
  return blocks
    ? { role: "tool_result", tool_use_id: id, content: text, ...error }
    : { role: "tool", tool_call_id: id, name, content: text, ...error };
}

/** A native assistant turn. */
export function assistantMessage(
  text: string,
  calls: readonly ToolCall[],
  reasoning: ReasoningPart[],
): ModelMessage {
  const message: ModelMessage = { role: "assistant", content: text };
  if (calls.length > 0) message.tool_calls = calls.map(messageCall);
  if (reasoning.length > 0) message.reasoning = reasoning;
  return message;
}

function messageCall(call: ToolCall): MessageToolCall {
  return { id: call.id, name: call.name, arguments: call.arguments ?? call.rawArguments };
}

/** A call as the text protocol writes it. */
function taggedCall(call: ToolCall): string {
  return `<tool_call>\n${call.name}(${JSON.stringify(call.arguments ?? {}, null, 2)})\n</tool_call>`;
}

/** A call that came natively in a loop that speaks text, as that loop writes it. */
export function writtenCall(loop: Loop, call: ToolCall): string {
  if (loop.channel !== "json") return taggedCall(call);
  return fencedCall(call.name, JSON.stringify(call.arguments ?? {}));
}

/** All results of a turn in the text format: one user message. */
export function resultsMessage(observations: readonly string[]): ModelMessage {
  return { role: "user", content: observations.map((text) => text.trimEnd()).join("\n\n") };
}
