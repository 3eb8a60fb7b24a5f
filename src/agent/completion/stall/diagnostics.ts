/**
 * Stall diagnostics: the same call with the same arguments, over and over (agents.md §11.5). It warns, tells the model
 * once, and may ask the done judge; it never stops a call by itself.
 */

import type { ToolCall } from "../../../model/index.ts";
import { Dict, type Value } from "../../../values/index.ts";
import { holdCalls } from "../../state/hold-calls.ts";
import type { Loop, StallWarning } from "../../state/loop-state.ts";
import { emitNamed, type Turn } from "../../state/requests.ts";
import { judge } from "../judge.ts";
import { callSignature, canonical, countRun } from "./signatures.ts";

/** Looks at the calls of the turn before they are dispatched. */
export function* watchForStalls(loop: Loop): Turn<void> {
  const options = loop.options.stallDiagnostics;
  if (options === null) return;
  for (const call of loop.work.calls) {
    if (options.exempt.has(call.name)) continue;
    const warning = observeStall(loop, call, options.threshold, options.includeArguments);
    if (warning === undefined) continue;
    loop.work.stalled = true;
    yield* warnOfStall(loop, warning);
  }
  if (!loop.work.stalled || !(yield* stalledWorkIsDone(loop))) return;
  holdCalls(loop, "the task was judged complete");
  loop.work.ending = { status: "done", reason: "stalled_done_judge" };
}

/** Asks the done judge whose cadence is `stalled`; whether it holds the work for complete. */
export function* stalledWorkIsDone(loop: Loop): Turn<boolean> {
  const { doneJudge } = loop.options;
  if (doneJudge === null || doneJudge.cadence.when !== "stalled") return false;
  const count = loop.state.slots.doneJudge;
  const { maxInvocations } = doneJudge.cadence;
  if (maxInvocations !== null && count.invocations >= maxInvocations) return false;
  return (yield* judge(loop, "done_judge", doneJudge, "stalled", count)).accepted;
}

/** Counts the streak; a warning exactly when it reaches the threshold. */
function observeStall(
  loop: Loop,
  call: ToolCall,
  threshold: number,
  withArguments: boolean,
): StallWarning | undefined {
  const { stall } = loop.state.slots;
  const text = canonical(call.arguments);
  const signature = callSignature(call.name, text);
  countRun(stall, signature);
  if (stall.streak > 1) stall.repeated++;
  if (stall.streak !== threshold) return undefined;
  const warning = {
    iteration: loop.work.iteration + 1,
    toolName: call.name,
    repeatCount: stall.streak,
    threshold,
    argumentsDigest: `sha256:${loop.digest(text)}`,
    signatureDigest: `sha256:${loop.digest(signature)}`,
    arguments: withArguments ? text : null,
  };
  stall.warnings.push(warning);
  return warning;
}

function* warnOfStall(loop: Loop, warning: StallWarning): Turn<void> {
  const { stall } = loop.state.slots;
  const options = loop.options.stallDiagnostics;
  if (loop.listens()) yield* emitNamed("agent_loop_stall_warning", warningFields(warning));
  if (options === null || !options.injectFeedback || stall.feedback >= options.maxFeedback) return;
  stall.feedback++;
  // Waits until the results are in: nothing may stand between a call and its result.
  loop.conversation.feedback.push({
    kind: "stall_diagnostics",
    text:
      `Stall diagnostic: \`${warning.toolName}\` was called ${warning.repeatCount} times in a row with the same arguments. ` +
      "Use what it returned, change the arguments, or take another way.",
  });
}

/** A warning as events and results show it. */
export function warningFields(warning: StallWarning): Record<string, Value | undefined> {
  return {
    iteration: warning.iteration,
    tool_name: warning.toolName,
    repeat_count: warning.repeatCount,
    threshold: warning.threshold,
    arguments_digest: warning.argumentsDigest,
    signature_digest: warning.signatureDigest,
    pattern: "repeated_same_signature",
    signature: warning.toolName,
    count: warning.repeatCount,
    arguments: warning.arguments ?? undefined,
  };
}

export const warningDict = (warning: StallWarning): Dict => Dict.of(warningFields(warning));
