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

export interface TranscriptEntry {
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

/** A message of a conversation. What is asked for is looked up then. */
class SaidEntry implements TranscriptEntry {
  readonly id: string;
  readonly by: Speaker;
  readonly pinned: boolean;
  readonly value: () => Dict;
  private readonly message: ModelMessage;

  constructor(id: string, message: ModelMessage, value: () => Dict, pinned: boolean, by: Speaker) {
    this.id = id;
    this.message = message;
    this.value = value;
    this.pinned = pinned;
    this.by = by;
  }

  get role(): string {
    return this.message.role;
  }
  get text(): string {
    return entryText(this.message) ?? messageLine(this.value());
  }
  get chars(): number {
    return messageChars(this.message);
  }
  get calls(): readonly string[] {
    return this.message.tool_calls?.map(({ id }) => id) ?? none;
  }
  get answers(): string | null {
    const { role, tool_use_id, tool_call_id } = this.message;
    return isAnswerEntry(role) ? (tool_use_id ?? tool_call_id ?? "") : null;
  }
  get tool(): string {
    return this.message.name ?? "";
  }
}

export const entryOfMessage = (
  id: string,
  message: ModelMessage,
  value: () => Dict,
  pinned = false,
  { by }: Origin = readOrigin(message),
): TranscriptEntry => new SaidEntry(id, message, value, pinned, by);

/** The common case, without making a script value of the message: content that is text, and calls. */
function entryText({ content, tool_calls: calls }: ModelMessage): string | undefined {
  if (typeof content !== "string") return undefined;
  if (calls === undefined || calls.length === 0) return content;
  const names = calls.map(({ name }) => `<tool_call:${name}>`).join(" ");
  return content === "" ? names : `${content} ${names}`;
}

/** A message that a script gave. */
export function entryOfValue(message: Dict, at: number): TranscriptEntry {
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
