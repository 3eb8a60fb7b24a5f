/**
 * What a claim may cite: successful results that are younger than the last change, and work items whose check held. What the
 * model itself wrote down is none, wherever it is kept.
 */
import { callsSince, isChange } from "../../checks/index.ts";
import type { CallNote } from "../../state/completion-state.ts";
import type { Loop } from "../../state/loop-state.ts";

/**
 * Successful calls after the last one that changed something; all of them where nothing was changed. A program may have changed
 * something, and what it printed is younger than that.
 */
export function freshCalls({ state }: Loop): CallNote[] {
  const { calls } = state.slots.completion;
  const changed = calls.findLastIndex(isChange);
  const from = calls[changed]?.changes.runs === true ? changed : changed + 1;
  return calls.slice(from).filter(({ ok, changes }) => ok && changes.found);
}

/** Whether a citation names one of them: by tool, path, call id or item id. */
export function resolves(loop: Loop, citation: string): boolean {
  const fresh = freshCalls(loop);
  const named = fresh.some(
    ({ tool, paths, callId }) => tool === citation || callId === citation || paths.includes(citation),
  );
  return named || isCheckedItem(loop, citation);
}

/** A work item counts by its check, until something is changed: what is stored for it are the model's words. */
function isCheckedItem({ conversation, state }: Loop, id: string): boolean {
  const { heldItems, calls, called } = state.slots.completion;
  const held = heldItems.get(id);
  const item = conversation.workItems?.items.find((known) => known.id === id);
  if (held === undefined || item?.status !== "done") return false;
  return !callsSince({ calls, count: called }, held).some(isChange);
}

/** Whether a citation names what the model wrote down itself. */
export const namesOwnWords = ({ conversation, state }: Loop, citation: string): boolean =>
  conversation.workItems?.items.some(({ id }) => id === citation) === true ||
  state.slots.completion.calls.some(({ tool, changes }) => tool === citation && !changes.found);
