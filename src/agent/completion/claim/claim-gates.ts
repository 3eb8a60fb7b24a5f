/** What a claim must show for itself: rows 6 and 11 of the stop table. */
import { wantsCitation } from "../../options/completion-options.ts";
import type { Loop } from "../../state/loop-state.ts";
import type { Turn } from "../../state/requests.ts";
import { refuseClaim } from "../refusals.ts";
import type { GateFact } from "../stop-table.ts";
import { freshCalls, namesOwnWords, resolves } from "./citations.ts";
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
