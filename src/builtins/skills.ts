/** The builtins over skill registries and the skill catalog (agents.md §15.1, §15.4). */
import { defineBuiltins } from "../table/index.ts";
import { display, List, thrown } from "../values/index.ts";
import { type Given, textOf } from "./arguments.ts";
import {
  defineSkill,
  needSkills,
  skillEntries,
  skillName,
  skillRegistryOf,
  withoutClosures,
} from "./skill-entries.ts";
import { catalogEntries, catalogText, describeSkills, renderSkill } from "./skill-text.ts";

function namesOf(names: Given): Set<string> {
  if (names instanceof List) return new Set(names.toArray().map(display));
  if (typeof names === "string") return new Set([names]);
  throw thrown("skill_select: second argument must be a list of names");
}

export const skills = defineBuiltins("skills", {
  skill_registry: {
    doc: "An empty skill registry.",
    sig: "() -> dict",
    effect: "pure",
    example: "skill_count(skill_registry())  // 0",
    run: () => skillRegistryOf([]),
  },
  skill_define: {
    doc: 'A registry with one more skill; one of the same name is replaced in its place. `config` may hold the texts `description`, `short`, `when_to_use`, `prompt`, `invocation`, `model`, `effort`, the lists `paths`, `allowed_tools`, `mcp`, `requires_mcp`, the functions `on_activate`, `on_deactivate`, the bools `disable_model_invocation`, `user_invocable`, and anything else, which is kept. Entries of `allowed_tools` are tool names, `"*"` or `"namespace:<tag>"`.',
    sig: "(registry: dict, name: string, config: dict) -> dict",
    effect: "pure",
    example:
      'skill_find(skill_define(skill_registry(), "ship", {prompt: "Go."}), "ship")  // {description: , name: ship, prompt: Go.}',
    run: (_task, registry: Given, name: Given, config: Given) => defineSkill(registry, name, config),
  },
  skill_list: {
    doc: "The entries of a registry without their functions.",
    sig: "(registry: dict) -> list",
    effect: "pure",
    example:
      'skill_list(skill_define(skill_registry(), "a", {on_activate: { -> 1 }}))  // [{description: , name: a}]',
    run: (_task, registry: Given) =>
      new List(skillEntries(needSkills("skill_list", registry)).map(withoutClosures)),
  },
  skill_find: {
    doc: "The entry of this name, or nil.",
    sig: "(registry: dict, name: string) -> dict | nil",
    effect: "pure",
    example: 'skill_find(skill_registry(), "ship")  // nil',
    run: (_task, registry: Given, name: Given) => {
      const wanted = textOf(name);
      const entries = skillEntries(needSkills("skill_find", registry));
      return entries.find((entry) => skillName(entry) === wanted) ?? null;
    },
  },
  skill_select: {
    doc: "A registry with only the named skills, in the registry's order. Unknown names are ignored.",
    sig: "(registry: dict, names: list) -> dict",
    effect: "pure",
    example: 'skill_select(skill_registry(), ["a"])  // {_type: skill_registry, skills: []}',
    run: (_task, registry: Given, names: Given) => {
      const entries = skillEntries(needSkills("skill_select", registry));
      const wanted = namesOf(names);
      return skillRegistryOf(entries.filter((entry) => wanted.has(skillName(entry))));
    },
  },
  skill_remove: {
    doc: "A registry without the named skill. An unknown name is ignored.",
    sig: "(registry: dict, name: string) -> dict",
    effect: "pure",
    example: 'skill_count(skill_remove(skill_define(skill_registry(), "a", {}), "a"))  // 0',
    run: (_task, registry: Given, name: Given) => {
      const gone = textOf(name);
      const entries = skillEntries(needSkills("skill_remove", registry));
      return skillRegistryOf(entries.filter((entry) => skillName(entry) !== gone));
    },
  },
  skill_count: {
    doc: "How many skills a registry holds.",
    sig: "(registry: dict) -> int",
    effect: "pure",
    example: 'skill_count(skill_define(skill_registry(), "a", {}))  // 1',
    run: (_task, registry: Given) => skillEntries(needSkills("skill_count", registry)).length,
  },
  skill_describe: {
    doc: "The skills as a readable list, sorted by name.",
    sig: "(registry: dict) -> string",
    effect: "pure",
    example: 'skill_describe(skill_registry()).split("\\n")[1]  // (none)',
    run: (_task, registry: Given) => describeSkills(needSkills("skill_describe", registry)),
  },
  skill_render: {
    doc: "The body of a skill entry, or a text, with `$ARGUMENTS`, `$1`, `$2` …, `$$`, `${HARN_SKILL_DIR}` and other `${HARN_…}` of the environment filled in. What has no value stays as it is.",
    sig: "(skill: any, args: any = nil) -> string",
    effect: "observe",
    capability: "env",
    example: 'skill_render("Ship $1 for $$5", ["api"])  // Ship api for $5',
    run: (task, skill: Given, args: Given) => renderSkill(skill, args, task.runtime.host),
  },
  skills_catalog_entries: {
    doc: "What models are told of the skills, sorted by name: `{name, description, short, when_to_use}`. Skills with `disable_model_invocation` are left out.",
    sig: "(registry: dict) -> list",
    effect: "pure",
    example: "skills_catalog_entries(skill_registry())  // []",
    run: (_task, registry: Given) => catalogEntries(needSkills("skills_catalog_entries", registry)),
  },
  render_always_on_catalog: {
    doc: "The catalog as a part of a system prompt. Skills from the end are left out, and counted, until the text has at most `budget_chars` characters; the heading always stays. No entries, no text.",
    sig: "(entries: list, budget_chars: int | nil = nil) -> string",
    effect: "pure",
    example: 'render_always_on_catalog([{name: "a", description: "First"}]).split("\\n")[4]  // - `a`: First',
    run: (_task, entries: Given, budget: Given) => catalogText(entries, budget),
  },
});
