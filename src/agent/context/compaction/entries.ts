/**
 * Messages as compaction looks at them: role, text, calls and size, whatever holds the message. Compaction decides about
 * positions; whoever asked for it applies the decisions to its own messages.
 */
import {
  type ModelMessage,
  messageChars,
  type Origin,
  originOfValue,
  readOrigin,
  type Speaker,
  valueChars,
} from "../../../model/index.ts";
import { Dict, List, textField, type Value } from "../../../values/index.ts";
import { messageLine } from "../../session/transcript-value.ts";

export interface Entry {
  /** In a list of messages by its place: `msg_1`. */
  readonly id: string;
  readonly role: string;
  /** Whose words they are. */
  readonly by: Speaker;
  /** The text in full: content, then calls by name. */
  readonly text: string;
  readonly chars: number;
  /** Ids of the calls that the message makes. */
  readonly calls: readonly string[];
  /** The call that the message answers; "" for an answer that names none, `null` when it is no tool's answer. */
  readonly answers: string | null;
  /** The name of the tool that answers, where the message has it. */
  readonly tool: string;
  /** It stays in view, wherever the cut is. */
  readonly pinned: boolean;
  /** The message as scripts see it. */
  value(): Dict;
}

const none: readonly string[] = [];
const isAnswerEntry = (role: string): boolean => role === "tool" || role === "tool_result";

/** A message of a conversation. */
export function entryOfMessage(
  id: string,
  message: ModelMessage,
  value: () => Dict,
  pinned = false,
  { by }: Origin = readOrigin(message),
): Entry {
  const calls = message.tool_calls ?? [];
  return {
    id,
    role: message.role,
    by,
    get text() {
      return entryText(message) ?? messageLine(value());
    },
    chars: messageChars(message),
    calls: calls.length === 0 ? none : calls.map(({ id }) => id),
    answers: isAnswerEntry(message.role) ? (message.tool_use_id ?? message.tool_call_id ?? "") : null,
    tool: message.name ?? "",
    pinned,
    value,
  };
}

/** The common case, without making a script value of the message: content that is text, and calls. */
function entryText({ content, tool_calls: calls }: ModelMessage): string | undefined {
  if (typeof content !== "string") return undefined;
  if (calls === undefined || calls.length === 0) return content;
  const names = calls.map(({ name }) => `<tool_call:${name}>`).join(" ");
  return content === "" ? names : `${content} ${names}`;
}

/** A message that a script gave. */
export function entryOfValue(message: Dict, at: number): Entry {
  const role = textField(message, "role");
  const calls = message.get("tool_calls");
  const content = message.get("content");
  return {
    id: `msg_${at + 1}`,
    role,
    by: originOfValue(message, { role, content: typeof content === "string" ? content : null }).by,
    get text() {
      return messageLine(message);
    },
    chars: valueChars(message),
    calls: calls instanceof List ? calls.toArray().flatMap(callId) : [],
    answers: isAnswerEntry(role)
      ? textField(message, "tool_use_id") || textField(message, "tool_call_id")
      : null,
    tool: textField(message, "name"),
    pinned: false,
    value: () => message,
  };
}

function callId(call: Value): string[] {
  const id = call instanceof Dict ? call.get("id") : undefined;
  return typeof id === "string" ? [id] : [];
}
