/**
 * A claim that is not accepted: the model is told by which gate and why, and the loop goes on. Refusals are bounded three
 * ways, so that refusing never becomes a loop of its own:
 *
 *     `max_verify_attempts` refusals of any gate                       verify_exhausted, the gate as reason
 *     the same gate with the same reason three times, nothing new since  stalled / completion_refused
 *     a bound of the gate itself (`endOfTurn`)                               as it says
 */
import { giveFeedback } from "../context/feedback.ts";
import { promptText } from "../context/prompts/overrides.ts";
import { intervene } from "../state/interventions.ts";
import type { Loop } from "../state/loop-state.ts";
import { emitNamed, type Turn } from "../state/requests.ts";
import { standingOf } from "./standing.ts";
import type { GateFact, StopEnd, StopGate } from "./stop-table.ts";

/** So often the same refusal is said while nothing changes. */
const sameRefusals = 3;

export interface Refusal {
  readonly gate: StopGate;
  /** One sentence for the model and for the result. */
  readonly reason: string;
  /** What the model needs to put it right; "" for nothing more. */
  readonly details?: string;
  /** What makes it the same refusal as the one before; the reason unless given. */
  readonly sameAs?: string;
  /** A bound of the gate's own is reached. */
  readonly end?: StopEnd | null;
}

/** Refuses the claim of this turn: counts, tells the model unless the loop ends by it. */
export function* refuseClaim(loop: Loop, refusal: Refusal): Turn<GateFact> {
  const { gate, reason } = refusal;
  const { completion } = loop.state.slots;
  const attempt = (completion.refusals.get(gate) ?? 0) + 1;
  completion.refusals.set(gate, attempt);
  loop.state.vetoes++;
  const { completion: proposed } = loop.work;
  Object.assign(proposed, { proposed: true, vetoed: true, feedback: reason });
  const end = refusal.end ?? endOfRefusals(loop, refusal);
  if (end !== null) completion.message = reason;
  const before = loop.conversation.log.length;
  if (end === null) {
    yield* emitRefusal(loop, refusal);
  }
  if (loop.listens()) yield* emitNamed("completion_refused", { gate, reason, attempt });
  yield* intervene(loop, {
    kind: "refusal",
    rule: gate,
    reason,
    facts: { attempt, refused: loop.state.vetoes, ends: end === null ? null : `${end.status}/${end.reason}` },
    messages: loop.conversation.log.slice(before).map(({ id }) => id),
    call: completion.callId,
  });
  return { kind: "refused", end };
}

/** Nobody claimed anything in a loop without `completion`: its hook's words are told as they are. */
function* emitRefusal(loop: Loop, { gate, reason, details = "" }: Refusal): Turn<void> {
  if (loop.options.completion === null) {
    yield* giveFeedback(loop, "pre_finish", reason);
    return;
  }
  const text = yield* promptText(loop, "agent.completion_refused", { gate, reason, details });
  yield* giveFeedback(loop, "completion_refused", text);
}

function endOfRefusals(loop: Loop, { gate, reason, sameAs = reason }: Refusal): StopEnd | null {
  if (isDeadlock(loop, gate, sameAs)) return { status: "stalled", reason: "completion_refused" };
  return loop.state.vetoes > loop.options.maxVerifyAttempts
    ? { status: "verify_exhausted", reason: gate }
    : null;
}

function isDeadlock(loop: Loop, gate: StopGate, sameAs: string): boolean {
  const { completion } = loop.state.slots;
  const digest = loop.digest(sameAs);
  const mark = loop.digest(`${completion.effects.size} ${standingOf(loop)}`);
  const { deadlock } = completion;
  const again = deadlock.gate === gate && deadlock.digest === digest && deadlock.mark === mark;
  completion.deadlock = { gate, digest, mark, count: again ? deadlock.count + 1 : 1 };
  return completion.deadlock.count >= sameRefusals;
}
