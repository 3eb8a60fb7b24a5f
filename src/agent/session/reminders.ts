/** Reminders of a session: added, inherited by children, dropped. What a turn does with them: context/reminders.ts. */
import type { Task } from "../../interp/index.ts";
import { newId } from "../../interp/index.ts";
import type { Conversation } from "../../model/index.ts";
import { publishNamed } from "../../model/index.ts";
import { Dict } from "../../values/index.ts";
import { replaces } from "./reminder-value.ts";

export type ReminderEvent = "injected" | "fired" | "deduped" | "expired" | "dropped" | "inherited";

export const eventType = (happened: ReminderEvent): string => `transcript.reminder.${happened}`;

export const fieldsOf = (reminder: Dict): Dict =>
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

export async function emitReminders(
  task: Task,
  session: string,
  reminders: readonly Dict[],
  happened: ReminderEvent,
): Promise<void> {
  for (const reminder of reminders)
    await publishNamed(task, session, eventType(happened), fieldsOf(reminder));
}

/** Adds a reminder and tells those who watch. */
export async function remindSession(
  task: Task,
  conversation: Conversation,
  reminder: Dict,
  happened: "injected" | "inherited" = "injected",
): Promise<number> {
  const old = putReminder(conversation, reminder);
  await emitReminders(task, conversation.id, old, "deduped");
  await emitReminders(task, conversation.id, [reminder], happened);
  return old.length;
}

/** Tells of reminders that a compaction took. */
export const emitDroppedReminders = (
  task: Task,
  session: string,
  reminders: readonly Dict[],
): Promise<void> => emitReminders(task, session, reminders, "dropped");

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
