/**
 * The watcher in a loop (`watcher.ts` decides): REFLECTING, when the results of a turn are in, it looks at them, warns the
 * model, and hands what it thinks to row 3 of the stop table.
 *
 * A turn without calls has bounds of its own (nudges, continuation prompts), and so has one that proposes an end: they
 * neither count nor reset. A turn whose model call failed never gets here.
 */
import type { Json } from "../../../effects/index.ts";
import type { ToolCall, ToolEntry, ToolOutcome } from "../../../model/index.ts";
import { giveFeedback } from "../../context/feedback.ts";
import { promptText } from "../../context/prompts/overrides.ts";
import type { ProgressOptions } from "../../options/watching/repetition-options.ts";
import { openItemsLine } from "../../session/ledger.ts";
import { intervene } from "../../state/interventions.ts";
import type { Loop } from "../../state/loop-state.ts";
import { emitNamed, type Turn } from "../../state/requests.ts";
import type { Subsystem } from "../../state/subsystem.ts";
import { turnFields } from "../../state/turn-fields.ts";
import { pathsOf, writes } from "../../tools/durability.ts";
import { toolClass } from "../../tools/tool-class.ts";
import { claimNames } from "../claim/claim.ts";
import { earlyCandidate } from "../facts-plain.ts";
import { standingOf } from "../standing.ts";
import { lookForCircles } from "./circles-in-loop.ts";
import { stalledWorkIsDone, watchForEqualCalls } from "./equal-calls.ts";
import { type CallFileChange, fileChange } from "./files.ts";
import { briefCall, canonical, maxCycle, signatureOfCall } from "./signatures.ts";
import { type Sighting, type WatchedCall, watchTurn } from "./watcher.ts";

/** A loop that repeats itself: equal calls before they are made, circles and turns without progress once they were answered. */
export const repetition: Subsystem = {
  name: "repetition",
  called: watchForEqualCalls,
  returned: watchProgress,
};

/** Looks at the turn whose results are in. */
function* watchProgress(loop: Loop): Turn<void> {
  const { work, options, state } = loop;
  const { progress: rules, circles: circleRules } = options.repetition;
  if (rules === null && circleRules === null) return;
  if (work.held || !work.answered || work.ending !== null) return;
  const circles = circleRules !== null && (yield* lookForCircles(loop, circleRules));
  if (rules === null) return;
  if (work.calls.some((call) => isClaim(loop, call)) || earlyCandidate(loop) !== undefined) return;
  const calls = work.calls.map((call, index) => watchedCall(loop, rules, call, work.outcomes[index] ?? null));
  const { progress: seen } = state.slots.repetition;
  seen.calls.push(work.calls.map((call) => briefCall(signatureOfCall(call))));
  if (seen.calls.length > maxCycle) seen.calls.shift();
  const digest = (text: string): string => loop.digest(text).slice(0, 16);
  const sighting = watchTurn(seen, { calls, standing: standingOf(loop) }, rules, digest);
  // What goes in circles was told so already.
  if (sighting.action === "warn" && !circles) yield* warnOfIdleTurns(loop, sighting, rules);
  if (sighting.action === "stop") yield* stopStalled(loop, sighting, rules);
}

/** The model says that it is done: what becomes of it is the stop table's. */
function isClaim({ options, tools }: Loop, { name }: ToolCall): boolean {
  const own = tools.byName.get(name);
  return (
    options.completion !== null && claimNames.has(name) && (own === undefined || own.origin === "runtime")
  );
}

function watchedCall(
  { tools, structural }: Loop,
  rules: ProgressOptions,
  call: ToolCall,
  outcome: ToolOutcome | null,
): WatchedCall {
  const entry = tools.byName.get(call.name);
  const kind = entry === undefined ? "unknown" : toolClass(entry);
  return {
    tool: call.name,
    arguments: canonical(call.arguments ?? call.rawArguments),
    ok: outcome?.ok === true,
    text: outcome?.rendered ?? "",
    runtime: structural.has(call.name) || entry?.origin === "runtime",
    exempt: kind === "result_polling" || kind === "approval" || rules.exempt(call.name),
    change: outcome?.ok === true ? changeBy(entry, outcome) : null,
    paths: outcome === null ? [] : pathsOf(entry, outcome.arguments),
    acts: writes(entry) || outcome?.changes?.writes === true || outcome?.changes?.runs === true,
  };
}

/** What a writing tool did to its file, where its arguments tell. */
function changeBy(entry: ToolEntry | undefined, { arguments: args }: ToolOutcome): CallFileChange | null {
  const [path] = writes(entry) ? pathsOf(entry, args) : [];
  return path === undefined ? null : fileChange(path, Object.fromEntries(args.entries()));
}

function* warnOfIdleTurns(loop: Loop, { pattern, turns }: Sighting, rules: ProgressOptions): Turn<void> {
  yield* emitStall(loop, pattern, turns, "warn");
  const text = yield* promptText(loop, "agent.stall_warning", {
    turns,
    pattern,
    calls: callsText(loop, turns),
    items: openItemsLine(loop.conversation.workItems),
  });
  const { id } = yield* giveFeedback(loop, "stall_warning", text);
  yield* intervene(loop, {
    kind: "stall_warning",
    rule: pattern,
    reason: `${turns} turns brought nothing new`,
    facts: stallFacts(loop, turns, rules),
    messages: [id],
  });
  if (yield* stalledWorkIsDone(loop)) loop.work.ending = { status: "done", reason: "stalled_done_judge" };
}

function* stopStalled(loop: Loop, { pattern, turns }: Sighting, rules: ProgressOptions): Turn<void> {
  const park = rules.onStop === "pause";
  yield* emitStall(loop, pattern, turns, park ? "pause" : "stop");
  yield* intervene(loop, {
    kind: "stall_stop",
    rule: pattern,
    reason: `${turns} turns brought nothing new, and the warning changed nothing`,
    facts: stallFacts(loop, turns, rules),
  });
  loop.work.stall = { stop: !park, park };
}

function* emitStall(loop: Loop, pattern: string, turns: number, action: string): Turn<void> {
  if (loop.listens()) yield* emitNamed("stall_detected", { pattern, turns, action, ...turnFields(loop) });
}

const stallFacts = (
  loop: Loop,
  turns: number,
  { threshold, interventions }: ProgressOptions,
): Record<string, Json> => ({
  turns,
  threshold,
  interventions,
  warned: loop.state.slots.repetition.progress.warned,
  calls: turnCalls(loop, turns),
});

/** So many calls are named. */
const named = 3;

/** The calls of the turns that brought nothing, each once. */
function turnCalls({ state }: Loop, turns: number): string[] {
  return [...new Set(state.slots.repetition.progress.calls.slice(-turns).flat())];
}

function callsText(loop: Loop, turns: number): string {
  const calls = turnCalls(loop, turns);
  const shown = calls.slice(0, named).join(", ");
  return calls.length > named ? `${shown} and ${calls.length - named} more` : shown;
}
