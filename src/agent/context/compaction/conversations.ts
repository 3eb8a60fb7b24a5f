/** Compaction of a conversation: the plan becomes its new view; log, archive and audit trail keep what was there. */

import type { Conversation, LoggedMessage } from "../../../model/index.ts";
import { Dict, type Value } from "../../../values/index.ts";
import type { CompactionOptions } from "../../options/compaction-options.ts";
import { keepsThroughCompaction } from "../../session/reminder-value.ts";
import type { Compacted } from "./engine.ts";
import { type Entry, entryOfMessage } from "./entries.ts";
import { applyPlan } from "./plan.ts";
import { type CompactionOccasion, compactionFields, compactionText, joinedSummary } from "./record.ts";

/** What is shown, as the engine looks at it. The task of a running loop stays in view. */
export const entriesOf = (conversation: Conversation): Entry[] =>
  conversation.shown.map((logged) =>
    entryOfMessage(logged.message, () => conversation.value(logged), logged.id === conversation.task?.id),
  );

export interface AppliedCompaction {
  /** Of the event, live and in the transcript. */
  readonly fields: Record<string, Value | undefined>;
  readonly droppedReminders: readonly Dict[];
}

/** Changes the view. Nothing that was said is lost: the archive and the log have it. */
export function applyCompaction(
  conversation: Conversation,
  compacted: Compacted,
  options: CompactionOptions,
  occasion: CompactionOccasion,
): AppliedCompaction {
  const before = [...conversation.shown];
  const { decisions } = compacted.plan;
  const gone = (kind: string | undefined): boolean => kind === "summarize" || kind === "drop";
  conversation.archives.push({
    assetId: occasion.snapshotAssetId,
    messages: before.filter((_logged, index) => gone(decisions[index]?.kind)),
  });
  conversation.show(
    applyPlan<LoggedMessage>(
      before,
      compacted.plan,
      ({ id, message }, body) => ({ id, message: { ...message, content: body } }),
      () => conversation.record({ role: "user", content: compacted.summary }),
    ),
  );
  conversation.summary = joinedSummary(conversation.summary, compacted.summary);
  conversation.lastSummary = compacted.summary;
  const fields = compactionFields(compacted, options, occasion);
  conversation.audit.push({
    kind: "compaction",
    role: "system",
    visibility: "internal",
    text: compactionText(compacted),
    metadata: Dict.of(fields),
  });
  const droppedReminders = conversation.reminders.filter((reminder) => !keepsThroughCompaction(reminder));
  conversation.reminders = conversation.reminders.filter(keepsThroughCompaction);
  return { fields, droppedReminders };
}
