/** The skills of a loop, as the loop sees them (`agent/state/extensions.ts`). */
import { type Loop, type LoopSkills, runningLoops } from "../agent/index.ts";
import type { Task } from "../interp/index.ts";
import type { Dict } from "../values/index.ts";
import { matchForTurn } from "./active-skills.ts";
import { activeSkillsText, skillCatalog } from "./active-text.ts";
import { loadSkillTool, scopeAfterLoading } from "./load-tool.ts";
import type { SkillOptions } from "./skill-options.ts";
import { skillGate, skillScope } from "./skill-scope.ts";

export class SkillsOfLoop implements LoopSkills {
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
export const skillOptionsOf = ({ skills }: Loop): SkillOptions | null =>
  skills instanceof SkillsOfLoop ? skills.options : null;

/** The entries of the skills of the innermost loop around a task. */
export function skillsAround(task: Task): readonly Dict[] {
  const loop = task.runtime.state(runningLoops).current(task);
  return loop === null ? [] : (skillOptionsOf(loop)?.entries ?? []);
}
