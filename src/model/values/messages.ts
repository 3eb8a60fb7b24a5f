/** Messages between scripts and the model port (agents.md §1.6, §3.1). */

import { at, refusal } from "../../table/index.ts";
import { Dict, display, List, thrown, toJson, type Value } from "../../values/index.ts";
import type { ContentBlock, Json, JsonObject, MessageToolCall, ModelMessage } from "../llm/index.ts";

/** The messages of a list value. `caller` begins error texts: `llm_call: `. */
export function messagesFrom(value: Value, caller: string): ModelMessage[] {
  if (!(value instanceof List)) throw refusal(at(`${caller}messages`), "list of messages", value);
  return value.toArray().map((item, index) => messageFrom(item, `${caller}messages[${index}]`));
}

/** One message. Fields that the port does not know are kept: recordings show them. */
export function messageFrom(value: Value, where: string): ModelMessage {
  if (!(value instanceof Dict)) throw refusal(at(where), "dict with role and content", value);
  const role = value.get("role");
  if (typeof role !== "string" || role === "") throw thrown(`${where} has no role`);
  const message = toJson(value) as JsonObject;
  const content = value.get("content");
  if (content instanceof List) message.content = contentBlocks(content, where) as unknown as Json;
  else if (content !== undefined && content !== null && typeof content !== "string")
    message.content = display(content);
  const calls = value.get("tool_calls");
  if (calls instanceof List) message.tool_calls = calls.toArray().flatMap(toolCallFrom) as unknown as Json;
  else delete message.tool_calls;
  if (isOriginValue(value.get("origin"))) delete message.origin;
  return message as unknown as ModelMessage;
}

/** What transcripts say of whose words a message holds (conversation/origin.ts): it is about the message, and never sent. */
const isOriginValue = (value: Value | undefined): boolean =>
  value instanceof Dict && typeof value.get("by") === "string";

/** OpenAI's wrapped shape and the flat one. */
function toolCallFrom(value: Value): MessageToolCall[] {
  if (!(value instanceof Dict)) return [];
  const inner = value.get("function");
  const source = inner instanceof Dict ? inner : value;
  const name = source.get("name");
  const id = value.get("id");
  if (typeof name !== "string") return [];
  const args = source.get("arguments") ?? new Dict();
  return [{ id: typeof id === "string" ? id : name, name, arguments: toJson(args) as Json }];
}

const kinds = new Set(["text", "output_text", "image", "audio", "pdf", "document", "video", "reasoning"]);

function contentBlocks(list: List, where: string): ContentBlock[] {
  return list.toArray().map((item) => {
    if (typeof item === "string") return { type: "text", text: item };
    if (!(item instanceof Dict)) throw refusal(at(where, "content"), "blocks", item);
    const type = item.get("type");
    if (typeof type !== "string" || !kinds.has(type)) {
      throw thrown(
        `${where}: unknown content block type ${display(type ?? null)}; expected one of ${[...kinds].join(", ")}`,
      );
    }
    checkSource(type, item, where);
    return toJson(item) as unknown as ContentBlock;
  });
}

/** Media come from exactly one place. */
function checkSource(type: string, block: Dict, where: string): void {
  const text = (key: string): boolean => typeof block.get(key) === "string";
  if (type === "text" || type === "output_text" || type === "reasoning") {
    if (!text("text")) throw thrown(`${where}: a ${type} block needs a string \`text\``);
    return;
  }
  if (type === "audio") {
    if (!text("base64")) throw thrown(`${where}: an audio block needs \`base64\` and \`media_type\``);
    return;
  }
  if (text("url") === text("base64"))
    throw thrown(
      `${where}: ${type === "image" ? "an" : "a"} ${type} block needs exactly one of \`url\` and \`base64\``,
    );
}

/** The kinds of media in messages: what a model must be able to see or hear. */
export function mediaIn(messages: readonly ModelMessage[]): Set<"vision" | "audio" | "pdf" | "video"> {
  const found = new Set<"vision" | "audio" | "pdf" | "video">();
  for (const { content } of messages) {
    if (!Array.isArray(content)) continue;
    for (const { type } of content) {
      if (type === "image") found.add("vision");
      else if (type === "audio" || type === "video") found.add(type);
      else if (type === "pdf" || type === "document") found.add("pdf");
    }
  }
  return found;
}
