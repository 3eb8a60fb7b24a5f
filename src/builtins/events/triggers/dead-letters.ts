/** Events that no attempt could handle: kept with their story until a replay succeeds. */

import type { Task } from "../../../interp/index.ts";
import { newId } from "../../../interp/index.ts";
import { Dict, List, type Value } from "../../../values/index.ts";
import { textOf } from "../../arguments.ts";
import { classifyError } from "../../error-categories.ts";
import { isoTime } from "../../time/iso-time.ts";
import { eventId } from "./event.ts";
import type { DeadLetter, TriggerDelivery, TriggerWorld } from "./world.ts";

export interface DeliveryFailure {
  readonly text: string;
  /** What was caught. */
  readonly value: Value;
  readonly attempts: number;
}

const deadLetterEntry = (task: Task, world: TriggerWorld, status: string, why: DeliveryFailure): Dict =>
  Dict.of({
    status,
    attempts: why.attempts,
    error: why.text,
    at: isoTime(world.clock.now(task)),
  });

const failureClass = ({ value, text }: DeliveryFailure): string =>
  value instanceof Dict ? textOf(value.get("category"), "generic") : classifyError(text);

/** Puts an event aside. */
export function deadLetter(
  task: Task,
  world: TriggerWorld,
  delivery: TriggerDelivery,
  why: DeliveryFailure,
): DeadLetter {
  const entry: DeadLetter = {
    id: `dlq_${newId(task)}`,
    event: delivery.event,
    bindingId: delivery.bindingId,
    bindingVersion: delivery.bindingVersion,
    error: why.text,
    errorClass: failureClass(why),
    history: [deadLetterEntry(task, world, "dlq", why)],
  };
  world.deadLetters.set(entry.id, entry);
  return entry;
}

/** A replay failed too. */
export function deadLetterAgain(
  task: Task,
  world: TriggerWorld,
  delivery: TriggerDelivery,
  why: DeliveryFailure,
): DeadLetter {
  const entry = world.deadLetterOf(eventId(delivery.event), delivery.bindingId);
  const failed = deadLetterEntry(task, world, "replay_dlq", why);
  if (entry === undefined) {
    const fresh = deadLetter(task, world, delivery, why);
    fresh.history.splice(0, 1, failed);
    return fresh;
  }
  entry.history.push(failed);
  entry.error = why.text;
  entry.errorClass = failureClass(why);
  return entry;
}

export const deadLetterDict = (entry: DeadLetter): Dict =>
  Dict.of({
    id: entry.id,
    event_id: eventId(entry.event),
    event: entry.event,
    binding_id: entry.bindingId,
    binding_version: entry.bindingVersion,
    state: "pending",
    error: entry.error,
    error_class: entry.errorClass,
    retry_history: new List([...entry.history]),
  });
