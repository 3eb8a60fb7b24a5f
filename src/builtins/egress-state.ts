/**
 * The egress policy of a run: what the environment says (`HARN_EGRESS_ALLOW`, `_DENY`, `_DEFAULT`: the user's word, which
 * no script can widen) and what the script said last. Both must agree. Mocked calls are asked as well.
 */
import { type StateKey, type Task, TaskLocal } from "../interp/index.ts";
import { Dict, List, thrown, type Value } from "../values/index.ts";
import { type Given, option, textOf, typeName } from "./arguments.ts";
import { type EgressRule, type EgressRules, readRule, refusalOf, targetOf } from "./egress-rules.ts";
import { redactUrl } from "./http-mocks.ts";
import { observe } from "./observed.ts";

interface EgressState {
  /** `null`: the environment says nothing. `undefined`: not looked yet. */
  environment: EgressRules | null | undefined;
  script: EgressRules | undefined;
}

const egressState: StateKey<EgressState> = {
  name: "egress policy",
  create: () => ({ environment: undefined, script: undefined }),
};

type Refuse = (why: string) => unknown;

function rulesOf(what: string, entries: readonly string[], refuse: Refuse): EgressRule[] {
  return entries
    .filter((entry) => entry.trim() !== "")
    .map((entry) => {
      const rule = readRule(entry);
      if (rule !== undefined) return rule;
      throw refuse(
        `${what}: '${entry}' is no host, *.suffix, IP address or network (10.0.0.0/8), with an optional :port`,
      );
    });
}

/** A list of what is allowed means that the rest is not, unless a default is given. */
function fallbackOf(given: string | undefined, allow: readonly EgressRule[], refuse: Refuse) {
  if (given === undefined) return allow.length > 0 ? "deny" : "allow";
  if (given === "allow" || given === "deny") return given;
  throw refuse(`default must be 'allow' or 'deny', got '${given}'`);
}

const variables = ["HARN_EGRESS_ALLOW", "HARN_EGRESS_DENY", "HARN_EGRESS_DEFAULT"] as const;

function fromEnvironment(task: Task): EgressRules | null {
  const { env } = task.runtime.host;
  const found = observe(task, "egress.environment", () => variables.map((name) => env.get(name) ?? ""));
  const [allowed = "", denied = "", fallback = ""] = found;
  if (found.every((text) => text.trim() === "")) return null;
  const refuse: Refuse = (why) => thrown(`HARN_EGRESS: ${why}`);
  const allow = rulesOf("HARN_EGRESS_ALLOW", allowed.split(","), refuse);
  return {
    allow,
    deny: rulesOf("HARN_EGRESS_DENY", denied.split(","), refuse),
    fallback: fallbackOf(fallback.trim() || undefined, allow, refuse),
  };
}

function stateOf(task: Task): EgressState {
  const state = task.runtime.state(egressState);
  if (state.environment === undefined) state.environment = fromEnvironment(task);
  return state;
}

/** Sets the script's policy; without one, tells what holds. */
export function egressPolicy(task: Task, given: Given): Value {
  const state = stateOf(task);
  if (given !== undefined && given !== null) state.script = readPolicy(given);
  const rules = state.script ?? state.environment ?? undefined;
  const texts = (which: "allow" | "deny"): List => new List(rules?.[which].map((rule) => rule.text) ?? []);
  return Dict.of({
    configured: rules !== undefined,
    default: rules?.fallback ?? "allow",
    allow: texts("allow"),
    deny: texts("deny"),
    source: state.script !== undefined ? "script" : rules !== undefined ? "env" : null,
  });
}

function readPolicy(given: Value): EgressRules {
  const refuse: Refuse = (why) => thrown(`egress_policy: ${why}`);
  if (!(given instanceof Dict))
    throw refuse(`expected a dict {allow, deny, default}, got ${typeName(given)}`);
  const entries = (name: string): string[] => {
    const value = option(given, name);
    if (value === undefined) return [];
    if (typeof value === "string") return [value];
    if (value instanceof List) return value.toArray().map((one) => textOf(one));
    throw refuse(`${name} must be a list of rules, got ${typeName(value)}`);
  };
  const allow = rulesOf("allow", entries("allow"), refuse);
  const fallback = option(given, "default");
  return {
    allow,
    deny: rulesOf("deny", entries("deny"), refuse),
    fallback: fallbackOf(fallback === undefined ? undefined : textOf(fallback), allow, refuse),
  };
}

/** Policies that hold for what a task does, and the tasks that it begins: set around a body. */
const scopes = new TaskLocal<EgressRules>("egress scopes");

/** From now on what the task sends must agree with this policy too; the function that it gives ends that. */
export const enterEgressScope = (task: Task, given: Value): (() => void) =>
  scopes.enter(task, readPolicy(given));

/** The check for one caller, to be asked with every URL before anything is sent there; throws what is refused. */
export function egressCheck(task: Task, surface: string): (url: string) => void {
  const { environment, script } = stateOf(task);
  const policies = [environment ?? undefined, script, ...scopes.around(task)].filter(
    (rules) => rules !== undefined,
  );
  return (url) => {
    const target = policies.length === 0 ? undefined : targetOf(url);
    if (target === undefined) return;
    for (const rules of policies) {
      const reason = refusalOf(rules, target);
      if (reason !== undefined) throw blocked(surface, target, redactUrl(url), reason);
    }
  };
}

function blocked(
  surface: string,
  { host, port }: { host: string; port: number },
  url: string,
  reason: string,
): unknown {
  return thrown(
    Dict.of({
      type: "EgressBlocked",
      category: "egress_blocked",
      message: `EgressBlocked: ${surface} blocked ${host}:${port} for ${url} (${reason})`,
      surface,
      host,
      port,
      reason,
      url,
    }),
  );
}
