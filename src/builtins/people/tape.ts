/**
 * What people answered while a trigger's handler ran: kept with its event, so that a replay of the event gets the same
 * answers, with their names, times and signatures, and asks nobody.
 */
import { type Task, TaskLocal } from "../../interp/index.ts";
import type { HumanRequest } from "./request.ts";
import type { HumanOutcome } from "./responses.ts";

export interface TapedAnswer {
  readonly kind: HumanRequest["kind"];
  /** Of the request that it answers. */
  readonly id: string;
  readonly outcome: HumanOutcome;
  /** When it came, for answers that do not say so themselves. */
  readonly cameAt: string;
}

export interface HumanTape {
  /** In the order in which they were given. */
  readonly taken: TapedAnswer[];
  /** How many of them the handler has had, this time. */
  at: number;
}

/** The tapes of handlers that run. */
const tapes = new TaskLocal<HumanTape>("human tapes");

/** The tape of the handler that a task works for. */
export const tapeOf = (task: Task): HumanTape | undefined => tapes.current(task);

/** Puts a tape in; the function that it gives puts the former one back. */
export const insertTape = (task: Task, tape: HumanTape): (() => void) => tapes.enter(task, tape);

/** The next answer on a tape; `undefined` when the handler asks for something new. */
export function nextOnTape(tape: HumanTape | undefined, kind: HumanRequest["kind"]): TapedAnswer | undefined {
  const next = tape?.taken[tape.at];
  return next?.kind === kind ? next : undefined;
}

/** Puts a new answer where the tape stands; what came after it belonged to another course of things. */
export function putOnTape(tape: HumanTape, answer: TapedAnswer): void {
  tape.taken.splice(tape.at, Number.POSITIVE_INFINITY, answer);
  tape.at++;
}
