/**
 * Results of agents that failed, in a program that never looks how they ended: said once, when the program is over, with
 * the place of the call. Kept here, not with the agents: a program without agents does not load them at its end.
 */
import type { Value } from "../values/index.ts";
import type { StateKey } from "./runtime.ts";

/** An end that nobody has looked at yet. */
export interface UnseenEnd {
  /** What the program was given of it last. */
  result: Value | undefined;
  readonly at: string;
  readonly text: string;
}

/** `task.runtime.state(unseenEnds)` */
export const unseenEnds: StateKey<Set<UnseenEnd>> = { name: "agent.unseen ends", create: () => new Set() };

/** A line for each, without its end; `returned` is what the program gave back. */
export function unseenLines(ends: ReadonlySet<UnseenEnd>, returned: Value): string[] {
  return [...ends]
    .filter(({ result }) => result !== returned)
    .map(({ at, text }) => `${at}this agent ended as ${text}, and the program never looked at its status`);
}

/** Work that stands still until somebody answers, as the program's end leaves it: whoever keeps such work sets it. */
export interface WaitingWork {
  /** A line for each, without its end. */
  lines: () => readonly string[];
}

/** `runtime.state(waitingWork)` */
export const waitingWork: StateKey<WaitingWork> = {
  name: "waiting work",
  create: () => ({ lines: () => [] }),
};
