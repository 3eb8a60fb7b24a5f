/**
 * The rule `compacted` where a compaction leaves a message of its own: it is the last line of that message. A compaction that
 * leaves none is told of before the next turn, as every other instruction (`in-loop.ts`).
 */
import { intervene } from "../../state/interventions.ts";
import type { Loop } from "../../state/loop-state.ts";
import type { Turn } from "../../state/requests.ts";

export const compactedRule = "compacted";

/** Whether the message of a compaction that is made now says where the work stands. */
export const speaksInMessage = ({ options: { jit }, conversation, state }: Loop): boolean =>
  jit !== null &&
  !jit.disabled.has(compactedRule) &&
  !state.slots.jit.refused &&
  (conversation.workItems?.items.length ?? 0) > 0;

/** It was committed with the message `id`. */
export function* noteSpoken(loop: Loop, id: string): Turn<void> {
  const { compaction, jit } = loop.state.slots;
  jit.compactionsPrompted = compaction.count;
  const turn = loop.work.iteration + 1;
  yield* intervene(loop, {
    kind: "instruction",
    rule: compactedRule,
    reason: `the rule ${compactedRule} applies before turn ${turn}`,
    facts: { compactions: compaction.count, work_items: loop.conversation.workItems?.items.length ?? 0 },
    messages: [id],
  });
}
