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
  const { narrowing, toolSearch } = loop.state.slots;
  if (loop.state.slots.closing.begun) {
    loop.visible = toolSetOf([]);
    return;
  }
  const inScope = loop.skills?.scope(loop) ?? (() => true);
  const shows = (entry: ToolEntry): boolean =>
    // With no tools of the user the model is not told of the runtime's either, `load_skill` excepted (agents.md §10.1).
    (isControlTool(entry) && (entry.name !== recallName || isOutOfView(loop.conversation))) ||
    (!isControlTool(entry) &&
      (loop.usesTools || entry.name === loadSkillName) &&
      !narrowing.removed.has(entry.name) &&
      !loop.unlisted.has(entry.name) &&
      isOffered(loop, entry) &&
      (!isDeferredTool(loop, entry) || toolSearch.promoted.includes(entry.name)) &&
      inScope(entry));
  loop.visible = loop.tools.entries.every(shows) ? loop.tools : selectTools(loop.tools, shows);
}

/** Whether the loop's mode has a tool. */
export function isOffered(loop: Loop, entry: ToolEntry): boolean {
  const mode = loop.agentMode();
  return mode === null || isInMode(entry, mode, loop.options.policy?.annotations ?? null);
}

/** Whether a tool is one of those that the loop's own search finds. */
export const isDeferredTool = (loop: Loop, entry: ToolEntry): boolean =>
  loop.disclosure?.mode === "client" && entry.deferLoading;
