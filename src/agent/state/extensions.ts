/**
 * What a loop gets from folders that stand above `agent/`: servers of the Model Context Protocol (`mcp/`) and skills
 * (`skills/`). The loop knows them by these interfaces only; `skills/loop-skills.ts` puts them together.
 */

import type { Task } from "../../interp/index.ts";
import type { StructuralTool, ToolEntry, ToolSet } from "../../model/index.ts";
import type { Dict, HandleValue, MaybePromise, Value } from "../../values/index.ts";
import type { Loop, LoopSkills } from "./loop-state.ts";

/** A connected server, as scripts hold it. */
export type ServerClient = HandleValue & { readonly name: string };

/** The servers of one loop. */
export interface LoopServers {
  readonly tools: readonly ToolEntry[];
  /** What the servers want a model to know, for the system text; "" for nothing. */
  readonly notes: string;
  /** Tools whose executor is a server, bound to the server that runs them. */
  bind(set: ToolSet): ToolSet;
  /** Ends the loop's own connections; does not wait for them. */
  close(): void;
}

export interface LoopExtensions {
  /** The options of a loop with what the project's manifest says for loops that use skills. */
  withSkillDefaults(task: Task, options: Dict): Dict;
  /** Reads `skills`, `skill_match`, `working_files`; null without skills. Throws what is wrong with them. */
  readSkills(options: Dict): LoopSkills | null;
  /** Answers calls of `load_skill`, also in a loop without skills: it says so. */
  answerLoadSkill(loop: Loop): StructuralTool;
  /** Connects what the option `mcp_servers` names; nil is a loop without servers of its own. */
  openServers(task: Task, option: Value): MaybePromise<LoopServers>;
  /** Connects one server that a host described. `where` begins error texts. */
  connectServer(task: Task, description: Dict, where: string): Promise<ServerClient>;
}
