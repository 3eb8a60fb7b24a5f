/** What of skills becomes text: descriptions, the catalog for system prompts, substitution in bodies (agents.md §15). */

import { fullPath } from "../model/index.ts";
import { at, refusal } from "../table/index.ts";
import { type Argument, compareTexts, Dict, List, textField, thrown, type Value } from "../values/index.ts";
import { isSkillRegistry, skillEntries, skillName } from "./skill-entries.ts";

const byName = (a: Dict, b: Dict): number => compareTexts(skillName(a), skillName(b));

/** The skills as a readable list. */
export function describeSkills(registry: Dict): string {
  const entries = skillEntries(registry).sort(byName);
  if (entries.length === 0) return "Available skills:\n(none)";
  const lines = entries.flatMap((entry) => {
    const when = textField(entry, "when_to_use");
    const line = `- ${skillName(entry)}: ${textField(entry, "description")}`;
    return when === "" ? [line] : [line, `  when: ${when}`];
  });
  return ["Available skills:", ...lines].join("\n");
}

// ── the catalog ───────────────────────────────────────────────────────────────────────────────────────────────────

/** What a model is told of each skill. Skills that a model may not load are not advertised. */
export function catalogEntries(registry: Dict): List {
  const offered = skillEntries(registry).filter((entry) => entry.get("disable_model_invocation") !== true);
  return new List(
    offered.sort(byName).map((entry) =>
      Dict.of({
        name: skillName(entry),
        description: textField(entry, "short") || textField(entry, "description"),
        when_to_use: textField(entry, "when_to_use"),
      }),
    ),
  );
}

const catalogCaller = "render_always_on_catalog";

const catalogHead = [
  "## Available skills",
  "",
  'These skills are available. Call `load_skill({ name: "<skill-id>" })` to load the full body of a skill when it becomes relevant.',
  "",
].join("\n");

/** Characters of the catalog unless somebody says otherwise. */
const usualBudget = 2000;

/** The catalog's text, with as many skills from the front as the budget has room for. `entries`: of a catalog, or a registry. */
export function catalogText(entries: Argument, budget: Argument = usualBudget): string {
  const room = catalogBudget(budget ?? usualBudget);
  const listed = isSkillRegistry(entries) ? catalogEntries(entries) : entries;
  if (!(listed instanceof List)) {
    throw refusal(at(catalogCaller, "entries"), "list of catalog entries", entries ?? null);
  }
  const lines = listed.toArray().map(catalogLine);
  if (lines.length === 0) return [catalogHead, "(none)"].join("\n");
  let text = "";
  for (let shown = lines.length; shown >= 0; shown--) {
    text = withSome(lines, shown);
    if ([...text].length <= room) break;
  }
  return text;
}

function withSome(lines: readonly string[], shown: number): string {
  const parts = [catalogHead, ...lines.slice(0, shown)];
  const left = lines.length - shown;
  if (left === 0) return parts.join("\n");
  // The head ends in a blank line of its own.
  if (shown > 0) parts.push("");
  return [...parts, `... ${left} more skill(s) omitted to stay within budget.`].join("\n");
}

function catalogBudget(budget: Value): number {
  if (typeof budget === "number" && Number.isInteger(budget) && budget > 0) return budget;
  if (budget === Number.POSITIVE_INFINITY) return budget;
  throw refusal(at(catalogCaller, "budget"), "int >= 1", budget);
}

function catalogLine(entry: Value): string {
  if (!(entry instanceof Dict)) throw refusal(at(catalogCaller, "entries"), "dicts", entry);
  const text = textField(entry, "short") || textField(entry, "description");
  const when = textField(entry, "when_to_use");
  const line = text === "" ? `- \`${skillName(entry)}\`` : `- \`${skillName(entry)}\`: ${text}`;
  return when === "" ? line : `${line}\n  when: ${when}`;
}

// ── substitution ──────────────────────────────────────────────────────────────────────────────────────────────────

/** Where placeholders of a body look: the environment and the working directory. */
export interface SkillSurroundings {
  readonly env: { get(name: string): string | undefined };
  readonly cwd: string;
  /** Of the loop that loads the skill. */
  readonly session?: string | null;
}

/** The body of an entry, or a text, with its placeholders filled. */
export function renderSkill(skill: Argument, args: Argument, around: SkillSurroundings): string {
  const words = skillArgumentsOf(args);
  if (typeof skill === "string") return substituteArguments(skill, words, undefined, around);
  if (!(skill instanceof Dict) || skill.get("_type") !== undefined || !skill.has("name")) {
    throw thrown("skill_render: first argument must be a skill entry or a string body");
  }
  const folder = textField(skill, "skill_dir");
  const body = textField(skill, "body") || textField(skill, "prompt");
  if (body === "" && folder !== "")
    throw thrown(`skill_render: the body of skill '${skillName(skill)}' is not loaded`);
  return substituteArguments(body, words, folder === "" ? undefined : folder, around);
}

function skillArgumentsOf(args: Argument): string[] {
  if (args === undefined || args === null) return [];
  if (args instanceof List && args.toArray().every((item) => typeof item === "string"))
    return args.toArray() as string[];
  throw thrown("skill_render: second argument must be a list of strings");
}

const placeholders = /\$\$|\$ARGUMENTS\b|\$([0-9]+)|\$\{(HARN_[A-Za-z0-9_]*)\}/g;

function substituteArguments(
  body: string,
  args: readonly string[],
  folder: string | undefined,
  around: SkillSurroundings,
): string {
  return body.replace(placeholders, (all, digits: string | undefined, name: string | undefined) => {
    if (digits !== undefined) return args[Number(digits) - 1] ?? all;
    if (name === "HARN_SKILL_DIR" && folder !== undefined) return fullPath(folder, around.cwd);
    if (name === "HARN_SESSION_ID" && typeof around.session === "string") return around.session;
    if (name !== undefined) return around.env.get(name) ?? all;
    return all === "$$" ? "$" : args.join(" ");
  });
}
