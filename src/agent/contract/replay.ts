/**
 * From an event log back to the state: the same log re-enters the same state, at every prefix of it. This is what lets
 * a session be looked at, restored or debugged without asking the model or the tools again.
 */

import type { ToolRequest } from "../../model/index.ts";
import {
  type Control,
  createControl,
  type Plan,
  type PlanStep,
  type Reflection,
  type ToolAnswer,
} from "./control.ts";
import type { EventData, LoopEvent } from "./events.ts";
import type { StateName } from "./states.ts";

/** A log that no loop can have written. */
class BrokenLog extends Error {
  constructor(message: string) {
    super(`not an event log of one session: ${message}`);
    this.name = "BrokenLog";
  }
}

/** The control after the given events. Limits, hooks and planner are not in the log: the caller brings them. */
export function replayEvents(events: readonly LoopEvent[]): Control {
  const first = events[0];
  if (first === undefined) throw new BrokenLog("it is empty");
  const control = createControl(first.session);
  for (const [n, event] of events.entries()) {
    if (event.n !== n) throw new BrokenLog(`event ${n} has the number ${event.n}`);
    if (event.session !== first.session)
      throw new BrokenLog(`event ${n} belongs to session ${event.session}`);
    if (event.v !== 1)
      throw new BrokenLog(`event ${n} has version ${String(event.v)}; this runtime reads version 1`);
    apply(control, event);
  }
  return control;
}

function apply(control: Control, event: LoopEvent): void {
  switch (event.type) {
    case "session.start":
      control.started = true;
      control.goal = event.data.goal;
      enterReplayedTurn(control, "PLANNING");
      return;
    case "plan.draft":
      control.draft = event.data.plan as Plan;
      // A plan that was kept over a pause is given up for it.
      control.resumeAt = "plan";
      enterReplayedTurn(control, "PLANNING");
      return;
    case "plan.commit":
      control.plan = event.data.plan as Plan;
      control.step = event.data.step;
      control.draft = null;
      if (!event.data.kept) control.resumeAt = "step";
      enterReplayedTurn(control, "EXECUTING");
      return;
    case "step.start":
      control.plan = withStep(control.plan, control.step, event.data.step as PlanStep);
      control.budget.used.turns = event.data.turn;
      control.aborted = event.data.aborted ?? null;
      control.begun = true;
      control.reflected = null;
      setCalls(control, []);
      enterReplayedTurn(control, "EXECUTING");
      return;
    case "tool.call":
      called(control, event.data);
      return;
    case "tool.result":
      recordAnswer(control, event.data.index, { id: event.data.id, ok: true, value: event.data.value });
      return;
    case "tool.error":
      refusedSilently(control, event.data);
      recordAnswer(control, event.data.index, {
        id: event.data.id,
        ok: false,
        error: event.data.error,
        category: event.data.category,
      });
      return;
    case "step.end":
      enterReplayedTurn(control, "REFLECTING");
      control.begun = false;
      control.reflected = reflectionOf(event.data);
      if (event.data.next === "done") return;
      if (event.data.next === "step") control.step++;
      else control.plan = null;
      control.resumeAt = event.data.next === "step" ? "step" : "plan";
      return;
    case "budget.warn":
      enterReplayedTurn(control, event.data.state);
      return;
    case "session.pause":
      control.draft = null;
      control.begun = false;
      control.reflected = null;
      control.resumeAt = event.data.at;
      control.budget.used.turns = event.data.turns;
      control.plan = event.data.plan as Plan | null;
      control.step = event.data.step;
      if (event.data.at === "dispatch") setCalls(control, event.data.calls);
      enterReplayedTurn(control, "IDLE");
      control.paused = { reason: event.data.reason, detail: event.data.detail };
      return;
    case "session.complete":
      control.completion = { status: event.data.status, reason: event.data.reason };
      control.budget.used.turns = event.data.turns;
      enterReplayedTurn(control, "DONE");
      return;
  }
}

function reflectionOf({ next, status, reason }: EventData["step.end"]): Reflection {
  return {
    next,
    ...(status === undefined ? {} : { status }),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** Not `transition`: a log skips states in which nothing was said. */
function enterReplayedTurn(control: Control, state: StateName): void {
  (control as { state: StateName }).state = state;
  control.paused = null;
}

function withStep(plan: Plan | null, index: number, step: PlanStep): Plan {
  if (plan === null || plan.steps[index] === undefined) throw new BrokenLog("a step begins without a plan");
  return plan.steps[index] === step ? plan : { ...plan, steps: plan.steps.with(index, step) };
}

function setCalls(control: Control, calls: readonly ToolRequest[]): void {
  control.calls = [...calls];
  control.answers = calls.map(() => null);
  control.refusals = calls.map(() => null);
  control.announced = 0;
}

/** Of a batch that was cut off while it was told, the calls that nobody was told of are gone. */
function called(control: Control, data: EventData["tool.call"]): void {
  const { id, name, arguments: args } = data;
  // Logs of earlier versions told refused calls, too.
  const { refused } = data as { refused?: { error: string; category: string } };
  if (control.announced === 0) setCalls(control, []);
  control.begun = false;
  control.announced++;
  control.calls.push({ id, name, arguments: args });
  control.answers.push(null);
  control.refusals.push(refused === undefined ? null : { id, ok: false, ...refused });
  control.budget.used.tool_calls++;
  control.resumeAt = "dispatch";
  enterReplayedTurn(control, "AWAITING_TOOL");
}

/** An error at the place that comes next in the batch: a hook refused that call, so it was never emitted. */
function refusedSilently(control: Control, { id, name, index }: EventData["tool.error"]): void {
  if (control.announced === 0) setCalls(control, []);
  if (index !== control.calls.length) return;
  control.begun = false;
  control.announced++;
  control.calls.push({ id, name, arguments: null });
  control.answers.push(null);
  control.refusals.push(null);
  enterReplayedTurn(control, "AWAITING_TOOL");
}

function recordAnswer(control: Control, index: number, answer: ToolAnswer): void {
  if (control.answers[index] !== null || control.calls[index]?.id !== answer.id)
    throw new BrokenLog(`a result for ${answer.id} without its call`);
  control.answers[index] = answer;
  control.resumeAt = control.answers.every((one) => one !== null) ? "reflect" : "dispatch";
}
