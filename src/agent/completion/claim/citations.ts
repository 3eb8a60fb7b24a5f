/** What a claim may cite: successful results that are younger than the last change, and finished work items. */
import type { CallNote } from "../../state/completion-state.ts";
import type { Loop } from "../../state/loop-state.ts";

/** Successful calls after the last one that changed something; all of them where nothing was changed. */
export function freshCalls({ state }: Loop): CallNote[] {
  const { calls } = state.slots.completion;
  const written = calls.findLastIndex(({ writes }) => writes);
  return calls.slice(written + 1).filter(({ ok }) => ok);
}

/** Whether a citation names one of them: by tool, path, call id or item id. */
export function resolves(loop: Loop, citation: string): boolean {
  const fresh = freshCalls(loop);
  const named = fresh.some(
    ({ tool, paths, callId }) => tool === citation || callId === citation || paths.includes(citation),
  );
  return named || isFinishedItem(loop, citation);
}

/** A work item counts by what it holds. */
function isFinishedItem({ conversation }: Loop, id: string): boolean {
  const item = conversation.workItems?.items.find((known) => known.id === id);
  return item?.status === "done" && item.artifact !== null;
}
