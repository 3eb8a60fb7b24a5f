/** How the loop ended, kept for its result and for those who ask why. */

import { intervene } from "../state/interventions.ts";
import type { Loop } from "../state/loop-state.ts";
import type { Turn } from "../state/requests.ts";
import type { Claim } from "./claim/claim.ts";
import type { StopVerdict } from "./stop-table.ts";

export function* noteStop(
  loop: Loop,
  { row, status = "", stop_reason = "", gate }: StopVerdict,
  claim: Claim | null,
): Turn<void> {
  if (loop.options.completion === null) return;
  const { completion } = loop.state.slots;
  if (status === "done") completion.accepted = claim === null ? "unclaimed" : "claimed";
  yield* intervene(loop, {
    kind: "stop",
    rule: `row_${row}`,
    reason: `${status}: ${stop_reason}`,
    facts: {
      row,
      status,
      stop_reason,
      gate: gate ?? null,
      claimed: claim !== null,
      refusals: Object.fromEntries(completion.refusals),
    },
    messages: [],
    call: claim?.callId ?? null,
  });
}
