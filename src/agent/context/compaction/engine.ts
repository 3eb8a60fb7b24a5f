/**
 * The compaction engine (agents.md §3.3), shared by `transcript_compact`, `transcript_auto_compact`,
 * `agent_session_compact` and the loop.
 *
 *     messages ─▶ over the threshold? ─▶ cut ─▶ summary by strategy ─▶ over a hard limit? ─▶ instructions ─▶ plan + text
 *
 * The task of a conversation (the message of a person that opens it) is never archived, whatever the strategy: the summary
 * follows it. A caller by hand may say otherwise (`keep_first: 0`).
 *
 * It is a generator: models, callbacks and templates are asked for, so the loop runs it inside a turn and a builtin by
 * hand. It never changes a message; what it gives is a plan for whoever owns them. The summary of a plan is one message
 * of the user, the kept messages stay what they were, and no call is separated from its result.
 *
 * Nothing here is expensive besides the asking: one look at each message, texts only of those that are archived.
 */

import { cleanVisibleText, tokensOf } from "../../../model/index.ts";
import { Dict, List, thrown, typeOf, type Value } from "../../../values/index.ts";
import type { CompactionOptions, EngineStrategy } from "../../options/compaction-options.ts";
import { visibleDirectives } from "../../options/compaction-policy.ts";
import type {
  CallbackAsk,
  SummaryAnswer,
  SummaryAsk,
  TemplateAsk,
  TryCallbackAsk,
} from "../../state/requests.ts";
import { microcompact } from "../../tools/microcompact.ts";
import type { Entry } from "./entries.ts";
import { type Cut, type Decision, drop, findCut, include, summarize, type ViewPlan } from "./plan.ts";
import { summarizerPrompt } from "./summarizer-prompt.ts";
import { formatted, maskedText, quotedLines, truncatedText, writtenSummary } from "./summary-text.ts";

export type CompactionAsk = SummaryAsk | TemplateAsk | CallbackAsk | TryCallbackAsk;
type Asking<T> = Generator<CompactionAsk, T, unknown>;

export interface Compacted {
  readonly plan: ViewPlan;
  /** How many messages were archived. */
  readonly archived: number;
  /** The text of the message that stands for them. */
  readonly summary: string;
  /** The strategy that made the summary first: a hard limit may have replaced its text. */
  readonly engineStrategy: EngineStrategy;
  /** The outcome was over the hard limit, so that the limit's own strategy was tried. */
  readonly overHardLimit: boolean;
  readonly before: number;
  readonly after: number;
}

/** Compacts, or gives `null` when there is nothing to do. `reminders` are those that wait to be told. */
export function* compact(
  entries: readonly Entry[],
  options: CompactionOptions,
  reminders: readonly Dict[] = [],
): Asking<Compacted | null> {
  const before = tokensOf(entries.reduce((sum, entry) => sum + entry.chars, 0));
  if (options.threshold > 0 && before <= options.threshold) return null;
  const found = archivableIn(entries, options);
  if (found === null) return null;
  const { task, cut, goes } = found;
  const archived = entries.filter((_entry, index) => goes(index));
  const run: Run = { options, reminders, count: archived.length };
  const first = yield* summaryBy(run, options.strategy, archived);
  const decisions: Decision[] = [];
  let position = 0;
  let chars = 0;
  for (const [index, entry] of entries.entries()) {
    const decision = goes(index)
      ? entry.by === "compaction"
        ? summarize
        : fateOfArchived(options, position++)
      : index >= cut.to && speaksTooLong(entry, options)
        ? yield* shortenedMessage(entry, options)
        : include;
    decisions.push(decision);
    if (decision.kind === "include") chars += entry.chars;
    else if (decision.kind === "clear") chars += decision.text.length;
  }
  const overHardLimit =
    options.hardLimit !== null &&
    tokensOf(chars + first.text.length) > options.hardLimit &&
    options.hardStrategy !== options.strategy &&
    options.hardStrategy !== first.strategy;
  const text = overHardLimit ? yield* shorter(run, first, archived) : first.text;
  const shown = visibleDirectives(options.policy);
  const summary = shown === "" ? text : `${text}\n\n${shown}`;
  return {
    plan: { decisions, summaryAt: task !== null && task >= cut.from && task < cut.to ? task + 1 : cut.from },
    archived: archived.length,
    summary,
    engineStrategy: first.strategy,
    overHardLimit,
    before,
    after: tokensOf(chars + summary.length),
  };
}

/** What a compaction takes out of view. */
interface Archivable {
  /** Position of the message that opens the conversation; `null`: none is pinned. */
  readonly task: number | null;
  readonly cut: Cut;
  readonly goes: (index: number) => boolean;
}

/** `null`: there is nothing to take out. */
function archivableIn(
  entries: readonly Entry[],
  { keepFirst, keepLast, unpinned }: Pick<CompactionOptions, "keepFirst" | "keepLast" | "unpinned">,
): Archivable | null {
  const task = unpinned === true ? null : taskOf(entries);
  const cut = findCut(entries, keepFirst, keepLast, task);
  if (cut === null) return null;
  const goes = (index: number): boolean =>
    index >= cut.from && index < cut.to && index !== task && entries[index]?.pinned !== true;
  return entries.some((_entry, index) => goes(index)) ? { task, cut, goes } : null;
}

/** Estimated tokens that a compaction would take out of view now, an earlier summary not among them, and those of the kept tail. */
export function compactionWeights(
  entries: readonly Entry[],
  options: Pick<CompactionOptions, "keepFirst" | "keepLast" | "unpinned">,
): { readonly archivable: number; readonly tail: number } {
  const found = archivableIn(entries, options);
  const of = (counts: (entry: Entry, index: number) => boolean): number =>
    tokensOf(entries.reduce((sum, entry, index) => (counts(entry, index) ? sum + entry.chars : sum), 0));
  return {
    archivable: found === null ? 0 : of(({ by }, index) => by !== "compaction" && found.goes(index)),
    tail: of((_entry, index) => index >= entries.length - options.keepLast),
  };
}

/**
 * Where the task stands: the message of a person that opens the conversation, whatever the runtime said before it. `null` where
 * a model or a tool spoke first, and where an earlier summary is all that is left of it.
 */
function taskOf(entries: readonly Entry[]): number | null {
  const at = entries.findIndex(({ role, by }) => role !== "system" && by !== "runtime");
  return at >= 0 && entries[at]?.role === "user" && entries[at]?.by === "person" ? at : null;
}

/** What the strategy of the hard limit makes of the same messages, where that is shorter than what there is. */
function* shorter({ options, ...run }: Run, made: Made, archived: readonly Entry[]): Asking<string> {
  const { text } = yield* summaryBy({ options, ...run }, options.hardStrategy, archived);
  return text.length < made.text.length ? text : made.text;
}

/** What one compaction works with. */
interface Run {
  readonly options: CompactionOptions;
  readonly reminders: readonly Dict[];
  readonly count: number;
}

/** What `truncate` does not quote is not spoken of. */
const fateOfArchived = ({ strategy }: CompactionOptions, position: number): Decision =>
  strategy === "truncate" && position >= quotedLines ? drop : summarize;

/** A tool's answer among the kept messages that is longer than it may be. */
const speaksTooLong = (entry: Entry, { toolOutputMaxChars: max }: CompactionOptions): boolean =>
  entry.answers !== null && entry.chars > max && entry.text.length > max;

function* shortenedMessage(entry: Entry, options: CompactionOptions): Asking<Decision> {
  const { toolOutputMaxChars: max, compressCallback } = options;
  if (compressCallback === null) return { kind: "clear", text: microcompact(entry.text, max) };
  const about = Dict.of({ tool_name: entry.tool, output: entry.text, max_chars: max });
  const compressed = (yield { kind: "callback", callback: compressCallback, args: [about] }) as Value;
  if (typeof compressed !== "string")
    throw thrown(`compress_callback must return a string; got ${typeOf(compressed)}`);
  return { kind: "clear", text: compressed };
}

// ── summaries ─────────────────────────────────────────────────────────────────────────────────────────────────────

interface Made {
  readonly text: string;
  readonly strategy: EngineStrategy;
}

function* summaryBy(run: Run, strategy: EngineStrategy, archived: readonly Entry[]): Asking<Made> {
  let text: string;
  switch (strategy) {
    case "truncate":
      return { text: truncatedText(archived), strategy };
    case "observation_mask":
      return { text: maskedText(archived, yield* ownMasks(run, archived)), strategy };
    case "llm":
      text = yield* askForSummary(run, archived);
      break;
    case "custom":
      text = yield* askCompactor(run, archived);
      break;
  }
  return text.trim() === ""
    ? { text: truncatedText(archived), strategy: "truncate" }
    : { text: writtenSummary(archived, text), strategy };
}

function* askForSummary(run: Run, archived: readonly Entry[]): Asking<string> {
  const { summarizePrompt, policy, llm } = run.options;
  const text = formatted(archived);
  const prompt =
    summarizePrompt === null
      ? summarizerPrompt(text, archived.length, policy)
      : ((yield {
          kind: "template",
          source: summarizePrompt,
          bindings: Dict.of({ formatted: text, archived_count: archived.length }),
        }) as string);
  const answer = (yield { kind: "summary", prompt, options: llm }) as SummaryAnswer;
  return answer.ok ? cleanVisibleText(answer.text) : "";
}

function* askCompactor(run: Run, archived: readonly Entry[]): Asking<string> {
  const { customCompactor: callback, policy } = run.options;
  if (callback === null) throw thrown("compact_callback is required when compact_strategy is 'custom'");
  const args: Value[] = [entryValues(archived)];
  if (callback.params.length >= 2) args.push(new List([...run.reminders]));
  if (callback.params.length >= 3 && policy !== null) args.push(policy.raw);
  const answered = (yield { kind: "callback", callback, args }) as Value;
  const text =
    answered instanceof Dict ? (answered.get("summary") ?? answered.get("text") ?? null) : answered;
  if (text === null) return "";
  if (typeof text !== "string")
    throw thrown(`compact_callback must return a string or a dict with \`summary\`; got ${typeOf(answered)}`);
  return text;
}

/** Per message: the mask's own words, or nothing. */
function* ownMasks(run: Run, archived: readonly Entry[]): Asking<(string | null)[]> {
  const callback = run.options.maskCallback;
  if (callback === null) return [];
  const summarized = (yield { kind: "callback", callback, args: [entryValues(archived)] }) as Value;
  if (summarized === null) return [];
  if (!(summarized instanceof List))
    throw thrown(`mask_callback must return a list or nil; got ${typeOf(summarized)}`);
  return summarized.toArray().map((text) => (typeof text === "string" ? text : null));
}

const entryValues = (entries: readonly Entry[]): List => new List(entries.map((entry) => entry.value()));
