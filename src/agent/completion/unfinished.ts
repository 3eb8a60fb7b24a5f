/**
 * Answers that are none: nothing was said, or the token limit cut what was said. Neither completes a loop (decisions,
 * "An empty answer", "Empty and cut answers"):
 *
 *     empty ─▶ nudged, up to `max_nudges` times in a row ─▶ stuck / empty_answer
 *              the model declined (stop reason `refusal`) ─▶ stuck / refusal: asking again would be paid for in vain
 *     cut   ─▶ asked to go on, once                      ─▶ budget_exhausted / max_tokens
 *
 * An answer is claimed, and then stands as it is, by a sentinel, by `stop_after_successful_tools` or by what
 * `post_turn_callback` says about it.
 */

import { createVisibleStream, isPlainText } from "../../model/index.ts";
import { giveFeedback } from "../context/feedback.ts";
import { nudgeText } from "../context/prompts/nudge.ts";
import { continueCut, emptyAnswer } from "../context/texts.ts";
import type { Loop } from "../state/loop-state.ts";
import { emitNamed, type Turn } from "../state/requests.ts";
import type { StopEnd } from "./stop-table.ts";

export type Lacking = "empty" | "cut" | "declined";

/** What is missing of a turn that called nothing; `null` when it can be judged as an answer. */
export function unfinished(loop: Loop): Lacking | null {
  const { work, state, options } = loop;
  // A daemon that has nothing to say idles.
  if (options.daemon?.daemon === true) return null;
  if (work.calls.length > 0 || work.fallback === "rejected" || work.parseErrors.length > 0) return null;
  if (state.lastStopReason === "max_tokens") return "cut";
  if (!hasNothingVisible(work.text) || work.doneMarker !== null) return null;
  return state.lastStopReason === "refusal" ? "declined" : "empty";
}

/** Calls that nobody could read, or that came by a channel that is refused. */
export const isGarbled = ({ work }: Loop): boolean =>
  work.calls.length === 0 && (work.fallback === "rejected" || work.parseErrors.length > 0);

/** Nothing but reasoning and tags around nothing. */
export function hasNothingVisible(text: string): boolean {
  if (isPlainText(text)) return text.trim() === "";
  const shown = createVisibleStream();
  return (shown.push(text) + shown.end()).trim() === "";
}

/** Asks for the rest; the end of the loop when it was asked for often enough. */
export function* askForRest(loop: Loop, lacking: Lacking): Turn<StopEnd | undefined> {
  if (lacking === "cut") {
    const { cut } = loop.state.slots;
    if (cut.continued || !hasTurns(loop)) return { status: "budget_exhausted", reason: "max_tokens" };
    cut.continued = true;
    yield* giveFeedback(loop, "continue", continueCut);
    return undefined;
  }
  const { state, options, work, conversation } = loop;
  state.nudges++;
  // There is nothing in it that a model should read again, and some vendors refuse a message that is empty.
  if (work.assistant !== null) conversation.hide(work.assistant, "unfinished");
  if (lacking === "declined") return { status: "stuck", reason: "refusal" };
  if (state.nudges <= options.maxNudges && hasTurns(loop)) {
    const more = options.loopUntilDone || options.nudge !== null ? ` ${yield* nudgeText(loop)}` : "";
    yield* giveFeedback(loop, "nudge", emptyAnswer + more);
    return undefined;
  }
  if (loop.listens())
    yield* emitNamed("loop_stuck", {
      max_nudges: options.maxNudges,
      last_iteration: work.iteration + 1,
      tail_excerpt: "",
    });
  return { status: "stuck", reason: "empty_answer" };
}

/** Whether there is, or may be, another turn. */
function hasTurns({ core, options }: Loop): boolean {
  const { limits, used } = core.control.budget;
  if (limits.turns === undefined || used.turns < limits.turns) return true;
  return options.loopControl !== null || core.hooks.of("on_budget_exceeded").length > 0;
}
