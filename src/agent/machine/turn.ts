/**
 * The agent's program for the contract machine: what happens in each state. This is the whole loop; the subsystems in
 * the list below can be left out one by one, and with none of them it reads as
 *
 *     PLANNING    tell what was injected, assemble the context, plan one step
 *     EXECUTING   call the model, read the answer
 *     (AWAITING_TOOL: the machine yields the calls; the driver dispatches them)
 *     REFLECTING  record the results, decide whether the loop ends
 */

import type { ToolOutcome, ToolRequest } from "../../model/index.ts";
import { toJson } from "../../values/index.ts";
import { closing } from "../completion/closing.ts";
import { decide } from "../completion/decide.ts";
import { repetition } from "../completion/repetition/in-loop.ts";
import { canonical, effectOf } from "../completion/repetition/signatures.ts";
import { judgeStep } from "../completion/step-judge.ts";
import { taskContract } from "../completion/task-contract/in-loop.ts";
import { assembleContext } from "../context/assemble.ts";
import { afterTools, beforeTools } from "../context/checkpoint.ts";
import { drainFeedback } from "../context/feedback.ts";
import { jit } from "../context/jit/in-loop.ts";
import { narrowSurface } from "../context/narrowing.ts";
import { compactWhenFull, noteResults, noteTurn } from "../context/passes/occasions.ts";
import { providers } from "../context/providers/in-loop.ts";
import { provideReminders } from "../context/reminder-providers.ts";
import { ageReminders, fireReminders } from "../context/reminders.ts";
import { repairView } from "../context/repair/in-loop.ts";
import { openScratchpad, reorganizeWhenDue } from "../context/scratchpad/in-loop.ts";
import { modes } from "../context/session-mode.ts";
import { discloseTools } from "../context/tool-search.ts";
import { userMessages } from "../context/user-messages.ts";
import type { Control, CycleProgram, Reflection } from "../contract/index.ts";
import { beginsIdle, noteExitCode } from "../daemon/idle.ts";
import { type Loop, newTurn, requestOf } from "../state/loop-state.ts";
import { emit, type Turn, type TurnRequest } from "../state/requests.ts";
import { isNothing, type Steps, type Subsystem, stepsOfLoop } from "../state/subsystem.ts";
import { turnLimit } from "../state/turn-fields.ts";
import { isModelWords } from "../tools/call-changes.ts";
import { pathsOf } from "../tools/durability.ts";
import { suspendWhenAsked } from "./await-resumption.ts";
import { modelTurn } from "./phases/model-turn.ts";
import { settleResults } from "./phases/settle.ts";

/** Older calls are forgotten: nobody cites what is so far back. */
const keptCalls = 2000;

/**
 * What the calls of a loop came to, noted turn by turn: claims cite them, and a refusal is the same one again only while
 * nothing new came of them.
 */
const callNotes: Subsystem = {
  name: "call_notes",
  *returned(loop: Loop): Turn<void> {
    // A hook that blocks the end is asked again only as often as something new comes of it.
    if (loop.options.completion === null && !loop.hooked("PreFinish")) return;
    const { completion } = loop.state.slots;
    for (const outcome of loop.work.outcomes) if (outcome !== null) noteCheckedCall(loop, outcome);
    completion.calls.splice(0, completion.calls.length - keptCalls);
    const succeeded = loop.work.outcomes.some((outcome) => outcome?.ok === true);
    if (succeeded) completion.streak = 0;
  },
};

function noteCheckedCall(loop: Loop, outcome: ToolOutcome): void {
  // What the runtime answers itself finds nothing out: its effects stand in the ledgers.
  if (loop.structural.has(outcome.name)) return;
  const { completion } = loop.state.slots;
  const entry = loop.tools.byName.get(outcome.name);
  const { name: tool, ok, rendered: text } = outcome;
  const isWords = isModelWords(entry);
  const effect = effectOf({ tool, arguments: canonical(toJson(outcome.arguments)), ok, text });
  completion.effects.add(loop.digest(effect).slice(0, 16));
  completion.called++;
  completion.calls.push({
    tool: outcome.name,
    ok: outcome.ok,
    turn: loop.work.iteration + 1,
    callId: outcome.callId,
    // A hook answered: the program's word.
    changes: outcome.changes ?? { writes: false, runs: false, found: outcome.ok && !isWords },
    isWords,
    paths: pathsOf(entry, outcome.arguments),
    arguments: outcome.arguments,
    text,
  });
}

/** In the order in which they speak. */
export const subsystems: readonly Subsystem[] = [
  { name: "repair", repair: repairView },
  closing,
  {
    name: "skills",
    option: "skills",
    *prepare(loop) {
      if (loop.skills !== null) yield* loop.skills.prepare(loop);
    },
    *settled(loop) {
      if (loop.skills !== null) yield* loop.skills.settled(loop);
    },
  },
  modes,
  { name: "compaction", option: "compaction", prepare: compactWhenFull },
  { name: "ladder", option: "ladder", answered: noteTurn, returned: noteResults },
  providers,
  jit,
  { name: "reminder_providers", prepare: provideReminders },
  { name: "reminders", when: "reminders", context: fireReminders, settled: ageReminders },
  { name: "scratchpad", option: "scratchpad", prepare: openScratchpad, continued: reorganizeWhenDue },
  userMessages,
  { name: "await_resumption", called: suspendWhenAsked },
  { name: "checkpoints", called: beforeTools, returned: afterTools },
  callNotes,
  taskContract,
  repetition,
  { name: "step_judge", option: "stepJudge", answered: judgeStep },
  { name: "tool_surface_narrowing", option: "toolSurfaceNarrowing", settled: narrowSurface },
  { name: "tool_search", option: "toolSearch", returned: discloseTools },
];

/** Lets the subsystems speak at a point, one after the other. */
function* speak(loop: Loop, steps: Steps, at: keyof Steps): Turn<void> {
  const isHeldBack = at === "called" || at === "answered";
  for (const { when, run } of steps[at]) {
    if (when !== undefined && isNothing(loop.conversation[when])) continue;
    if (isHeldBack && loop.work.held) return;
    yield* run(loop);
  }
}

/** Everything before the model is asked. */
function* prepareTurn(loop: Loop, steps: Steps): Turn<void> {
  if (loop.conversation.feedback.length > 0) loop.work.drained = yield* drainFeedback(loop);
  loop.state.slots.daemon.received = loop.conversation.arrivalCount;
  loop.reached("repair");
  yield* speak(loop, steps, "repair");
  yield* speak(loop, steps, "prepare");
  loop.reached("context");
  yield* assembleContext(loop);
  yield* speak(loop, steps, "context");
}

/** The program that the contract machine runs for an agent. */
export function agentProgram(
  loop: Loop,
  parts: readonly Subsystem[] = subsystems,
): CycleProgram<TurnRequest> {
  const steps = stepsOfLoop(loop, parts);
  return {
    *plan(control: Control): Turn<unknown> {
      loop.work = newTurn(control.budget.used.turns);
      loop.identity.turn = loop.work.iteration + 1;
      if (yield* beginsIdle(loop)) return { steps: [{ id: "idle", kind: "idle" }] };
      yield* prepareTurn(loop, steps());
      return { steps: [{ id: `turn_${loop.work.iteration + 1}`, kind: "model" }] };
    },

    *execute(): Turn<readonly ToolRequest[]> {
      if (loop.work.ending !== null) return [];
      yield* modelTurn(loop);
      const { work } = loop;
      if (!work.answered || work.fallback === "rejected") return [];
      yield* speak(loop, steps(), work.calls.length > 0 ? "called" : "answered");
      return work.held || work.ending !== null ? [] : work.calls.map(requestOf);
    },

    *reflect(_step, control: Control): Turn<Reflection> {
      // A hook skipped the turn or threw before it: nothing was said, the next turn comes.
      if (control.aborted !== null && !loop.work.answered) return { next: "replan" };
      loop.reached("settle");
      yield* settleResults(loop);
      noteExitCode(loop);
      yield* speak(loop, steps(), loop.work.outcomes.length > 0 ? "returned" : "settled");
      yield* recordTurn(loop);
      loop.reached("decide");
      const next = yield* decide(loop);
      if (next.next === "replan") loop.reached("continue");
      // A loop that suspends itself stands still now; whoever resumes it begins a turn.
      if (next.next === "replan" && loop.state.slots.suspension.asked === null)
        yield* speak(loop, steps(), "continued");
      return next;
    },

    // Hooks are survived by the machine; what a callback or the loop itself throws is the caller's.
    isFatal: () => true,
  };
}

function* recordTurn(loop: Loop): Turn<void> {
  const { work, state } = loop;
  if (!work.answered) return;
  const toolCount = work.outcomes.length;
  state.turns.push({ iteration: work.iteration + 1, toolCount, proseChars: work.visible.length });
  if (!loop.listens()) return;
  const { call } = work;
  const { provider, model } = loop.route;
  yield* emit("turn.end", {
    tool_count: toolCount,
    provider,
    model,
    text: work.text,
    response_ms: call.durationMs,
    input: call.inputTokens,
    output: call.outputTokens,
    thinking_chars: call.thinkingChars,
    cost_usd: call.costUsd,
    wall_clock_ms: Math.round(state.usage.modelMs + state.usage.toolMs),
    ...turnLimit(loop),
  });
}
