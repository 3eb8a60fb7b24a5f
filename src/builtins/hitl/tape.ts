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
  /** When it came, for answers that do not say so themselves. */
  readonly cameAt: string;
}

export interface HumanTape {
  /** In the order in which they were given. */
  readonly taken: TapedAnswer[];
  /** How many of them the handler has had, this time. */
  at: number;
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

/** The next answer on a tape; `undefined` when the handler asks for something new. */
export function nextOnTape(tape: HumanTape | undefined, kind: HumanRequest["kind"]): TapedAnswer | undefined {
  const next = tape?.taken[tape.at];
  return next?.kind === kind ? next : undefined;
}

/** Puts a new answer where the tape stands; what came behind it belonged to another course of things. */
export function putOnTape(tape: HumanTape, answer: TapedAnswer): void {
  tape.taken.splice(tape.at, Number.POSITIVE_INFINITY, answer);
  tape.at++;
}
