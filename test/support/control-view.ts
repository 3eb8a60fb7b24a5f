import type { Control } from "../../src/agent/contract/control.ts";

/** The part of a control that its event log determines: what two runs of the same log must agree on. */
export function viewOf(control: Control): Record<string, unknown> {
  const { state, session, goal, started, plan, step, paused, completion, budget } = control;
  const open = control.calls
    .filter((_, n) => n < control.announced && control.answers[n] === null)
    .map((call) => call.id);
  return {
    state,
    session,
    goal,
    started,
    plan,
    step: plan === null ? 0 : step,
    open: state === "AWAITING_TOOL" ? open : [],
    paused,
    completion,
    turns: budget.used.turns,
    tool_calls: budget.used.tool_calls,
  };
}
