/**
 * What stands around a pass, whatever the strategy and whoever asks for it: hooks before and after, what the session keeps of it,
 * and who is told.
 *
 *     PreCompact ─▶ pass ─▶ audit ─▶ interventions ─▶ event ─▶ reminders that end with it ─▶ PostCompact
 */
import type { Conversation, InterventionInput } from "../../../model/index.ts";
import { Dict, type Value } from "../../../values/index.ts";
import type { CompactionOptions } from "../../options/compaction-options.ts";
import { type CompactionPolicy, policyEventFields } from "../../options/compaction-policy.ts";
import type { CompactionMode, CompactionReason } from "../../session/compaction-source.ts";
import { keepsThroughCompaction } from "../../session/reminder-value.ts";
import type { Compacted } from "./engine.ts";

export type EventFields = Readonly<Record<string, Value | undefined>>;

/** Where a pass is made: in a turn of a loop, or by hand. `R`: what is asked of whoever runs it. */
export interface PassPlace<R> {
  readonly conversation: Conversation;
  readonly mode: CompactionMode;
  /** Whether a hook blocks. */
  hook(event: "PreCompact" | "PostCompact", fields: Dict, subject: string): Generator<R, boolean, unknown>;
  checkpoint(name: "pre_compact" | "post_compact"): Generator<R, void, unknown>;
  intervene(input: InterventionInput): Generator<R, unknown, unknown>;
  /** Messages went out of view. */
  compacted(fields: EventFields, summary: string): Generator<R, void, unknown>;
  reminders(dropped: readonly Dict[]): Generator<R, void, unknown>;
}

interface Occasion {
  readonly reason: CompactionReason;
  /** What events call the strategy. */
  readonly label: string;
  readonly tokens: number;
  /** Where there is one. */
  readonly budget?: number;
  /** No hook may hold it back. */
  readonly urgent?: boolean;
}

/** A pass with its hooks; `null`: it was held back, or there was nothing to do. */
export function* betweenHooks<R, Q>(
  place: PassPlace<R>,
  { reason, label, tokens, budget, urgent = false }: Occasion,
  pass: () => Generator<Q, EventFields | null, unknown>,
): Generator<R | Q, EventFields | null, unknown> {
  const { mode, conversation } = place;
  const sizes = { message_count: conversation.shown.length, estimated_tokens: tokens, budget };
  const about = Dict.of({ mode, reason, strategy: label, ...sizes });
  if ((yield* place.hook("PreCompact", about, label)) && !urgent) return null;
  yield* place.checkpoint("pre_compact");
  const fields = yield* pass();
  if (fields === null) return null;
  yield* place.checkpoint("post_compact");
  yield* place.hook("PostCompact", Dict.of(fields), label);
  return fields;
}

/** What is told of a pass. */
export interface PassReport {
  readonly mode: CompactionMode;
  readonly reason: CompactionReason;
  readonly label: string;
  /** The strategy that made the summary first: a hard limit may have replaced its text. */
  readonly engine: string;
  readonly archived: number;
  readonly summary: string;
  readonly keepFirst: number;
  readonly keepLast: number;
  readonly before: number;
  readonly after: number;
  readonly assetId: string;
  readonly policy: CompactionPolicy | null;
}

/** Of a pass whose summary is in words. */
export const passReport = (
  { overHardLimit, engineStrategy, archived, summary, before, after }: Compacted,
  { label, keepFirst, keepLast, policy }: CompactionOptions,
  { mode, reason, assetId }: Pick<PassReport, "mode" | "reason" | "assetId">,
): PassReport => ({
  ...{ mode, reason: overHardLimit ? "hard_limit" : reason, label, engine: engineStrategy, archived },
  ...{ summary, keepFirst, keepLast, before, after, assetId, policy },
});

/** Of the event, live and in the transcript. */
export const reportFields = (report: PassReport): EventFields => ({
  mode: report.mode,
  reason: report.reason,
  strategy: report.label,
  engine_strategy: report.engine,
  archived_messages: report.archived,
  new_summary_len: report.summary.length,
  keep_first: report.keepFirst,
  keep_last: report.keepLast,
  estimated_tokens_before: report.before,
  estimated_tokens_after: report.after,
  snapshot_asset_id: report.assetId,
  ...policyEventFields(report.policy),
});

export const passReportText = ({ engine }: Pick<PassReport, "engine">): string =>
  `Transcript compacted via ${engine}`;

/** Keeps and tells of a pass that has changed the view. */
export function* recordPass<R>(
  place: PassPlace<R>,
  report: PassReport,
  interventions: readonly InterventionInput[],
): Generator<R, EventFields, unknown> {
  const { conversation } = place;
  const fields = reportFields(report);
  conversation.audit.push({
    kind: "compaction",
    role: "system",
    visibility: "internal",
    text: passReportText(report),
    metadata: Dict.of(fields),
  });
  for (const made of interventions) yield* place.intervene(made);
  yield* place.compacted(fields, report.summary);
  const dropped = conversation.reminders.filter((reminder) => !keepsThroughCompaction(reminder));
  conversation.reminders = conversation.reminders.filter(keepsThroughCompaction);
  yield* place.reminders(dropped);
  return fields;
}

/** A summary after an earlier one. */
export const joinedSummary = (before: string, next: string): string =>
  before === "" ? next : `${before}\n\n${next}`;
