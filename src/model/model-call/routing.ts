/**
 * Which models one call may go to: `route_policy` (`routing_policy`) chooses one, `fallback_chain` lists those that are
 * asked when the one before failed. Here the options are read, and the choice is made; `routed-call.ts` walks the chain.
 *
 * A route is a model selector (`"gpt-4o-mini"`, `"ollama:qwen3"`, an alias) or a dict of call options that names one
 * (`{provider, model, temperature, …}`). It stands over the options of the call; the call's own route does not carry over.
 */

import type { Task } from "../../interp/index.ts";
import { callableOnChild } from "../../interp/index.ts";
import { at } from "../../table/index.ts";
import { Callable, Dict, List, thrown } from "../../values/index.ts";
import { messageValue } from "../conversation/conversation.ts";
import { estimateInputTokens, type ModelCapabilities, type ModelMessage } from "../llm/index.ts";
import { type RoutePolicy, routeRow } from "./call-fields.ts";
import type { CallPlan } from "./call-plan.ts";
import { modelsOf } from "./models.ts";
import { policyName, type Routing } from "./route-policy.ts";
import { project } from "./spending.ts";

/** What was decided, for those who look later. */
export interface RoutingDecision {
  readonly policy: string;
  /** Among the candidates; -1 for a route that a function gave. */
  readonly route_index: number;
  readonly route_name: string;
  /** The call's own route was taken, because no candidate was fit. */
  readonly used_default: boolean;
  readonly candidates: readonly { readonly name: string; readonly unfit: string | null }[];
}

/** What a choice depends on. */
export interface RoutedAsk {
  readonly system: string | null;
  readonly messages: readonly ModelMessage[];
}

interface RouteCandidate {
  readonly plan: CallPlan;
  readonly name: string;
  readonly unfit: string | null;
}

const nameOf = ({ base }: CallPlan): string => `${base.provider}/${base.model}`;

/** The plan that the policy takes, and why. Candidates are those of the policy, else the call's own route and its chain. */
export async function chooseRoute(
  task: Task,
  own: CallPlan,
  routing: Routing,
  ask: RoutedAsk,
  plan: (route: Dict) => CallPlan,
): Promise<{ readonly plan: CallPlan; readonly decision: RoutingDecision } | null> {
  const { policy } = routing;
  if (policy === null) return null;
  const routes =
    policy.candidates.length > 0 ? policy.candidates.map(plan) : [own, ...routing.chain.map(plan)];
  const candidates = routes.map((route) => ({
    plan: route,
    name: nameOf(route),
    unfit: unfitness(task, route, policy, ask),
  }));
  const taken =
    policy.policy instanceof Callable
      ? await byScript(task, policy.policy, candidates, ask, plan)
      : byRule(task, policy.policy, candidates, ask);
  const chosen = taken ?? own;
  const decision: RoutingDecision = {
    policy: policyName(policy),
    route_index: routes.indexOf(chosen),
    route_name: nameOf(chosen),
    used_default: taken === null,
    candidates: candidates.map(({ name, unfit }) => ({ name, unfit })),
  };
  return { plan: chosen, decision };
}

/** Why a route can't take this call, or null. */
function unfitness(
  task: Task,
  { base, capabilities, live }: CallPlan,
  { require }: RoutePolicy,
  ask: RoutedAsk,
): string | null {
  const { catalogue, env } = modelsOf(task);
  // The mock answers for any provider, so no key is wanted.
  if (live && !catalogue.hasKey(base.provider, env)) return "no API key";
  const missing = require.find((name) => !has(capabilities, name));
  if (missing !== undefined) return `no ${missing}`;
  const window = catalogue.model(base.model)?.context_window ?? 0;
  const needed = estimateInputTokens({ ...base, system: ask.system, messages: [...ask.messages] });
  return window > 0 && needed > window ? `needs about ${needed} of ${window} tokens` : null;
}

function has(capabilities: ModelCapabilities, name: string): boolean {
  const value = (capabilities as unknown as Record<string, unknown>)[name];
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

const strength = { small: 0, mid: 1, frontier: 2 } as const;

function byRule(
  task: Task,
  choice: Exclude<RoutePolicy["policy"], Callable>,
  candidates: readonly RouteCandidate[],
  ask: RoutedAsk,
): CallPlan | null {
  const { catalogue } = modelsOf(task);
  const fit = candidates.filter(({ unfit }) => unfit === null).map(({ plan }) => plan);
  // A price that nobody knows may be any price.
  const cost = ({ base }: CallPlan): number =>
    project(catalogue, { ...base, system: ask.system, messages: [...ask.messages] }).costUsd ??
    Number.POSITIVE_INFINITY;
  const power = ({ base }: CallPlan): number => strength[catalogue.resolveModel(base.model).tier];
  const best = (rank: (plan: CallPlan) => number): CallPlan | null =>
    fit.reduce<CallPlan | null>((top, plan) => (top !== null && rank(top) <= rank(plan) ? top : plan), null);
  switch (choice) {
    case "first_available":
      return fit[0] ?? null;
    case "cheapest":
      return best(cost);
    case "strongest":
      return best((plan) => -power(plan));
  }
}

async function byScript(
  task: Task,
  choose: Callable,
  candidates: readonly RouteCandidate[],
  ask: RoutedAsk,
  plan: (route: Dict) => CallPlan,
): Promise<CallPlan | null> {
  const described = candidates.map(({ plan: { base }, name, unfit }) =>
    Dict.of({ provider: base.provider, model: base.model, name, fit: unfit === null, unfit }),
  );
  const answer = await callableOnChild(task, choose, [
    Dict.of({
      system: ask.system,
      messages: new List(ask.messages.map(messageValue)),
      candidates: new List(described),
    }),
  ]);
  if (answer === null) return null;
  const index = typeof answer === "number" ? answer : described.indexOf(answer as Dict);
  if (typeof answer === "number" && candidates[index] === undefined)
    throw thrown(`route_policy: there is no candidate ${answer}; there are ${candidates.length}`);
  return candidates[index]?.plan ?? plan(onlyRoute(routeRow().read(answer, at("route_policy"))));
}

/** A candidate that was handed back changed: what describes it is no option. */
const onlyRoute = (route: Dict): Dict => route.without("name").without("fit").without("unfit");
