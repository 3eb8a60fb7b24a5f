/** The builtins over skill registries, skill files and the skill catalog (agents.md §15). */

import type { Task } from "../../interp/index.ts";
import { conversations } from "../../model/index.ts";
import {
  catalogEntries,
  catalogText,
  defineSkill,
  describeSkills,
  discoveredSkills,
  findSkill,
  isFileSkill,
  loadSkillBody,
  needSkills,
  renderSkill,
  skillEntries,
  skillFields,
  skillName,
  skillProblemText,
  skillRegistryOf,
  skillsAround,
  withoutClosures,
} from "../../skills/index.ts";
import { at, defineBuiltins, refusal } from "../../table/index.ts";
import {
  Dict,
  display,
  List,
  type MaybePromise,
  ScriptError,
  thrown,
  type Value,
} from "../../values/index.ts";
import { type Argument, option, textOf } from "../arguments.ts";
import { loadSkillFields } from "../rows/agents.ts";

function namesOf(names: Argument): Set<string> {
  if (names instanceof List) return new Set(names.toArray().map(display));
  if (typeof names === "string") return new Set([names]);
  throw refusal(at("skill_select", "names"), "list", names);
}

/** Where placeholders look. */
const aroundSkill = (task: Task): Parameters<typeof renderSkill>[2] => ({
  env: task.runtime.host.env,
  cwd: task.runtime.host.cwd,
  session: task.runtime.state(conversations).current(task),
});

function render(task: Task, skill: Argument, args: Argument): MaybePromise<Value> {
  if (!(skill instanceof Dict) || !isFileSkill(skill)) return renderSkill(skill, args, aroundSkill(task));
  return loadedBody(task, skill, false).then(
    (body) => renderSkill(skill.with("body", body), args, aroundSkill(task)),
    (error: unknown) => {
      if (!(error instanceof ScriptError)) throw error;
      throw thrown(
        `skill_render: the body of skill '${skillName(skill)}' is not loaded: ${display(error.value)}`,
      );
    },
  );
}

async function loadedBody(task: Task, entry: Dict, signed: boolean): Promise<string> {
  const loaded = await loadSkillBody(task, entry, signed);
  if (loaded.ok) return loaded.body;
  const { code, message } = loaded.problem;
  throw new ScriptError("thrown", message, { category: code });
}

/** A skill of the loop around the call, else one of the file system. */
async function skillNamed(task: Task, name: string): Promise<Dict> {
  if (name === "") throw thrown("load_skill: requires a non-empty skill name");
  const entries = [...skillsAround(task), ...skillEntries(await discoveredSkills(task))];
  const found = findSkill(entries, name);
  if ("entry" in found) return found.entry;
  throw thrown(skillProblemText(name, found.problem));
}

async function load(task: Task, name: Argument, options: Argument): Promise<Value> {
  const entry = await skillNamed(task, textOf(name));
  const body = await loadedBody(task, entry, option(options, "require_signature") === true);
  return renderSkill(entry.with("body", body), option(options, "arguments") ?? null, aroundSkill(task));
}

export const skills = defineBuiltins(
  "skills",
  {
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
      traits: ["onlyGives"],
      example:
        'skill_find(skill_define(skill_registry(), "ship", {prompt: "Go."}), "ship")  // {description: , name: ship, prompt: Go.}',
      fields: { config: () => skillFields },
      run: (_task, registry: Argument, name: Argument, config: Argument) =>
        defineSkill(registry, name, config),
    },
    skill_list: {
      doc: "The entries of a registry without their functions.",
      sig: "(registry: dict) -> list",
      effect: "pure",
      example:
        'skill_list(skill_define(skill_registry(), "a", {on_activate: { -> 1 }}))  // [{description: , name: a}]',
      run: (_task, registry: Argument) =>
        new List(skillEntries(needSkills("skill_list", registry)).map(withoutClosures)),
    },
    skill_find: {
      doc: "The entry of this name, or nil.",
      sig: "(registry: dict, name: string) -> dict | nil",
      effect: "pure",
      example: 'skill_find(skill_registry(), "ship")  // nil',
      run: (_task, registry: Argument, name: Argument) => {
        const wanted = textOf(name);
        const entries = skillEntries(needSkills("skill_find", registry));
        const found = findSkill(entries, wanted);
        return "entry" in found ? found.entry : null;
      },
    },
    skill_select: {
      doc: "A registry with only the named skills, in the registry's order. Unknown names are ignored.",
      sig: "(registry: dict, names: list) -> dict",
      effect: "pure",
      example: 'skill_select(skill_registry(), ["a"])  // {_type: skill_registry, skills: []}',
      run: (_task, registry: Argument, names: Argument) => {
        const entries = skillEntries(needSkills("skill_select", registry));
        const wanted = namesOf(names);
        return skillRegistryOf(entries.filter((entry) => wanted.has(skillName(entry))));
      },
    },
    skill_remove: {
      doc: "A registry without the named skill. An unknown name is ignored.",
      sig: "(registry: dict, name: string) -> dict",
      effect: "pure",
      traits: ["onlyGives"],
      example: 'skill_count(skill_remove(skill_define(skill_registry(), "a", {}), "a"))  // 0',
      run: (_task, registry: Argument, name: Argument) => {
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
      run: (_task, registry: Argument) => skillEntries(needSkills("skill_count", registry)).length,
    },
    skill_describe: {
      doc: "The skills as a readable list, sorted by name.",
      sig: "(registry: dict) -> string",
      effect: "pure",
      example: 'skill_describe(skill_registry()).split("\\n")[1]  // (none)',
      run: (_task, registry: Argument) => describeSkills(needSkills("skill_describe", registry)),
    },
    skill_render: {
      doc: "The body of a skill entry, or a text, with `$ARGUMENTS`, `$1`, `$2` …, `$$`, `${HARN_SKILL_DIR}` `${HARN_SESSION_ID}` and other `${HARN_…}` of the environment filled in. The body of a skill from the file system is read for it. What has no value stays as it is.",
      sig: "(skill: any, args: any = nil) -> string",
      effect: "observe",
      suspends: "may",
      capability: "env",
      example: 'skill_render("Ship $1 for $$5", ["api"])  // Ship api for $5',
      run: render,
    },
    discover_skills: {
      doc: "The skills of the file system as a registry of cards, from the folders of docs/skills.md; the global `skills` holds it. Repositories that `harn.toml` names are fetched first. Bodies are read when they are needed. Looked for once per run.",
      sig: "() -> dict",
      effect: "state",
      suspends: "may",
      capability: "fs.read",
      mayNeed: "net process",
      run: (task) => discoveredSkills(task),
    },
    load_skill: {
      doc: "The body of a skill by its name, placeholders filled: of the loop around the call, else of the file system. Options: `arguments` for the placeholders, `require_signature: true` to refuse what no trusted signer has signed. What can't be loaded is thrown.",
      sig: "(name: string, opts: dict? = nil) -> string",
      effect: "state",
      suspends: "may",
      capability: "fs.read",
      fields: { opts: () => loadSkillFields },
      run: load,
    },
    skills_catalog_entries: {
      doc: "What models are told of the skills, sorted by name: `{name, description, when_to_use}`: the id (`NAMESPACE/NAME`), `short` or else the description. Skills with `disable_model_invocation` are left out.",
      sig: "(registry: dict) -> list",
      effect: "pure",
      example: "skills_catalog_entries(skill_registry())  // []",
      run: (_task, registry: Argument) => catalogEntries(needSkills("skills_catalog_entries", registry)),
    },
    render_always_on_catalog: {
      doc: "The catalog as a part of a system prompt, of entries or of a registry. Skills from the end are left out, and counted, until the text has at most `budget_chars` characters; the heading always stays.",
      sig: "(entries: list | dict, budget_chars: int = 2000) -> string",
      effect: "pure",
      example:
        'render_always_on_catalog([{name: "a", description: "First"}]).split("\\n")[4]  // - `a`: First',
      run: (_task, entries: Argument, budget: Argument) => catalogText(entries, budget),
    },
  },
  {
    registry: "a registry, as `skill_registry` gives it",
    entries: "entries, as `skills_catalog_entries` gives them, or a registry",
  },
);
