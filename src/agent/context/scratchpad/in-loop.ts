/** The scratchpad in a loop: made when there is none, recited at the end of the system text, reorganized now and then. */
import type { Loop } from "../../state/loop-state.ts";
import type { Turn } from "../../state/requests.ts";
import { initialPad, padText, setPad } from "./pad.ts";
import { reorganize } from "./reorganize.ts";

/** Before the first turn: a session without a pad gets one. */
// biome-ignore lint/correctness/useYield: a part of a turn that asks for nothing.
export function* openScratchpad(loop: Loop): Turn<void> {
  const options = loop.options.scratchpad;
  const { conversation, state } = loop;
  if (options === null || conversation.scratchpad !== null || state.slots.scratchpad.opened) return;
  state.slots.scratchpad.opened = true;
  const why = { source: "agent_loop", reason: "init", metadata: null };
  const change = setPad(conversation, options.initial ?? initialPad(state.task), why);
  if (!change.ok) setPad(conversation, initialPad(state.task.slice(0, 1000)), why);
}

/** The part of the system text; "" when there is nothing to recite. */
export function scratchpadText(loop: Loop): string {
  const { scratchpad } = loop.conversation;
  return loop.options.scratchpad?.recite === true && scratchpad !== null ? padText(scratchpad) : "";
}

/** After a turn after which the loop goes on. */
export function* reorganizeWhenDue(loop: Loop): Turn<void> {
  const options = loop.options.scratchpad;
  if (options === null || options.reorganizer === null || !loop.work.answered) return;
  const { slots } = loop.state;
  slots.scratchpad.turns++;
  if (slots.scratchpad.turns % options.reorganizeEvery === 0)
    yield* reorganize(loop, options, options.reorganizer);
}
