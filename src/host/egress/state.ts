/**
 * The egress policy of a run: what the environment says (`HARN_EGRESS_ALLOW`, `_DENY`, `_DEFAULT`: the user's word, which
 * no script can widen) and what the script said last. Both must agree. Mocked calls are asked as well.
 */

import { redactUrl, shape } from "../../effects/index.ts";
import { stateKey, type Task, TaskLocal } from "../../interp/index.ts";
import { type Argument, Dict, List, option, textOf, thrown, typeOf, type Value } from "../../values/index.ts";
import type { AccessJudge } from "../guard/access.ts";
import { addJudge } from "../guard/effect-guard.ts";
import { effectOwner } from "../guard/effect-owner.ts";
import type { Host } from "../ports.ts";
import { embeddedV4, type IpAddress, ipAddress, ipNetwork, isInNetwork } from "./ip-address.ts";
import { type EgressRule, type EgressRules, egressRefusal, parseEgressRule, targetOf } from "./rules.ts";

/** Addresses that lead into this machine or its own network: what a page of a stranger must not be able to reach. */
const networks: readonly (readonly [kind: string, network: string])[] = [
  ["unspecified", "0.0.0.0/8"],
  ["private", "10.0.0.0/8"],
  ["private", "100.64.0.0/10"],
  ["loopback", "127.0.0.0/8"],
  ["link-local", "169.254.0.0/16"],
  ["private", "172.16.0.0/12"],
  ["reserved", "192.0.0.0/24"],
  ["private", "192.168.0.0/16"],
  ["private", "198.18.0.0/15"],
  ["multicast", "224.0.0.0/4"],
  ["reserved", "240.0.0.0/4"],
  ["unspecified", "::/128"],
  ["loopback", "::1/128"],
  ["private", "fc00::/7"],
  ["link-local", "fe80::/10"],
  ["private", "fec0::/10"],
  ["multicast", "ff00::/8"],
];

/** What kind of private address it is; undefined for one of the open net, and for what is no address. */
export function privateKind(text: string): string | undefined {
  // A zone says only by which interface.
  const address = ipAddress(text.replace(/%[^\]]*/, ""));
  return address === undefined ? undefined : addressKind(address);
}

function addressKind(address: IpAddress): string | undefined {
  for (const [kind, text] of networks) {
    const network = ipNetwork(text);
    if (network !== undefined && isInNetwork(address, network)) return kind;
  }
  const inner = embeddedV4(address);
  return inner === undefined ? undefined : addressKind(inner);
}

/** Whether a name means this machine whatever is registered under it. */
export const isLocalName = (host: string): boolean => /(^|\.)localhost\.?$/i.test(host);

interface EgressState {
  /** `null`: the environment says nothing. `undefined`: not looked yet. */
  environment: EgressRules | null | undefined;
  script: EgressRules | undefined;
  /** What the tools of loops added: it narrows, for the rest of the run. */
  readonly added: EgressRules[];
}

const egressState = stateKey<EgressState>("egress policy", () => ({
  environment: undefined,
  script: undefined,
  added: [],
}));

type EgressRefuse = (why: string) => unknown;

function egressRules(what: string, entries: readonly string[], refuse: EgressRefuse): EgressRule[] {
  return entries
    .filter((entry) => entry.trim() !== "")
    .map((entry) => {
      const rule = parseEgressRule(entry);
      if (rule !== undefined) return rule;
      throw refuse(
        `${what}: '${entry}' is no host, *.suffix, IP address or network (10.0.0.0/8), with an optional :port`,
      );
    });
}

/** A list of what is allowed means that the rest is not, unless a default is given. */
function fallbackOf(input: string | undefined, allow: readonly EgressRule[], refuse: EgressRefuse) {
  if (input === undefined) return allow.length > 0 ? "deny" : "allow";
  if (input === "allow" || input === "deny") return input;
  throw refuse(`default: expected 'allow' or 'deny', got '${input}'`);
}

const variables = ["HARN_EGRESS_ALLOW", "HARN_EGRESS_DENY", "HARN_EGRESS_DEFAULT"] as const;

const saidByEnvironment = ({ env }: Host): string[] => variables.map((name) => env.get(name) ?? "");

function rulesFrom(found: readonly string[]): EgressRules | null {
  const [allowed = "", denied = "", fallback = ""] = found;
  if (found.every((text) => text.trim() === "")) return null;
  const refuse: EgressRefuse = (why) => thrown(`HARN_EGRESS: ${why}`);
  const allow = egressRules("HARN_EGRESS_ALLOW", allowed.split(","), refuse);
  return {
    allow,
    deny: egressRules("HARN_EGRESS_DENY", denied.split(","), refuse),
    fallback: fallbackOf(fallback.trim() || undefined, allow, refuse),
  };
}

/** What the environment says is recorded: a replay decides the same. */
function stateOf(task: Task): EgressState {
  const state = task.runtime.state(egressState);
  if (state.environment === undefined) {
    const found = task.perform<string[]>({
      effect: "observe",
      kind: "egress.environment",
      args: () => null,
      run: () => saidByEnvironment(task.runtime.host),
      result: shape.texts,
    }) as string[];
    state.environment = rulesFrom(found);
    if (state.environment !== null) addJudge(task.runtime, judgeEgress);
  }
  return state;
}

/** From now on every connection is judged where it is made, if the environment has rules: also of models and servers. */
export function watchEgress({ runtime }: Task): void {
  const { env } = runtime.host;
  if (runtime.effects.mode !== "replay" && variables.some((name) => (env.get(name) ?? "").trim() !== ""))
    addJudge(runtime, judgeEgress);
}

/**
 * Sets the script's policy; without one, says what holds. `narrows`: a tool of a loop asks, which can only narrow what holds
 * around it.
 */
export function egressPolicy(task: Task, value: Argument, narrows: boolean): Value {
  const state = stateOf(task);
  if (value !== undefined && value !== null) {
    const policy = egressRulesOf(value);
    if (narrows) state.added.push(policy);
    else state.script = policy;
    addJudge(task.runtime, judgeEgress);
  }
  const rules = state.added.at(-1) ?? state.script ?? state.environment ?? undefined;
  const texts = (which: "allow" | "deny"): List => new List(rules?.[which].map((rule) => rule.text) ?? []);
  return Dict.of({
    configured: rules !== undefined,
    default: rules?.fallback ?? "allow",
    allow: texts("allow"),
    deny: texts("deny"),
    source:
      state.added.length > 0 || state.script !== undefined ? "script" : rules !== undefined ? "env" : null,
  });
}

function egressRulesOf(input: Value): EgressRules {
  const refuse: EgressRefuse = (why) => thrown(`egress_policy: ${why}`);
  if (!(input instanceof Dict)) throw refuse(`expected a dict {allow, deny, default}, got ${typeOf(input)}`);
  const entries = (name: string): string[] => {
    const value = option(input, name);
    if (value === undefined) return [];
    if (typeof value === "string") return [value];
    if (value instanceof List) return value.toArray().map((one) => textOf(one));
    throw refuse(`${name}: expected a list of rules, got ${typeOf(value)}`);
  };
  const allow = egressRules("allow", entries("allow"), refuse);
  const fallback = option(input, "default");
  return {
    allow,
    deny: egressRules("deny", entries("deny"), refuse),
    fallback: fallbackOf(fallback === undefined ? undefined : textOf(fallback), allow, refuse),
  };
}

/** Policies that hold for what a task does, and the tasks that it begins: set around a body. */
const scopes = new TaskLocal<EgressRules>("egress scopes", { binds: true });

/** From now on what the task sends must agree with this policy too; the function that it gives ends that. */
export function enterEgressScope(task: Task, value: Value): () => void {
  const leave = scopes.enter(task, egressRulesOf(value));
  addJudge(task.runtime, judgeEgress);
  return leave;
}

function policiesOf(task: Task, { environment, script, added }: EgressState): EgressRules[] {
  return [environment ?? undefined, script, ...added, ...scopes.around(task)].filter(
    (rules) => rules !== undefined,
  );
}

/** The check for one caller, to be asked with every URL before anything is sent there; throws what is refused. */
export function egressCheck(task: Task, surface: string): (url: string) => void {
  const policies = policiesOf(task, stateOf(task));
  return (url) => checkTarget(policies, surface, url, false);
}

function checkTarget(policies: readonly EgressRules[], surface: string, url: string, named: boolean): void {
  const target = policies.length === 0 ? undefined : targetOf(url);
  if (target === undefined) return;
  for (const rules of policies) {
    const reason = egressRefusal(rules, target, named);
    if (reason !== undefined) throw blocked(surface, target, redactUrl(url), reason);
  }
}

/** What a name means may be denied, too; that it is allowed its name has to say. */
function checkAddress(policies: readonly EgressRules[], surface: string, url: string, address: string): void {
  const named = targetOf(url);
  for (const rules of named === undefined ? [] : policies) {
    const reason = egressRefusal(rules, { host: address, port: named?.port ?? 0 }, true);
    if (reason === undefined || named === undefined) continue;
    throw blocked(surface, named, redactUrl(url), `its address ${address} ${reason}`);
  }
}

/**
 * Asked wherever a connection is made, whoever makes it: a builtin need not think of it. Speaks inside effects, so what it
 * refuses is recorded. The address of a model need not be on a list of what is allowed unless the script named it:
 * `--allow model` and the keys decide about the others.
 */
const judgeEgress: AccessJudge = (access) => {
  const owner = access.kind === "network" && !access.listens ? effectOwner() : undefined;
  if (owner === undefined || access.kind !== "network") return;
  const { task, kind } = owner;
  const state = task.runtime.state(egressState);
  // Not recorded here: what comes of it is.
  const environment =
    state.environment === undefined ? rulesFrom(saidByEnvironment(task.runtime.host)) : state.environment;
  const policies = policiesOf(task, { ...state, environment });
  const surface = kind.replaceAll(".", "_");
  if (access.address !== undefined) checkAddress(policies, surface, access.url, access.address);
  else checkTarget(policies, surface, access.url, access.model === "named");
};

/** The check of one caller that may reach the open net only: by name before anything is resolved, and by address after that. */
export function privateCheck(surface: string): {
  readonly permit: (url: string) => void;
  readonly resolved: (url: string, address: string) => void;
} {
  const refuse = (url: string, what: string): never => {
    const target = targetOf(url) ?? { host: "?", port: 0 };
    throw blocked(surface, target, redactUrl(url), `private_addresses: ${what}`);
  };
  return {
    permit: (url) => {
      const host = targetOf(url)?.host ?? "";
      const kind = privateKind(host);
      if (kind !== undefined) refuse(url, `its address is ${kind}`);
      if (isLocalName(host)) refuse(url, "it names this machine");
    },
    resolved: (url, address) => {
      const kind = privateKind(address);
      if (kind !== undefined) refuse(url, `its address ${address} is ${kind}`);
    },
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
