/**
 * Compaction in the loop (agents.md §11.8): before a model call the conversation is made shorter when it has outgrown its
 * threshold. Whether it has is one comparison, because a conversation counts itself.
 *
 * A summarizing model that fails costs its summary, not the loop: the engine falls back to `truncate`.
 */

import { defaultThreshold, sessionTokens } from "../../../model/index.ts";
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
import { applyCompaction, entriesOf } from "./conversations.ts";
import { compact } from "./engine.ts";
import { climb, climbAfterRefusal, climbWhenFull, ladderRetries } from "./ladder/in-loop.ts";
import { emitCompacted } from "./told.ts";

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
  if (sessionTokens(conversation) <= Math.max(threshold, slot.rest)) return;
  if (conversation.log.length < slot.next) return;
  yield* compactInLoop(loop, resolvedCompaction(loop, compaction, threshold), "threshold");
  // What is kept may be over the threshold by itself; a summary every turn would double the cost of a loop.
  const left = sessionTokens(conversation);
  const over = left > threshold;
  slot.next = conversation.log.length + (over ? Math.max(compaction.keepLast, fewestBetween) : 1);
  slot.rest = over && compaction.threshold === null ? Math.ceil(left * growthBeforeNext) : 0;
}

/** Compacts, full or not: the loop is about to idle, and what it keeps is what it goes on with. */
export function* compactWhenIdle(loop: Loop): Turn<void> {
  const { compaction } = loop.options;
  if (compaction === null) return;
  if (compaction.ladder !== null) return void (yield* climb(loop, compaction.ladder, "idle"));
  yield* compactInLoop(loop, resolvedCompaction(loop, compaction, thresholdOf(loop, compaction)), "idle");
}

/** Messages that a conversation grows by at least before it is compacted again, where the last time did not help. */
const fewestBetween = 10;
/** How much a conversation grows before it is compacted again, where the last time did not bring it below its threshold. */
const growthBeforeNext = 1.25;
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
