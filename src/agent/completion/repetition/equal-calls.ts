/**
 * The same call with the same arguments, over and over (agents.md §11.5): `stall_diagnostics`. It warns, tells the model once,
 * and may ask the done judge; it never stops a call by itself.
 */

import type { ToolCall } from "../../../model/index.ts";
import { Dict, type Value } from "../../../values/index.ts";
import type { EqualCallOptions } from "../../options/watching/repetition-options.ts";
import { noteIntervention } from "../../session/interventions.ts";
import { holdCalls } from "../../state/hold-calls.ts";
import type { Loop } from "../../state/loop-state.ts";
import type { EqualCallWarning } from "../../state/repetition-state.ts";
import { emitNamed, type Turn } from "../../state/requests.ts";
import { judge } from "../judge.ts";
import { callSignature, canonical, countRun } from "./signatures.ts";

/** Looks at the calls of the turn before they are dispatched. */
export function* watchForEqualCalls(loop: Loop): Turn<void> {
  const rules = loop.options.repetition.equalCalls;
  if (rules === null) return;
  for (const call of loop.work.calls) {
    if (rules.exempt(call.name)) continue;
    const warning = countEqualCall(loop, call, rules);
    if (warning === undefined) continue;
    loop.work.stalled = true;
    yield* warnOfEqualCalls(loop, warning, rules);
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
function countEqualCall(
  loop: Loop,
  call: ToolCall,
  { threshold, includeArguments }: EqualCallOptions,
): EqualCallWarning | undefined {
  const { equalCalls: seen } = loop.state.slots.repetition;
  const text = canonical(call.arguments);
  const signature = callSignature(call.name, text);
  countRun(seen, signature);
  if (seen.streak > 1) seen.repeated++;
  if (seen.streak !== threshold) return undefined;
  const warning = {
    iteration: loop.work.iteration + 1,
    toolName: call.name,
    repeatCount: seen.streak,
    threshold,
    argumentsDigest: `sha256:${loop.digest(text)}`,
    signatureDigest: `sha256:${loop.digest(signature)}`,
    arguments: includeArguments ? text : null,
  };
  seen.warnings.push(warning);
  return warning;
}

function* warnOfEqualCalls(loop: Loop, warning: EqualCallWarning, rules: EqualCallOptions): Turn<void> {
  const { equalCalls } = loop.state.slots.repetition;
  const { toolName, repeatCount, threshold } = warning;
  noteIntervention(loop.conversation, warning.iteration, {
    kind: "stall_warning",
    rule: "equal_calls",
    reason: `\`${toolName}\` was called ${repeatCount} times in a row with the same arguments`,
    facts: { calls: [toolName], times: repeatCount, threshold },
  });
  if (loop.listens()) yield* emitNamed("agent_loop_stall_warning", warningFields(warning));
  if (!rules.injectFeedback || equalCalls.feedback >= rules.maxFeedback) return;
  equalCalls.feedback++;
  // Waits until the results are in: nothing may stand between a call and its result.
  loop.conversation.feedback.push({
    kind: "stall_diagnostics",
    text:
      `Stall diagnostic: \`${toolName}\` was called ${repeatCount} times in a row with the same arguments. ` +
      "Use what it returned, change the arguments, or take another way.",
  });
}

/** A warning as events and results show it. */
export function warningFields(warning: EqualCallWarning): Record<string, Value | undefined> {
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

export const warningDict = (warning: EqualCallWarning): Dict => Dict.of(warningFields(warning));
