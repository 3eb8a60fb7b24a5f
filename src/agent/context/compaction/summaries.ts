/**
 * Summaries as entries: `std/agent/compaction` merges them, renders them, asks for them and makes some without a model. Here are
 * their forms, and the texts that it is given.
 */
import type { LadderMemory, StructuredSummary, Trust } from "../../../model/index.ts";
import { messageText, noSummary } from "../../../model/index.ts";
import { Dict, Float, fromJson, List, textField, toJson, type Value } from "../../../values/index.ts";
import { deltaSchema, noDelta, type SummaryDelta } from "./delta.ts";
import type { MessageGroup, ViewMessage } from "./exchanges.ts";
import { callLibrary, libraryText } from "./library.ts";
import { briefArguments, headAndTail } from "./notes.ts";
import { wholeMessageText } from "./planner.ts";

/** A message that a summary may cite. */
export interface SummarySource {
  readonly id: string;
  readonly text: string;
  readonly trust: Trust;
}

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
  readonly revoked: ReadonlySet<string>;
}

/** Pure. `sources`: the messages of the span and what people said beside it, in the order in which they were said. */
export function mergeSummary(
  prior: StructuredSummary | null,
  delta: SummaryDelta,
  sources: readonly SummarySource[],
): MergedSummary {
  const args = [prior ?? noSummary, delta, sources].map(fromJson);
  const merged = toJson(callLibrary("merge_summary", ...args)) as unknown as MergedSummary;
  return { ...merged, revoked: new Set(merged.revoked) };
}

const entriesIn = (summary: StructuredSummary): Dict[] =>
  (callLibrary("summary_entries", fromJson(summary)) as List).toArray() as Dict[];

/** Every entry by its id, as text. */
export const summaryEntries = (summary: StructuredSummary): Map<string, string> =>
  new Map(entriesIn(summary).map((entry) => [textField(entry, "id"), textField(entry, "text")]));

/** What each entry says word for word wherever it is shown. */
export const entryTexts = (summary: StructuredSummary): Map<string, string> =>
  new Map(entriesIn(summary).map((entry) => [textField(entry, "id"), textField(entry, "said")]));

/** Within what the text may weigh (`meter.ts`). */
export function renderSummary(
  summary: StructuredSummary,
  weight: number,
): { readonly text: string; readonly shown: ReadonlySet<string> } {
  const made = callLibrary("render_summary", fromJson(summary), new Float(weight)) as Dict;
  return { text: textField(made, "text"), shown: new Set(toJson(made.get("shown") ?? null) as string[]) };
}

/** What the compaction message says: bindings of the prompt `agent.compaction_message`, but for what the loop adds. */
export const messageParts = (memory: LadderMemory, weight: number): Record<string, Value> =>
  Object.fromEntries((callLibrary("message_parts", fromJson(memory), new Float(weight)) as Dict).entries());

export const entriesText = (prior: StructuredSummary): string => libraryText("entries_text", fromJson(prior));

// ── who makes them ────────────────────────────────────────────────────────────────────────────────────────────────────

/** A message as it was said, for whoever looks at what leaves. */
export const saidMessage = ({ id, original, origin }: ViewMessage): Dict =>
  Dict.of({ id, role: original.role, by: origin.by, text: wholeMessageText(original) });

/** Longer texts are shown to summarizing models as head and tail. */
const longText = 2000;

/** Messages as a summarizing model is shown them. */
export const spanOf = (messages: readonly ViewMessage[]): List =>
  new List(
    messages.map((one) => {
      const text = wholeMessageText(one.original);
      return text.length > longText
        ? saidMessage(one).with("text", headAndTail(text, longText / 2, one.id))
        : saidMessage(one);
    }),
  );

/** The whole question. `rules`: the prompt `agent.summarizer`; `problem`: why the answer before did not do. */
export const summarizerQuestion = (
  rules: string,
  prior: StructuredSummary,
  messages: readonly ViewMessage[],
  people: readonly ViewMessage[],
  problem: string | null,
): string => {
  const form = `${rules}\n\nSCHEMA:\n${JSON.stringify(deltaSchema)}`;
  return libraryText("entries_question", form, fromJson(prior), spanOf(messages), spanOf(people), problem);
};

/** Entries that need no model. `groups`: those of the span, in the view that they were made of. */
export function extractiveDelta(view: readonly ViewMessage[], groups: readonly MessageGroup[]): SummaryDelta {
  const shown = groups.map(({ kind, from, to, bodies }) => ({
    kind,
    ids: view.slice(from, to).map(({ id }) => id),
    text: kind === "person" ? messageText((view[from] as ViewMessage).original) : "",
    results: bodies.map(({ tool, args, ok, said, at }) => ({
      ...{ tool, ok, args: briefArguments(args), text: said, message: (view[at] as ViewMessage).id },
    })),
  }));
  return { ...noDelta, ...(toJson(callLibrary("extractive", fromJson(shown))) as Partial<SummaryDelta>) };
}
