/** What a compaction leaves behind in a transcript: why it was done, and the asset that keeps what was there before (agents.md §3.3). */
import type { Value } from "../../values/index.ts";
import { Dict } from "../../values/index.ts";

export type CompactionMode = "manual" | "auto" | "session" | "workflow";

export type CompactionReason =
  | "threshold"
  | "manual"
  | "hard_limit"
  | "context_overflow"
  | "idle"
  /** Of the ladder: from which part of the budget on, or because the model asked for it. */
  | "soft"
  | "hard"
  | "tool";

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
