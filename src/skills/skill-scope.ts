/**
 * Which tools the active skills leave (agents.md §15.3): the union of their `allowed_tools`. Skills without a list do not
 * narrow, and tools of the runtime always stay. What is outside is not shown, and refused when it is called.
 */
import type { Loop } from "../agent/index.ts";
import type { ToolEntry, ToolGate } from "../model/index.ts";
import { skillList, skillName } from "./skill-entries.ts";
import type { SkillOptions } from "./skill-options.ts";

/** Whether the scope lets a tool through. */
export function skillScope(loop: Loop, skills: SkillOptions): (entry: ToolEntry) => boolean {
  const lists = allowedLists(loop, skills);
  if (lists.length === 0) return () => true;
  const allowed = lists.flat();
  return (entry) => entry.origin === "runtime" || allowed.some((item) => covers(item, entry));
}

function allowedLists({ conversation }: Loop, skills: SkillOptions): string[][] {
  if (conversation.activeSkills.length === 0) return [];
  const active = new Set(conversation.activeSkills.map(({ name }) => name));
  return skills.entries.flatMap((entry) => {
    const list = active.has(skillName(entry)) ? skillList(entry, "allowed_tools") : undefined;
    return list === undefined ? [] : [list];
  });
}

function covers(item: string, entry: ToolEntry): boolean {
  if (item === "*" || item === entry.name) return true;
  return item.startsWith("namespace:") && item.slice("namespace:".length).trim() === entry.namespace;
}

/** Refuses calls of tools outside the scope that the model was shown. */
export const skillGate = (loop: Loop, skills: SkillOptions): ToolGate => ({
  name: "skill_scope",
  decide: (_task, pending) => {
    const { entry } = pending;
    if (entry === undefined || skillScope(loop, skills)(entry)) return { kind: "allow" };
    const names = loop.conversation.activeSkills.map(({ name }) => name).join(", ");
    const reason = `tool '${entry.name}' exceeds tool ceiling`;
    const next_step = `It is outside the scope of the active skills (${names}); use one of the tools you are told of.`;
    return { kind: "deny", denial: { gate: "tool_ceiling", reason, retryable: false, next_step } };
  },
});
