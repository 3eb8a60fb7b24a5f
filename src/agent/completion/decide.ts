/**
 * REFLECTING: does the loop end here? One function, one order (agents.md §10.3):
 *
 *     already decided ▸ suspended ▸ sentinel ▸ stop_after_successful_tools ▸ post_turn_callback ▸ empty or cut ▸ text-only completion
 *       ▸ gates (verify, judges) ▸ required tools ▸ daemon idles ▸ stuck ▸ nudge ▸ loop_control
 *
 * What ends a loop is a status and a reason. A further outcome is one more line in this order, nothing else.
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

function* decision(loop: Loop): Turn<Reflection> {
  const { work, state } = loop;
  if (work.ending !== null) return done(work.ending.status, work.ending.reason);
  // It suspends behind this turn: nothing is decided before somebody goes on with it.
  if (state.slots.suspension.asked !== null) return goOn;
  if (!work.answered) return yield* controlled(loop);
  const textOnly = work.calls.length === 0 && work.fallback !== "rejected";
  if (work.calls.length > 0) state.nudges = 0;
  const early = work.held ? undefined : earlyCandidate(loop);
  if (loop.hooked("PostTurn")) {
    const { iteration, text, calls } = work;
    yield* requestHooks("PostTurn", Dict.of({ iteration: iteration + 1, text, tool_count: calls.length }));
  }
  const callback = yield* postTurn(loop);
  if (callback.kind === "stop") return done("done", callback.reason);
  const lacking = unfinished(loop);
  if (lacking !== "cut") state.slots.cut.goesOn = false;
  if (lacking !== null && early === undefined && callback.kind === "nothing" && !work.held) {
    const end = yield* askForRest(loop, lacking);
    return end ?? (yield* controlled(loop));
  }
  const candidate =
    early ??
    (callback.kind === "continue" || work.held ? undefined : textOnly ? naturalCandidate(loop) : undefined);
  let told =
    callback.kind === "continue" || work.held || work.fallback === "rejected" || work.parseErrors.length > 0;
  if (candidate !== undefined) {
    const gate = yield* passGates(loop, candidate.reason, candidate.judged);
    if (gate.kind === "end") return done(gate.status, gate.reason);
    const missing = missingTools(loop);
    if (gate.kind === "accepted" && missing.length === 0) {
      const held = userSpoke(loop) || (yield* finishHeld(loop, candidate.reason));
      if (!held) return done("done", candidate.reason);
      told = true;
    }
    if (gate.kind === "accepted" && missing.length > 0) yield* requireTools(loop, missing);
    // A candidate that is not due for its judge is answered like any other text: by the nudge.
    told ||= gate.kind === "accepted" || work.completion.vetoed;
  }
  const idled = textOnly && !told ? yield* idleStep(loop) : null;
  if (idled?.next === "done") return idled;
  if (textOnly && idled === null) {
    const stuck = yield* countNudge(loop);
    if (stuck) return done("stuck", "max_nudges");
    if ((loop.options.loopUntilDone || mustAct(loop)) && !told) yield* giveNudge(loop);
  }
  return yield* controlled(loop);
}

/** A `PreFinish` hook may keep the loop going; the model is told why. */
function* finishHeld(loop: Loop, reason: string): Turn<boolean> {
  if (!loop.hooked("PreFinish")) return false;
  const said = yield* requestHooks("PreFinish", Dict.of({ reason, text: loop.state.lastVisible }), reason);
  if (said === null || said.blocked === null) return false;
  yield* giveFeedback(loop, "pre_finish", said.blocked);
  return true;
}

function* controlled(loop: Loop): Turn<Reflection> {
  const stop = yield* controlIterations(loop);
  return stop === undefined ? goOn : done(stop.status, stop.reason);
}

interface Candidate {
  readonly reason: string;
  /** The done judge looks at it. */
  readonly judged: boolean;
}

/** Completions that stand whatever the turn's callback says. */
function earlyCandidate(loop: Loop): Candidate | undefined {
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
