/** Compaction of a conversation: the plan becomes its new view; log, archive and audit trail keep what was there. */

import {
  byCompaction,
  type ClearPlanEntry,
  type Conversation,
  dropping,
  type LoggedMessage,
  type PlanAction,
  type PlanChange,
  type SummarizationRecord,
} from "../../../model/index.ts";
import { Dict, type Value } from "../../../values/index.ts";
import type { CompactionOptions, EngineStrategy } from "../../options/compaction-options.ts";
import { keepsThroughCompaction } from "../../session/reminder-value.ts";
import { answeredCall } from "../projection/tool-results.ts";
import type { Compacted } from "./engine.ts";
import { entryOfMessage, type TranscriptEntry } from "./entries.ts";
import { include } from "./plan.ts";
import { type CompactionOccasion, compactionFields, compactionText, joinedSummary } from "./record.ts";

/** What is shown, as the engine looks at it. The task of a running loop stays in view. */
export const entriesOf = (conversation: Conversation): TranscriptEntry[] =>
  conversation.shown.map((logged) =>
    entryOfMessage(
      logged.id,
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
  const actions: Record<string, PlanAction> = {};
  const clear_records: Omit<ClearPlanEntry, "version">[] = [];
  const silent = new Set<string>();
  const archived: LoggedMessage[] = [];
  for (const [index, logged] of view.entries()) {
    const fate = decisions[index] ?? include;
    if (fate.kind === "drop") silent.add(logged.id);
    if (fate.kind === "drop" || fate.kind === "summarize") {
      actions[logged.id] = fate.kind;
      archived.push(logged);
    } else if (fate.kind === "clear") clear_records.push(clearRecord(logged, fate.text));
  }
  for (const { message_id } of clear_records) actions[message_id] = "clear";
  // An earlier summary stands before what was said before it.
  const said = archived.filter(({ origin }) => origin.by !== "compaction");
  const { drop_records } = dropping(conversation.log, silent, "pressure");
  return {
    actions,
    drop_records,
    clear_records,
    summarization_records: [
      {
        first: (said[0] ?? archived[0])?.id ?? summary.id,
        last: (said.at(-1) ?? archived.at(-1))?.id ?? summary.id,
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

const clearRecord = ({ id, message }: LoggedMessage, text: string): Omit<ClearPlanEntry, "version"> => ({
  message_id: id,
  call_id: answeredCall(message) ?? null,
  tool: message.name ?? "",
  durability: "non_replayable",
  reason: "too_long",
  kept: {},
  text,
});
