/**
 * Reminders of a conversation (agents.md §4.4): they wait there, are told before every model call, lose a turn of their
 * lifetime after it, and go when it is used up, when a newer one takes their place, or at a compaction.
 *
 *     injected ─▶ fired ─▶ fired ─▶ expired          deduped: replaced by a newer one of the same key
 *                   │                                dropped: a compaction took it
 *                   └─▶ sub-agents: inherited (propagate)
 *
 * What happens to one is a live event `transcript.reminder.<word>` of the session.
 */

import { byRuntime, type Conversation, type LoggedMessage, type ModelMessage } from "../../model/index.ts";
import type { Dict } from "../../values/index.ts";
import { eventType, fieldsOf } from "../session/reminders.ts";
import type { Loop } from "../state/loop-state.ts";
import { emitNamed, type Turn } from "../state/requests.ts";

/** As `tellDropped`, inside a turn. */
export function* reportReminders(
  loop: Loop,
  reminders: readonly Dict[],
  happened: "dropped" | "expired" | "fired",
): Turn<void> {
  if (!loop.listens()) return;
  for (const reminder of reminders) {
    const fields = fieldsOf(reminder);
    yield* emitNamed(eventType(happened), Object.fromEntries(fields.entries()));
  }
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

/** Puts the reminders that belong into the last user message before it: in what is sent, not in what is stored. */
export function remindedMessages(
  conversation: Conversation,
  messages: readonly LoggedMessage[],
): readonly LoggedMessage[] {
  const texts = conversation.reminders.filter(inMessages).map(bodyOf);
  if (texts.length === 0) return messages;
  const at = messages.findLastIndex(({ message }) => message.role === "user");
  if (at < 0)
    return [
      ...messages,
      {
        id: "reminders",
        message: { role: "user", content: texts.join("\n\n") },
        origin: byRuntime("reminders"),
      },
    ];
  const logged = messages[at] as LoggedMessage;
  return messages.with(at, { ...logged, message: withReminderText(logged.message, texts.join("\n\n")) });
}

function withReminderText(message: ModelMessage, text: string): ModelMessage {
  const { content } = message;
  if (Array.isArray(content)) return { ...message, content: [{ type: "text", text }, ...content] };
  return { ...message, content: `${text}\n\n${content ?? ""}` };
}

/** After a turn: every reminder that was told has one turn less; those without any left go. */
export function* ageReminders(loop: Loop): Turn<void> {
  const { conversation, work } = loop;
  if (!work.answered) return;
  const { delivered } = loop.state.slots.reminders;
  const expired: Dict[] = [];
  conversation.reminders = conversation.reminders.flatMap((reminder) => {
    const ttl = reminder.get("ttl_turns");
    if (typeof ttl !== "number" || !delivered.includes(String(reminder.get("id")))) return [reminder];
    if (ttl > 1) return [reminder.with("ttl_turns", ttl - 1)];
    expired.push(reminder);
    return [];
  });
  yield* reportReminders(loop, expired, "expired");
}

/** Before a model call: notes which reminders it is told. */
export function* fireReminders(loop: Loop): Turn<void> {
  const { conversation } = loop;
  loop.state.slots.reminders.delivered = conversation.reminders.map((reminder) => String(reminder.get("id")));
  yield* reportReminders(loop, conversation.reminders, "fired");
}
