/**
 * What the model is shown of the tools: all of them, less what narrowing took away and what active skills leave out. The
 * one place where `loop.visible` is made.
 */
import type { Loop } from "../loop-state.ts";
import { loadSkillName } from "../skills/load-tool-name.ts";
import { skillScope } from "../skills/skill-scope.ts";
import { selectTools } from "../tools/tool-set.ts";

/** Makes `loop.visible` anew. Call it when something that it depends on has changed. */
export function refreshVisible(loop: Loop): void {
  const inScope = skillScope(loop);
  const { removed } = loop.state.slots.narrowing;
  loop.visible = selectTools(
    loop.tools,
    // With no tools of the user the model is not told of the runtime's either, `load_skill` excepted (agents.md §10.1).
    (entry) => (loop.usesTools || entry.name === loadSkillName) && !removed.has(entry.name) && inScope(entry),
  );
}
