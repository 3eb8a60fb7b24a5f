/** `when`: whether an event is worth its handler. Predicates may ask models, so what they cost is bounded. */

import type { TierScope } from "../../../agent/index.ts";
import { type Task, withDeadline } from "../../../interp/index.ts";
import { modelsOf } from "../../../model/index.ts";
import {
  Dict,
  Duration,
  Float,
  isErr,
  isOkValue,
  ScriptError,
  truthy,
  unwrap,
  type Value,
} from "../../../values/index.ts";
import type { PredicateBudget, TriggerBinding } from "./binding.ts";
import { isAskedToStop } from "./stopping.ts";
import { type TierRun, underTier } from "./tier.ts";
import { recordHeaders, type TriggerGate, type TriggerWorld } from "./world.ts";

export const lifecycleTopic = "trigger.lifecycle";

/** Failures in a row after which a predicate is not asked any more. */
const openAfter = 3;

interface PredicateVerdict {
  readonly result: boolean;
  readonly reason: string | null;
  readonly failed: boolean;
}

/** The predicate's say; `former`: what it said when the event came first. */
export async function passGate(
  task: Task,
  world: TriggerWorld,
  binding: TriggerBinding,
  event: Dict,
  former: {
    readonly gate: TriggerGate | undefined;
    readonly replayOf: string | null;
    readonly tier: TierScope;
  },
): Promise<TriggerGate> {
  if (binding.when === undefined) return { open: true, reason: null };
  const headers = recordHeaders(binding, event);
  const note = (gate: TriggerGate, cached: boolean): TriggerGate => {
    const payload = Dict.of({
      result: gate.open,
      reason: gate.reason,
      cached,
      replay_of_event_id: former.replayOf,
    });
    world.record(task, lifecycleTopic, "predicate.evaluated", payload, headers);
    return gate;
  };
  if (former.gate !== undefined) return note(former.gate, true);
  if (binding.predicateFailures >= openAfter) return note({ open: false, reason: "circuit_open" }, false);
  const when = underTier(former.tier, binding.when);
  const { result, reason, failed } = await evaluatePredicate(task, world, binding, when, event);
  // What its tier does not let it do is no failure of the predicate.
  if (former.tier.refused.length === 0)
    binding.predicateFailures = failed ? binding.predicateFailures + 1 : 0;
  return note({ open: result, reason }, false);
}

async function evaluatePredicate(
  task: Task,
  world: TriggerWorld,
  binding: TriggerBinding,
  when: TierRun,
  event: Dict,
): Promise<PredicateVerdict> {
  const budget = binding.whenBudget;
  const { spending } = modelsOf(task);
  const before = { usd: spending.costUsd, tokens: spending.inputTokens + spending.outputTokens };
  let late = false;
  let said: PredicateVerdict;
  try {
    said = predicateVerdictOf(await runInTime(task, budget?.timeoutMs, () => when(task, event)));
  } catch (error) {
    if (!(error instanceof ScriptError) || isAskedToStop(task)) throw error;
    late = budget?.timeoutMs !== undefined && error.value === "Deadline exceeded";
    said = { result: false, reason: "predicate_error", failed: true };
  }
  const used = {
    usd: spending.costUsd - before.usd,
    tokens: spending.inputTokens + spending.outputTokens - before.tokens,
  };
  if (!late && !exceeds(budget, used)) return said;
  const payload = Dict.of({
    tokens: used.tokens,
    cost_usd: new Float(used.usd),
    timed_out: late,
    tokens_max: budget?.maxTokens ?? null,
    max_cost_usd: budget?.maxCostUsd === undefined ? null : new Float(budget.maxCostUsd),
  });
  world.record(task, lifecycleTopic, "predicate.budget_exceeded", payload, recordHeaders(binding, event));
  return { result: false, reason: "budget_exceeded", failed: true };
}

const runInTime = (task: Task, ms: number | undefined, body: () => Value | Promise<Value>) =>
  ms === undefined ? body() : withDeadline(task, new Duration(ms), body);

function predicateVerdictOf(value: Value): PredicateVerdict {
  if (isErr(value)) return { result: false, reason: "predicate_error", failed: true };
  return { result: truthy(isOkValue(value) ? unwrap(value) : value), reason: null, failed: false };
}

const exceeds = (budget: PredicateBudget | undefined, used: { usd: number; tokens: number }): boolean =>
  (budget?.maxTokens !== undefined && used.tokens > budget.maxTokens) ||
  (budget?.maxCostUsd !== undefined && used.usd > budget.maxCostUsd);
