/**
 * Skill registries as scripts hold them (agents.md §15.1): `{_type: "skill_registry", skills: [entry]}`. An entry is what
 * `skill_define` was given, checked, with its name and a description. Every function gives a new registry.
 */
import { at, refusal } from "../table/index.ts";
import { type Argument, Callable, Dict, display, List, textField, thrown } from "../values/index.ts";
import { skillFields } from "./skill-fields.ts";

/** How the two flags are spelled in the frontmatter of a skill file. */
const frontmatterSpellings: ReadonlyMap<string, string> = new Map([
  ["disable-model-invocation", "disable_model_invocation"],
  ["user-invocable", "user_invocable"],
]);

export function isSkillRegistry(value: Argument): value is Dict {
  return value instanceof Dict && value.get("_type") === "skill_registry";
}

/** The first argument of the builtins that read a registry. */
export function needSkills(builtin: string, value: Argument): Dict {
  if (isSkillRegistry(value)) return value;
  throw refusal(at(builtin, "registry"), "skill registry", value ?? null);
}

/** The entries of a registry; other things in its list are left out. */
export function skillEntries(registry: Dict): Dict[] {
  const skills = registry.get("skills");
  return skills instanceof List ? skills.toArray().filter((skill) => skill instanceof Dict) : [];
}

export function skillRegistryOf(entries: readonly Dict[]): Dict {
  return Dict.of({ _type: "skill_registry", skills: new List([...entries]) });
}

/** The id of a skill: its name, after its namespace where it has one (`NAMESPACE/NAME`). */
export function skillName(entry: Dict): string {
  const name = display(entry.get("name") ?? "");
  const namespace = textField(entry, "namespace");
  return namespace === "" || name.startsWith(`${namespace}/`) ? name : `${namespace}/${name}`;
}

/** The skill that a name means: an id, or a bare name that only one skill has. */
export function findSkill(
  entries: readonly Dict[],
  wanted: string,
): { readonly entry: Dict } | { readonly problem: "unknown" | "ambiguous" } {
  const exact = entries.find((entry) => skillName(entry) === wanted);
  if (exact !== undefined) return { entry: exact };
  const bare = entries.filter((entry) => skillName(entry).split("/").at(-1) === wanted);
  if (bare.length > 1) return { problem: "ambiguous" };
  return bare[0] === undefined ? { problem: "unknown" } : { entry: bare[0] };
}

/** What people and models are told of a name that means no skill, or several. */
export const skillProblemText = (wanted: string, problem: "unknown" | "ambiguous"): string =>
  problem === "unknown"
    ? `skill '${wanted}' not found`
    : `skill '${wanted}' is ambiguous; use the fully qualified id from the catalog`;

/** A list field of an entry as texts; `undefined` when it has none. */
export function skillList(entry: Dict, field: string): string[] | undefined {
  const value = entry.get(field);
  return value instanceof List ? value.toArray().filter((item) => typeof item === "string") : undefined;
}

/** The registry with one more skill; one that has the name already is replaced in its place. */
export function defineSkill(registry: Argument, nameValue: Argument, config: Argument): Dict {
  if (config === undefined) throw thrown("skill_define: requires registry, name, and config dict");
  const known = skillEntries(needSkills("skill_define", registry));
  if (!(config instanceof Dict)) throw refusal(at("skill_define", "config"), "dict", config);
  if (typeof nameValue !== "string" || nameValue.trim() === "")
    throw refusal(at("skill_define", "name"), "string that is not empty", nameValue ?? null);
  const entry = skillEntry(nameValue, config);
  const id = skillName(entry);
  const index = known.findIndex((skill) => skillName(skill) === id);
  return skillRegistryOf(index < 0 ? [...known, entry] : known.with(index, entry));
}

/** A checked entry: what `skill_define` was given, with its name and a description. */
export function skillEntry(name: string, config: Dict): Dict {
  const fields = Dict.from(
    [...config.entries()].map(([key, value]) => [frontmatterSpellings.get(key) ?? key, value] as const),
  );
  checkSkillFields(fields);
  const description = fields.get("description") ?? fields.get("short") ?? "";
  return fields.with("name", name).with("description", description);
}

/** nil is "not given" everywhere: the cards of file-system skills have fields that are not loaded yet. */
function checkSkillFields(fields: Dict): void {
  const { byKey } = skillFields.plan;
  for (const [key, value] of fields.entries())
    if (value !== null) byKey.get(key)?.row.read(value, at("skill_define", key));
}

/** The entry as data: without functions. */
export function withoutClosures(entry: Dict): Dict {
  return Dict.from([...entry.entries()].filter(([, value]) => !(value instanceof Callable)));
}
