/** The transcript of a conversation (agents.md §3.1, §4.1): made when somebody asks for it. */

import type { Conversation } from "../../model/index.ts";
import { Dict, List } from "../../values/index.ts";
import { sourceAsset } from "./compaction-source.ts";
import { controlRecord } from "./control-record.ts";
import { reminderEvent } from "./reminder-value.ts";
import { auditEvent, messageEvent, newTranscript, withMessages } from "./transcript-value.ts";

/** Messages in view, one event for each, then what else happened, then the reminders that wait. */
export function transcriptOf(conversation: Conversation): Dict {
  const { id, shown } = conversation;
  const messages = shown.map((logged) => conversation.value(logged));
  const events = [
    ...messages.map((message, index) => messageEvent(`${id}:${shown[index]?.id}`, message)),
    ...conversation.audit.map((event, index) => auditEvent({ id: `${id}:event_${index + 1}`, ...event })),
    ...conversation.reminders.map((reminder) =>
      reminderEvent(`${id}:reminder_${String(reminder.get("id"))}`, reminder),
    ),
  ];
  const metadata = metadataOf(conversation);
  return Dict.of({
    _type: "transcript",
    version: 2,
    id,
    messages: new List(messages),
    events: new List(events),
    assets: new List(assetsOf(conversation)),
    summary: conversation.summary === "" ? undefined : conversation.summary,
    metadata: metadata.size === 0 ? undefined : metadata,
    scratchpad: conversation.scratchpad ?? undefined,
    scratchpad_version: conversation.scratchpadVersion === 0 ? undefined : conversation.scratchpadVersion,
    mode: conversation.mode ?? undefined,
    ...controlRecord(conversation),
    state: conversation.closing === null ? "active" : "closed",
  });
}

function metadataOf({ metadata, scratchpad, scratchpadVersion }: Conversation): Dict {
  if (scratchpad === null) return metadata;
  return metadata.with("agent_scratchpad", Dict.of({ version: scratchpadVersion, scratchpad }));
}

/** What compactions archived: each message once. */
const assetsOf = (conversation: Conversation): Dict[] =>
  conversation.archives.map(({ assetId, messages }) => {
    const values = messages.map((logged) => conversation.value(logged));
    return sourceAsset(assetId, values.length, withMessages(newTranscript(conversation.id), values));
  });
