/**
 * The facts of the stop table, each found when a row asks for it: those that are at hand, and those for which hooks, judges,
 * callbacks or predicates are asked. A gate that refuses tells the model so here.
 */

import { Dict, List, type Value } from "../../values/index.ts";
import { giveFeedback } from "../context/feedback.ts";
import { userSpoke } from "../context/user-messages.ts";
import { idleStep } from "../daemon/idle.ts";
import { coverageSummary } from "../session/contract-record.ts";
import { itemValue } from "../session/ledger.ts";
import type { Loop } from "../state/loop-state.ts";
import { askForWorker, requestHooks, type Turn } from "../state/requests.ts";
import { type Claim, claimOfTurn, noteClaim } from "./claim/claim.ts";
import { batchGate, evidenceGate } from "./claim/claim-gates.ts";
import { hasDemands, hasPrompts, isPlainAnswer, type Silence } from "./claim/continuation.ts";
import {
  countNudge,
  earlyCandidate,
  mustAct,
  naturalCandidate,
  type ReasonCandidate,
  requireTools,
} from "./facts-plain.ts";
import { passGates } from "./gates.ts";
import { currentLimit } from "./iteration-control.ts";
import { postTurn } from "./post-turn.ts";
import { refuseClaim } from "./refusals.ts";
import { missingTools } from "./snapshot.ts";
import type { FactName, GateFact, StopFacts } from "./stop-table.ts";
import { contractGate } from "./task-contract/in-loop.ts";
import { askForRest, isGarbled, unfinished } from "./unfinished.ts";
import { itemsGate } from "./work-items/in-loop.ts";

/** What one fact leaves behind for those that are asked after it. */
export interface FactMemo {
  /** What proposes the end, and whether the done judge looks at it. */
  candidate: ReasonCandidate | null;
  claim: Claim | null;
  /** Why nothing happened in the turn. */
  silence: Silence;
}

const passed: GateFact = { kind: "passed" };
const refused: GateFact = { kind: "refused", end: null };

/** One that is at hand. */
function gatherFact(loop: Loop, name: Exclude<FactName, AskedFact>, gathered: FactMemo): StopFacts[FactName] {
  const { work, options } = loop;
  switch (name) {
    case "controlled":
      return options.completion !== null;
    case "ending":
      return work.ending;
    case "parked":
      return loop.state.slots.suspension.asked !== null;
    case "answered":
      return work.answered;
    case "stall":
      return work.stall;
    case "candidate":
      if (work.calls.length > 0) loop.state.nudges = 0;
      gathered.candidate = work.held ? null : (earlyCandidate(loop) ?? null);
      return gathered.candidate;
    case "acted":
      return work.calls.length > 0 || work.fallback === "rejected";
    case "held":
      return work.held;
    case "lacking": {
      const lacking = unfinished(loop);
      if (lacking !== "cut") loop.state.slots.cut.continued = false;
      if (lacking === "declined") return lacking;
      gathered.silence = lacking ?? (isGarbled(loop) ? "garbled" : null);
      return gathered.silence;
    }
    case "natural":
      gathered.candidate = naturalCandidate(loop) ?? null;
      return gathered.candidate;
    case "plain":
      if (!isPlainAnswer(loop)) return false;
      gathered.candidate = { reason: "natural", judged: true };
      return true;
    case "prompts":
      return hasPrompts(loop);
    case "demands":
      return hasDemands(loop);
    case "spoken":
      return userSpoke(loop);
    case "nudges":
      return options.loopUntilDone || mustAct(loop);
    case "wasPrompted":
      // The callback's own words count as told by the table.
      return work.held || work.fallback === "rejected" || work.parseErrors.length > 0;
  }
}

/** Facts for which others are asked, or which leave words for the model behind. */
const asked = {
  *callback(loop) {
    if (loop.hooked("PostTurn")) {
      const { iteration, text, calls } = loop.work;
      yield* requestHooks("PostTurn", Dict.of({ iteration: iteration + 1, text, tool_count: calls.length }));
    }
    const { postTurnCallback } = loop.options;
    return postTurnCallback === null ? { kind: "nothing" } : yield* postTurn(loop, postTurnCallback);
  },
  *claim(loop, gathered) {
    gathered.claim = claimOfTurn(loop);
    if (gathered.claim === null) return "none";
    yield* noteClaim(loop, gathered.claim);
    return gathered.claim.failed.length > 0 ? "beside_failure" : "made";
  },
  *rest(loop) {
    return (yield* askForRest(loop, unfinished(loop) ?? "empty")) ?? "asked";
  },
  *workers(loop) {
    return yield* awaitWorkers(loop);
  },
  *batch(loop, { claim }) {
    return yield* batchGate(loop, claim);
  },
  *evidence(loop, { claim }) {
    return yield* evidenceGate(loop, claim);
  },
  *contract(loop) {
    return yield* contractGate(loop);
  },
  *items(loop) {
    return yield* itemsGate(loop);
  },
  *verified(loop, { candidate, claim }) {
    const controlled = loop.options.completion !== null;
    const proposed = candidate?.reason ?? (claim === null ? "unclaimed_completion" : "work_complete");
    const judged = candidate === null ? controlled : candidate.judged;
    const gate = yield* passGates(loop, proposed, judged);
    if (gate.kind === "accepted") return passed;
    if (gate.kind === "end") {
      // With `completion` the reason is the gate whose refusals became too many.
      const reason = controlled && gate.status === "verify_exhausted" ? "verify" : gate.reason;
      return { kind: "refused", end: { status: gate.status, reason } };
    }
    return loop.work.completion.vetoed ? refused : { kind: "not_due" };
  },
  *required(loop) {
    const missing = missingTools(loop);
    if (missing.length === 0) return passed;
    yield* requireTools(loop, missing);
    return refused;
  },
  *hook(loop, { candidate, claim }) {
    const reason = candidate?.reason ?? (claim === null ? "unclaimed_completion" : "work_complete");
    const blocked = yield* finishHeld(loop, reason, claim);
    return blocked === null ? passed : yield* refuseClaim(loop, { gate: "hook", reason: blocked });
  },
  *idle(loop) {
    const idled = yield* idleStep(loop);
    if (idled === null) return null;
    const { next, status = "", reason = "" } = idled;
    return next === "done" ? { status, reason } : "woken";
  },
  *stuck(loop) {
    return yield* countNudge(loop);
  },
} satisfies { readonly [K in FactName]?: (loop: Loop, gathered: FactMemo) => Turn<StopFacts[K]> };
type AskedFact = keyof typeof asked;

/** The value of one fact. */
export function* gather(loop: Loop, name: FactName, gathered: FactMemo): Turn<unknown> {
  return isAskedFact(name) ? yield* asked[name](loop, gathered) : gatherFact(loop, name, gathered);
}

const isAskedFact = (name: FactName): name is AskedFact => Object.hasOwn(asked, name);

/** Whether the loop goes on because workers run: one of them has ended then, and the model is told how. */
function* awaitWorkers(loop: Loop): Turn<boolean> {
  if (loop.options.completion?.waitForWorkers !== true) return false;
  const ended = yield* askForWorker();
  if (ended === null) return false;
  yield* giveFeedback(loop, "worker_ended", ended);
  return true;
}

/** What a claim said, of loops with `completion`. */
interface CompletionClaim {
  readonly summary: string;
  readonly evidence: readonly string[];
}

/**
 * Why a hook keeps the loop going; `null`: none does. `hooks.agent_stop` of the loop is asked, then `PreFinish` of the run. Each sees
 * what was done and claimed, and how often it has blocked already with which words.
 */
function* finishHeld(loop: Loop, reason: string, claim: CompletionClaim | null): Turn<string | null> {
  if (!loop.hooked("PreFinish")) return null;
  const said = yield* requestHooks("PreFinish", finishPayload(loop, reason, claim), reason);
  if (said === null || said.blocked === null) return null;
  const blocks = loop.state.slots.hookBlocks;
  blocks.set(said.by, { attempt: (blocks.get(said.by)?.attempt ?? 0) + 1, reason: said.blocked });
  return said.blocked;
}

function finishPayload(loop: Loop, reason: string, claim: CompletionClaim | null): Dict {
  const { state } = loop;
  const { contract, workItems } = loop.conversation;
  const { usage, last } = state.slots.calls;
  return Dict.of({
    reason,
    text: state.lastVisible,
    turn_count: state.iterations,
    max_turns: currentLimit(loop),
    tool_usage: Dict.of(Object.fromEntries(usage)),
    called_work_complete: claim !== null,
    summary: claim?.summary ?? null,
    evidence: new List([...(claim?.evidence ?? [])]),
    coverage: contract === null ? null : coverageSummary(contract),
    work_items: workItems === null ? null : new List(workItems.items.map(itemValue)),
    calls: new List(last.map(({ tool, ok, turn }) => Dict.of({ tool, ok, turn }))),
    blocks: new List(blocksByHook(loop)),
  });
}

/** Of every hook that has blocked, by its place; runSessionHooks gives each its own. */
function blocksByHook({ state }: Loop): Value[] {
  const { hookBlocks } = state.slots;
  const last = Math.max(-1, ...hookBlocks.keys());
  return Array.from({ length: last + 1 }, (_, at) => {
    const { attempt, reason } = hookBlocks.get(at) ?? { attempt: 0, reason: null };
    return Dict.of({ attempt, previous_reason: reason });
  });
}
