/**
 * System reminders as values (agents.md §4.4): notes for the model that wait in a transcript as events of the kind
 * `system_reminder`, told before every call until their turns are used up or somebody clears them.
 */
import type { Task } from "../../interp/index.ts";
import { newId } from "../../interp/index.ts";
import { type At, at, readRows, row } from "../../table/index.ts";
import { Dict, List, ScriptError, typeOf, type Value } from "../../values/index.ts";
import { reminderFields, reminderSelectorFields } from "./reminder-fields.ts";
import { auditEvent, isTranscript, transcriptEvents, withEvents } from "./transcript-value.ts";

const kind = "system_reminder";

type ReminderCode = "HARN-RMD-001" | "HARN-RMD-002" | "HARN-RMD-005";

function refuseReminder(caller: string, code: ReminderCode, text: string): never {
  throw new ScriptError("thrown", `${caller}: ${code}: ${text}`, { code });
}

/** What `read` refuses carries a code, in its text and for programs. */
function coded<T>(caller: string, code: ReminderCode, path: string, read: (place: At) => T): T {
  try {
    return read(at(`${caller}: ${code}`, path));
  } catch (error) {
    if (error instanceof ScriptError) throw new ScriptError("thrown", error.value, { code });
    throw error;
  }
}

/** A checked reminder from what a script gave. `defaults` say where it comes from and when. */
export function checkedReminder(
  task: Task,
  input: Value,
  caller: string,
  defaults: { readonly source: string; readonly turn: number } = { source: "in_pipeline", turn: 0 },
): Dict {
  const read = coded(caller, "HARN-RMD-001", "", (place) =>
    readRows(row.dict(null).read(input, place), reminderFields, place),
  );
  const propagate = coded(caller, "HARN-RMD-005", "propagate", (place) =>
    row.oneOf(["all", "session", "none"]).read(read.propagate, place),
  );
  return Dict.of({
    id: newId(task),
    tags: new List([...read.tags]),
    dedupe_key: read.dedupeKey ?? undefined,
    ttl_turns: read.ttlTurns ?? undefined,
    preserve_on_compact: read.preserveOnCompact,
    propagate,
    role_hint: read.roleHint,
    source: read.source ?? defaults.source,
    body: read.body,
    fired_at_turn: read.firedAtTurn ?? defaults.turn,
  });
}

/** The event that carries a reminder. */
export const reminderEvent = (id: string, reminder: Dict): Dict =>
  auditEvent({
    id,
    kind,
    visibility: "public",
    text: String(reminder.get("body") ?? ""),
    metadata: reminder,
    payload: { reminder },
  });

/** The reminder in an event, if it is one. */
export function reminderOf(event: Value): Dict | null {
  if (!(event instanceof Dict) || event.get("kind") !== kind) return null;
  const reminder = event.get("reminder") ?? event.get("metadata");
  return reminder instanceof Dict ? reminder : null;
}

/** The reminders that wait in a transcript, oldest first. */
export const pendingReminders = (transcript: Dict): Dict[] =>
  transcriptEvents(transcript).flatMap((event) => reminderOf(event) ?? []);

/** Whether an event of a transcript is still there after a compaction: reminders only when they ask for it. */
export function survivesCompaction(event: Value): boolean {
  const reminder = reminderOf(event);
  return reminder === null || keepsThroughCompaction(reminder);
}

/** Whether a reminder outlives a compaction. */
export function keepsThroughCompaction(reminder: Dict): boolean {
  const ttl = reminder.get("ttl_turns");
  return reminder.get("preserve_on_compact") === true && !(typeof ttl === "number" && ttl <= 0);
}

/** Whether a newer reminder takes the place of an older one. */
export function replaces(newer: Dict, older: Dict): boolean {
  const key = newer.get("dedupe_key") ?? null;
  return key !== null && older.get("dedupe_key") === key;
}

/** Which reminders are meant; at least one selector is needed. */
export function reminderSelector(input: Value, caller: string): (reminder: Dict) => boolean {
  const {
    id,
    tag,
    dedupeKey: dedupe,
  } = coded(caller, "HARN-RMD-001", "", (place) =>
    readRows(row.dict(null).read(input, place), reminderSelectorFields, place),
  );
  if (id === null && tag === null && dedupe === null)
    refuseReminder(caller, "HARN-RMD-001", "one of `id`, `tag`, `dedupe_key` is needed");
  return (reminder) => {
    const tags = reminder.get("tags");
    return (
      (id === null || reminder.get("id") === id) &&
      (dedupe === null || reminder.get("dedupe_key") === dedupe) &&
      (tag === null || (tags instanceof List && tags.toArray().includes(tag)))
    );
  };
}

/** `transcript.inject_reminder` on a transcript value. */
export function injectReminder(task: Task, transcript: Value, input: Value): Dict {
  const caller = "transcript.inject_reminder";
  if (!isTranscript(transcript))
    refuseReminder(caller, "HARN-RMD-001", "first argument must be a transcript");
  const reminder = checkedReminder(task, input, caller);
  const events = transcriptEvents(transcript);
  const kept = events.filter((event) => {
    const older = reminderOf(event);
    return older === null || !replaces(reminder, older);
  });
  return Dict.of({
    transcript: withEvents(transcript.with("events", new List(kept)), [
      reminderEvent(String(reminder.get("id")), reminder),
    ]),
    reminder_id: reminder.get("id") ?? null,
    deduped_count: events.length - kept.length,
  });
}

/** `transcript.clear_reminders` on a transcript value. */
export function clearReminders(transcript: Value, input: Value): Dict {
  const caller = "transcript.clear_reminders";
  if (!isTranscript(transcript))
    refuseReminder(caller, "HARN-RMD-001", "first argument must be a transcript");
  const meant = reminderSelector(input, caller);
  const events = transcriptEvents(transcript);
  const kept = events.filter((event) => {
    const reminder = reminderOf(event);
    return reminder === null || !meant(reminder);
  });
  return Dict.of({
    transcript: transcript.with("events", new List(kept)),
    removed_count: events.length - kept.length,
  });
}

/** The reminder of a hand-made event: `transcript_reminder_event(reminder)`. */
export function reminderInput(task: Task, value: Value): Dict {
  const caller = "transcript_reminder_event";
  if (!(value instanceof Dict))
    refuseReminder(caller, "HARN-RMD-002", `the reminder must be a dict; got ${typeOf(value)}`);
  const id = value.get("id");
  const agent = value.get("originating_agent_id");
  const made = checkedReminder(task, value.without("id").without("originating_agent_id"), caller);
  return made.merge(
    Dict.of({
      id: typeof id === "string" ? id : made.get("id"),
      originating_agent_id: typeof agent === "string" ? agent : undefined,
    }),
  );
}
