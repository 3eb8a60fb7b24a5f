/**
 * The skills of a loop, as the loop sees them (`agent/state/extensions.ts`): what stands in its system text and which tools are left
 * (agents.md §15.3, §15.4). And loops with everything that they may use: servers of the Model Context Protocol, and skills.
 */
import {
  type Loop,
  type LoopExtensions,
  type LoopSkills,
  loadLoopMachine,
  runningLoops,
} from "../agent/index.ts";
import type { Task } from "../interp/index.ts";
import { connectServer, openLoopServers, serverConfigOf } from "../mcp/index.ts";
import { isObject, projectManifest, type ToolEntry, type ToolGate } from "../model/index.ts";
import { Dict, fromJson, textField, type Value } from "../values/index.ts";
import { matchForTurn } from "./active-skills.ts";
import { loadSkillCall, loadSkillTool, scopeAfterLoading } from "./load-tool.ts";
import { skillList, skillName, skillRegistryOf } from "./skill-entries.ts";
import { type SkillOptions, skillOptionsIn } from "./skill-options.ts";
import { catalogEntries, catalogText } from "./skill-text.ts";

class SkillsOfLoop implements LoopSkills {
  readonly options: SkillOptions;
  readonly tool: LoopSkills["tool"];

  constructor(options: SkillOptions) {
    this.options = options;
    this.tool = loadSkillTool(options);
  }

  readonly gate: LoopSkills["gate"] = (loop) => skillGate(loop, this.options);
  readonly scope: LoopSkills["scope"] = (loop) => skillScope(loop, this.options);
  readonly activeText: LoopSkills["activeText"] = (loop) => activeSkillsText(loop, this.options);
  readonly catalogText: LoopSkills["catalogText"] = () => skillCatalog(this.options);
  readonly prepare: LoopSkills["prepare"] = (loop) => matchForTurn(loop, this.options);
  readonly settled: LoopSkills["settled"] = (loop) => scopeAfterLoading(loop, this.options);
}

/** The options of a loop's skills; null in a loop without. */
const skillOptionsOf = ({ skills }: Loop): SkillOptions | null =>
  skills instanceof SkillsOfLoop ? skills.options : null;

/** The entries of the skills of the innermost loop around a task. */
export function skillsAround(task: Task): readonly Dict[] {
  const loop = task.runtime.state(runningLoops).current(task);
  return loop === null ? [] : (skillOptionsOf(loop)?.entries ?? []);
}

const extensions: LoopExtensions = {
  withSkillDefaults,
  readSkills: (value) => {
    const options = skillOptionsIn(value, "agent_loop");
    return options === null ? null : new SkillsOfLoop(options);
  },
  answerLoadSkill: (loop) => loadSkillCall(loop, skillOptionsOf(loop)),
  openServers: openLoopServers,
  connectServer: (task, description, where) => connectServer(task, serverConfigOf(description, where), where),
};

/** The loop itself, loaded by the first `agent_loop`. */
export const loadAgentLoop = async () => (await loadLoopMachine()).agentLoops(extensions);

/**
 * `[skills.defaults]` of the manifest: `tool_search` and its `always_loaded` for loops that use skills and do not say so
 * themselves, wherever their skills come from. A loop without skills reads no manifest.
 */
function withSkillDefaults(task: Task, options: Dict): Dict {
  if (!options.has("skills") || skillOptionsIn(options, "agent_loop") === null) return options;
  const skills = projectManifest(task)?.tables.skills;
  const defaults = isObject(skills) ? skills.defaults : undefined;
  if (!isObject(defaults)) return options;
  const read = (key: string): Value => fromJson((defaults[key] ?? null) as never);
  const search = options.get("tool_search") ?? read("tool_search");
  const loaded = read("always_loaded");
  if (search === null) return options;
  const dict = searchDict(search);
  const isOpen = dict !== undefined && (dict.get("always_loaded") ?? null) === null && loaded !== null;
  return options.with("tool_search", isOpen ? dict.with("always_loaded", loaded) : search);
}

/** The longer form of the option; what is neither its reader refuses. */
function searchDict(search: Value): Dict | undefined {
  if (search instanceof Dict) return search;
  if (search === true) return new Dict();
  return typeof search === "string" ? Dict.of({ variant: search }) : undefined;
}

/** The part of the system text about active skills; "" when none is. */
function activeSkillsText({ conversation }: Loop, skills: SkillOptions): string {
  const parts = conversation.activeSkills.flatMap(({ name, body }) => {
    const entry = skills.entries.find((one) => skillName(one) === name);
    return entry === undefined || body === null ? [] : [skillBlock(entry, body)];
  });
  return parts.length === 0 ? "" : ["## Active skills", ...parts].join("\n\n");
}

/** `strategy: "catalog"`: nothing is matched, the model is told of all skills; "" otherwise. */
function skillCatalog(skills: SkillOptions): string {
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

/**
 * Whether the active skills leave a tool: the union of their `allowed_tools` does. Skills without a list do not narrow, and tools of
 * the runtime always stay. What is outside is not shown, and refused when it is called.
 */
function skillScope(loop: Loop, skills: SkillOptions): (entry: ToolEntry) => boolean {
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
const skillGate = (loop: Loop, skills: SkillOptions): ToolGate => ({
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
