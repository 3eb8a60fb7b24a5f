/**
 * REFLECTING: does the loop end here? The order is that of the stop table (`stop-table.ts`), which is pure; here its facts
 * are gathered, each when a row asks for it, and its verdict is carried out. Nothing else ends a loop.
 */

import type { RunEventData } from "../../events/index.ts";
import { Dict } from "../../values/index.ts";
import { giveFeedback } from "../context/feedback.ts";
import { nudgeText } from "../context/prompts/nudge.ts";
import { userSpoke } from "../context/user-messages.ts";
import type { Reflection } from "../contract/index.ts";
import { idleStep } from "../daemon/idle.ts";
import type { Loop } from "../state/loop-state.ts";
import { emit, emitNamed, requestHooks, type Turn } from "../state/requests.ts";
import { passGates } from "./gates.ts";
import { controlIterations } from "./iteration-control.ts";
import { postTurn } from "./post-turn.ts";
import { missingTools } from "./snapshot.ts";
import { type FactName, type GateFact, type StopFacts, type StopVerdict, stopTable } from "./stop-table.ts";
import { askForRest, unfinished } from "./unfinished.ts";

const done = (status: string, reason: string): Reflection => ({ next: "done", status, reason });
const goOn: Reflection = { next: "replan" };

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
  const gathered: Gathered = { candidate: null };
  const walk = stopTable();
  let step = walk.next();
  while (step.done !== true) {
    const name = step.value;
    step = walk.next(isAsked(name) ? yield* asked[name](loop, gathered) : atHand[name](loop, gathered));
  }
  return yield* carryOut(loop, step.value);
}

function* carryOut(
  loop: Loop,
  { verdict, row, gate, status = "", stop_reason = "" }: StopVerdict,
): Turn<Reflection> {
  if (verdict === "end") return done(status, stop_reason);
  if (verdict === "park") {
    if (row === 3) loop.core.control.pauseAsked = "stalled";
    // It suspends behind this turn: nothing is decided before somebody goes on with it.
    return goOn;
  }
  if (gate === "nudge") yield* giveNudge(loop);
  const stop = yield* controlIterations(loop);
  return stop === undefined ? goOn : done(stop.status, stop.reason);
}

/** What one fact leaves behind for those that are asked after it. */
interface Gathered {
  /** What proposes the end, and whether the done judge looks at it. */
  candidate: Candidate | null;
}

/** Facts for which others are asked, or which leave words for the model behind. */
type AskedFact = "callback" | "rest" | "verified" | "required" | "hook" | "idle" | "stuck";

type AtHand = {
  readonly [K in Exclude<FactName, AskedFact>]: (loop: Loop, gathered: Gathered) => StopFacts[K];
};
type Asked = { readonly [K in AskedFact]: (loop: Loop, gathered: Gathered) => Turn<StopFacts[K]> };

const passed: GateFact = { kind: "passed" };
const refused: GateFact = { kind: "refused", end: null };

const atHand: AtHand = {
  controlled() {
    return false;
  },
  ending({ work }) {
    return work.ending;
  },
  parked({ state }) {
    return state.slots.suspension.asked !== null;
  },
  answered({ work }) {
    return work.answered;
  },
  stall({ work }) {
    return work.stall;
  },
  candidate(loop, gathered) {
    if (loop.work.calls.length > 0) loop.state.nudges = 0;
    gathered.candidate = loop.work.held ? null : (earlyCandidate(loop) ?? null);
    return gathered.candidate;
  },
  claim() {
    return "none";
  },
  acted({ work }) {
    return work.calls.length > 0 || work.fallback === "rejected";
  },
  held({ work }) {
    return work.held;
  },
  lacking(loop) {
    const lacking = unfinished(loop);
    if (lacking !== "cut") loop.state.slots.cut.goesOn = false;
    return lacking;
  },
  natural(loop, gathered) {
    gathered.candidate = naturalCandidate(loop) ?? null;
    return gathered.candidate;
  },
  prompts() {
    return false;
  },
  demands() {
    return false;
  },
  spoken(loop) {
    return userSpoke(loop);
  },
  workers() {
    return false;
  },
  batch() {
    return passed;
  },
  evidence() {
    return passed;
  },
  contract() {
    return passed;
  },
  items() {
    return passed;
  },
  nudges(loop) {
    return loop.options.loopUntilDone || mustAct(loop);
  },
  told({ work }) {
    // The callback's own words count as told by the table.
    return work.held || work.fallback === "rejected" || work.parseErrors.length > 0;
  },
};

const asked: Asked = {
  *callback(loop) {
    if (loop.hooked("PostTurn")) {
      const { iteration, text, calls } = loop.work;
      yield* requestHooks("PostTurn", Dict.of({ iteration: iteration + 1, text, tool_count: calls.length }));
    }
    return yield* postTurn(loop);
  },
  *rest(loop) {
    const lacking = unfinished(loop) === "cut" ? "cut" : "empty";
    return (yield* askForRest(loop, lacking)) ?? "asked";
  },
  *verified(loop, { candidate }) {
    const gate = yield* passGates(loop, candidate?.reason ?? "", candidate?.judged === true);
    if (gate.kind === "accepted") return passed;
    if (gate.kind === "end") return { kind: "refused", end: { status: gate.status, reason: gate.reason } };
    return loop.work.completion.vetoed ? refused : { kind: "not_due" };
  },
  *required(loop) {
    const missing = missingTools(loop);
    if (missing.length === 0) return passed;
    yield* requireTools(loop, missing);
    return refused;
  },
  *hook(loop, { candidate }) {
    return (yield* finishHeld(loop, candidate?.reason ?? "")) ? refused : passed;
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
};

const isAsked = (name: FactName): name is AskedFact => Object.hasOwn(asked, name);

/** A `PreFinish` hook may keep the loop going; the model is told why. */
function* finishHeld(loop: Loop, reason: string): Turn<boolean> {
  if (!loop.hooked("PreFinish")) return false;
  const said = yield* requestHooks("PreFinish", Dict.of({ reason, text: loop.state.lastVisible }), reason);
  if (said === null || said.blocked === null) return false;
  yield* giveFeedback(loop, "pre_finish", said.blocked);
  return true;
}

interface Candidate {
  readonly reason: string;
  /** The done judge looks at it. */
  readonly judged: boolean;
}

/** Completions that stand whatever the turn's callback says. */
export function earlyCandidate(loop: Loop): Candidate | undefined {
  const { work, options, sentinel } = loop;
  if (
    options.loopUntilDone &&
    sentinel !== null &&
    (work.doneMarker === sentinel || work.text.includes(sentinel))
  ) {
    return { reason: "sentinel", judged: true };
  }
  const hit = work.outcomes.some(
    (outcome) => outcome?.ok === true && options.stopAfterSuccessful.has(outcome.name),
  );
  return hit ? { reason: "natural", judged: false } : undefined;
}

/** `require_action_or_yield`: in a loop with tools no text is a completion by itself, in whatever format. */
const mustAct = ({ options, usesTools }: Loop): boolean =>
  usesTools && options.turnPolicy.requireActionOrYield;

/** Whether a text-only turn completes the loop by itself. */
function naturalCandidate(loop: Loop): Candidate | undefined {
  const { options, mode, sentinel, usesTools } = loop;
  // A call that could not be read is no final answer: the model is told and tries again.
  if (loop.work.parseErrors.length > 0) return undefined;
  if (mustAct(loop)) return undefined;
  if (options.doneJudge !== null) return { reason: "natural", judged: true };
  if (options.loopUntilDone && mode === "native" && usesTools && sentinel === null)
    return { reason: "natural", judged: true };
  if (options.requireSuccessful.length > 0 && usesTools && missingTools(loop).length === 0) {
    return { reason: "required_tools_satisfied", judged: true };
  }
  const stays = options.loopUntilDone || options.daemon?.idles === true;
  return stays ? undefined : { reason: "natural", judged: true };
}

function* requireTools(loop: Loop, missing: readonly string[]): Turn<void> {
  const text = `Required tool(s) have not succeeded yet: ${missing.join(", ")}. Use them before you finish.`;
  yield* giveFeedback(loop, "required_tools", text);
}

/** Counts text-only turns in a row; true when there were too many. */
function* countNudge(loop: Loop): Turn<boolean> {
  const { state, options, work } = loop;
  state.nudges++;
  if (!(options.loopUntilDone || mustAct(loop)) || state.nudges <= options.maxNudges) return false;
  if (loop.listens()) {
    yield* emitNamed("loop_stuck", {
      max_nudges: options.maxNudges,
      last_iteration: work.iteration + 1,
      tail_excerpt: state.lastText.slice(-400),
    });
  }
  return true;
}

function* giveNudge(loop: Loop): Turn<void> {
  yield* giveFeedback(loop, "nudge", yield* nudgeText(loop));
}
