/** Compaction of a conversation: the plan becomes its new view; log, archive and audit trail keep what was there. */

import {
  byCompaction,
  type ClearRecord,
  type Conversation,
  dropping,
  type LoggedMessage,
  type PlanChange,
  type SummarizationRecord,
} from "../../../model/index.ts";
import { Dict, type Value } from "../../../values/index.ts";
import type { CompactionOptions, EngineStrategy } from "../../options/compaction-options.ts";
import { keepsThroughCompaction } from "../../session/reminder-value.ts";
import { answeredCall } from "../projection/tool-results.ts";
import type { Compacted } from "./engine.ts";
import { type Entry, entryOfMessage } from "./entries.ts";
import { include } from "./plan.ts";
import { type CompactionOccasion, compactionFields, compactionText, joinedSummary } from "./record.ts";

/** What is shown, as the engine looks at it. The task of a running loop stays in view. */
export const entriesOf = (conversation: Conversation): Entry[] =>
  conversation.shown.map((logged) =>
    entryOfMessage(
      logged.message,
      () => conversation.value(logged),
      logged.id === conversation.task?.id,
      logged.origin,
    ),
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
  const summary = conversation.record({ role: "user", content: compacted.summary }, byCompaction);
  conversation.commit(planChange(conversation, before, summary, compacted));
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

/** The engine's decisions, which are about positions in the view, as a change of the conversation's plan. */
function planChange(
  conversation: Conversation,
  view: readonly LoggedMessage[],
  summary: LoggedMessage,
  { plan: { decisions, summaryAt }, engineStrategy }: Compacted,
): PlanChange {
  const fates = view.map((logged, index) => ({ logged, fate: decisions[index] ?? include }));
  const archived = fates.filter(({ fate }) => fate.kind === "summarize" || fate.kind === "drop");
  // An earlier summary stands before what was said before it.
  const said = archived.filter(({ logged }) => logged.origin.by !== "compaction");
  const silent = new Set(archived.filter(({ fate }) => fate.kind === "drop").map(({ logged }) => logged.id));
  const cleared = fates.flatMap(({ logged, fate }) =>
    fate.kind === "clear" ? [clearRecord(logged, fate.text)] : [],
  );
  const { actions, drop_records } = dropping(conversation.log, silent, "pressure");
  return {
    actions: {
      ...Object.fromEntries(archived.map(({ logged }) => [logged.id, "summarize" as const])),
      ...actions,
      ...Object.fromEntries(cleared.map(({ message_id }) => [message_id, "clear" as const])),
    },
    drop_records,
    clear_records: cleared,
    summarization_records: [
      {
        first: (said[0] ?? archived[0])?.logged.id ?? summary.id,
        last: (said.at(-1) ?? archived.at(-1))?.logged.id ?? summary.id,
        count: archived.length,
        maker: makers[engineStrategy],
        summary_message_id: summary.id,
        retention: null,
      },
    ],
    placement_records: [{ message_id: summary.id, behind: view[(summaryAt ?? 0) - 1]?.id ?? null }],
  };
}

const makers = {
  llm: "model",
  custom: "callback",
  truncate: "extractive",
  observation_mask: "extractive",
} as const satisfies Record<EngineStrategy, SummarizationRecord["maker"]>;

const clearRecord = ({ id, message }: LoggedMessage, text: string): Omit<ClearRecord, "version"> => ({
  message_id: id,
  call_id: answeredCall(message) ?? null,
  tool: message.name ?? "",
  durability: "non_replayable",
  reason: "too_long",
  kept: {},
  text,
});
