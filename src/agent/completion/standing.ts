/** What a loop has come to besides its calls, as one text: two turns with the same standing changed nothing of it. */
import { ledgerStanding } from "../session/ledger.ts";
import type { Loop } from "../state/loop-state.ts";
import { contractStanding } from "./task-contract/contract-state.ts";

/** Statuses of work items and requirements, the contract's version, how often people spoke. */
export const standingOf = (loop: Loop): string =>
  `[${personsSaid(loop)},${ledgerStanding(loop.conversation.workItems)},${JSON.stringify(contractStanding(loop.conversation.contract))}]`;

/** How often a person spoke in the session; each message is looked at once. */
export function personsSaid({ conversation, state }: Loop): number {
  const { people } = state.slots;
  const { log } = conversation;
  // A loop that was resumed: whoever resumed it has been counted.
  if (people.looked < 0) people.looked = log.length;
  if (log.length < people.looked) people.looked = 0;
  for (const { origin } of log.slice(people.looked)) if (origin.by === "person") people.count++;
  people.looked = log.length;
  return people.count;
}
