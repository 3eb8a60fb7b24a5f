/** What is told of a compaction: the metadata of its event, and the asset that keeps what was there before (agents.md §3.3). */

import type { Value } from "../../../values/index.ts";
import type { CompactionOptions } from "../../options/compaction-options.ts";
import { policyEventFields } from "../../options/compaction-policy.ts";
import type { CompactionMode, CompactionReason } from "../../session/compaction-source.ts";
import type { Compacted } from "./engine.ts";

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

/** A summary after an earlier one. */
export const joinedSummary = (before: string, next: string): string =>
  before === "" ? next : `${before}\n\n${next}`;
