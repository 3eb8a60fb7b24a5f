/**
 * Ceilings hold for what a tool's handler does itself, too: an effect that a loop's policy does not allow is refused
 * where it is asked for (agents.md §8.2). Installed in the runtime by the first policy that restricts anything, so
 * that a run without one pays a comparison per effect.
 */
import type { EffectCall } from "../../effects/index.ts";
import type { Runtime, Task } from "../../interp/index.ts";
import { ScriptError } from "../../values/index.ts";
import { levelRank } from "./annotations.ts";
import { type CapabilityPolicy, pathAllowed } from "./capability.ts";
import { policyScopes } from "./scopes.ts";

type Ceiling = "workspace write" | "process.exec" | "network" | "llm.call";

const needed: Readonly<
  Record<Ceiling, { readonly level: string | null; readonly capabilities: readonly string[] }>
> = {
  "workspace write": { level: "workspace_write", capabilities: ["workspace", "fs"] },
  "process.exec": { level: "process_exec", capabilities: ["process"] },
  network: { level: "network", capabilities: ["network", "http", "net"] },
  "llm.call": { level: null, capabilities: ["llm"] },
};

/** Makes the runtime ask before every effect. */
export function installGuard(runtime: Runtime): void {
  runtime.guard ??= guardEffect;
}

function guardEffect(task: Task, call: EffectCall<unknown>): void {
  const ceiling = ceilingOf(task, call);
  if (ceiling === undefined) return;
  for (const { policy } of task.runtime.state(policyScopes).binding(task)) {
    if (policy !== null && !allows(task, policy, ceiling, call)) throw exceeded(call.kind, ceiling);
  }
}

/** Model calls that a mock answers are no effects: the model side asks for itself. */
export function guardModelCall(task: Task): void {
  if (task.runtime.guard === undefined) return;
  for (const { policy } of task.runtime.state(policyScopes).binding(task)) {
    if (policy !== null && !grantsAny(policy, needed["llm.call"].capabilities))
      throw exceeded("llm_call", "llm.call");
  }
}

function exceeded(kind: string, ceiling: Ceiling): ScriptError {
  const name = kind.replaceAll(".", "_");
  return new ScriptError("thrown", `builtin '${name}' exceeds ${ceiling} ceiling`, {
    category: "tool_rejected",
  });
}

function ceilingOf(task: Task, call: EffectCall<unknown>): Ceiling | undefined {
  // The runtime's own book-keeping, not something that a handler does.
  if (call.kind === "worker.snapshot" || call.kind === "worker.claim") return undefined;
  if (call.kind === "worker.worktree") return "process.exec";
  if (call.effect === "model") return "llm.call";
  if (call.kind.startsWith("http.")) return "network";
  if (call.kind.startsWith("mcp.")) return serverCeiling(call);
  if (call.kind === "process.exec" || call.kind.startsWith("host.terminal.")) return "process.exec";
  const capability = task.runtime.builtins.get(call.kind)?.capability;
  if (capability === "process") return "process.exec";
  if (capability === "net") return "network";
  return call.effect === "write" ? "workspace write" : undefined;
}

/**
 * To start a server or reach one needs what it is. What is asked of a connected one was decided about before: as a tool of a loop,
 * by what the server says of it.
 */
function serverCeiling(call: EffectCall<unknown>): Ceiling | undefined {
  if (call.kind !== "mcp.connect") return undefined;
  return (call.args() as { transport?: string }).transport === "http" ? "network" : "process.exec";
}

function allows(task: Task, policy: CapabilityPolicy, ceiling: Ceiling, call: EffectCall<unknown>): boolean {
  const { level, capabilities } = needed[ceiling];
  if (level !== null && policy.sideEffect !== null && levelRank(policy.sideEffect) < levelRank(level))
    return false;
  if (!grantsAny(policy, capabilities)) return false;
  if (ceiling !== "workspace write") return true;
  const args = call.args();
  const path = Array.isArray(args) ? args.find((arg) => typeof arg === "string") : undefined;
  return path === undefined || pathAllowed(task, policy, path as string, true);
}

function grantsAny(policy: CapabilityPolicy, names: readonly string[]): boolean {
  return policy.capabilities.size === 0 || names.some((name) => policy.capabilities.has(name));
}
