/** Messages in the shape of Anthropic's API: alternating roles, tool results inside user messages. */

import { textOfMessage } from "../content.ts";
import type { ContentBlock, JsonObject, ModelMessage } from "../port.ts";
import { answeredLiveCall, lateSystem, sentArguments } from "./call.ts";
import { AnswerFault } from "./faults.ts";

/** The `messages` field. With `cache`, everything up to the newest message is marked as worth keeping. */
export function anthropicMessages(
  messages: readonly ModelMessage[],
  cache: boolean,
  prefill: string | null,
): JsonObject[] {
  const out: { role: string; content: JsonObject[] }[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const content = role === "assistant" ? assistantBlocks(message) : userBlocks(message);
    // Empty messages are refused; answers of one batch of calls belong into one message.
    if (content.length === 0) continue;
    const last = out.at(-1);
    if (last?.role === role) last.content.push(...content);
    else out.push({ role, content });
  }
  if (cache) markLast(out);
  if (prefill) out.push({ role: "assistant", content: [{ type: "text", text: prefill.trimEnd() }] });
  return out as unknown as JsonObject[];
}

function markLast(out: { content: JsonObject[] }[]): void {
  const content = out.at(-1)?.content;
  const block = content?.at(-1);
  if (!content || !block || block.type === "thinking" || block.type === "redacted_thinking") return;
  content[content.length - 1] = { ...block, cache_control: { type: "ephemeral" } };
}

function assistantBlocks(message: ModelMessage): JsonObject[] {
  const blocks: JsonObject[] = (message.reasoning ?? [])
    .filter((sealed) => sealed.protocol === "anthropic")
    .map((sealed) => sealed.item);
  const text = textOfMessage(message);
  // An answer with parts of the vendor's own brings its texts along, each in its place.
  const hasText = blocks.some(({ type }) => type === "text");
  if (text.trim() !== "" && !hasText) blocks.push({ type: "text", text });
  for (const call of message.tool_calls ?? []) {
    blocks.push({ type: "tool_use", id: call.id, name: call.name, input: sentArguments(call.arguments) });
  }
  return blocks;
}

function userBlocks(message: ModelMessage): JsonObject[] {
  if (message.role === "tool" || message.role === "tool_result") {
    const result = {
      type: "tool_result",
      tool_use_id: answeredLiveCall(message) ?? "",
      content: toolContent(message),
    };
    return [message.is_error ? { ...result, is_error: true } : result];
  }
  if (message.role === "system" || message.role === "developer")
    return [{ type: "text", text: lateSystem(message) }];
  if (typeof message.content === "string") {
    return message.content.trim() === "" ? [] : [{ type: "text", text: message.content }];
  }
  return (message.content ?? []).map(block);
}

function toolContent(message: ModelMessage): string | JsonObject[] {
  const pictures = Array.isArray(message.content) && message.content.some((part) => part.type === "image");
  return pictures ? (message.content as ContentBlock[]).map(block) : textOfMessage(message);
}

function block(part: ContentBlock): JsonObject {
  switch (part.type) {
    case "text":
    case "output_text":
    case "reasoning":
      return { type: "text", text: part.text };
    case "image":
      return { type: "image", source: pictureSource(part, "image/png") };
    case "pdf":
    case "document":
      return { type: "document", source: pictureSource(part, "application/pdf") };
    default:
      throw new AnswerFault(
        "generic",
        `anthropic takes no content block of type ${JSON.stringify(part.type)}`,
      );
  }
}

function pictureSource(
  part: { url?: string; base64?: string; media_type?: string },
  mediaType: string,
): JsonObject {
  if (part.url) return { type: "url", url: part.url };
  return { type: "base64", media_type: part.media_type ?? mediaType, data: part.base64 ?? "" };
}
