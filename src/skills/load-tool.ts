/** `load_skill`: the tool with which a model gets the body of a skill (agents.md §15.5). */

import type { Loop, Turn } from "../agent/index.ts";
import { loadSkillName, refreshVisible, resetNarrowing } from "../agent/index.ts";
import type { Task } from "../interp/index.ts";
import type { StructuralTool, ToolEntry } from "../model/index.ts";
import { publishNamed, runtimeTool } from "../model/index.ts";
import { Dict, jsonPretty } from "../values/index.ts";
import { loadedFields, surroundings } from "./active-skills.ts";
import { type LoadedSkill, loadSkillBody } from "./load.ts";
import { findSkill, skillName, skillProblemText } from "./skill-entries.ts";
import type { SkillOptions } from "./skill-options.ts";
import { renderSkill } from "./skill-text.ts";

/** The tool's entry, or undefined without skills. It is there also when a model may load none of them: it says so. */
export function loadSkillTool(skills: SkillOptions | null): ToolEntry | undefined {
  if (skills === null || skills.entries.length === 0) return undefined;
  return runtimeTool({
    name: loadSkillName,
    description:
      "Load the full text of a skill by its name. Do so when a skill fits what you are about to do, before you begin.",
    parameters: {
      name: { type: "string", required: true, description: "The skill's id." },
      require_signature: {
        type: "boolean",
        required: false,
        description: "Load it only when a trusted signer has signed it.",
      },
    },
    annotations: Dict.of({ kind: "read", side_effect_level: "none" }),
    // The loop answers the calls itself (`loadSkillCall`).
    run: () => null,
  });
}

/** Answers a call. What goes wrong is told to the model as JSON. */
export function loadSkillCall(loop: Loop, skills: SkillOptions | null): StructuralTool {
  return async (task, pending) => {
    const name = pending.arguments.get("name");
    const signed = pending.arguments.get("require_signature") ?? null;
    const asked = typeof name === "string" ? name.trim() : "";
    if (asked === "") return failure("invalid_arguments", "`name` must be a non-empty string", asked);
    if (signed !== null && typeof signed !== "boolean")
      return failure("invalid_arguments", "`require_signature` must be a bool", asked);
    if (skills === null || skills.entries.length === 0)
      return failure("skill_registry_unavailable", "this loop has no skills", asked);
    const found = findSkill(skills.entries, asked);
    if ("problem" in found) return failure("skill_not_found", skillProblemText(asked, found.problem), asked);
    const { entry } = found;
    const wanted = skillName(entry);
    if (entry.get("disable_model_invocation") === true) {
      const message = `skill '${asked}' is gated to explicit user invocation`;
      const problem = { code: "skill_model_invocation_disabled", message };
      await record(task, loop, wanted, { ok: false, problem, signature: null });
      return failure(problem.code, message, asked);
    }
    const loaded = await loadSkillBody(task, entry, signed === true);
    await record(task, loop, wanted, loaded);
    if (!loaded.ok) return failure(loaded.problem.code, loaded.problem.message, wanted);
    const text = renderSkill(entry.with("body", loaded.body), null, surroundings(task, loop));
    return { ok: true, text };
  };
}

const failure = (error: string, message: string, skill: string): { ok: boolean; text: string } => ({
  ok: false,
  text: jsonPretty(Dict.of({ error, message, skill })),
});

/** REFLECTING: what was loaded in this turn is in force from the next one on; its text stands in the conversation. */
export function* scopeAfterLoading(loop: Loop, skills: SkillOptions): Turn<void> {
  const { conversation, work } = loop;
  const loaded = work.outcomes.flatMap((outcome) => {
    if (outcome?.ok !== true || outcome.name !== loadSkillName) return [];
    const found = findSkill(skills.entries, String(outcome.arguments.get("name")).trim());
    return "entry" in found ? [skillName(found.entry)] : [];
  });
  if (loaded.length === 0) return;
  const known = new Set(conversation.activeSkills.map(({ name }) => name));
  const added = loaded.filter((name) => !known.has(name));
  conversation.activeSkills = [
    ...conversation.activeSkills,
    ...[...new Set(added)].map((name) => ({ name, score: 0, trigger: loadSkillName, body: null })),
  ];
  resetNarrowing(loop);
  refreshVisible(loop);
}

async function record(task: Task, loop: Loop, name: string, loaded: LoadedSkill): Promise<void> {
  const fields = Dict.of(loadedFields(name, loaded));
  loop.conversation.audit.push({
    kind: "skill.loaded",
    role: "system",
    visibility: "internal",
    text: name,
    metadata: fields,
  });
  await publishNamed(task, loop.state.sessionId, "skill.loaded", fields);
}
