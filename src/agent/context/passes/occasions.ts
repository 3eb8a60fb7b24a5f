/**
 * When a loop is compacted (agents.md §11.8). Whether it is time is one comparison, because a conversation counts itself.
 *
 *     the usual strategies   tokens > threshold
 *     the ladder             meter ≥ soft (hooks may hold it) · meter ≥ hard, or the vendor refused (nothing may)
 *
 * One pass a turn, before a model call that would be made anyway. A pass makes progress or the next one waits.
 */
import { defaultThreshold, messageChars, sessionTokens, tokensOf } from "../../../model/index.ts";
import { Dict } from "../../../values/index.ts";
import type { LoopCompaction } from "../../options/compaction-loop-options.ts";
import { type CompactionOptions, defaultToolOutput } from "../../options/compaction-options.ts";
import type { LadderOptions } from "../../options/ladder-options.ts";
import { intervene } from "../../state/interventions.ts";
import type { Loop } from "../../state/loop-state.ts";
import { emitNamed, type Turn } from "../../state/requests.ts";
import { turnFields } from "../../state/turn-fields.ts";
import { askedInWords, viewOf } from "../compaction/words.ts";
import { meterOf, noteRefusal, softTokens } from "../metering.ts";
import { recallName } from "../recall.ts";
import { climb, compactInLoop, enterLarge } from "./in-loop.ts";

/** The part of a model's window that a conversation may fill before it is compacted. */
const usableWindow = 0.75;

/** Estimated tokens up to which nothing is done. */
export const thresholdOf = (loop: Loop, options: LoopCompaction): number =>
  (options.ladder === null ? null : Math.floor(softTokens(loop, options.ladder.settings))) ??
  options.threshold ??
  (loop.contextWindow === null ? defaultThreshold : Math.floor(loop.contextWindow * usableWindow));

/** Compacts when it is time. */
export function* compactWhenFull(loop: Loop): Turn<void> {
  const { compaction } = loop.options;
  if (compaction === null) return;
  if (compaction.ladder !== null) return yield* climbWhenFull(loop, compaction.ladder);
  const { conversation } = loop;
  const threshold = thresholdOf(loop, compaction);
  const slot = loop.state.slots.compaction;
  const tokens = sessionTokens(conversation);
  if (tokens <= threshold || conversation.log.length <= slot.looked) return;
  const options = resolvedCompaction(loop, compaction, threshold);
  const isUrgent = options.hardLimit !== null && tokens > options.hardLimit;
  if (slot.over && !isUrgent && !isWorthwhile(loop, compaction, threshold)) return;
  const compacted = yield* compactInLoop(loop, options, "threshold");
  slot.looked = conversation.log.length;
  // A pass that archived nothing is none: it bars nothing.
  if (!compacted) return;
  slot.over = sessionTokens(conversation) > threshold;
  slot.ended = conversation.log.length;
}

/**
 * What is kept may be over the threshold by itself, and a summary every turn would double the cost of a loop: after a pass that
 * ended so, the next one waits for enough that it can take out. A cut costs nothing.
 */
function isWorthwhile({ conversation, state }: Loop, options: LoopCompaction, threshold: number): boolean {
  if (options.strategy !== "llm") return true;
  const read = askedInWords("archivable", viewOf(conversation), options);
  const tokensIn = (key: string): number => tokensOf(read.get(key) as number);
  if (tokensIn("gone") >= threshold * worthwhileShare) return true;
  const { shown } = conversation;
  const added = conversation.log.length - state.slots.compaction.ended;
  const news = shown.slice(Math.max(0, shown.length - added));
  return tokensOf(news.reduce((sum, { message }) => sum + messageChars(message), 0)) > tokensIn("tail");
}

/** Compacts, full or not: the loop is about to idle, and what it keeps is what it goes on with. */
export function* compactWhenIdle(loop: Loop): Turn<void> {
  const { compaction } = loop.options;
  if (compaction === null) return;
  if (compaction.ladder !== null) return void (yield* climb(loop, compaction.ladder, "idle"));
  yield* compactInLoop(loop, resolvedCompaction(loop, compaction, thresholdOf(loop, compaction)), "idle");
}

/** So much of the threshold has to be archivable before a model is asked again, where the last time did not help. */
const worthwhileShare = 0.25;
/** A kept result is not cut below this because a window is small. */
const smallestResult = 1000;

function resolvedCompaction(loop: Loop, options: LoopCompaction, threshold: number): CompactionOptions {
  const hardLimit = hardLimitOf(options.hardLimit, loop.contextWindow);
  // The comparison is made already; a threshold of 0 would mean "always" to the engine, too.
  return { ...options, threshold: 0, hardLimit, toolOutputMaxChars: resultLimit(options, threshold) };
}

/** Tokens that the outcome may have: what was given, and never more than the usable part of a known window. */
function hardLimitOf(value: number | null, window: number | null): number | null {
  const usable = window === null ? null : Math.floor(window * usableWindow);
  if (value === null || usable === null) return value ?? usable;
  return Math.min(value, usable);
}

/** Kept results share a small window, unless the script named a threshold or a size of its own. */
function resultLimit(options: LoopCompaction, threshold: number): number {
  if (options.toolOutputMaxChars !== null) return options.toolOutputMaxChars;
  if (options.threshold !== null) return defaultToolOutput;
  const share = Math.floor((threshold * 4) / Math.max(1, options.keepLast));
  return Math.min(defaultToolOutput, Math.max(smallestResult, share));
}

/** How often a call that the model's window was too small for is tried again. */
export const overflowRetriesOf = ({ options }: Loop): number => (options.ladder === null ? 3 : ladderRetries);

/** After a model refused what it was sent: cut, and keep less every time. Gives whether anything went. */
export function* compactAfterOverflow(loop: Loop, attempt: number): Turn<boolean> {
  const { compaction } = loop.options;
  if (compaction === null) return false;
  if (compaction.ladder !== null) {
    noteRefusal(loop);
    return yield* climb(loop, compaction.ladder, "context_overflow");
  }
  const shown = loop.conversation.shown.length;
  const max = Math.min(compaction.keepLast, Math.floor((shown * 2) / 3));
  const keepLast = Math.max(1, Math.floor(max / 2 ** attempt));
  const options: CompactionOptions = {
    ...resolvedCompaction(loop, compaction, thresholdOf(loop, compaction)),
    strategy: "truncate",
    keepLast,
    hardLimit: null,
  };
  return yield* compactInLoop(loop, options, "context_overflow");
}

/** Before a model call: what is too large enters as head and tail, and a pass is made when it is time. */
function* climbWhenFull(loop: Loop, ladder: LadderOptions): Turn<void> {
  yield* enterLarge(loop, ladder);
  const slot = loop.state.slots.ladder;
  const { tokens, budget } = meterOf(loop);
  const { hard } = ladder.settings;
  const soft = softTokens(loop, ladder.settings);
  const level = tokens >= hard * budget ? "hard" : tokens >= soft ? "soft" : "none";
  yield* emitPressure(loop, level, tokens, budget);
  const { asked } = slot;
  slot.asked = null;
  if (level === "hard") yield* climb(loop, ladder, "hard");
  else if (asked !== null) yield* climb(loop, ladder, "tool", asked.focus);
  else if (level === "soft" && tokens > slot.rest && loop.conversation.log.length !== slot.looked)
    yield* climb(loop, ladder, "soft");
}

/** How often a call that was refused as too long is made again after a pass. */
const ladderRetries = 2;

const levels = ["none", "soft", "hard"] as const;

/** Emitted at each crossing upwards; after a fall the next one counts again. */
function* emitPressure(
  loop: Loop,
  level: (typeof levels)[number],
  tokens: number,
  budget: number,
): Turn<void> {
  const slot = loop.state.slots.ladder;
  const before = levels.indexOf(slot.pressure);
  slot.pressure = level;
  if (levels.indexOf(level) <= before) return;
  yield* intervene(loop, {
    kind: "pressure",
    rule: level,
    reason: `the coming request has about ${tokens} tokens of ${budget}`,
    facts: { tokens, budget },
  });
  if (loop.listens()) yield* emitNamed("context_pressure", { level, tokens, budget, ...turnFields(loop) });
}

// ── what a turn leaves behind for later passes ──

/** The turn in which a message of the model was said. */
// biome-ignore lint/correctness/useYield: it asks nobody.
export function* noteTurn(loop: Loop): Turn<void> {
  const { work, state } = loop;
  if (work.assistant === null) return;
  state.slots.ladder.turns.set(work.assistant.id, work.iteration + 1);
}

/** What tools said of their results: `{pin: true}`, `{durability}`. */
export function* noteResults(loop: Loop): Turn<void> {
  const { work, conversation } = loop;
  if (work.assistant === null || work.held) return;
  const at = conversation.log.lastIndexOf(work.assistant);
  if (at < 0) return;
  const native = conversation.log[at + 1]?.message.role !== "user";
  const messageAt = (index: number): string => conversation.log[at + 1 + (native ? index : 0)]?.id ?? "";
  for (const [index, outcome] of work.outcomes.entries()) {
    if (outcome?.name === recallName && outcome.ok) noteRecalled(loop, messageAt(index));
    const { result } = outcome ?? { result: null };
    if (!(result instanceof Dict)) continue;
    const said = result.get("durability");
    const pin = result.get("pin") === true;
    if (!pin && typeof said !== "string") continue;
    const key = `${messageAt(index)}/${native ? 0 : index}`;
    conversation.resultNotes.set(key, { pin, durability: typeof said === "string" ? said : null });
  }
}

/** The message with the answer of the oldest recall that has none yet. */
function noteRecalled(loop: Loop, message: string): void {
  const { recalled } = loop.state.slots.ladder;
  const at = recalled.findIndex(({ call }) => call === "");
  if (at >= 0) recalled[at] = { ...(recalled[at] as (typeof recalled)[number]), call: message };
}
