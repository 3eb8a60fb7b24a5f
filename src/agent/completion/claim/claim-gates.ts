/**
 * What a claim must show for itself: rows 6 and 11 of the stop table. It may cite successful results that are younger than the last
 * change, and work items whose check held. What the model itself wrote down is none, wherever it is kept.
 */

import { callsSince, isChange } from "../../checks/index.ts";
import { wantsCitation } from "../../options/completion-options.ts";
import type { CallNote } from "../../state/completion-state.ts";
import type { Loop } from "../../state/loop-state.ts";
import type { Turn } from "../../state/requests.ts";
import { refuseClaim } from "../refusals.ts";
import type { GateFact } from "../stop-table.ts";
import type { Claim } from "./claim.ts";

const passed: GateFact = { kind: "passed" };

/** Row 6: a claim stands only beside calls that succeeded. */
export function* batchGate(loop: Loop, claim: Claim | null): Turn<GateFact> {
  if (claim === null || claim.failed.length === 0) return passed;
  const names = [...new Set(claim.failed.map(({ name }) => name))].join(", ");
  const reason = `these calls of the same turn failed: ${names}`;
  return yield* refuseClaim(loop, { gate: "batch", reason });
}

/** Row 11: what the claim cites must be a successful result that is younger than the last change. */
export function* evidenceGate(loop: Loop, claim: Claim | null): Turn<GateFact> {
  const { completion } = loop.options;
  if (completion === null || !wantsCitation(completion, loop.conversation.contract !== null)) return passed;
  const cited = claim?.evidence ?? [];
  const unresolved = cited.filter((citation) => !resolves(loop, citation));
  if (cited.length > unresolved.length) return passed;
  const fresh = freshCalls(loop);
  const would = [...new Set(fresh.map(({ tool }) => tool))];
  const reason =
    cited.length === 0
      ? "the claim cites no evidence"
      : `nothing that the claim cites is a successful result since the last change: ${unresolved.join(", ")}`;
  const own = unresolved.filter((citation) => namesOwnWords(loop, citation));
  const words = own.length === 0 ? "" : `What you wrote yourself shows nothing: ${own.join(", ")}. `;
  const details =
    would.length === 0
      ? "Nothing was checked since the last change: look at the result first, then cite the tool or path."
      : `Results that can be cited: ${would.join(", ")}.`;
  return yield* refuseClaim(loop, { gate: "evidence", reason, details: words + details });
}

/**
 * Successful calls after the last one that changed something; all of them where nothing was changed. A program may have changed
 * something, and what it printed is younger than that.
 */
function freshCalls({ state }: Loop): CallNote[] {
  const { calls } = state.slots.completion;
  const changed = calls.findLastIndex(isChange);
  const from = calls[changed]?.changes.runs === true ? changed : changed + 1;
  return calls.slice(from).filter(({ ok, changes }) => ok && changes.found);
}

/** Whether a citation names one of them: by tool, path, call id or item id. */
function resolves(loop: Loop, citation: string): boolean {
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
const namesOwnWords = ({ conversation, state }: Loop, citation: string): boolean =>
  conversation.workItems?.items.some(({ id }) => id === citation) === true ||
  state.slots.completion.calls.some(({ tool, changes }) => tool === citation && !changes.found);
