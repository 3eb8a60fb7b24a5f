/**
 * The plan of a conversation in transcripts and snapshots: with the messages that are not in view as they were said, so that log,
 * plan and view are the same wherever the conversation goes on. What somebody added after them comes after them. Messages that
 * somebody edited on the way are what counts: then there is no plan, and the conversation begins with what the transcript shows.
 */
import type { Json } from "../../effects/index.ts";
import {
  type CompactionPlan,
  type Conversation,
  type LadderMemory,
  type LoggedMessage,
  type MessageToolCall,
  type ModelMessage,
  messageFrom,
  type Origin,
  originOfValue,
  type ResultNote,
} from "../../model/index.ts";
import { Dict, fromJson, jsonStringify, List, ScriptError, toJson, type Value } from "../../values/index.ts";

const plainPlanValue = (value: unknown): Value => fromJson(JSON.parse(JSON.stringify(value)) as Json);

/** Raised when a reader of the older form would misread the newer one. */
const planRecordVersion = 1;

/** Undefined: nothing was ever taken out of view, or no part of the control plane did it. */
export function planRecord(conversation: Conversation): Dict | undefined {
  const { plan, log, shown, ladder, resultNotes, controlled } = conversation;
  if (!controlled || plan.version === 0) return undefined;
  const inView = new Map(shown.map((one) => [one.id, one]));
  const hidden = log.filter(({ id, message }) => inView.get(id)?.message !== message);
  return (plainPlanValue(plan) as Dict).merge(
    Dict.of({
      record: planRecordVersion,
      view: new List(shown.map(({ id }) => id)),
      hidden: new List(
        hidden.map((one) =>
          Dict.of({
            id: one.id,
            message: conversation.value(one).without("origin"),
            origin: plainPlanValue(one.origin),
          }),
        ),
      ),
      memory: ladder === null ? null : plainPlanValue(ladder),
      notes: plainPlanValue(Object.fromEntries(resultNotes)),
    }),
  );
}

/** Puts log and plan back. False: the record does not make these messages, and the conversation is as it was. */
export function restorePlanRecord(conversation: Conversation, record: Value, args: readonly Dict[]): boolean {
  if (!(record instanceof Dict) || record.get("record") !== planRecordVersion) return false;
  const view = record.get("view");
  if (!(view instanceof List) || view.length > args.length) return false;
  const messages = args.slice(0, view.length);
  const said = restoredWords(record, [...view].map(String), messages);
  if (said === null) return false;
  for (const { value, origin } of said) {
    const [message, by] = restoredMessage(value, origin);
    conversation.record(message, by);
  }
  const {
    record: _form,
    view: _view,
    hidden: _hidden,
    memory,
    notes,
    ...plan
  } = toJson(record) as {
    readonly [name: string]: Json;
  };
  try {
    conversation.restorePlan({ ...(plan as unknown as CompactionPlan), thread_id: conversation.id });
  } catch (error) {
    if (error instanceof ScriptError) throw error;
    conversation.forgetMessages();
    return false;
  }
  if (!showsMessages(conversation, messages)) {
    conversation.forgetMessages();
    return false;
  }
  conversation.controlled = true;
  if (memory !== null && typeof memory === "object") conversation.ladder = memory as unknown as LadderMemory;
  for (const [id, note] of Object.entries((notes ?? {}) as object))
    conversation.resultNotes.set(id, note as ResultNote);
  for (const value of args.slice(view.length)) conversation.append(...restoredMessage(value, undefined));
  return true;
}

/** A message of a transcript, and whose words it is. */
function restoredMessage(value: Dict, origin: Value | undefined): [ModelMessage, Origin] {
  const message = withReadArguments(messageFrom(value, "compaction_plan"));
  return [message, originOfValue(origin instanceof Dict ? value.with("origin", origin) : value, message)];
}

/** Transcripts write arguments as texts; a conversation has what was read of them, and is measured by it. */
function withReadArguments(message: ModelMessage): ModelMessage {
  const { tool_calls: calls } = message;
  if (calls === undefined) return message;
  return {
    ...message,
    tool_calls: calls.map((call) => ({ ...call, arguments: restoredArguments(call.arguments) })),
  };
}

function restoredArguments(input: MessageToolCall["arguments"]): MessageToolCall["arguments"] {
  if (typeof input !== "string") return input;
  try {
    const value: unknown = JSON.parse(input);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as MessageToolCall["arguments"]) : input;
  } catch {
    return input;
  }
}

const showsMessages = (conversation: Conversation, messages: readonly Dict[]): boolean =>
  conversation.shown.length === messages.length &&
  conversation.shown.every((one, at) => isSameMessage(conversation, one, messages[at] as Dict));

const isSameMessage = (conversation: Conversation, one: LoggedMessage, options: Dict): boolean =>
  jsonStringify(conversation.value(one).without("origin")) === jsonStringify(options.without("origin"));

interface PlanMessage {
  readonly value: Dict;
  /** Undefined: as the message itself says. */
  readonly origin: Value | undefined;
}

/** Every message of the log in its order; null where one is missing. */
function restoredWords(
  record: Dict,
  view: readonly string[],
  messages: readonly Dict[],
): PlanMessage[] | null {
  const hidden = record.get("hidden");
  if (!(hidden instanceof List)) return null;
  const said = new Map<string, PlanMessage>();
  for (const [at, id] of view.entries()) said.set(id, { value: messages[at] as Dict, origin: undefined });
  for (const one of hidden) {
    const value = one instanceof Dict ? one.get("message") : undefined;
    if (!(one instanceof Dict) || !(value instanceof Dict)) return null;
    said.set(String(one.get("id")), { value, origin: one.get("origin") });
  }
  const all: PlanMessage[] = [];
  for (let n = 1; n <= said.size; n++) {
    const one = said.get(`msg_${n}`);
    if (one === undefined) return null;
    all.push(one);
  }
  return all;
}
