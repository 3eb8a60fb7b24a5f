/**
 * Repair: what goes out to a model is sound, because vendors refuse a broken history. Interrupted loops, forks, hand-made
 * histories, callbacks and what scripts do to a session from inside a tool may leave anything behind (examine.ts).
 *
 * Looked at before every call of a model. What is known to be sound is not looked at again: messages after a watermark,
 * or the whole view when its revision changed, so that a turn costs the same however long the conversation is. The log keeps
 * everything; what is done is a change of the plan. Calls that run now are nobody else's to repair: a conversation has one
 * loop at a time (session-holds.ts), and that has answered its calls when it asks its model.
 */
import {
  byRuntime,
  type ClearPlanEntry,
  type Conversation,
  dropping,
  type LoggedMessage,
  type ModelMessage,
  messageText,
  placementsIn,
  type ReasoningPart,
} from "../../../model/index.ts";
import { resultMessage } from "../../state/tool-messages.ts";
import {
  type HistoryReader,
  isReadableCall,
  isSound,
  mended,
  type RepairFinding,
  type RepairRule,
} from "./examine.ts";

/** One repair of a conversation's view. */
export interface Repair {
  readonly rule: RepairRule;
  /** Ids of the messages that look different, went, or were made because of it. */
  readonly messages: readonly string[];
  readonly call: string | null;
  readonly tool: string | null;
}

export interface RepairOptions {
  /** Results go back as `tool_result` messages (Anthropic's shape). */
  readonly blocks: boolean;
  /** Whether a tool only reads: its call may be made again. */
  readonly reads?: (tool: string) => boolean;
  /** The conversation is a copy: its calls still run in the one that it was made of. */
  readonly copied?: boolean;
}

/** Mends what is shown; gives what it did, in the order of the view. Nothing is done twice. */
export function repairConversation(conversation: Conversation, options: RepairOptions): Repair[] {
  const { sound, revision } = conversation;
  const from = sound.revision === revision ? sound.length : 0;
  const reader = conversationReader(conversation);
  const repairs = isSound(conversation.shown, from, reader)
    ? []
    : mendView(conversation, from, reader, options);
  if (from === 0 || repairs.length > 0) repairs.push(...beginWithUser(conversation));
  conversation.sound = { revision: conversation.revision, length: conversation.view.length };
  return repairs;
}

/** The same for a list that callbacks or projections have made of a conversation. */
export function mendedView(messages: ModelMessage[], options: RepairOptions): ModelMessage[] {
  if (isSound(messages, 0, plainReader)) return messages;
  const { kept, found } = mended(messages, plainReader, (id, name) => interruptedResult(id, name, options));
  const unreadable = found.filter(({ rule }) => rule === "unreadable_arguments");
  return unreadable.reduce(withoutUnreadable, kept);
}

/**
 * What is left to try when a vendor refuses the history all the same: all of it is looked at again, and what models thought
 * stands as plain text, without parts of any vendor's own.
 */
export function repairStrictly(conversation: Conversation, options: RepairOptions): Repair[] {
  conversation.sound = { revision: -1, length: 0 };
  const thinking = conversation.shown.filter(({ message }) => (message.reasoning?.length ?? 0) > 0);
  if (thinking.length > 0)
    conversation.commit({
      reasoning_records: thinking.map(({ id, message }) => ({
        message_id: id,
        reason: "refused_history",
        text: (message.reasoning ?? [])
          .map(reasoningText)
          .filter((text) => text !== "")
          .join("\n\n"),
      })),
    });
  const rule = "refused_history" as const;
  const asText: Repair[] =
    thinking.length === 0 ? [] : [{ rule, messages: thinking.map(({ id }) => id), call: null, tool: null }];
  return [...asText, ...repairConversation(conversation, options)];
}

const plainReader: HistoryReader<ModelMessage> = { message: (message) => message, fits: () => true };

/** Reasoning goes with the answer that it led to: it no longer fits a message that the plan shows otherwise. */
const conversationReader = ({ log }: Conversation): HistoryReader<LoggedMessage> => ({
  message: ({ message }) => message,
  fits: ({ id, message }) =>
    (message.reasoning?.length ?? 0) === 0 || log[Number(id.slice("msg_".length)) - 1]?.message === message,
});

// ── the view of a conversation ────────────────────────────────────────────────────────────────────────────────────

function mendView(
  conversation: Conversation,
  from: number,
  reader: HistoryReader<LoggedMessage>,
  options: RepairOptions,
): Repair[] {
  const before = conversation.shown.slice(from);
  const { kept, found } = mended(before, reader, (id, name) =>
    conversation.record(interruptedResult(id, name, options), byRuntime("interrupted")),
  );
  const staying = new Set(kept.map(({ id }) => id));
  const gone = new Set(before.filter(({ id }) => !staying.has(id)).map(({ id }) => id));
  const { actions, drop_records } = dropping(conversation.log, gone, "repair");
  const cleared = found.flatMap((one) => unreadableRecords(conversation, one));
  conversation.commit({
    actions: { ...actions, ...Object.fromEntries(cleared.map(({ message_id }) => [message_id, "clear"])) },
    drop_records,
    clear_records: cleared,
    placement_records: placementsIn(conversation.log, conversation.plan, [
      ...conversation.shown.slice(0, from),
      ...kept,
    ]),
    reasoning_records: found
      .filter(({ rule, item }) => takesReasoning(rule, item))
      .map(({ item }) => ({ message_id: item.id, reason: "repair", text: "" })),
  });
  return found.map(repairOf);
}

/** Calls that are changed leave their reasoning behind. */
const takesReasoning = (rule: RepairRule, { message }: LoggedMessage): boolean =>
  rule === "unfit_reasoning" || (rule === "unreadable_arguments" && (message.reasoning?.length ?? 0) > 0);

const repairOf = ({ rule, item, made, call, tool }: RepairFinding<LoggedMessage>): Repair => ({
  rule,
  messages: made === null ? [item.id] : [item.id, made.id],
  call,
  tool,
});

/** What the plan says of arguments that nobody can read: `{}` in the call, their text in its result. */
function unreadableRecords(
  { plan }: Conversation,
  { rule, item, made, call, tool }: RepairFinding<LoggedMessage>,
): Omit<ClearPlanEntry, "version">[] {
  if (rule !== "unreadable_arguments" || made === null || call === null) return [];
  const value = item.message.tool_calls?.find(
    ({ id, arguments: args }) => id === call && !isReadableCall(args),
  );
  const common = { tool: tool ?? "", durability: "anchoring", reason: rule, kept: {} };
  const records = [{ ...common, message_id: item.id, call_id: call, text: "{}" }];
  // A body that the plan shows otherwise already stays as it shows it: the log has the text.
  if (plan.actions[made.id] !== undefined) return records;
  const text = withArguments(messageText(made.message), value?.arguments);
  return [...records, { ...common, message_id: made.id, call_id: call, text }];
}

/** A view begins with words of a user: the task when it went, else a line that says that something was before. */
function beginWithUser(conversation: Conversation): Repair[] {
  const { shown, task } = conversation;
  const first = shown.find(({ message }) => !isSystem(message));
  if (first?.message.role === "user" && (shown.length === 1 || saysSomething(first.message))) return [];
  const rule = "begins_without_user" as const;
  if (task !== null && !shown.some(({ id }) => id === task.id)) {
    conversation.show([task, ...shown], "repair");
    return [{ rule, messages: [task.id], call: null, tool: null }];
  }
  if (first === undefined) return [];
  const line = conversation.record({ role: "user", content: continues }, byRuntime("repair"));
  conversation.show([line, ...shown], "repair");
  return [{ rule, messages: [line.id], call: null, tool: null }];
}

const continues = "[conversation continues]";

/** What holds only blanks is not sent to every vendor. */
const saysSomething = ({ content }: ModelMessage): boolean =>
  Array.isArray(content) ? content.length > 0 : (content ?? "").trim() !== "";

const isSystem = ({ role }: ModelMessage): boolean => role === "system" || role === "developer";

// ── words ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function interruptedResult(id: string, name: string, { blocks, reads, copied }: RepairOptions): ModelMessage {
  const why =
    copied === true
      ? "this call was still running when the conversation was copied; its result is not known here"
      : `this call was cut off before it gave a result; ${
          reads?.(name) === true
            ? "call it again if you still need it"
            : "it may have taken effect: look before you repeat it"
        }`;
  const text = `[error from ${name}]\ninterrupted: ${why}\n[end of ${name} error]\n`;
  return resultMessage(id, name, text, true, blocks);
}

/** More of it than this says nothing. */
const argumentsShown = 2000;

function withArguments(result: string, value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  if (text === "" || result.includes(text)) return result;
  const cut = text.length > argumentsShown ? `${text.slice(0, argumentsShown)}…` : text;
  return `${result.trimEnd()}\n[the arguments as they came: ${cut}]`;
}

/** The list with the arguments and the result of one call in words. */
function withoutUnreadable(
  messages: ModelMessage[],
  { item, made, call }: RepairFinding<ModelMessage>,
): ModelMessage[] {
  const value = item.tool_calls?.find(({ id }) => id === call)?.arguments;
  return messages.map((message) => {
    if (message.tool_calls !== undefined && hasSameCalls(message, item)) {
      const { reasoning: _gone, ...rest } = message;
      return {
        ...rest,
        tool_calls: message.tool_calls.map((one) =>
          one.id === call && !isReadableCall(one.arguments) ? { ...one, arguments: {} } : one,
        ),
      };
    }
    return message === made ? { ...message, content: withArguments(messageText(message), value) } : message;
  });
}

/** The same message, or what an earlier step made of it. */
const hasSameCalls = (message: ModelMessage, item: ModelMessage): boolean =>
  message === item ||
  (message.content === item.content &&
    message.tool_calls?.length === item.tool_calls?.length &&
    (message.tool_calls ?? []).every(({ id }, index) => id === item.tool_calls?.[index]?.id));

/** What a vendor's part says, as far as anybody can read it. */
function reasoningText({ item }: ReasoningPart): string {
  const texts = [item.thinking, item.reasoning_content, item.text, ...summaryTexts(item.summary)];
  return texts.filter((text) => typeof text === "string" && text !== "").join("\n");
}

const summaryTexts = (summary: unknown): unknown[] =>
  Array.isArray(summary)
    ? summary.map((part: unknown) =>
        typeof part === "object" && part !== null && "text" in part ? part.text : "",
      )
    : [];
