/** Reading the content of a message. */
import type { ModelMessage } from "./port.ts";

/** The text parts of a message's content, joined with newlines. */
export function textOfMessage(message: ModelMessage): string {
  if (typeof message.content === "string") return message.content;
  const texts = (message.content ?? []).map((block) => ("text" in block ? block.text : ""));
  return texts.filter((text) => text !== "").join("\n");
}
