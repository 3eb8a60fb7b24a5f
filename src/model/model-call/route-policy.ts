import { Callable, type Dict, toJson } from "../../values/index.ts";
import { callFields, type RoutePolicy } from "./call-fields.ts";

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

/** A function of the script gets the call and its candidates and gives a route, an index or nil. */
export const policyName = ({ policy }: RoutePolicy): string =>
  policy instanceof Callable ? "script" : policy;
