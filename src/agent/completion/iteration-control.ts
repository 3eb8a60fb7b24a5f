/**
 * The iteration limit: a policy may raise it or stop the loop after every turn that did not end it (agents.md §11.4).
 * The limit itself is the contract's turn limit; here it is only moved.
 */
import { type Callable, Dict, thrown, typeOf, type Value } from "../../values/index.ts";
import type { BudgetDecision, Loop } from "../state/loop-state.ts";
import { callBack, emitNamed, type Turn } from "../state/requests.ts";
import { missingTools, stateSnapshot } from "./snapshot.ts";

export interface ControlStop {
  readonly status: string;
  readonly reason: string;
}

/** Asks the policy; gives how the loop ends when it says stop. */
export function* controlIterations(loop: Loop): Turn<ControlStop | undefined> {
  const { loopControl, iterationBudget } = loop.options;
  if (loopControl !== null) return yield* askPolicy(loop, loopControl);
  if (iterationBudget.mode === "adaptive") yield* defaultPolicy(loop);
  return undefined;
}

/** The cap in force. */
export const currentLimit = (loop: Loop): number =>
  loop.core.control.budget.limits.turns ?? loop.options.iterationBudget.max;

/** Acts only at the edge, and only when there is a sign that more turns will help. */
function* defaultPolicy(loop: Loop): Turn<void> {
  const { work } = loop;
  if (currentLimit(loop) - (work.iteration + 1) > 0) return;
  const reason = work.completion.vetoed
    ? "completion gate vetoed"
    : missingTools(loop).length > 0
      ? "required tools missing"
      : work.outcomes.length > 0
        ? "recent turn made progress"
        : undefined;
  if (reason !== undefined)
    yield* extendTo(loop, currentLimit(loop) + loop.options.iterationBudget.extendBy, reason);
}

function* askPolicy(loop: Loop, policy: Callable): Turn<ControlStop | undefined> {
  const command = yield* callBack(policy, stateSnapshot(loop));
  if (command === null) return undefined;
  if (!(command instanceof Dict))
    throw thrown(`agent_loop: loop_control must return nil or a dict; got ${typeOf(command)}`);
  const action = command.get("action") ?? "none";
  const reason = text(command.get("reason"));
  switch (action) {
    case "none":
      return undefined;
    case "extend": {
      const until = command.get("until");
      const by = command.get("by");
      const usual = loop.options.iterationBudget.extendBy;
      const target =
        typeof until === "number" ? until : currentLimit(loop) + (typeof by === "number" ? by : usual);
      yield* extendTo(loop, target, reason ?? "");
      return undefined;
    }
    case "stop": {
      const status = text(command.get("status")) ?? "stopped";
      const limit = currentLimit(loop);
      yield* decided(loop, {
        action: "stop",
        oldLimit: limit,
        newLimit: limit,
        reason: reason ?? "loop_control",
        status,
      });
      return { status, reason: reason ?? "loop_control" };
    }
    default:
      throw thrown(
        `agent_loop: loop_control action must be "none", "extend", or "stop"; got ${shownAction(action)}`,
      );
  }
}

/** Raises the limit, never beyond the maximum; not larger is ignored. */
function* extendTo(loop: Loop, wanted: number, reason: string): Turn<void> {
  const oldLimit = currentLimit(loop);
  const newLimit = Math.min(loop.options.iterationBudget.max, Math.floor(wanted));
  if (newLimit <= oldLimit) return;
  loop.core.control.budget.limits.turns = newLimit;
  loop.state.slots.budget.extensions++;
  yield* decided(loop, { action: "extend", oldLimit, newLimit, reason, status: "" });
}

/** Records a decision and tells subscribers, in both spellings. */
export function* decided(loop: Loop, decision: Omit<BudgetDecision, "iteration">): Turn<void> {
  const record = { iteration: loop.work.iteration + 1, ...decision };
  loop.state.slots.budget.decisions.push(record);
  if (!loop.listens()) return;
  const { oldLimit, newLimit, ...rest } = record;
  yield* emitNamed("loop_control_decision", {
    ...rest,
    oldLimit,
    newLimit,
    old_limit: oldLimit,
    new_limit: newLimit,
  });
}

const text = (value: Value | undefined): string | null =>
  typeof value === "string" && value !== "" ? value : null;
const shownAction = (value: Value): string => (typeof value === "string" ? value : typeOf(value));
