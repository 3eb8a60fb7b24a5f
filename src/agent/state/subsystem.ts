/**
 * How a subsystem plugs into the loop: one module, this interface. Each point is a part of a turn, so it may ask for model
 * calls, callbacks and events like the loop itself. State that outlives the turn goes into its slot of `LoopState`. What
 * switches it on is said as data, so that a turn runs nothing of those that are off.
 *
 * The order of `subsystems` in `turn.ts` is the order in which they speak.
 */
import type { Runtime, StateKey } from "../../interp/index.ts";
import type { LoopOptions } from "../options/loop-options.ts";
import type { Loop } from "./loop-state.ts";
import type { Turn } from "./requests.ts";

export interface Subsystem {
  readonly name: string;
  /** Only loops have it in whose options this is neither null nor an empty list; left out: all have it. */
  readonly option?: keyof LoopOptions;
  /** It has something to do only while the conversation has this. */
  readonly when?: "contract" | "reminders";
  /** PLANNING, before anything looks at the view: what is broken in it is mended. */
  repair?(loop: Loop): Turn<void>;
  /** PLANNING, before the context is put together: compaction, skills, narrowing, reminders belong here. */
  prepare?(loop: Loop): Turn<void>;
  /** PLANNING, on the assembled context: projections, scratchpad recitation belong here. */
  context?(loop: Loop): Turn<void>;
  /** EXECUTING, the answer is read and nothing is dispatched yet. May hold the calls or end the loop (`work`). */
  answered?(loop: Loop): Turn<void>;
  /** The same of an answer that has calls. */
  called?(loop: Loop): Turn<void>;
  /** REFLECTING, results are recorded, the stop decision comes next. */
  settled?(loop: Loop): Turn<void>;
  /** The same of a turn that has results. */
  returned?(loop: Loop): Turn<void>;
  /** REFLECTING, the stop decision is made: there will be another turn. */
  continued?(loop: Loop): Turn<void>;
}

/** The points that are a part of a turn. */
export type Point = Exclude<keyof Subsystem, "name" | "option" | "when">;

export const isNothing = (value: unknown): boolean =>
  value === null || value === false || (Array.isArray(value) && value.length === 0);

/** Those that a loop has, by its options as they are at the time: found anew only when these are others. */
export function subsystemsOf(loop: Loop, parts: readonly Subsystem[]): () => readonly Subsystem[] {
  let options: LoopOptions | null = null;
  let on = parts;
  return () => {
    const now = loop.options;
    if (options !== now) on = parts.filter(({ option }) => option === undefined || !isNothing(now[option]));
    options = now;
    return on;
  };
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
