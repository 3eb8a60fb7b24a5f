import type { Value } from "../../values/index.ts";
import { Callable, Dict, display, List, shownValue, thrown, toJson, typeOf } from "../../values/index.ts";
import { noCapabilities } from "../llm/index.ts";
import { callFields } from "./call-fields.ts";

export const choices = ["first_available", "cheapest", "strongest"] as const;

export type Choice = (typeof choices)[number];

export interface RoutePolicy {
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

/** The options of a call on another route, which takes its provider as calls do. */
export function onRoute(options: Dict, route: Dict): Dict {
  let base = options;
  for (const name of [...callFields.set("route"), ...callFields.set("routing")]) base = base.without(name);
  return base.merge(route);
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

export const policyName = ({ choose }: RoutePolicy): string =>
  choose instanceof Callable ? "script" : choose;

export function readPolicy(options: Dict, caller: string): RoutePolicy | null {
  const value = options.get("route_policy") ?? options.get("routing_policy") ?? null;
  const where = `${caller}route_policy`;
  if (value === null || value === false) return null;
  if (typeof value === "string" || value instanceof Callable)
    return { choose: readChoice(value, where), candidates: [], require: [] };
  if (!(value instanceof Dict))
    throw thrown(`${where}: expected a name, a dict or a function; got ${typeOf(value)}`);
  const known = ["policy", "candidates", "require"];
  const unknown = value.keys().find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw thrown(`${where}: unknown field \`${unknown}\`; expected one of ${known.join(", ")}`);
  return {
    choose: readChoice(value.get("policy") ?? "first_available", where),
    candidates: readRoutes(value.get("candidates") ?? null, `${where}.candidates`),
    require: readRequired(value.get("require") ?? null, where),
  };
}

export function readChoice(value: Value, where: string): Choice | Callable {
  if (value instanceof Callable || choices.includes(value as Choice)) return value as Choice | Callable;
  throw thrown(`${where}: expected ${choices.join(", ")} or a function; got ${shownValue(value)}`);
}

export function readRoutes(value: Value, where: string): Dict[] {
  if (value === null || value === false) return [];
  if (!(value instanceof List)) throw thrown(`${where}: expected a list of routes; got ${typeOf(value)}`);
  return [...value].map((route, index) => readRoute(route, `${where}[${index}]`));
}

export function readRoute(route: Value, where: string): Dict {
  if (typeof route === "string" && route !== "") return Dict.of({ model: route });
  const named =
    route instanceof Dict &&
    ["provider", "model", "model_tier"].some((key) => typeof route.get(key) === "string");
  if (named) return route;
  throw thrown(
    `${where}: a route is a model or a dict with \`provider\`, \`model\` or \`model_tier\`; got ${shownValue(route)}`,
  );
}

export function readRequired(value: Value, where: string): string[] {
  if (value === null) return [];
  const names = typeof value === "string" ? [value] : value instanceof List ? [...value] : [];
  const known = Object.keys(noCapabilities());
  for (const name of names)
    if (typeof name !== "string" || !known.includes(name))
      throw thrown(`${where}.require: unknown capability ${display(name)}; known: ${known.join(", ")}`);
  if (names.length === 0)
    throw thrown(`${where}.require: expected names of capabilities; got ${typeOf(value)}`);
  return names as string[];
}
