/**
 * What people answered while a trigger's handler ran: kept with its event, so that a replay of the event gets the same
 * answers, with their names, times and signatures, and asks nobody.
 */
import type { StateKey, Task } from "../../interp/index.ts";
import type { HumanRequest } from "./request.ts";
import type { Outcome } from "./responses.ts";

export interface TapedAnswer {
  readonly kind: HumanRequest["kind"];
  /** Of the request that it answers. */
  readonly id: string;
  readonly outcome: Outcome;
}

export interface HumanTape {
  /** In the order in which they were given. */
  readonly taken: TapedAnswer[];
  /** Where a replay stands; `undefined` while recording. */
  at: number | undefined;
}

/** The tapes of handlers that run, by the task that runs them. */
const tapes: StateKey<WeakMap<Task, HumanTape>> = { name: "human tapes", create: () => new WeakMap() };

/** The tape of the handler that a task works for. */
export function tapeOf(task: Task): HumanTape | undefined {
  const running = task.runtime.state(tapes);
  for (let at: Task | undefined = task; at !== undefined; at = at.parent) {
    const tape = running.get(at);
    if (tape !== undefined) return tape;
  }
  return undefined;
}

/** Puts a tape in; the function that it gives puts the former one back. */
export function insertTape(task: Task, tape: HumanTape): () => void {
  const running = task.runtime.state(tapes);
  const former = running.get(task);
  running.set(task, tape);
  return () => {
    if (former === undefined) running.delete(task);
    else running.set(task, former);
  };
}

/** The next answer on a tape that is played back; `undefined` when the tape has none. */
export function nextOnTape(tape: HumanTape | undefined, kind: HumanRequest["kind"]): TapedAnswer | undefined {
  if (tape?.at === undefined) return undefined;
  const next = tape.taken[tape.at];
  return next?.kind === kind ? next : undefined;
}
