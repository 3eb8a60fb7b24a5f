/**
 * Anchors: what is looked for in a summary that somebody else wrote. They are taken from what leaves the view before anybody is
 * asked (`_anchors` in std/agent/compaction), and no summarizer is shown them.
 *
 *     person   exact parts of what people said       nothing of it may be lost
 *     file     paths that were changed               all must be there
 *     tool     last failures, names in what calls wrote
 *     entry    entries of the summary so far         all must be there
 *     must     what the script named                 all must be there
 *
 * An anchor is present when it stands in the candidate, recoverable when its message is named there, else lost.
 */
import type { Retention } from "../../../model/index.ts";
import { foldBlanks } from "../exact-words.ts";
import { cut } from "./notes.ts";

export interface Anchor {
  readonly rule: "person" | "file" | "tool" | "entry" | "must";
  readonly text: string;
  readonly message: string;
}

const maxAnchor = 200;

interface CheckedSummary {
  readonly accepted: boolean;
  /** Why not; "" when it is accepted. */
  readonly reason: string;
  readonly retention: Retention;
  /** What would help when it stood in the candidate literally. */
  readonly missing: readonly Anchor[];
}

const maxLost = 20;

/** Whether a candidate without this anchor's text is refused; `reachable`: its message is named. */
const isAnchorNeeded = ({ rule }: Anchor, reachable: boolean): boolean =>
  rule === "entry" || rule === "must" || rule === "file" || (rule === "person" && !reachable);

/** Looks for the anchors in a candidate. */
export function checkSummary(
  candidate: string,
  anchors: readonly Anchor[],
  minRetention: number,
): CheckedSummary {
  const folded = foldBlanks(candidate);
  const named = new Set(candidate.match(/[\w-]+/g) ?? []);
  let present = 0;
  let recoverable = 0;
  let counted = 0;
  let countedKept = 0;
  let refused = "";
  const lost: string[] = [];
  const missing: Anchor[] = [];
  for (const anchor of anchors) {
    const { rule, text, message } = anchor;
    const stands = folded.includes(foldBlanks(text));
    const reachable = !stands && rule !== "entry" && named.has(message);
    if (stands) present++;
    else if (reachable) recoverable++;
    else lost.push(cut(text, maxAnchor));
    if (rule === "person" || rule === "tool") {
      counted++;
      if (stands || reachable) countedKept++;
    }
    if (stands) continue;
    if (rule !== "tool" || !reachable) missing.push(anchor);
    if (refused === "" && isAnchorNeeded(anchor, reachable))
      refused = `${rule === "entry" ? `entry ${message}` : cut(text, 80)} is missing`;
  }
  if (refused === "" && counted > 0 && countedKept / counted < minRetention)
    refused = `${countedKept} of ${counted} exact parts are kept`;
  const retention: Retention = {
    checked: anchors.length,
    present,
    recoverable,
    lost: lost.slice(0, maxLost),
  };
  return { accepted: refused === "", reason: refused, retention, missing };
}
