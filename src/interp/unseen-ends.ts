/**
 * Agents and tasks that failed, in a program that never looks how they ended: said once, when the program is over, with the
 * place of the call. Kept here, not with the agents: a program without agents does not load them at its end.
 */
import type { AgentFailure } from "../effects/index.ts";
import type { Value } from "../values/index.ts";
import { stateKey } from "./runtime.ts";

/** An end that nobody has looked at yet. */
export interface UnseenEnd {
  readonly what: "agent" | "task";
  /** What the program was given of it last. */
  result: Value | undefined;
  /** The place of the call, with what comes before a text; "" where none is known. */
  readonly at: string;
  readonly text: string;
}

/** `task.runtime.state(unseenEnds)` */
export const unseenEnds = stateKey<Set<UnseenEnd>>("unseen ends", () => new Set());

/** A loop that spawns in vain is told once, not a thousand times. */
const maxTasks = 5;

/** A line for each, without its end; `returned` is what the program gave back. */
export function unseenLines(ends: ReadonlySet<UnseenEnd>, returned: Value): string[] {
  const unseen = [...ends].filter(({ result }) => result !== returned);
  const of = (what: UnseenEnd["what"]): UnseenEnd[] => unseen.filter((one) => one.what === what);
  const tasks = of("task").map(({ at, text }) => `${at}this task failed (${text}), and nobody awaited it`);
  const more = tasks.length - maxTasks;
  return [
    ...of("agent").map(
      ({ at, text }) => `${at}this agent ended as ${text}, and the program never looked at its status`,
    ),
    ...tasks.slice(0, maxTasks),
    ...(more > 0 ? [`${more} more tasks failed, and nobody awaited them`] : []),
  ];
}

/** How the outermost agent ended that ended last: null when it did its work. Agents set it. */
export const agentOutcome = stateKey<{ bad: AgentFailure | null }>("agent outcome", () => ({ bad: null }));

/** Work that stands still until somebody answers, as the program's end leaves it: whoever keeps such work sets it. */
interface WaitingWork {
  /** A line for each, without its end. */
  lines: () => readonly string[];
}

/** `runtime.state(waitingWork)` */
export const waitingWork = stateKey<WaitingWork>("waiting work", () => ({ lines: () => [] }));
