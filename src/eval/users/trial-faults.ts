/** The faults of a trial's simulated user, from what the trial left. */
import { Dict, List, textOf } from "../../values/index.ts";
import { canonicalJson, type Fault, type Score } from "../plan/index.ts";

/** Those that the dialogue found, and those that a reviewer added. */
export function faultsOf(outcome: Dict, scores: readonly Score[]): Fault[] {
  const dialogue = outcome.get("dialogue");
  const found = dialogue instanceof Dict ? dialogue.get("faults") : null;
  return [found, ...scores.map(({ meta }) => meta?.get("faults"))].flatMap((list) =>
    list instanceof List
      ? list.toArray().flatMap((one) => (one instanceof Dict ? [faultFrom(one)] : []))
      : [],
  );
}

const faultFrom = (options: Dict): Fault => ({
  kind: textOf(options.get("kind") ?? ""),
  severity: (options.get("severity") ?? "minor") as Fault["severity"],
  turn: Number(options.get("turn") ?? 0),
  evidence: textOf(options.get("evidence") ?? ""),
});

/** Canonical JSON, as the store keeps them. */
export const faultsText = (faults: readonly Fault[]): string =>
  canonicalJson(
    new List(faults.map(({ kind, severity, turn, evidence }) => Dict.of({ kind, severity, turn, evidence }))),
  );
