/** What is told of a compaction: the metadata of its event, and the asset that keeps what was there before (agents.md §3.3). */
import { Dict, type Value } from "../../../values/index.ts";
import type { CompactionOptions } from "../../options/compaction-options.ts";
import { policyEventFields } from "../../options/compaction-policy.ts";
import type { Compacted } from "./engine.ts";

export type CompactionMode = "manual" | "auto" | "session" | "workflow";
export type CompactionReason = "threshold" | "manual" | "hard_limit" | "context_overflow" | "idle";

export interface CompactionOccasion {
  readonly mode: CompactionMode;
  readonly reason: CompactionReason;
  readonly snapshotAssetId: string;
}

/** The fields of the transcript event and of the live event. */
export function compactionFields(
  compacted: Compacted,
  options: CompactionOptions,
  occasion: CompactionOccasion,
): Record<string, Value | undefined> {
  return {
    mode: occasion.mode,
    reason: compacted.overHardLimit ? "hard_limit" : occasion.reason,
    strategy: options.label,
    engine_strategy: compacted.engineStrategy,
    archived_messages: compacted.archived,
    new_summary_len: compacted.summary.length,
    keep_first: options.keepFirst,
    keep_last: options.keepLast,
    estimated_tokens_before: compacted.before,
    estimated_tokens_after: compacted.after,
    snapshot_asset_id: occasion.snapshotAssetId,
    ...policyEventFields(options.policy),
  };
}

/** The text of the event. */
export const compactionText = (compacted: Compacted): string =>
  `Transcript compacted via ${compacted.engineStrategy}`;

export const sourceAssetId = (id: string): string => `compaction-source-${id}`;

/** What was there before, as an asset. */
export const sourceAsset = (id: string, count: number, data: Value): Dict =>
  Dict.of({
    _type: "transcript_asset",
    id,
    kind: "compaction_source_transcript",
    title: `Transcript before the compaction of ${count} messages`,
    visibility: "internal",
    data,
  });

/** A summary behind an earlier one. */
export const joinedSummary = (before: string, next: string): string =>
  before === "" ? next : `${before}\n\n${next}`;
