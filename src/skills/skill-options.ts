/** The options `skills`, `skill_match` and `working_files` of a loop (agents.md §15.3). */
import { skillMatchFields } from "../agent/index.ts";
import { at, type Read, readRows, refusal, row } from "../table/index.ts";
import { Dict, List, type Value } from "../values/index.ts";
import { isSkillRegistry, skillEntries, skillName } from "./skill-entries.ts";

export interface SkillOptions extends Read<typeof skillMatchFields> {
  /** By name; of equal names the last one. */
  readonly entries: readonly Dict[];
  readonly workingFiles: readonly string[];
}

const names = ["skills", "skill_match", "working_files"] as const;

/** `null` without skills. */
export function skillOptionsIn(options: Dict, caller: string): SkillOptions | null {
  if (!names.some((name) => options.has(name))) return null;
  const value = (name: string): Value => options.get(name) ?? null;
  const entries = skillsIn(value("skills"), caller);
  const match = value("skill_match");
  if (match !== null && !(match instanceof Dict)) throw refusal(at(caller, "skill_match"), "dict", match);
  const read = readRows(match, skillMatchFields, at(caller, "skill_match"));
  const files = value("working_files");
  const workingFiles = files === null ? [] : row.texts().read(files, at(caller, "working_files"));
  return entries.length === 0 ? null : { ...read, entries, workingFiles };
}

/** A registry, a list of registries and entries, or one entry. */
function skillsIn(value: Value, caller: string): Dict[] {
  if (value === null || value === false) return [];
  const byName = new Map<string, Dict>();
  for (const item of value instanceof List ? value.toArray() : [value]) {
    const found = isSkillRegistry(item) ? skillEntries(item) : isEntry(item) ? [item] : undefined;
    if (found === undefined) throw refusal(at(caller, "skills"), "a skill_registry or list of skills", item);
    for (const entry of found) byName.set(skillName(entry), entry);
  }
  return [...byName.values()];
}

const isEntry = (value: Value): value is Dict =>
  value instanceof Dict && value.get("_type") === undefined && typeof value.get("name") === "string";
