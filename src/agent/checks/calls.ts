/** Whether a tool was called with success, and nothing was changed since. Pure. */
import type { CallChanges, ToolOutcome } from "../../model/index.ts";
import { Dict, equals, nameMatches } from "../../values/index.ts";
import { type CheckLook, excerptOf, met, partly, unmet } from "./look.ts";

/** A call as a check sees it, oldest first. */
export interface CheckedCall extends Pick<ToolOutcome, "callId" | "ok" | "arguments"> {
  readonly tool: string;
  /** 1-based. */
  readonly turn: number;
  /** What it changed outside, failed or not. */
  readonly changes: CallChanges;
  /** What it gave is what a model wrote: a note, a plan, the report of a delegate. */
  readonly isWords: boolean;
  /** What it gave, as the model was shown it. */
  readonly text: string;
}

/** Whether successes before it may be true no longer. */
export const isChange = ({ changes }: Pick<CheckedCall, "changes">): boolean =>
  changes.writes || changes.runs;

export interface WantedCall {
  readonly tool: string;
  readonly args: Dict | null;
  readonly minCount: number;
  /** Nothing may have been changed since. */
  readonly fresh: boolean;
  /** Whether another check asks for this call: a program that it runs is one that looks. */
  readonly isCheck?: (call: CheckedCall) => boolean;
}

/** What has been seen of the calls so far, as far as one check is concerned. Data only. */
export interface CallsSeen {
  /** How many calls there were when it was last looked. */
  seen: number;
  /** The newest that fits, how many that fit succeeded, and the first that changed something after the newest. */
  newest: CheckedCall | null;
  succeeded: number;
  changedBy: CheckedCall | null;
}

export const noCallsSeen = (): CallsSeen => ({ seen: 0, newest: null, succeeded: 0, changedBy: null });

/** The calls of a loop, oldest first; of `count` that there were, the first ones may be forgotten. */
export interface CallRecord {
  readonly calls: readonly CheckedCall[];
  readonly count: number;
}

/** Those of the calls that came since so many. */
export const callsSince = <T>({ calls, count }: { calls: readonly T[]; count: number }, seen: number): T[] =>
  calls.slice(Math.max(0, calls.length - (count - seen)));

/** Looks at what was called since the last look; what came before it is in `memory`. */
export function lookAtCalls(memory: CallsSeen, record: CallRecord, wanted: WantedCall): CheckLook {
  for (const call of callsSince(record, memory.seen)) takeIn(memory, call, wanted);
  memory.seen = record.count;
  const { tool, minCount } = wanted;
  const { newest, succeeded, changedBy } = memory;
  if (newest === null)
    return unmet(`${tool} was not called${wanted.args === null ? "" : " with these arguments"}`);
  const evidence = [
    { kind: "tool_result", ref: newest.callId, digest: null, excerpt: excerptOf(newest.text) },
  ] as const;
  if (!newest.ok) return unmet(`the newest call of ${tool} failed (turn ${newest.turn})`, evidence);
  if (succeeded < minCount) return partly(`${tool} succeeded ${succeeded} of ${minCount} times`, evidence);
  if (wanted.fresh && changedBy !== null)
    return partly(
      `${tool} succeeded in turn ${newest.turn}, and ${changedBy.tool} ${changeText(changedBy)} in turn ${changedBy.turn}`,
      evidence,
    );
  return met(`${tool} succeeded (turn ${newest.turn})`, evidence);
}

const changeText = ({ changes }: CheckedCall): string =>
  changes.writes ? "changed something" : "ran a program that may have changed something";

function takeIn(memory: CallsSeen, call: CheckedCall, wanted: WantedCall): void {
  if (fitsCall(call, wanted)) {
    memory.newest = call;
    memory.changedBy = null;
    if (call.ok) memory.succeeded++;
  } else if (call.changes.writes || (call.changes.runs && wanted.isCheck?.(call) !== true))
    memory.changedBy ??= call;
}

/** Whether it is a call of the tool with these arguments. */
export const fitsCall = (call: CheckedCall, { tool, args }: Pick<WantedCall, "tool" | "args">): boolean =>
  nameMatches(tool, call.tool) && hasArguments(call.arguments, args);

/** Every argument that is named is as wanted; others are free. */
function hasArguments(options: Dict, wanted: Dict | null): boolean {
  if (wanted === null) return true;
  return [...wanted.entries()].every(([name, value]) => {
    const own = options.get(name) ?? null;
    if (own instanceof Dict && value instanceof Dict) return hasArguments(own, value);
    return equals(own, value);
  });
}
