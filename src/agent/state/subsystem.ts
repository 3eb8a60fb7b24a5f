/**
 * How a subsystem plugs into the loop: one module, this interface, left out when it is not asked for. Each point is a
 * part of a turn, so it may ask for model calls, callbacks and events like the loop itself. State that outlives the
 * turn goes into its slot of `LoopState`.
 *
 * The order of `subsystems` in `turn.ts` is the order in which they speak.
 */
import type { Runtime, StateKey } from "../../interp/index.ts";
import type { Loop } from "./loop-state.ts";
import type { Turn } from "./requests.ts";

export interface Subsystem {
  readonly name: string;
  /** PLANNING, before anything looks at the view: what is broken in it is mended. */
  repair?(loop: Loop): Turn<void>;
  /** PLANNING, before the context is put together: compaction, skills, narrowing, reminders belong here. */
  prepare?(loop: Loop): Turn<void>;
  /** PLANNING, on the assembled context: projections, scratchpad recitation belong here. */
  context?(loop: Loop): Turn<void>;
  /** EXECUTING, the answer is read and nothing is dispatched yet. May hold the calls or end the loop (`work`). */
  answered?(loop: Loop): Turn<void>;
  /** REFLECTING, results are recorded, the stop decision comes next. */
  settled?(loop: Loop): Turn<void>;
  /** REFLECTING, the stop decision is made: there will be another turn. */
  continued?(loop: Loop): Turn<void>;
}

/** From the list of subsystems to the one that loops of a run have. */
export type SubsystemChange = (parts: readonly Subsystem[]) => readonly Subsystem[];

/** Of a run. */
export const subsystemChange: StateKey<{ change: SubsystemChange }> = {
  name: "agent.subsystems",
  create: () => ({ change: (parts) => parts }),
};

/**
 * Lets a TypeScript host leave parts of the loop out, replace them, or put its own between. Asked once for each loop; what
 * its parts need from outside they must ask of the loop, or the run does not replay.
 */
export function configureSubsystems(runtime: Runtime, change: SubsystemChange): void {
  runtime.state(subsystemChange).change = change;
}
