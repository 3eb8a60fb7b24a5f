/**
 * REFLECTING: does the loop end here? The order is that of the stop table (`stop-table.ts`), which is pure; here its facts
 * are gathered, each when a row asks for it, and its verdict is carried out. Nothing else ends a loop.
 */

import type { RunEventData } from "../../events/index.ts";
import { Dict } from "../../values/index.ts";
import type { Reflection } from "../contract/index.ts";
import { intervene } from "../state/interventions.ts";
import type { Loop } from "../state/loop-state.ts";
import { emit, type Turn } from "../state/requests.ts";
import type { Claim } from "./claim/claim.ts";
import { giveDemand, givePrompt } from "./claim/continuation.ts";
import { type FactMemo, gather } from "./facts.ts";
import { giveNudge } from "./facts-plain.ts";
import { controlIterations } from "./iteration-control.ts";
import { type StopVerdict, stopTable } from "./stop-table.ts";

const doneWith = (status: string, reason: string): Reflection => ({ next: "done", status, reason });
const proceed: Reflection = { next: "replan" };

/** The stop decision for the turn in `loop.work`, emitted when the turn proposed an end. */
export function* decide(loop: Loop): Turn<Reflection> {
  const decided = yield* decision(loop);
  const { completion } = loop.work;
  if ((decided.next === "done" || completion.proposed) && loop.listens())
    yield* emit("decision", stopDecision(decided, completion));
  return decided;
}

function stopDecision(
  { next, status = "", reason = "" }: Reflection,
  { vetoed, verdict, feedback }: Loop["work"]["completion"],
): RunEventData["decision"] {
  const ends = next === "done";
  return {
    name: "stop_decision",
    fields: new Dict(),
    live: false,
    listed: null,
    about: "stop",
    verdict: ends ? "end" : "continue",
    why: ends ? reason : (feedback ?? ""),
    by: ends ? status : vetoed ? "gates" : "loop",
    considered: verdict === null ? [] : [{ layer: "judge", said: verdict }],
  };
}

/** Walks the stop table with the facts of this turn, and does what it says. */
function* decision(loop: Loop): Turn<Reflection> {
  const gathered: FactMemo = { candidate: null, claim: null, silence: null };
  const walk = stopTable();
  let step = walk.next();
  while (step.done !== true) step = walk.next(yield* gather(loop, step.value, gathered));
  return yield* carryOut(loop, step.value, gathered);
}

function* carryOut(loop: Loop, found: StopVerdict, { claim, silence }: FactMemo): Turn<Reflection> {
  const { verdict, row, gate, status = "", stop_reason = "" } = found;
  loop.conversation.seen.decided({
    loop: loop.identity.id,
    turn: loop.work.iteration + 1,
    row,
    verdict,
    gate: gate ?? null,
    status: status || null,
    reason: stop_reason || null,
  });
  if (verdict === "end") {
    if (loop.options.completion !== null) yield* noteStop(loop, found, claim);
    return doneWith(status, stop_reason);
  }
  if (verdict === "park") {
    if (row === 3) loop.core.control.pauseAsked = "stalled";
    // It suspends after this turn: nothing is decided before somebody resumes it.
    return proceed;
  }
  if (gate === "nudge") yield* giveNudge(loop);
  if (gate === "silent") yield* givePrompt(loop, silence);
  if (gate === "unclaimed") yield* giveDemand(loop);
  const stop = yield* controlIterations(loop);
  return stop === undefined ? proceed : doneWith(stop.status, stop.reason);
}

/** How the loop ended, kept for its result and for those who ask why. */
function* noteStop(
  loop: Loop,
  { row, status = "", stop_reason = "", gate }: StopVerdict,
  claim: Claim | null,
): Turn<void> {
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
