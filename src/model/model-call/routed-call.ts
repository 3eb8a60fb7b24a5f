/**
 * One call over its routes: the one that the policy takes, then those of the chain, until one answers.
 *
 *     choose ─▶ decision told ─▶ route 0 ──ok──▶ answer
 *                                   │ failed: told, next route … the last failure is the call's
 *
 * Each route has the retries of its plan. A call that was cancelled, or that its budget forbids, goes no further: the
 * next model would spend what the limit keeps.
 */
import type { Task } from "../../interp/index.ts";
import { type Dict, fromJson } from "../../values/index.ts";
import { publishNamed } from "../conversation/publish.ts";
import type { CallPlan } from "./call-plan.ts";
import { onRoute } from "./route-policy.ts";
import { chooseRoute, type RoutedAsk, type RoutingDecision } from "./routing.ts";
import type { ModelCallResult } from "./types.ts";

export interface RoutedCall {
  readonly plan: CallPlan;
  /** What the plan was made of. */
  readonly options: Dict;
  readonly replan: (options: Dict) => CallPlan;
  readonly ask: RoutedAsk;
  /** Whose subscribers are called. */
  readonly sessionId: string;
  readonly onDecision?: (decision: RoutingDecision) => void;
  /** False once something was shown that can't be taken back. */
  readonly mayFallBack?: () => boolean;
  readonly call: (plan: CallPlan) => Promise<ModelCallResult>;
}

/** The answer, and the plan of the route that gave it (or failed last). */
export async function callOverRoutes(
  task: Task,
  routed: RoutedCall,
): Promise<{ readonly result: ModelCallResult; readonly plan: CallPlan }> {
  const { plan, call } = routed;
  const { routing } = plan;
  if (routing === null) return { result: await call(plan), plan };
  // A route has the routing of its call: for the records, which say what was asked for.
  const planned = (route: Dict): CallPlan => ({
    ...routed.replan(onRoute(routed.options, route)),
    routing,
  });
  const chosen = await chooseRoute(task, plan, routing, routed.ask, planned);
  if (chosen !== null) {
    routed.onDecision?.(chosen.decision);
    await publishOf(task, routed, "llm_routing_decision", { ...chosen.decision });
  }
  const first = chosen?.plan ?? plan;
  // A route of the chain that the policy took already is not asked twice.
  const others = routing.chain.map(planned).filter((other) => !sameRoute(other, first));
  const plans = [first, ...others];
  for (let index = 0; ; index++) {
    const current = plans[index] as CallPlan;
    const result = await call(current);
    await publishOf(task, routed, "llm_fallback_attempt", {
      fallback_index: index,
      fallback_total: plans.length,
      ok: result.ok,
      status: result.ok ? "ok" : result.error.category,
      provider: current.base.provider,
      model: current.base.model,
    });
    const over = result.ok || index === plans.length - 1 || !worthAnother(result);
    if (over || routed.mayFallBack?.() === false) return { result, plan: current };
  }
}

const sameRoute = ({ base: a }: CallPlan, { base: b }: CallPlan): boolean =>
  a.provider === b.provider && a.model === b.model && a.base_url === b.base_url;

const worthAnother = ({ error }: Extract<ModelCallResult, { ok: false }>): boolean =>
  error.category !== "cancelled" && error.category !== "budget_exceeded";

function publishOf(
  task: Task,
  { sessionId }: RoutedCall,
  type: string,
  fields: { readonly [name: string]: unknown },
): Promise<void> {
  return publishNamed(task, sessionId, type, fromJson(fields) as Dict);
}
