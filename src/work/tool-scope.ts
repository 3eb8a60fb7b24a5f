/**
 * The tools of a child: those of its own registry that its allowance and every ceiling around it let through. What is
 * left out is not shown to the model; calling it all the same is refused by the ceiling.
 */
import { deniedName, policyScopes } from "../agent/index.ts";
import type { Task } from "../interp/index.ts";
import { registryOf, toolSetOfValue } from "../model/index.ts";
import { Dict, List, nameMatches, type Value } from "../values/index.ts";

/** The `policy` of a child: what it asks for itself, its tools narrowed to the allowed ones. */
export function childPolicy(policy: Dict | null, allowed: List | null): Dict | null {
  if (allowed === null) return policy;
  const asked = policy?.get("tools") ?? null;
  const names = texts(allowed);
  const tools = asked === null ? names : intersection(names, texts(asked));
  return (policy ?? new Dict()).with("tools", new List(tools));
}

/** Patterns of either list that the other one covers. Nothing in common is a ceiling that no name passes. */
function intersection(a: readonly string[], b: readonly string[]): string[] {
  const covered = (names: readonly string[], by: readonly string[]): string[] =>
    names.filter((name) => by.some((pattern) => nameMatches(pattern, name)));
  const both = [...new Set([...covered(a, b), ...covered(b, a)])];
  return both.length === 0 ? [""] : both;
}

/** The registry of a child. */
export function childTools(task: Task, tools: Value, policy: Dict | null, caller: string): Value {
  if (tools === null) return null;
  const allowed = policy === null ? [] : texts(policy.get("tools") ?? null);
  const ceilings = task.runtime
    .state(policyScopes)
    .around(task)
    .flatMap((scope) => (scope.policy === null ? [] : [scope.policy]));
  const kept = toolSetOfValue(tools, `${caller}: `).entries.filter(
    ({ name }) =>
      (allowed.length === 0 || allowed.some((pattern) => nameMatches(pattern, name))) &&
      ceilings.every((ceiling) => deniedName(ceiling, name) === undefined),
  );
  return registryOf(kept.map(({ raw }) => raw));
}

function texts(value: Value): string[] {
  if (typeof value === "string") return [value];
  return value instanceof List ? value.toArray().filter((item) => typeof item === "string") : [];
}
