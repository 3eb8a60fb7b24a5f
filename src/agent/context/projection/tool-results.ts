/** What messages say about tool calls, in the native shape and in the text format's frames. */
import type { ModelMessage } from "../../../model/index.ts";
import { messageText } from "../../../model/index.ts";

export interface ResultSaid {
  readonly tool: string;
  readonly failed: boolean;
  /** The first line of what was said. */
  readonly line: string;
}

const frame = /^\[(result of|error from) ([^\]\n]+)\]\n?([^\n]*)/gm;

/** The results in a text-format message, none in every other. */
export function framedResults(message: ModelMessage): ResultSaid[] {
  if (message.role !== "user" || typeof message.content !== "string" || !message.content.startsWith("["))
    return [];
  return Array.from(message.content.matchAll(frame), ([, kind, tool = "", line = ""]) => ({
    tool,
    failed: kind === "error from",
    line,
  }));
}

/** The call that a native result answers; `undefined` for every other message. */
export function answeredCall(message: ModelMessage): string | undefined {
  if (message.role !== "tool" && message.role !== "tool_result") return undefined;
  return message.tool_use_id ?? message.tool_call_id ?? "";
}

/** The first line of a native result, without the frame around it. */
export function resultLine(message: ModelMessage): string {
  const text = messageText(message);
  const inner = /^\[(?:result of|error from) [^\]\n]+\]\n([^\n]*)/.exec(text)?.[1];
  return inner ?? text.split("\n", 1)[0] ?? "";
}
