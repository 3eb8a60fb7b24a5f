/** Events that no attempt could handle: kept with their story until a replay succeeds. */

import type { Task } from "../../../interp/index.ts";
import { newId } from "../../../interp/index.ts";
import { Dict, List, type Value } from "../../../values/index.ts";
import { textOf } from "../../arguments.ts";
import { classifyError } from "../../error-categories.ts";
import { isoTime } from "../../time/iso-time.ts";
import { eventId } from "./event.ts";
import type { DeadLetter, Delivery, TriggerWorld } from "./world.ts";

export interface Failure {
  readonly text: string;
  /** What was caught. */
  readonly value: Value;
  readonly attempts: number;
}

const deadLetterEntry = (task: Task, world: TriggerWorld, status: string, why: Failure): Dict =>
  Dict.of({
    status,
    attempts: why.attempts,
    error: why.text,
    at: isoTime(world.clock.now(task)),
  });

const failureClass = ({ value, text }: Failure): string =>
  value instanceof Dict ? textOf(value.get("category"), "generic") : classifyError(text);

/** Puts an event aside. */
export function deadLetter(task: Task, world: TriggerWorld, delivery: Delivery, why: Failure): DeadLetter {
  const letter: DeadLetter = {
    id: `dlq_${newId(task)}`,
    event: delivery.event,
    bindingId: delivery.bindingId,
    bindingVersion: delivery.bindingVersion,
    error: why.text,
    errorClass: failureClass(why),
    history: [deadLetterEntry(task, world, "dlq", why)],
  };
  world.deadLetters.set(letter.id, letter);
  return letter;
}

/** A replay failed too. */
export function deadLetterAgain(
  task: Task,
  world: TriggerWorld,
  delivery: Delivery,
  why: Failure,
): DeadLetter {
  const letter = world.deadLetterOf(eventId(delivery.event), delivery.bindingId);
  const failed = deadLetterEntry(task, world, "replay_dlq", why);
  if (letter === undefined) {
    const fresh = deadLetter(task, world, delivery, why);
    fresh.history.splice(0, 1, failed);
    return fresh;
  }
  letter.history.push(failed);
  letter.error = why.text;
  letter.errorClass = failureClass(why);
  return letter;
}

export const letterDict = (letter: DeadLetter): Dict =>
  Dict.of({
    id: letter.id,
    event_id: eventId(letter.event),
    event: letter.event,
    binding_id: letter.bindingId,
    binding_version: letter.bindingVersion,
    state: "pending",
    error: letter.error,
    error_class: letter.errorClass,
    retry_history: new List([...letter.history]),
  });
