/** Where a loop under the control plane is: what its live events say of it, so that each of them can be read alone. */
import type { TurnLimit } from "../../events/index.ts";
import type { Loop } from "./loop-state.ts";

/** Whether a part of the control plane is on. */
export const isUnderControl = ({ options, conversation }: Loop): boolean =>
  options.completion !== null ||
  options.repetition.progress !== null ||
  options.jit !== null ||
  options.ladder !== null ||
  conversation.contract !== null ||
  conversation.workItems !== null;

const turnLimitOf = ({ core }: Loop): TurnLimit => core.control.budget.limits.turns ?? null;

/** For events of every loop: those without the control plane say no more than they always did. */
export const turnLimit = (loop: Loop): { readonly max_turns?: TurnLimit } =>
  isUnderControl(loop) ? { max_turns: turnLimitOf(loop) } : {};

/** For events of the control plane itself: the turn from 1, and how many there may be. */
export const turnFields = (loop: Loop): { readonly turn: number; readonly max_turns: TurnLimit } => ({
  turn: loop.work.iteration + 1,
  max_turns: turnLimitOf(loop),
});
