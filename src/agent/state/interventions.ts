/** Interventions of a turn (session/interventions.ts). */
import type { Intervention, InterventionInput } from "../../model/index.ts";
import { interventionFields, recordIntervention } from "../session/interventions.ts";
import type { Loop } from "./loop-state.ts";
import { emitNamed, type Turn } from "./requests.ts";

/**
 * Records what the loop did by itself and tells it: the session's list, the transcript's event `control`, the live event
 * `control_intervention`, `trace.interventions` of the result.
 */
export function* intervene(loop: Loop, value: InterventionInput): Turn<Intervention> {
  const made = recordIntervention(loop.conversation, loop.work.iteration + 1, value);
  loop.state.slots.interventions.count++;
  if (loop.listens()) yield* emitNamed("control_intervention", interventionFields(made));
  return made;
}
