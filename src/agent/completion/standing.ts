/** What a loop has come to besides its calls, as one text: two turns with the same standing changed nothing of it. */
import type { Loop } from "../state/loop-state.ts";

/** Statuses of work items and requirements, the contract's version, how often people spoke. */
export function standingOf({ conversation }: Loop): string {
  return JSON.stringify([conversation.arrivalCount]);
}
