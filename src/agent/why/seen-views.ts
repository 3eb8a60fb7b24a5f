/** The requests of a session as they were: views made again from log and plan, and when each message was seen how. */
import {
  type Conversation,
  type LoggedMessage,
  type ModelMessage,
  messageText,
  renderView,
  type SeenCall,
} from "../../model/index.ts";

/** The messages of a call, with their ids. */
export const messagesOf = (conversation: Conversation, call: SeenCall): readonly LoggedMessage[] =>
  call.sent ?? renderView(conversation.log.slice(0, call.log), call.plan);

/** How a message stood in a call: `whole`, `cleared`, `kept outside`, `changed`, or how it went. */
export type Standing =
  | "whole"
  | "cleared"
  | "kept outside"
  | "changed"
  | "summarized"
  | "dropped"
  | "left out";

export function standingInCall(conversation: Conversation, call: SeenCall, id: string): Standing {
  const action = call.plan.actions[id];
  if (action === "summarize") return "summarized";
  if (action === "drop") return "dropped";
  if (call.sent !== null) {
    const found = call.sent.find((one) => one.id === id);
    if (found === undefined) return "left out";
    const own = logged(conversation, id);
    if (action === undefined && own !== undefined && found.message !== own.message) return "changed";
  }
  if (action === "clear") return "cleared";
  return action === "externalize" ? "kept outside" : "whole";
}

/** Calls one after the other in which a message stood alike. */
export interface ViewRun {
  readonly standing: Standing;
  readonly from: SeenCall;
  readonly to: SeenCall;
}

export function runsOf(conversation: Conversation, id: string): ViewRun[] {
  const position = messagePosition(id);
  const runs: ViewRun[] = [];
  for (const call of conversation.seen.calls) {
    if (call.log < position) continue;
    const standing = standingInCall(conversation, call, id);
    const last = runs.at(-1);
    if (last?.standing === standing && last.to.loop === call.loop)
      runs[runs.length - 1] = { ...last, to: call };
    else runs.push({ standing, from: call, to: call });
  }
  return runs;
}

/** From 1; Infinity for what is no message of the log. */
export function messagePosition(id: string): number {
  const number = /^msg_([1-9]\d*)$/.exec(id)?.[1];
  return number === undefined ? Number.POSITIVE_INFINITY : Number(number);
}

export const logged = (conversation: Conversation, id: string): LoggedMessage | undefined =>
  conversation.log[messagePosition(id) - 1];

/** The first call that a message could be part of. */
export const firstCallOf = (conversation: Conversation, id: string): SeenCall | undefined =>
  conversation.seen.calls.find(({ log }) => log >= messagePosition(id));

/** `tool:read_file`, `runtime:nudge`, `person` … */
export function sourceOf(conversation: Conversation, { id, origin, message }: LoggedMessage): string {
  switch (origin.by) {
    case "tool":
      return `tool:${toolOf(conversation, message)}`;
    case "runtime":
      return `runtime:${origin.kind ?? "message"}`;
    case "compaction": {
      const record = conversation.plan.summarization_records.find((one) => one.summary_message_id === id);
      return `compaction:${record?.version ?? 0}`;
    }
    default:
      return origin.by;
  }
}

/** The tools whose results a message holds. */
export function toolOf(conversation: Conversation, message: ModelMessage): string {
  if (message.name !== undefined) return message.name;
  const answered = message.tool_use_id ?? message.tool_call_id;
  if (answered !== undefined) {
    for (let at = conversation.log.length - 1; at >= 0; at--) {
      const call = conversation.log[at]?.message.tool_calls?.find(({ id }) => id === answered);
      if (call !== undefined) return call.name;
    }
    return "unknown";
  }
  const names = [...messageText(message).matchAll(/^\[(?:result of|error from) ([^\]\n]+)\]/gm)];
  return names.length === 0 ? "unknown" : [...new Set(names.map(([, name]) => name as string))].join(",");
}

/** One sentence about what a message is. */
export function aboutMessage(conversation: Conversation, one: LoggedMessage): string {
  const { origin, message } = one;
  const { kind } = origin;
  switch (origin.by) {
    case "person":
      if (kind === "prompt") return "the prompt of a loop";
      return kind === "user_message"
        ? "said by a person while the loop worked"
        : "a person's words, given or injected";
    case "model": {
      const calls = (message.tool_calls ?? []).map(({ name }) => name);
      return calls.length === 0
        ? "an answer of the model"
        : `an answer of the model that calls ${calls.join(", ")}`;
    }
    case "tool": {
      const call = message.tool_use_id ?? message.tool_call_id;
      return `result of ${toolOf(conversation, message)}${call === undefined ? "" : ` (call ${call})`}`;
    }
    case "compaction": {
      const record = conversation.plan.summarization_records.find(
        (made) => made.summary_message_id === one.id,
      );
      return record === undefined
        ? "the summary of a compaction"
        : `the summary of ${record.count} messages, ${record.first} to ${record.last} (${record.maker}, plan version ${record.version})`;
    }
    case "runtime":
      return `words of the runtime (${kind ?? "message"})`;
  }
}
