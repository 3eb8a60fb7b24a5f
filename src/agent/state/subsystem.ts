/**
 * How a subsystem plugs into the loop: one module, this interface. Each point is a part of a turn, so it may ask for model
 * calls, callbacks and events like the loop itself. State that outlives the turn goes into its slot of `LoopState`. What
 * switches it on is said as data, so that a turn runs nothing of those that are off.
 *
 * The order of `subsystems` in `turn.ts` is the order in which they speak.
 */
import { type Runtime, stateKey } from "../../interp/index.ts";
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
  /** The same of an answer that has calls; before `answered`. */
  called?(loop: Loop): Turn<void>;
  /** REFLECTING, results are recorded, the stop decision comes next. */
  settled?(loop: Loop): Turn<void>;
  /** The same of a turn that has results; before `settled`. */
  returned?(loop: Loop): Turn<void>;
  /** REFLECTING, the stop decision is made: there will be another turn. */
  continued?(loop: Loop): Turn<void>;
}

type Point = Exclude<keyof Subsystem, "name" | "option" | "when">;

/** Options and parts of a conversation that switch nothing on. */
export const isNothing = (value: unknown): boolean =>
  value === null || value === false || (Array.isArray(value) && value.length === 0);

/** What one subsystem does at one point. */
interface Step extends Pick<Subsystem, "option" | "when"> {
  readonly run: (loop: Loop) => Turn<void>;
}

/** What is done at each point, in order. */
export type Steps = Readonly<Record<Point, readonly Step[]>>;

/** What each subsystem does at a point before the next one does anything. */
const pointsAt: Readonly<Record<Point, readonly Point[]>> = {
  repair: ["repair"],
  prepare: ["prepare"],
  context: ["context"],
  called: ["called", "answered"],
  answered: ["answered"],
  returned: ["returned", "settled"],
  settled: ["settled"],
  continued: ["continued"],
};

/** Of a list of subsystems, made once: the loops of a run have the same one. */
const stepsOf = new WeakMap<readonly Subsystem[], Steps>();

/** Those that a loop has, by its options as they are at the time: found anew only when these are others. */
export function stepsOfLoop(loop: Loop, parts: readonly Subsystem[]): () => Steps {
  const all = stepsOf.get(parts) ?? makeSteps(parts);
  stepsOf.set(parts, all);
  let options: LoopOptions | null = null;
  let on = all;
  return () => {
    const now = loop.options;
    if (options === now) return on;
    const due: Record<string, Step[]> = {};
    for (const [at, steps] of Object.entries(all)) {
      const some: Step[] = [];
      for (const step of steps)
        if (step.option === undefined || !isNothing(now[step.option])) some.push(step);
      due[at] = some;
    }
    options = now;
    on = due as unknown as Steps;
    return on;
  };
}

function makeSteps(parts: readonly Subsystem[]): Steps {
  const made: Record<string, Step[]> = {};
  for (const [at, points] of Object.entries(pointsAt)) {
    const steps: Step[] = [];
    for (const part of parts)
      for (const point of points) {
        const run = part[point]?.bind(part);
        if (run !== undefined) steps.push({ option: part.option, when: part.when, run });
      }
    made[at] = steps;
  }
  return made as unknown as Steps;
}

/** From the list of subsystems to the one that loops of a run have. */
export type SubsystemChange = (parts: readonly Subsystem[]) => readonly Subsystem[];

/** Of a run. */
export const subsystemChange = stateKey<{ change: SubsystemChange }>("agent.subsystems", () => ({
  change: (parts) => parts,
}));

/**
 * Lets a TypeScript host leave parts of the loop out, replace them, or put its own between. Asked once for each loop; what
 * its parts need from outside they must ask of the loop, or the run does not replay.
 */
export function configureSubsystems(runtime: Runtime, change: SubsystemChange): void {
  runtime.state(subsystemChange).change = change;
}
