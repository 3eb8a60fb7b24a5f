/**
 * Compaction in the loop (agents.md §11.8): before a model call the conversation is made shorter when it has outgrown its
 * threshold. Whether it has is one comparison, because a conversation counts itself.
 *
 * A summarizing model that fails costs its summary, not the loop: the engine falls back to `truncate`.
 */

import { defaultThreshold, sessionTokens, tokensOf } from "../../../model/index.ts";
import { Dict } from "../../../values/index.ts";
import type { LoopCompaction } from "../../options/compaction-loop-options.ts";
import { type CompactionOptions, defaultToolOutput } from "../../options/compaction-options.ts";
import { type CompactionReason, sourceAssetId } from "../../session/compaction-source.ts";
import { noteIntervention } from "../../session/interventions.ts";
import type { Loop } from "../../state/loop-state.ts";
import { requestHooks, type Turn } from "../../state/requests.ts";
import { checkpoint } from "../checkpoint.ts";
import { noteRefusal, softTokens } from "../metering.ts";
import { reportReminders } from "../reminders.ts";
import { emitCompacted } from "./compacted-event.ts";
import { applyCompaction, entriesOf } from "./conversations.ts";
import { compact, compactionWeights } from "./engine.ts";
import { climb, climbAfterRefusal, climbWhenFull, ladderRetries } from "./ladder/in-loop.ts";

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
  const entries = entriesOf(conversation);
  const { archivable, tail } = compactionWeights(entries, options);
  if (archivable >= threshold * worthwhileShare) return true;
  const added = conversation.log.length - state.slots.compaction.ended;
  const news = entries.slice(Math.max(0, entries.length - added));
  return tokensOf(news.reduce((sum, { chars }) => sum + chars, 0)) > tail;
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
export const overflowRetriesOf = ({ options }: Loop): number =>
  (options.compaction?.ladder ?? null) === null ? 3 : ladderRetries;

/** After a model refused what it was sent: cut, and keep less every time. Gives whether anything went. */
export function* compactAfterOverflow(loop: Loop, attempt: number): Turn<boolean> {
  const { compaction } = loop.options;
  if (compaction === null) return false;
  if (compaction.ladder !== null) {
    noteRefusal(loop);
    return yield* climbAfterRefusal(loop, compaction.ladder);
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

function* compactInLoop(loop: Loop, options: CompactionOptions, reason: CompactionReason): Turn<boolean> {
  const { conversation } = loop;
  if (loop.hooked("PreCompact")) {
    const about = Dict.of({
      mode: loop.compactionMode,
      reason,
      strategy: options.label,
      message_count: conversation.shown.length,
      estimated_tokens: sessionTokens(conversation),
    });
    const said = yield* requestHooks("PreCompact", about, options.label);
    if (said !== null && said.blocked !== null) return false;
  }
  yield* checkpoint(loop, "pre_compact");
  const compacted = yield* compact(entriesOf(conversation), options, conversation.reminders);
  if (compacted === null) return false;
  const snapshotAssetId = sourceAssetId(loop.freshId());
  const { fields, droppedReminders } = applyCompaction(conversation, compacted, options, {
    mode: loop.compactionMode,
    reason,
    snapshotAssetId,
  });
  loop.state.slots.compaction.count++;
  // The event below tells it: here it is noted for those who ask why.
  noteIntervention(conversation, loop.work.iteration + 1, {
    kind: "compaction",
    rule: reason,
    reason: `${compacted.archived} messages went out of view (${compacted.engineStrategy})`,
    facts: { before: compacted.before, after: compacted.after, plan_version: conversation.plan.version },
    messages: conversation.plan.summarization_records.slice(-1).map((made) => made.summary_message_id),
  });
  yield* emitCompacted(loop, fields, conversation.lastSummary);
  yield* reportReminders(loop, droppedReminders, "dropped");
  yield* checkpoint(loop, "post_compact");
  if (loop.hooked("PostCompact")) yield* requestHooks("PostCompact", Dict.of(fields), options.label);
  return true;
}
