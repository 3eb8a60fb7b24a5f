/** Summaries as entries, for programs and for recall: `std/agent/compaction` merges and renders them. */
import type { StructuredSummary, SummaryFact, Trust } from "../../../model/index.ts";
import { noSummary } from "../../../model/index.ts";
import { type Dict, fromJson, type List, textField, toJson } from "../../../values/index.ts";
import { callLibrary } from "./library.ts";

type Section = "facts" | "decisions" | "open_items" | "tool_outcomes" | "artifact_refs";
type AddedEntry<T> = T extends unknown ? Omit<T, "id" | "trust" | "status"> : never;
type Sourced = Pick<SummaryFact, "sources">;

/** What a summarizer adds to the entries so far. */
export type SummaryDelta = {
  readonly [S in Section]: readonly AddedEntry<StructuredSummary[S][number]>[];
} & {
  /** `by`: the id of the entry in its place, or the text of a new one. */
  readonly supersedes: readonly (StructuredSummary["superseded"][number] & Sourced)[];
  readonly closes: readonly (Pick<SummaryFact, "id"> & Sourced)[];
  /** "": nothing new. */
  readonly current_task: string;
  readonly current_plan: string;
};

/** A message that a summary may cite. */
export interface SummarySource {
  readonly id: string;
  readonly text: string;
  readonly trust: Trust;
}

/** An entry that was left out of a summary. */
export interface RefusedEntry {
  readonly text: string;
  readonly why: "no source" | "ungrounded" | "empty" | "unknown id";
  /** What stands in none of its sources. */
  readonly found: readonly string[];
}

export interface MergedSummary {
  readonly summary: StructuredSummary;
  readonly refused: readonly RefusedEntry[];
  /** How many entries of the delta there were, changes of earlier ones among them. */
  readonly received: number;
  /** Messages of people that newer words of theirs take back. */
  readonly revoked: readonly string[];
}

/** Pure. `sources`: the messages of the span and what people said beside it, in the order in which they were said. */
export const mergeSummary = (
  prior: StructuredSummary | null,
  delta: SummaryDelta,
  sources: readonly SummarySource[],
): MergedSummary =>
  toJson(callLibrary("merge_summary", ...[prior ?? noSummary, delta, sources].map(fromJson))) as never;

/** Every entry by its id, as text. */
export function summaryEntries(summary: StructuredSummary): Map<string, string> {
  const entries = (callLibrary("summary_entries", fromJson(summary)) as List).toArray() as Dict[];
  return new Map(entries.map((entry) => [textField(entry, "id"), textField(entry, "text")]));
}
