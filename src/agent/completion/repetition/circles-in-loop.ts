/** The watch for equal calls in a loop (docs/research.md, "It goes in circles"); `circles.ts` decides. */
import type { ToolCall, ToolGate } from "../../../model/index.ts";
import { List } from "../../../values/index.ts";
import { giveFeedback } from "../../context/feedback.ts";
import { promptText } from "../../context/prompts/overrides.ts";
import type { CircleOptions } from "../../options/watching/repetition-options.ts";
import { intervene } from "../../state/interventions.ts";
import type { Loop } from "../../state/loop-state.ts";
import type { CircleCall } from "../../state/repetition-state.ts";
import { emitNamed, type Turn } from "../../state/requests.ts";
import { isPolling } from "../../tools/tool-class.ts";
import { claimNames } from "../claim/claim.ts";
import { endAfterClosing } from "../closing.ts";
import { personsSaid } from "../standing.ts";
import { beginAnew, type CircleFound, watchBatch } from "./circles.ts";
import { briefCall, signatureOfCall } from "./signatures.ts";

/** Looks at the calls of the turn; gives whether it found them to go in circles. */
export function* lookForCircles(loop: Loop, rules: CircleOptions): Turn<boolean> {
  noteStanding(loop);
  const batch = loop.work.calls
    .map((call, index) => circleCall(loop, call, index))
    .filter(({ tool }) => !rules.exempt(tool) && !isOwnClaim(loop, tool));
  const found = watchBatch(loop.state.slots.repetition.circles, batch, rules, loop.work.iteration + 1);
  if (found === null) return false;
  yield* act(loop, found, rules);
  return true;
}

function circleCall({ work, tools }: Loop, call: ToolCall, index: number): CircleCall {
  const entry = tools.byName.get(call.name);
  const polls = entry !== undefined && isPolling(entry);
  const text = signatureOfCall(call);
  const result = work.outcomes[index]?.rendered ?? "";
  return { signature: polls ? `${text}\n${result}` : text, call: text, tool: call.name, polls };
}

/** Claims have bounds of their own. */
const isOwnClaim = ({ options }: Loop, tool: string): boolean =>
  options.completion !== null && claimNames.has(tool);

/** A person spoke, messages went out of view, or the mode changed: what was read may be read again. */
function noteStanding(loop: Loop): void {
  const { repetition, compaction, mode } = loop.state.slots;
  const { circles } = repetition;
  const said = personsSaid(loop);
  const standing = `${said} ${compaction.count} ${mode.changes}`;
  if (standing === circles.standing) return;
  if (circles.standing !== null) beginAnew(circles, !circles.standing.startsWith(`${said} `));
  circles.standing = standing;
}

function* act(loop: Loop, found: CircleFound, rules: CircleOptions): Turn<void> {
  const { pattern, period, calls, strike, action, times } = found;
  if (loop.listens())
    yield* emitNamed("doom_detected", {
      pattern,
      period,
      calls: new List(calls.map(({ tool }) => tool)),
      strike,
      action,
    });
  const shown = calls.map(({ call }) => briefCall(call));
  const about = {
    rule: `doom_${pattern}`,
    facts: { calls: shown, period, times, strike, strikes: rules.strikes, action },
  };
  if (action === "stop") {
    yield* intervene(loop, {
      kind: "stall_stop",
      ...about,
      reason: `the same calls again and again, for the ${ordinal(strike)} time`,
    });
    endAfterClosing(loop, { status: "stalled", reason: "doom_loop" }, "the same calls came again and again");
    return;
  }
  const text = yield* promptText(loop, "agent.doom_loop_feedback", {
    calls: shown.join(", "),
    pattern,
    times,
    blocked: action === "block",
    turns: rules.blockTurns,
  });
  const { id } = yield* giveFeedback(loop, "doom_loop", text);
  yield* intervene(loop, {
    kind: "stall_warning",
    ...about,
    reason: `the same calls came ${times} times`,
    messages: [id],
  });
}

const ordinal = (n: number): string => (n === 1 ? "1st" : n === 2 ? "2nd" : n === 3 ? "3rd" : `${n}th`);

/** Refuses calls that were made again and again, for some turns. */
export const doomGate = (loop: Loop): ToolGate => ({
  name: "doom_loop",
  decide: (_task, { call }) => {
    const until = loop.state.slots.repetition.circles.blocked.get(signatureOfCall(call)) ?? 0;
    const left = until - loop.work.iteration;
    if (left <= 0) return { kind: "allow" };
    const turns = left === 1 ? "this turn" : `this and the next ${left - 1} turns`;
    return {
      kind: "deny",
      denial: {
        gate: "doom_loop",
        reason: `'${call.name}' was called with these arguments again and again; it is refused in ${turns}`,
        retryable: false,
        next_step: "Use what it gave before, or try other arguments or another tool.",
      },
    };
  },
});
