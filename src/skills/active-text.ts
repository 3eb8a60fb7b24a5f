/** What the model sees of skills in the system text: the active ones, or the catalog of all (agents.md §15.3, §15.4). */

import type { Loop } from "../agent/index.ts";
import type { Dict } from "../values/index.ts";
import { textField } from "../values/index.ts";
import { skillList, skillName, skillRegistryOf } from "./skill-entries.ts";
import type { SkillOptions } from "./skill-options.ts";
import { catalogEntries, catalogText } from "./skill-text.ts";

/** The part of the system text about active skills; "" when none is. */
export function activeSkillsText({ conversation }: Loop, skills: SkillOptions): string {
  const parts = conversation.activeSkills.flatMap(({ name, body }) => {
    const entry = skills.entries.find((one) => skillName(one) === name);
    return entry === undefined || body === null ? [] : [skillBlock(entry, body)];
  });
  return parts.length === 0 ? "" : ["## Active skills", ...parts].join("\n\n");
}

/** `strategy: "catalog"`: nothing is matched, the model is told of all skills; "" otherwise. */
export function skillCatalog(skills: SkillOptions): string {
  if (skills.strategy !== "catalog") return "";
  const entries = catalogEntries(skillRegistryOf(skills.entries));
  return entries.length === 0 ? "" : catalogText(entries, Number.POSITIVE_INFINITY);
}

function skillBlock(entry: Dict, body: string): string {
  const when = textField(entry, "when_to_use");
  const allowed = skillList(entry, "allowed_tools") ?? [];
  const head = [
    `### ${skillName(entry)}`,
    textField(entry, "description"),
    when === "" ? "" : `When to use: ${when}`,
    allowed.length === 0 ? "" : `Scoped tools: ${allowed.join(", ")}`,
  ].filter((line) => line !== "");
  return [head.join("\n"), body].filter((part) => part !== "").join("\n\n");
}
