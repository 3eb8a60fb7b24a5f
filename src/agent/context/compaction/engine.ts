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
import { type Callable, Dict, List, thrown, typeOf, type Value } from "../../../values/index.ts";
import type { CompactionOptions } from "../../options/compaction-options.ts";
import { directives, visibleDirectives } from "../../options/compaction-policy.ts";
import type { EngineStrategy } from "../../options/context-fields.ts";
import type {
  CallbackAsk,
  SummaryAnswer,
  SummaryAsk,
  TemplateAsk,
  TryCallbackAsk,
} from "../../state/requests.ts";
import { callLibrary, libraryText } from "./library.ts";
import type { TranscriptEntry } from "./strategy.ts";
import { leavesView, type StrategyStep, stepsIn, strategyMessages } from "./strategy.ts";

export type CompactionAsk = SummaryAsk | TemplateAsk | CallbackAsk | TryCallbackAsk;
export type Asking<T> = Generator<CompactionAsk, T, unknown>;

// ── what becomes of each message ──────────────────────────────────────────────────────────────────────────────────────

type StepDecision =
  /** Stays as it is. */
  | { readonly kind: "include" }
  /** Stays, with a shorter body. */
  | { readonly kind: "clear"; readonly text: string }
  /** Goes; the summary speaks of it. */
  | { readonly kind: "summarize" }
  /** Goes without a word of its own. */
  | { readonly kind: "drop" };

export const include: StepDecision = { kind: "include" };
const summarize: StepDecision = { kind: "summarize" };
const drop: StepDecision = { kind: "drop" };

/** Never an edit: who owns the messages applies it. */
interface ViewPlan {
  /** One per message. */
  readonly decisions: readonly StepDecision[];
  /** Where the summary is put. */
  readonly summaryAt: number;
}

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

/** What strategies are shown, and what one of them made of it. */
interface PassPlan {
  readonly messages: List;
  readonly room: Dict;
  readonly task: number | null;
  readonly steps: readonly StrategyStep[];
  /** Positions of what leaves the view. */
  readonly gone: readonly number[];
}

/** The function of the library that decides. */
const functions: Readonly<Record<EngineStrategy, string>> = {
  truncate: "truncate",
  observation_mask: "observation_mask",
  llm: "summarize",
  custom: "summarize",
};

/** What of the options a strategy decides by. */
interface KeepOptions extends Pick<CompactionOptions, "keepFirst" | "keepLast" | "unpinned"> {
  readonly threshold?: number | null;
  readonly hardLimit?: number | null;
  readonly toolOutputMaxChars?: number | null;
}

/** What a strategy of the library makes of these messages. */
export function planned(
  entries: readonly TranscriptEntry[],
  options: KeepOptions,
  strategy: EngineStrategy,
): PassPlan {
  const task = options.unpinned === true ? null : taskOf(entries);
  const messages = strategyMessages(entries, task);
  const room = Dict.of({
    tokens: tokensOf(entries.reduce((sum, { chars }) => sum + chars, 0)),
    soft: options.threshold ?? 0,
    hard: options.hardLimit ?? null,
    keep_first: options.keepFirst,
    keep_last: options.keepLast,
    task: task ?? -1,
    result_chars: options.toolOutputMaxChars ?? 0,
  });
  const steps = stepsIn(callLibrary(functions[strategy], messages, room));
  const leaving = new Set(steps.filter(leavesView).flatMap(({ ids }) => ids));
  const gone: number[] = [];
  for (let at = 0; at < entries.length; at++)
    if (leaving.has((entries[at] as TranscriptEntry).id)) gone.push(at);
  return { messages, room, task, steps, gone };
}

/** Compacts, or gives `null` when there is nothing to do. `reminders` are those that wait to be told. */
export function* compact(
  entries: readonly TranscriptEntry[],
  options: CompactionOptions,
  reminders: readonly Dict[] = [],
): Asking<Compacted | null> {
  const before = tokensOf(entries.reduce((sum, entry) => sum + entry.chars, 0));
  if (options.threshold > 0 && before <= options.threshold) return null;
  const plan = planned(entries, options, options.strategy);
  if (plan.gone.length === 0) return null;
  const archived = plan.gone.map((at) => entries[at] as TranscriptEntry);
  const run: EngineRun = { options, reminders, archived, shown: pickedFrom(plan) };
  const first = yield* summaryBy(run, options.strategy, plan.steps.find(({ text }) => text !== null)?.text);
  const decisions = yield* decisionsOf(entries, plan.steps, options);
  const chars = decisions.reduce(
    (sum, decision, at) => sum + charsOf(decision, entries[at] as TranscriptEntry),
    0,
  );
  const overHardLimit =
    options.hardLimit !== null &&
    tokensOf(chars + first.text.length) > options.hardLimit &&
    options.hardStrategy !== options.strategy &&
    options.hardStrategy !== first.strategy;
  const text = overHardLimit ? yield* shorter(run, first) : first.text;
  const shown = visibleDirectives(options.policy);
  const summary = shown === "" ? text : `${text}\n\n${shown}`;
  return {
    plan: { decisions, summaryAt: placeOf(entries, plan, options.keepFirst) },
    archived: archived.length,
    summary,
    engineStrategy: first.strategy,
    overHardLimit,
    before,
    after: tokensOf(chars + summary.length),
  };
}

/** Those that leave, as strategies see them. */
export const pickedFrom = ({ messages, gone }: PassPlan): List => {
  const all = messages.toArray();
  return new List(gone.map((at) => all[at] as Value));
};

const charsOf = (decision: StepDecision, entry: TranscriptEntry): number =>
  decision.kind === "include" ? entry.chars : decision.kind === "clear" ? decision.text.length : 0;

/** The summary follows the task, and stands before everything else that is pinned. */
function placeOf(entries: readonly TranscriptEntry[], { task, gone }: PassPlan, keepFirst: number): number {
  const after = task === null ? 0 : task + 1;
  let at = Math.max(after, gone[0] as number);
  while (at > Math.max(after, keepFirst) && entries[at - 1]?.pinned === true) at--;
  return at;
}

function* decisionsOf(
  entries: readonly TranscriptEntry[],
  steps: readonly StrategyStep[],
  { compressCallback, toolOutputMaxChars }: CompactionOptions,
): Asking<StepDecision[]> {
  const decisions: StepDecision[] = entries.map(() => include);
  const positions = new Map(entries.map(({ id }, at) => [id, at]));
  for (const { by, ids, text } of steps)
    for (const id of ids) {
      const at = positions.get(id) as number;
      if (by === "clear") {
        const { tool, text: output } = entries[at] as TranscriptEntry;
        const shorter =
          compressCallback === null
            ? (text ?? "")
            : yield* askCompressor(compressCallback, {
                tool_name: tool,
                output,
                max_chars: toolOutputMaxChars,
              });
        decisions[at] = { kind: "clear", text: shorter };
      } else decisions[at] = by === "drop" ? drop : summarize;
    }
  return decisions;
}

/** Estimated tokens that a compaction would take out of view now, an earlier summary not among them, and those of the kept tail. */
export function compactionWeights(
  entries: readonly TranscriptEntry[],
  options: KeepOptions,
): { readonly archivable: number; readonly tail: number } {
  const { gone } = planned(entries, options, "llm");
  const of = (some: readonly (TranscriptEntry | undefined)[]): number =>
    tokensOf(some.reduce((sum, entry) => sum + (entry?.chars ?? 0), 0));
  return {
    archivable: of(gone.map((at) => entries[at]).filter((entry) => entry?.by !== "compaction")),
    tail: of(entries.slice(Math.max(0, entries.length - options.keepLast))),
  };
}

/**
 * Where the task stands: the message of a person that opens the conversation, whatever the runtime said before it. `null` where
 * a model or a tool spoke first, and where an earlier summary is all that is left of it.
 */
function taskOf(entries: readonly TranscriptEntry[]): number | null {
  const at = entries.findIndex(({ role, by }) => role !== "system" && by !== "runtime");
  return at >= 0 && entries[at]?.role === "user" && entries[at]?.by === "person" ? at : null;
}

/** What the strategy of the hard limit makes of the same messages, where that is shorter than what there is. */
function* shorter(run: EngineRun, made: EngineSummary): Asking<string> {
  const { text } = yield* summaryBy(run, run.options.hardStrategy);
  return text.length < made.text.length ? text : made.text;
}

/** What one compaction works with. */
interface EngineRun {
  readonly options: CompactionOptions;
  readonly reminders: readonly Dict[];
  readonly archived: readonly TranscriptEntry[];
  /** The same as strategies see them. */
  readonly shown: List;
}

function* askCompressor(callback: Callable, about: Readonly<Record<string, Value>>): Asking<string> {
  const compressed = (yield { kind: "callback", callback, args: [Dict.of(about)] }) as Value;
  if (typeof compressed !== "string")
    throw thrown(`compress_callback must return a string; got ${typeOf(compressed)}`);
  return compressed;
}

// ── summaries ─────────────────────────────────────────────────────────────────────────────────────────────────────

interface EngineSummary {
  readonly text: string;
  readonly strategy: EngineStrategy;
}

/** `written`: what the strategy has said itself. */
function* summaryBy(
  run: EngineRun,
  strategy: EngineStrategy,
  written?: string | null,
): Asking<EngineSummary> {
  const { shown } = run;
  const truncated = (): string => written ?? libraryText("truncated_text", shown);
  if (strategy === "truncate") return { text: truncated(), strategy };
  if (strategy === "observation_mask")
    return { text: libraryText("masked_text", shown, yield* ownMasks(run)), strategy };
  const text = yield* strategy === "llm" ? askForSummary(run) : askCompactor(run);
  return text.trim() === ""
    ? { text: libraryText("truncated_text", shown), strategy: "truncate" }
    : { text: libraryText("written_summary", shown, text), strategy };
}

function* askForSummary({ options, shown }: EngineRun): Asking<string> {
  const { summarizePrompt, policy, llm } = options;
  const prompt =
    summarizePrompt === null
      ? libraryText("summary_question", shown, directives(policy), policy?.mode === "replace")
      : ((yield {
          kind: "template",
          source: summarizePrompt,
          bindings: Dict.of({ formatted: libraryText("formatted", shown), archived_count: shown.length }),
        }) as string);
  const answer = (yield { kind: "summary", prompt, options: llm }) as SummaryAnswer;
  return answer.ok ? cleanVisibleText(answer.text) : "";
}

function* askCompactor({ options, archived, reminders }: EngineRun): Asking<string> {
  const { customCompactor: callback, policy } = options;
  if (callback === null) throw thrown("compact_callback is required when compact_strategy is 'custom'");
  const args: Value[] = [entryValues(archived)];
  if (callback.params.length >= 2) args.push(new List([...reminders]));
  if (callback.params.length >= 3 && policy !== null) args.push(policy.raw);
  const answered = (yield { kind: "callback", callback, args }) as Value;
  const text =
    answered instanceof Dict ? (answered.get("summary") ?? answered.get("text") ?? null) : answered;
  if (text === null) return "";
  if (typeof text !== "string")
    throw thrown(`compact_callback must return a string or a dict with \`summary\`; got ${typeOf(answered)}`);
  return text;
}

/** Per message: the mask's own words, or nil. */
function* ownMasks({ options, archived }: EngineRun): Asking<List> {
  const callback = options.maskCallback;
  if (callback === null) return new List([]);
  const summarized = (yield { kind: "callback", callback, args: [entryValues(archived)] }) as Value;
  if (summarized === null) return new List([]);
  if (!(summarized instanceof List))
    throw thrown(`mask_callback must return a list or nil; got ${typeOf(summarized)}`);
  return new List(summarized.toArray().map((text) => (typeof text === "string" ? text : null)));
}

const entryValues = (entries: readonly TranscriptEntry[]): List =>
  new List(entries.map((entry) => entry.value()));
