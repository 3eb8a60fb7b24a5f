/** Reminders in transcripts and sessions (agents.md §4.4), and other events for transcripts made by hand. */

import {
  auditEvent,
  checkedReminder,
  clearReminders,
  injectReminder,
  reminderEvent,
  reminderFields,
  reminderInput,
  reminderSelector,
  reminderSelectorFields,
  remindSession,
  transcriptOf,
} from "../../agent/index.ts";
import type { Task } from "../../interp/index.ts";
import { newId } from "../../interp/index.ts";
import { type Conversation, conversations } from "../../model/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { Dict, display, thrown, type Value } from "../../values/index.ts";
import type { Argument } from "../arguments.ts";

function remindedSessionOf(task: Task, caller: string, id: string): Conversation {
  const found = task.runtime.state(conversations).get(id);
  if (found === undefined) throw thrown(`${caller}: unknown session id '${id}'`);
  return found;
}

async function remindSessionById(task: Task, id: string, value: Value): Promise<Dict> {
  const caller = "transcript.inject_reminder";
  const conversation = remindedSessionOf(task, caller, id);
  const reminder = checkedReminder(task, value, caller, { source: "in_pipeline", turn: conversation.turn });
  const deduped = await remindSession(task, conversation, reminder);
  return Dict.of({
    transcript: transcriptOf(conversation),
    reminder_id: reminder.get("id") ?? null,
    deduped_count: deduped,
  });
}

function clearSessionReminders(task: Task, id: string, selector: Value): Dict {
  const caller = "transcript.clear_reminders";
  const conversation = remindedSessionOf(task, caller, id);
  const meant = reminderSelector(selector, caller);
  const kept = conversation.reminders.filter((reminder) => !meant(reminder));
  const removed = conversation.reminders.length - kept.length;
  conversation.reminders = kept;
  return Dict.of({ transcript: transcriptOf(conversation), removed_count: removed });
}

/** `transcript_suspension_event(payload)` and its kin: an event with the payload under its kind. */
const lifecycle = (kind: "suspension" | "resumption" | "drain_decision") => ({
  doc: `A \`${kind}\` event for a transcript, with the payload as its metadata and under \`${kind}\`.`,
  sig: "(payload!: dict) -> dict",
  effect: "state" as const,
  run: (task: Task, payload: Dict): Value => {
    const text = payload.get("reason") ?? payload.get("text") ?? kind.replace("_", " ");
    return auditEvent({
      id: newId(task),
      kind,
      text: display(text),
      metadata: payload,
      payload: { [kind]: payload },
    });
  },
});

export const transcriptReminders = defineBuiltins(
  "transcript_reminders",
  {
    transcript_inject_reminder: {
      doc:
        "`transcript.inject_reminder(t, {body, tags, dedupe_key, ttl_turns, preserve_on_compact, propagate, role_hint})`: a note for the " +
        "model that waits in a transcript, or in the session of this id. Gives `{transcript, reminder_id, deduped_count}`; one of the same `dedupe_key` is replaced.",
      sig: "(transcript: dict | string, reminder: dict) -> dict",
      effect: "state",
      suspends: "may",
      fields: { reminder: () => reminderFields },
      run: (task, value: Argument, reminder: Argument) =>
        typeof value === "string"
          ? remindSessionById(task, value, reminder ?? null)
          : injectReminder(task, value ?? null, reminder ?? null),
    },
    transcript_clear_reminders: {
      doc: "`transcript.clear_reminders(t, {id, tag, dedupe_key})`: takes reminders out, by at least one of these. Gives `{transcript, removed_count}`.",
      sig: "(transcript: dict | string, selector: dict) -> dict",
      effect: "state",
      fields: { selector: () => reminderSelectorFields },
      run: (task, value: Argument, selector: Argument) =>
        typeof value === "string"
          ? clearSessionReminders(task, value, selector ?? null)
          : clearReminders(value ?? null, selector ?? null),
    },
    transcript_reminder_event: {
      doc: "The event of a reminder, for a transcript made by hand.",
      sig: "(reminder: dict) -> dict",
      effect: "state",
      run: (task, reminder: Argument) => reminderEvent(newId(task), reminderInput(task, reminder ?? null)),
    },
    transcript_suspension_event: lifecycle("suspension"),
    transcript_resumption_event: lifecycle("resumption"),
    transcript_drain_decision_event: lifecycle("drain_decision"),
  },
  {
    transcript: "a transcript",
    reminder: "a reminder, as `transcript_inject_reminder` takes it",
    payload: "the payload of the event",
  },
);
