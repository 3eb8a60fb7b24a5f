/** Agent loops with everything that they may use: servers of the Model Context Protocol, and skills. */
import { type LoopExtensions, loadLoopMachine } from "../agent/index.ts";
import { connectServer, openLoopServers, readServerConfig } from "../mcp/index.ts";
import { loadSkillCall } from "./load-tool.ts";
import { withSkillDefaults } from "./loop-defaults.ts";
import { SkillsOfLoop, skillOptionsOf } from "./loop-skills.ts";
import { readSkillOptions } from "./skill-options.ts";

const extensions: LoopExtensions = {
  withSkillDefaults,
  readSkills: (value) => {
    const options = readSkillOptions(value, "agent_loop: ");
    return options === null ? null : new SkillsOfLoop(options);
  },
  answerLoadSkill: (loop) => loadSkillCall(loop, skillOptionsOf(loop)),
  openServers: openLoopServers,
  connectServer: (task, description, where) =>
    connectServer(task, readServerConfig(description, where), where),
};

/** The loop itself, loaded by the first `agent_loop`. */
export const loadAgentLoop = async () => (await loadLoopMachine()).agentLoops(extensions);
