/**
 * What the model is shown of the tools: all of the loop's, less those that narrowing took away, those that have to be
 * searched for first, and those that active skills leave out. The one place where `loop.visible` is made.
 */

import type { ToolEntry } from "../../model/index.ts";
import { selectTools, toolSetOf } from "../../model/index.ts";
import { isInMode } from "../policy/modes.ts";
import { isControlTool } from "../state/control-tools.ts";
import { loadSkillName } from "../state/load-skill-name.ts";
import type { Loop } from "../state/loop-state.ts";
import { isOutOfView, recallName } from "./recall.ts";

/** Makes the list anew. Call it when something that it depends on has changed. */
export function refreshVisible(loop: Loop): void {
  if (loop.state.slots.closing.begun) {
    loop.visible = toolSetOf([]);
    return;
  }
  const inScope = loop.skills?.scope(loop) ?? (() => true);
  const shows = (entry: ToolEntry): boolean => hiddenBy(loop, entry, inScope) === null;
  loop.visible = loop.tools.entries.every(shows) ? loop.tools : selectTools(loop.tools, shows);
}

/** What keeps a tool from the model, for people; null: nothing does. */
function hiddenBy(loop: Loop, entry: ToolEntry, inScope: (entry: ToolEntry) => boolean): string | null {
  const { name } = entry;
  const { narrowing, toolSearch } = loop.state.slots;
  if (isControlTool(entry))
    return name === recallName && !isOutOfView(loop.conversation) ? "nothing is out of view" : null;
  // With no tools of the user the model is not told of the runtime's either, `load_skill` excepted (agents.md §10.1).
  if (!loop.usesTools && name !== loadSkillName) return "`tools`: the loop has none of its caller's";
  if (narrowing.removed.has(name)) return "`tool_surface_narrowing`: it had not been called for a while";
  if (loop.unlisted.has(name)) return "nobody could resume the loop";
  if (!isOffered(loop, entry)) return `\`modes\`: the mode was ${loop.agentMode()}`;
  if (isDeferredTool(loop, entry) && !toolSearch.promoted.includes(name))
    return "`tool_search`: it has to be searched for first";
  return inScope(entry) ? null : "`skills`: an active skill leaves it out";
}

/** The loop's tools that the model is not told of now, and what keeps each from it. */
export function hiddenTools(loop: Loop): { readonly name: string; readonly by: string }[] {
  const { closing } = loop.state.slots;
  const inScope = loop.skills?.scope(loop) ?? (() => true);
  return loop.tools.entries.flatMap((entry) => {
    const by = closing.begun ? "the last turn of the loop has no tools" : hiddenBy(loop, entry, inScope);
    return by === null ? [] : [{ name: entry.name, by }];
  });
}

/** Whether the loop's mode has a tool. */
export function isOffered(loop: Loop, entry: ToolEntry): boolean {
  const mode = loop.agentMode();
  return mode === null || isInMode(entry, mode, loop.options.policy?.toolAnnotations ?? null);
}

/** Whether a tool is one of those that the loop's own search finds. */
export const isDeferredTool = (loop: Loop, entry: ToolEntry): boolean =>
  loop.disclosure?.mode === "client" && entry.deferLoading;
