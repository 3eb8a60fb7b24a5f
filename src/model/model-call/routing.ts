/**
 * Which models one call may go to: `route_policy` (`routing_policy`) chooses one, `fallback_chain` lists those that are
 * asked when the one before failed. Here the options are read, and the choice is made; `routed-call.ts` walks the chain.
 *
 * A route is a model selector (`"gpt-4o-mini"`, `"ollama:qwen3"`, an alias) or a dict of call options that names one
 * (`{provider, model, temperature, …}`). It stands over the options of the call; the call's own route does not carry over.
 */
import type { Task } from "../../interp/index.ts";
import { callableOnChild } from "../../interp/index.ts";
import { Callable, Dict, display, List, thrown, toJson, typeOf, type Value } from "../../values/index.ts";
import { messageValue } from "../conversation/conversation.ts";
import { type Capabilities, estimateInputTokens, type ModelMessage, noCapabilities } from "../llm/index.ts";
import type { CallPlan } from "./call-plan.ts";
import { modelsOf } from "./models.ts";
import { project } from "./spending.ts";

const choices = ["first_available", "cheapest", "strongest"] as const;
type Choice = (typeof choices)[number];

interface RoutePolicy {
  /** A function of the script gets the call and its candidates and gives a route, an index or nil. */
  readonly choose: Choice | Callable;
  readonly candidates: readonly Dict[];
  /** Capabilities that a candidate must have. */
  readonly require: readonly string[];
}

export interface Routing {
  readonly policy: RoutePolicy | null;
  readonly chain: readonly Dict[];
}

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

const ownRoute = ["provider", "model", "model_tier", "base_url", "api_mode"];
const steering = ["route_policy", "routing_policy", "fallback_chain"];

/** The options of a call on another route. */
export function onRoute(task: Task, options: Dict, route: Dict): Dict {
  let base = options;
  for (const name of [...ownRoute, ...steering]) base = base.without(name);
  return base.merge(route).merge(providerOf(task, route));
}

/**
 * A model that is named without a provider is its own vendor's, whatever HARN_LLM_PROVIDER says: a chain of models would
 * else be asked of one provider. Runs that are kept to the mock stay there.
 */
function providerOf(task: Task, route: Dict): Dict {
  const { catalogue, env } = modelsOf(task);
  const model = route.get("model");
  const named = (route.get("provider") ?? null) !== null || typeof model !== "string";
  if (named || env.get("HARN_LLM_PROVIDER") === "mock") return new Dict();
  return Dict.of({ provider: catalogue.resolveModel(model).provider });
}

/** Null when a call goes to its own route only. */
export function readRouting(options: Dict, caller: string): Routing | null {
  const policy = readPolicy(options, caller);
  const chain = readRoutes(options.get("fallback_chain") ?? null, `${caller}fallback_chain`);
  return policy === null && chain.length === 0 ? null : { policy, chain };
}

/** The options as `llm_transcript.jsonl` shows them. */
export function routingFields({ policy, chain }: Routing): {
  route_policy: unknown;
  fallback_chain: unknown;
} {
  return {
    route_policy: policy === null ? null : policyName(policy),
    fallback_chain: chain.length === 0 ? null : chain.map((route) => toJson(route)),
  };
}

const policyName = ({ choose }: RoutePolicy): string => (choose instanceof Callable ? "script" : choose);

// ── reading ───────────────────────────────────────────────────────────────────────────────────────────────────────

function readPolicy(options: Dict, caller: string): RoutePolicy | null {
  const given = options.get("route_policy") ?? options.get("routing_policy") ?? null;
  const where = `${caller}route_policy`;
  if (given === null || given === false) return null;
  if (typeof given === "string" || given instanceof Callable)
    return { choose: readChoice(given, where), candidates: [], require: [] };
  if (!(given instanceof Dict))
    throw thrown(`${where}: expected a name, a dict or a function; got ${typeOf(given)}`);
  const known = ["policy", "candidates", "require"];
  const unknown = given.keys().find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw thrown(`${where}: unknown field \`${unknown}\`; expected one of ${known.join(", ")}`);
  return {
    choose: readChoice(given.get("policy") ?? "first_available", where),
    candidates: readRoutes(given.get("candidates") ?? null, `${where}.candidates`),
    require: readRequired(given.get("require") ?? null, where),
  };
}

function readChoice(given: Value, where: string): Choice | Callable {
  if (given instanceof Callable || choices.includes(given as Choice)) return given as Choice | Callable;
  throw thrown(`${where}: expected ${choices.join(", ")} or a function; got ${display(given)}`);
}

function readRoutes(given: Value, where: string): Dict[] {
  if (given === null || given === false) return [];
  if (!(given instanceof List)) throw thrown(`${where}: expected a list of routes; got ${typeOf(given)}`);
  return [...given].map((route, index) => readRoute(route, `${where}[${index}]`));
}

function readRoute(route: Value, where: string): Dict {
  if (typeof route === "string" && route !== "") return Dict.of({ model: route });
  const named =
    route instanceof Dict &&
    ["provider", "model", "model_tier"].some((key) => typeof route.get(key) === "string");
  if (named) return route;
  throw thrown(
    `${where}: a route is a model or a dict with \`provider\`, \`model\` or \`model_tier\`; got ${display(route)}`,
  );
}

function readRequired(given: Value, where: string): string[] {
  if (given === null) return [];
  const names = typeof given === "string" ? [given] : given instanceof List ? [...given] : [];
  const known = Object.keys(noCapabilities());
  for (const name of names)
    if (typeof name !== "string" || !known.includes(name))
      throw thrown(`${where}.require: unknown capability ${display(name)}; known: ${known.join(", ")}`);
  if (names.length === 0)
    throw thrown(`${where}.require: expected names of capabilities; got ${typeOf(given)}`);
  return names as string[];
}

// ── choosing ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** What a choice depends on. */
export interface RoutedAsk {
  readonly system: string | null;
  readonly messages: readonly ModelMessage[];
}

interface Candidate {
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
    policy.choose instanceof Callable
      ? await byScript(task, policy.choose, candidates, ask, plan)
      : byRule(task, policy.choose, candidates, ask);
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
  { base, capabilities, ungated }: CallPlan,
  { require }: RoutePolicy,
  ask: RoutedAsk,
): string | null {
  const { catalogue, env } = modelsOf(task);
  // The mock answers for any provider, so no key is wanted.
  if (!ungated && !catalogue.hasKey(base.provider, env)) return "no API key";
  const missing = require.find((name) => !has(capabilities, name));
  if (missing !== undefined) return `no ${missing}`;
  const window = catalogue.model(base.model)?.context_window ?? 0;
  const needed = estimateInputTokens({ ...base, system: ask.system, messages: [...ask.messages] });
  return window > 0 && needed > window ? `needs about ${needed} of ${window} tokens` : null;
}

function has(capabilities: Capabilities, name: string): boolean {
  const value = (capabilities as unknown as Record<string, unknown>)[name];
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

const strength = { small: 0, mid: 1, frontier: 2 } as const;

function byRule(
  task: Task,
  choice: Choice,
  candidates: readonly Candidate[],
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
  candidates: readonly Candidate[],
  ask: RoutedAsk,
  plan: (route: Dict) => CallPlan,
): Promise<CallPlan | null> {
  const described = candidates.map(({ plan: { base }, name, unfit }) =>
    Dict.of({ provider: base.provider, model: base.model, name, fit: unfit === null, unfit }),
  );
  const given = await callableOnChild(task, choose, [
    Dict.of({
      system: ask.system,
      messages: new List(ask.messages.map(messageValue)),
      candidates: new List(described),
    }),
  ]);
  if (given === null) return null;
  const index = typeof given === "number" ? given : described.indexOf(given as Dict);
  if (typeof given === "number" && candidates[index] === undefined)
    throw thrown(`route_policy: there is no candidate ${given}; there are ${candidates.length}`);
  return candidates[index]?.plan ?? plan(onlyRoute(readRoute(given, "route_policy")));
}

/** A candidate that was handed back changed: what describes it is no option. */
const onlyRoute = (route: Dict): Dict => route.without("name").without("fit").without("unfit");
