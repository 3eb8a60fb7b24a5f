/** The watch for equal calls in a loop (docs/research.md, "It goes in circles"); `doom.ts` decides. */
import type { ToolCall, ToolGate } from "../../../model/index.ts";
import { List } from "../../../values/index.ts";
import { giveFeedback } from "../../context/feedback.ts";
import { promptText } from "../../context/prompts/overrides.ts";
import type { DoomOptions } from "../../options/watching/doom-options.ts";
import type { DoomCall } from "../../state/doom-state.ts";
import { intervene } from "../../state/interventions.ts";
import type { Loop } from "../../state/loop-state.ts";
import { emitNamed, type Turn } from "../../state/requests.ts";
import { isPolling } from "../../tools/tool-class.ts";
import { claimNames } from "../claim/claim.ts";
import { endAfterClosing } from "../closing.ts";
import { personsSaid } from "../standing.ts";
import { beginAnew, type DoomFound, watchBatch } from "./doom.ts";
import { callSignature, canonical } from "./signatures.ts";

/** Looks at the calls of the turn; gives whether it found them to go in circles. */
export function* lookForDoom(loop: Loop, rules: DoomOptions): Turn<boolean> {
  const { doom } = loop.state.slots;
  noteStanding(loop);
  const batch = loop.work.calls
    .map((call, index) => doomCall(loop, call, index))
    .filter(({ tool }) => !rules.exempt.has(tool) && !isOwnClaim(loop, tool));
  const found = watchBatch(doom, batch, rules, loop.work.iteration + 1);
  if (found === null) return false;
  yield* act(loop, found, rules);
  return true;
}

/** What a call is compared by: its tool and its arguments as the model gave them. */
const signatureOfCall = ({ name, arguments: args, rawArguments }: ToolCall): string =>
  callSignature(name, args === null ? rawArguments : canonical(args));

function doomCall({ work, tools }: Loop, call: ToolCall, index: number): DoomCall {
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
  const { doom, compaction, mode } = loop.state.slots;
  const said = personsSaid(loop);
  const standing = `${said} ${compaction.count} ${mode.changes}`;
  if (standing === doom.standing) return;
  if (doom.standing !== null) beginAnew(doom, !doom.standing.startsWith(`${said} `));
  doom.standing = standing;
}

function* act(loop: Loop, found: DoomFound, rules: DoomOptions): Turn<void> {
  const { pattern, period, calls, strike, action, times } = found;
  if (loop.listens())
    yield* emitNamed("doom_detected", {
      pattern,
      period,
      calls: new List(calls.map(({ tool }) => tool)),
      strike,
      action,
    });
  const shown = calls.map(({ call }) => (call.length > briefest ? `${call.slice(0, briefest - 1)}…` : call));
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

const briefest = 100;
const ordinal = (n: number): string => (n === 1 ? "1st" : n === 2 ? "2nd" : n === 3 ? "3rd" : `${n}th`);

/** Refuses calls that were made again and again, for some turns. */
export const doomGate = (loop: Loop): ToolGate => ({
  name: "doom_loop",
  decide: (_task, { call }) => {
    const until = loop.state.slots.doom.blocked.get(signatureOfCall(call)) ?? 0;
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
