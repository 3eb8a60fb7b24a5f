/**
 * Reminders of a conversation (agents.md §4.4): they wait there, are told before every model call, lose a turn of their
 * lifetime behind it, and go when it is used up, when a newer one takes their place, or at a compaction.
 *
 *     injected ─▶ fired ─▶ fired ─▶ expired          deduped: replaced by a newer one of the same key
 *                   │                                dropped: a compaction took it
 *                   └─▶ sub-agents: inherited (propagate)
 *
 * What happens to one is a live event `transcript.reminder.<word>` of the session.
 */
import type { Task } from "../../interp/index.ts";
import { newId } from "../../interp/index.ts";
import type { Conversation, LoggedMessage, ModelMessage } from "../../model/index.ts";
import { tellSession } from "../../model/index.ts";
import { Dict } from "../../values/index.ts";
import { replaces } from "../session/reminder-value.ts";
import type { Loop } from "../state/loop-state.ts";
import { type Turn, tell } from "../state/requests.ts";

type Happened = "injected" | "fired" | "deduped" | "expired" | "dropped" | "inherited";

const eventType = (happened: Happened): string => `transcript.reminder.${happened}`;

const fieldsOf = (reminder: Dict): Dict =>
  Dict.of({
    reminder_id: reminder.get("id") ?? null,
    dedupe_key: reminder.get("dedupe_key") ?? null,
    tags: reminder.get("tags") ?? null,
    source: reminder.get("source") ?? null,
    propagate: reminder.get("propagate") ?? null,
    role_hint: reminder.get("role_hint") ?? null,
    ttl_turns: reminder.get("ttl_turns") ?? null,
  });

/** Adds a reminder; gives those whose place it took. */
export function putReminder(conversation: Conversation, reminder: Dict): Dict[] {
  const old = conversation.reminders.filter((other) => replaces(reminder, other));
  conversation.reminders = [
    ...conversation.reminders.filter((other) => !replaces(reminder, other)),
    reminder,
  ];
  return old;
}

async function tellAll(
  task: Task,
  session: string,
  reminders: readonly Dict[],
  happened: Happened,
): Promise<void> {
  for (const reminder of reminders) await tellSession(task, session, eventType(happened), fieldsOf(reminder));
}

/** Adds a reminder and tells those who watch. */
export async function remindSession(
  task: Task,
  conversation: Conversation,
  reminder: Dict,
  happened: "injected" | "inherited" = "injected",
): Promise<number> {
  const old = putReminder(conversation, reminder);
  await tellAll(task, conversation.id, old, "deduped");
  await tellAll(task, conversation.id, [reminder], happened);
  return old.length;
}

/** Tells of reminders that a compaction took. */
export const tellDropped = (task: Task, session: string, reminders: readonly Dict[]): Promise<void> =>
  tellAll(task, session, reminders, "dropped");

/** As `tellDropped`, inside a turn. */
export function* reportReminders(
  loop: Loop,
  reminders: readonly Dict[],
  happened: "dropped" | "expired" | "fired",
): Turn<void> {
  if (!loop.heard()) return;
  for (const reminder of reminders) {
    const fields = fieldsOf(reminder);
    yield* tell(eventType(happened), Object.fromEntries(fields.entries()));
  }
}

/**
 * Copies what a parent's reminders say to a child: those for everybody, and those for direct children. A copy says
 * where it comes from; one that was meant for direct children goes no further.
 */
export async function inheritReminders(
  task: Task,
  parent: Conversation,
  child: Conversation,
): Promise<number> {
  const inherited = parent.reminders.filter((reminder) => reminder.get("propagate") !== "none");
  for (const reminder of inherited) {
    const copy = reminder.merge(
      Dict.of({
        id: newId(task),
        source: "inherited",
        propagate: reminder.get("propagate") === "all" ? "all" : "none",
        originating_agent_id: reminder.get("originating_agent_id") ?? parent.id,
      }),
    );
    await remindSession(task, child, copy, "inherited");
  }
  return inherited.length;
}

// ── in a turn ─────────────────────────────────────────────────────────────────────────────────────────────────────

const bodyOf = (reminder: Dict): string =>
  `<system-reminder>\n${String(reminder.get("body"))}\n</system-reminder>`;

const inMessages = (reminder: Dict): boolean => {
  const role = reminder.get("role_hint");
  return role === "user_block" || role === "ephemeral_cache";
};

/** The part of the system text; "" without reminders. */
export const reminderText = (conversation: Conversation): string =>
  conversation.reminders
    .filter((reminder) => !inMessages(reminder))
    .map(bodyOf)
    .join("\n\n");

/** Puts the reminders that belong into the last user message in front of it: in what is sent, not in what is stored. */
export function remindedMessages(
  conversation: Conversation,
  messages: readonly LoggedMessage[],
): readonly LoggedMessage[] {
  const texts = conversation.reminders.filter(inMessages).map(bodyOf);
  if (texts.length === 0) return messages;
  const at = messages.findLastIndex(({ message }) => message.role === "user");
  if (at < 0)
    return [...messages, { id: "reminders", message: { role: "user", content: texts.join("\n\n") } }];
  const { id, message } = messages[at] as LoggedMessage;
  return messages.with(at, { id, message: withText(message, texts.join("\n\n")) });
}

function withText(message: ModelMessage, text: string): ModelMessage {
  const { content } = message;
  if (Array.isArray(content)) return { ...message, content: [{ type: "text", text }, ...content] };
  return { ...message, content: `${text}\n\n${content ?? ""}` };
}

/** Behind a turn: every reminder that was told has one turn less; those without any left go. */
export function* ageReminders(loop: Loop): Turn<void> {
  const { conversation, work } = loop;
  if (conversation.reminders.length === 0 || !work.answered) return;
  const { told } = loop.state.slots.reminders;
  const expired: Dict[] = [];
  conversation.reminders = conversation.reminders.flatMap((reminder) => {
    const ttl = reminder.get("ttl_turns");
    if (typeof ttl !== "number" || !told.includes(String(reminder.get("id")))) return [reminder];
    if (ttl > 1) return [reminder.with("ttl_turns", ttl - 1)];
    expired.push(reminder);
    return [];
  });
  yield* reportReminders(loop, expired, "expired");
}

/** In front of a model call: notes which reminders it is told. */
export function* fireReminders(loop: Loop): Turn<void> {
  const { conversation } = loop;
  loop.state.slots.reminders.told = conversation.reminders.map((reminder) => String(reminder.get("id")));
  yield* reportReminders(loop, conversation.reminders, "fired");
}
