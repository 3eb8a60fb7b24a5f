/** Whether a tool was called with success, and nothing was changed since. Pure. */
import { Dict, equals, nameMatches } from "../../values/index.ts";
import { excerptOf, type Look, met, partly, unmet } from "./look.ts";

/** A call as a check sees it, oldest first. */
export interface CheckedCall {
  readonly tool: string;
  readonly ok: boolean;
  readonly callId: string;
  readonly turn: number;
  readonly writes: boolean;
  readonly arguments: Dict;
  readonly text: string;
}

export interface WantedCall {
  readonly tool: string;
  readonly args: Dict | null;
  readonly minCount: number;
  /** No writing call may have come after it. */
  readonly fresh: boolean;
}

export function lookAtCalls(calls: readonly CheckedCall[], wanted: WantedCall): Look {
  const { tool, minCount } = wanted;
  const fitting = calls.filter(
    (call) => nameMatches(tool, call.tool) && hasArguments(call.arguments, wanted.args),
  );
  const newest = fitting.at(-1);
  if (newest === undefined)
    return unmet(`${tool} was not called${wanted.args === null ? "" : " with these arguments"}`);
  const evidence = [
    { kind: "tool_result", ref: newest.callId, digest: null, excerpt: excerptOf(newest.text) },
  ] as const;
  if (!newest.ok) return unmet(`the newest call of ${tool} failed (turn ${newest.turn})`, evidence);
  const succeeded = fitting.filter(({ ok }) => ok).length;
  if (succeeded < minCount) return partly(`${tool} succeeded ${succeeded} of ${minCount} times`, evidence);
  const since = calls.slice(calls.indexOf(newest) + 1).find(({ writes }) => writes);
  if (wanted.fresh && since !== undefined)
    return partly(
      `${tool} succeeded in turn ${newest.turn}, and ${since.tool} changed something in turn ${since.turn}`,
      evidence,
    );
  return met(`${tool} succeeded (turn ${newest.turn})`, evidence);
}

/** Every argument that is named is as wanted; others are free. */
function hasArguments(given: Dict, wanted: Dict | null): boolean {
  if (wanted === null) return true;
  return [...wanted.entries()].every(([name, value]) => {
    const own = given.get(name) ?? null;
    if (own instanceof Dict && value instanceof Dict) return hasArguments(own, value);
    return equals(own, value);
  });
}
