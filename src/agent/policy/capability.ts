/**
 * The capability ceiling (`policy`, agents.md §8.2). Nested ceilings intersect: a call must pass every one of them, so
 * no intersection is ever computed. An empty list restricts nothing.
 */

import { type Task, workingFolder } from "../../interp/index.ts";
import type { PendingCall, ToolDenial, ToolEntry } from "../../model/index.ts";
import { fullPath } from "../../model/index.ts";
import { warnOnce } from "../../table/index.ts";
import { Dict, nameMatches, ScriptError, thrown } from "../../values/index.ts";
import { annotatedCapabilities, annotationsOf, levelRank, sideEffectOf } from "./annotations.ts";
import type { CapabilityPolicy } from "./capability-policy.ts";
import { firstMatch, matchesStrictly } from "./glob.ts";
import { declaredPaths, pathParams, textsOfValue } from "./paths.ts";
import { realPaths } from "./real-paths.ts";
import { isWithinRoots, type Roots } from "./roots.ts";
import { type PolicyScope, policyScopes } from "./scopes.ts";

/** A name that no tool has: the ceiling speaks for tools that it does not list. */
export function deniedName(policy: CapabilityPolicy, name: string): ToolDenial | undefined {
  if (policy.tools.length === 0 || firstMatch(policy.tools, name, nameMatches) !== undefined)
    return undefined;
  return { gate: "tool_ceiling", reason: `tool '${name}' exceeds tool ceiling`, retryable: false };
}

/** Why a call does not fit under a ceiling, or undefined. */
export function deniedByPolicy(
  task: Task,
  policy: CapabilityPolicy,
  pending: PendingCall,
): ToolDenial | undefined {
  const entry = pending.entry as ToolEntry;
  // Tools of the runtime touch nothing but the loop itself.
  if (entry.origin === "runtime") return undefined;
  const annotations = annotationsOf(entry, policy.toolAnnotations);
  return (
    deniedName(policy, entry.name) ??
    deniedCapability(policy, entry, annotations) ??
    deniedLevel(policy, entry, annotations) ??
    deniedArgument(task, policy, pending, annotations) ??
    deniedPath(task, policy, pending, annotations)
  );
}

/** A tool that a program calls without a loop is under the ceilings around the caller, by its name and level. Throws. */
export function checkCeilings(task: Task, name: string, level: string): void {
  for (const { policy } of task.runtime.state(policyScopes).binding(task)) {
    if (policy === null) continue;
    const annotations = Dict.of({ side_effect_level: level });
    const denial = deniedName(policy, name) ?? deniedLevel(policy, { name }, annotations);
    if (denial !== undefined) throw new ScriptError("thrown", denial.reason, { category: "tool_rejected" });
  }
}

function deniedCapability(
  policy: CapabilityPolicy,
  entry: ToolEntry,
  annotations: Dict | undefined,
): ToolDenial | undefined {
  const lacking = annotatedCapabilities(annotations).find((capability) => !grants(policy, capability));
  if (lacking === undefined) return undefined;
  const reason = `tool '${entry.name}' exceeds capability ceiling: ${lacking}`;
  return { gate: "capability_ceiling", reason, retryable: false, capability: lacking };
}

/** Whether a ceiling grants `cap.op`. */
export function grants(policy: CapabilityPolicy, capability: string): boolean {
  if (policy.capabilities.size === 0) return true;
  const dot = capability.indexOf(".");
  const ops = policy.capabilities.get(capability.slice(0, dot));
  return (
    ops !== undefined && (ops.length === 0 || ops.includes(capability.slice(dot + 1)) || ops.includes("*"))
  );
}

function deniedLevel(
  policy: CapabilityPolicy,
  entry: Pick<ToolEntry, "name">,
  annotations: Dict | undefined,
): ToolDenial | undefined {
  const level = sideEffectOf(annotations);
  if (
    policy.sideEffectLevel === null ||
    level === null ||
    levelRank(level) <= levelRank(policy.sideEffectLevel)
  )
    return undefined;
  const reason = `tool '${entry.name}' exceeds side-effect ceiling: ${level}`;
  return { gate: "side_effect_ceiling", reason, retryable: false };
}

function deniedArgument(
  task: Task,
  policy: CapabilityPolicy,
  pending: PendingCall,
  annotations: Dict | undefined,
): ToolDenial | undefined {
  const { name } = pending.entry as ToolEntry;
  for (const { tool, argKey, argPatterns: patterns } of policy.toolArgConstraints) {
    if (patterns.length === 0 || !nameMatches(tool, name)) continue;
    const keys = argKey === null ? pathParams(annotations) : [argKey];
    if (keys.length === 0) warnOfNoKey(task, name, tool);
    for (const key of keys) {
      const outside = textsOfValue(pending.arguments.get(key) ?? null).find(
        (text) => firstMatch(patterns, text, matchesStrictly) === undefined,
      );
      if (outside === undefined) continue;
      const allowed = `[${patterns.map((pattern) => JSON.stringify(pattern)).join(", ")}]`;
      const reason = `tool '${name}' ${key} '${outside}' does not match allowed patterns: ${allowed}. Only the argument '${key}' is checked; give one that matches.`;
      return { gate: "arg_constraint", reason, retryable: true, denied_paths: [outside] };
    }
  }
  return undefined;
}

/** A constraint that nobody can apply lets the call through: that is said. */
function warnOfNoKey(task: Task, name: string, tool: string): void {
  warnOnce(
    task,
    "policy",
    `arg constraint\0${tool}\0${name}`,
    `the argument constraint on '${tool}' is skipped for tool '${name}'`,
    "it does not say which argument it is about: add `arg_key` to it, or `arg_schema: {path_params: […]}` to the annotations of the tool",
  );
}

function deniedPath(
  task: Task,
  policy: CapabilityPolicy,
  pending: PendingCall,
  annotations: Dict | undefined,
): ToolDenial | undefined {
  const writes = levelRank(sideEffectOf(annotations)) >= levelRank("workspace_write");
  const declared = declaredPaths(pending, annotations);
  const { workspaceRoots, readOnlyRoots } = policy;
  if (declared.length === 0 || workspaceRoots.length + readOnlyRoots.length === 0) return undefined;
  const { cwd } = task.runtime.host;
  const written = (path: string): string => fullPath(path, cwd);
  const real = realPaths(task, [...declared, ...workspaceRoots, ...readOnlyRoots], workingFolder(task));
  const rootsAs = (form: (path: string) => string): Roots => ({
    workspace: workspaceRoots.map((root) => fullPath(form(root), cwd)),
    readOnly: readOnlyRoots.map((root) => fullPath(form(root), cwd)),
  });
  for (const path of declared) {
    // As it is written, and where it leads.
    const isInScope = [written, real].every((form) =>
      isWithinRoots(rootsAs(form), fullPath(form(path), cwd), writes),
    );
    if (isInScope) continue;
    const roots = writes ? workspaceRoots : [...workspaceRoots, ...readOnlyRoots];
    const reason = `tool '${pending.call.name}' path '${path}' is outside your allowed scope (allowed: ${roots.join(", ")})`;
    return { gate: "arg_constraint", reason, retryable: true, denied_paths: [path] };
  }
  return undefined;
}

// ── nested loops ──────────────────────────────────────────────────────────────────────────────────────────────────

/** Checks what a loop asks for against the ceilings that it runs under, outermost first. */
export function checkNested(
  scopes: readonly PolicyScope[],
  asked: CapabilityPolicy | null,
  caller: string,
): void {
  for (const [index, { policy }] of scopes.entries()) {
    if (policy === null) continue;
    const depth = scopes.length - index;
    if (policy.recursionLimit !== null && depth > policy.recursionLimit) {
      const message = `${caller}nested loop ${depth} exceeds recursion limit ${policy.recursionLimit} of the enclosing policy`;
      throw new ScriptError("thrown", Dict.of({ category: "budget_exceeded", message }), {
        category: "budget_exceeded",
      });
    }
    if (asked !== null) checkWithin(policy, asked, caller);
  }
}

/** Throws when a policy asks for more than a ceiling grants. */
export function checkWithin(ceiling: CapabilityPolicy, asked: CapabilityPolicy, caller: string): void {
  if (
    ceiling.sideEffectLevel !== null &&
    levelRank(asked.sideEffectLevel) > levelRank(ceiling.sideEffectLevel)
  ) {
    throw thrown(
      `${caller}policy.side_effect_level '${asked.sideEffectLevel}' exceeds the enclosing ceiling '${ceiling.sideEffectLevel}'`,
    );
  }
  const tool = asked.tools.find((name) => !/[*?{]/.test(name) && deniedName(ceiling, name) !== undefined);
  if (tool !== undefined) throw thrown(`${caller}policy.tools '${tool}' exceeds the enclosing tool ceiling`);
  for (const [name, ops] of asked.capabilities) {
    const lacking = (ops.length === 0 ? ["*"] : ops).find((op) => !grants(ceiling, `${name}.${op}`));
    if (lacking !== undefined)
      throw thrown(
        `${caller}policy.capabilities '${name}.${lacking}' exceeds the enclosing capability ceiling`,
      );
  }
}
