/** Agent loops with everything that they may use: servers of the Model Context Protocol, and skills. */
import { type LoopExtensions, loadLoopMachine } from "../agent/index.ts";
import type { Task } from "../interp/index.ts";
import { connectServer, openLoopServers, serverConfigOf } from "../mcp/index.ts";
import { isObject, projectManifest } from "../model/index.ts";
import { Dict, fromJson, type Value } from "../values/index.ts";
import { loadSkillCall } from "./load-tool.ts";
import { SkillsOfLoop, skillOptionsOf } from "./loop-skills.ts";
import { skillOptionsIn } from "./skill-options.ts";

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
