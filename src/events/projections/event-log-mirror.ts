/** What the event log keeps of an event (agents.md §20), by topic. */
import { toJson, type Value } from "../../values/index.ts";
import type { EmittedEvent } from "../run-event.ts";
import { scriptEvents } from "./script-events.ts";

/** Topics that hold what agents do. */
export const mirroredTopics = {
  /** Live events of every session. */
  events: "agent.events",
  /** Records of `llm_transcript.jsonl`, whether a file is written or not. */
  models: "agent.transcript.llm",
  /** Live events of reminders once more. */
  reminders: "transcript.reminder.lifecycle",
} as const;

const reminderEvent = "transcript.reminder.";

export interface MirroredEvent {
  readonly topic: string;
  readonly kind: string;
  /** Raises when a value can't be JSON. */
  readonly payload: () => MirrorJson;
}

type MirrorJson = ReturnType<typeof toJson>;

/** Whole messages are left out: hosts get them piece by piece, logs have them in the transcript. */
export function mirroredEvents(event: EmittedEvent): MirroredEvent[] {
  if (event.type === "message.end" || event.type === "thought.end") return [];
  return scriptEvents(event).flatMap((emitted) => {
    const kind = nameOf(emitted.get("type"));
    const payload = (): MirrorJson => toJson(emitted);
    const copy = { topic: mirroredTopics.events, kind, payload };
    return kind.startsWith(reminderEvent) ? [copy, { ...copy, topic: mirroredTopics.reminders }] : [copy];
  });
}

const nameOf = (type: Value | undefined): string => (typeof type === "string" ? type : "event");
