/** Facts of the stop table that loops have without `completion`: candidates, gates of the script, nudges. */

import { giveFeedback } from "../context/feedback.ts";
import { nudgeText } from "../context/prompts/nudge.ts";
import type { Loop } from "../state/loop-state.ts";
import { emitNamed, type Turn } from "../state/requests.ts";
import { missingTools } from "./snapshot.ts";

export interface ReasonCandidate {
  readonly reason: string;
  /** The done judge looks at it. */
  readonly judged: boolean;
}

/** Completions that stand whatever the turn's callback says. */
export function earlyCandidate(loop: Loop): ReasonCandidate | undefined {
  const { work, options, sentinel } = loop;
  if (
    options.loopUntilDone &&
    options.completion === null &&
    sentinel !== null &&
    (work.doneMarker === sentinel || work.text.includes(sentinel))
  ) {
    return { reason: "sentinel", judged: true };
  }
  const hit = work.outcomes.some(
    (outcome) => outcome?.ok === true && options.stopAfterSuccessfulTools.has(outcome.name),
  );
  return hit ? { reason: "natural", judged: false } : undefined;
}

/** `require_action_or_yield`: in a loop with tools no text is a completion by itself, in whatever format. */
export const mustAct = ({ options, usesTools }: Loop): boolean =>
  usesTools && options.turnPolicy.requireActionOrYield;

/** Whether a turn without tool calls completes the loop by itself. */
export function naturalCandidate(loop: Loop): ReasonCandidate | undefined {
  const { options, mode, sentinel, usesTools } = loop;
  // A call that could not be read is no final answer: the model is told and tries again.
  if (loop.work.parseErrors.length > 0) return undefined;
  if (mustAct(loop)) return undefined;
  if (options.doneJudge !== null) return { reason: "natural", judged: true };
  if (options.loopUntilDone && mode === "native" && usesTools && sentinel === null)
    return { reason: "natural", judged: true };
  if (options.requireSuccessfulTools.length > 0 && usesTools && missingTools(loop).length === 0) {
    return { reason: "required_tools_satisfied", judged: true };
  }
  const stays = options.loopUntilDone || options.daemon?.daemon === true;
  return stays ? undefined : { reason: "natural", judged: true };
}

export function* requireTools(loop: Loop, missing: readonly string[]): Turn<void> {
  const text = `Required tool(s) have not succeeded yet: ${missing.join(", ")}. Use them before you finish.`;
  yield* giveFeedback(loop, "required_tools", text);
}

/** Counts turn without tool callss in a row; true when there were too many. */
export function* countNudge(loop: Loop): Turn<boolean> {
  const { state, options, work } = loop;
  state.nudges++;
  if (!(options.loopUntilDone || mustAct(loop)) || state.nudges <= options.maxNudges) return false;
  if (loop.listens()) {
    yield* emitNamed("loop_stuck", {
      max_nudges: options.maxNudges,
      last_iteration: work.iteration + 1,
      tail_excerpt: state.lastText.slice(-400),
    });
  }
  return true;
}

export function* giveNudge(loop: Loop): Turn<void> {
  yield* giveFeedback(loop, "nudge", yield* nudgeText(loop));
}
