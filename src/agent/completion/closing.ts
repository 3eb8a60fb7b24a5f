/**
 * The last turn: a loop that ends at a limit, or because it goes in circles, gets one more turn without tools, to say what was
 * found out, what is missing and how to go on.
 *
 *     limit met (or third strike) ─▶ calls are answered as not run ─▶ the model is told ─▶ one turn ─▶ end
 */
import { giveFeedback } from "../context/feedback.ts";
import { promptText } from "../context/prompts/overrides.ts";
import { refreshVisible } from "../context/visible-tools.ts";
import { holdCalls } from "../state/hold-calls.ts";
import type { Loop } from "../state/loop-state.ts";
import { emitNamed, type Turn } from "../state/requests.ts";
import type { Subsystem } from "../state/subsystem.ts";

/** After this turn comes the last. */
export function endAfterClosing(
  { state }: Loop,
  end: { readonly status: string; readonly reason: string },
  why: string,
): void {
  const { closing } = state.slots;
  closing.end ??= end;
  if (closing.why === "") closing.why = why;
}

export const closing: Subsystem = {
  name: "closing_turn",
  *called(loop) {
    if (loop.state.slots.closing.begun) holdCalls(loop, "no tool can be called in the last turn");
    else yield* meetLimit(loop);
  },
  // biome-ignore lint/correctness/useYield: it asks nobody.
  *settled(loop) {
    const slot = loop.state.slots.closing;
    // However the turn went: the loop ends as it was about to.
    if (slot.begun) loop.work.ending = slot.end;
  },
  *continued(loop) {
    const slot = loop.state.slots.closing;
    if (slot.end === null || slot.begun) return;
    slot.begun = true;
    refreshVisible(loop);
    const { limits, used } = loop.core.control.budget;
    // The turn is beyond every count of turns: without it nothing of the others is told.
    if (limits.turns !== undefined) limits.turns = Math.max(limits.turns, used.turns + 1);
    yield* giveFeedback(
      loop,
      "limit_closing",
      yield* promptText(loop, "agent.limit_closing", { why: slot.why, reason: slot.end.reason }),
    );
  },
};

/** A batch that would pass the limit is not run. */
function* meetLimit(loop: Loop): Turn<void> {
  const { limits } = loop.options;
  if (!limits.closingTurn) return;
  const { limits: max, used } = loop.core.control.budget;
  const limit = max.tool_calls;
  if (limit === undefined || used.tool_calls + loop.work.calls.length <= limit) return;
  const why = `the limit of ${limit} tool calls is reached`;
  holdCalls(loop, why);
  endAfterClosing(loop, { status: "budget_exhausted", reason: "tool_calls" }, why);
  if (loop.listens())
    yield* emitNamed("budget_circuit_breaker", { reason: "tool_calls", limit, used: used.tool_calls });
}
