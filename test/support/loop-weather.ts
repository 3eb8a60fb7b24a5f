/**
 * Random weather for the loop contract: planners, hooks and callers that do anything they may do, and much that they
 * must not, driven by dice; and what every event log must satisfy whatever happened.
 */
import { expect } from "vitest";
import {
  type HarnessLoop,
  type HarnessStep,
  hookTopics,
  type LoopEvent,
  type Planner,
  type Pull,
  pauseLoop,
  replacePayload,
  resumeWith,
  skipStep,
} from "../../src/agent/contract/index.ts";

/** Numbers from a list, over and over. */
export class Dice {
  private readonly values: readonly number[];
  private at = 0;
  constructor(values: readonly number[]) {
    this.values = values;
  }
  /** 0 up to, not including, `sides`. */
  roll(sides: number): number {
    const value = this.values[this.at++ % this.values.length] as number;
    // The position is mixed in, so that a short list does not lock the walk into one rhythm.
    return Math.abs(((value + Math.imul(this.at, 2654435761) + (this.at >>> 3)) % sides) >>> 0) % sides;
  }
}

/** Throws, plans nonsense, plans; reflects sense and, where a session may end, nonsense (which means the usual). */
export function planner(dice: Dice, ending = true): Planner {
  return {
    plan() {
      switch (dice.roll(12)) {
        case 0:
          throw new Error("planner");
        case 1:
          return { steps: [{ id: "" }] } as never;
        default:
          return { steps: Array.from({ length: 1 + dice.roll(4) }, (_, n) => step(dice, n)) };
      }
    },
    reflect: () => (["step", "step", "replan", "step", "junk"] as const)[dice.roll(ending ? 5 : 4)] as "step",
  };
}

/** A step with up to three calls; their ids may be double. */
export function step(dice: Dice, n: number): HarnessStep {
  const calls = Array.from({ length: dice.roll(4) }, (_, k) => ({
    id: `c${dice.roll(3)}`,
    name: `tool${k}`,
  }));
  return calls.length > 0 ? { id: `s${n}`, calls } : { id: `s${n}` };
}

/** What a hook does: changes its payload (also into nonsense), skips, pauses, resumes, throws, or nothing. */
function meddle(dice: Dice, payload: Record<string, unknown>): unknown {
  switch (dice.roll(16)) {
    case 0:
      throw new Error("hook");
    case 1:
      return skipStep;
    case 2:
      return pauseLoop("review");
    case 3:
      return replacePayload({
        plan: { steps: [{ id: "hooked" }] },
        step: { id: "hooked" },
        call: { name: "hooked" },
        next: "replan",
      });
    case 4:
      for (const key of Object.keys(payload)) payload[key] = null;
      return undefined;
    case 5:
      for (const key of Object.keys(payload)) payload[key] = "mutated";
      throw { odd: true };
    case 6:
      return resumeWith({ extend: { turns: 1, tool_calls: 1 } });
    default:
      return undefined;
  }
}

/** Hooks on every topic; any firing may also swap the planner. */
export function hookAll(loop: HarnessLoop, dice: Dice, how: { readonly ending: boolean }): void {
  for (const topic of hookTopics) {
    loop.hooks.on(topic, (payload) => {
      if (dice.roll(40) === 0) loop.swapPlanner(planner(dice, how.ending));
      // Skipping a plan ends the session: not where it is to live on.
      const said = meddle(dice, payload);
      const ends = said === skipStep && topic === "before_plan";
      return ends && !how.ending ? undefined : said;
    });
  }
}

/** What a caller resumes with: results, too few, too many, for others, malformed; extensions, or none. */
export function answer(dice: Dice, pull: Pull): object {
  if (pull.kind === "pause")
    return dice.roll(6) === 0
      ? {}
      : { extend: { turns: 1 + dice.roll(5), tool_calls: 3, wall_clock_ms: 20 } };
  if (pull.kind === "complete") return {};
  const results = pull.calls.map((call) =>
    dice.roll(3) === 0 ? { id: call.id, ok: false, error: "no" } : { id: call.id, ok: true, value: { n: 1 } },
  );
  switch (dice.roll(8)) {
    case 0:
      return { results: "{broken json" };
    case 1:
      return { results: [...results, ...results, { id: "foreign", ok: true }] };
    case 2:
      return { results: results.slice(0, 1) };
    case 3:
      return { results: [null, 3, { ok: true }] };
    default:
      return { results };
  }
}

/** What every log must satisfy, whatever happened: nothing lost, nothing double, everything in its place. `cutAt`: where it was taken up again. */
export function checkLog(log: readonly LoopEvent[], complete: boolean, cutAt = 0): void {
  const count = (type: string): number => log.filter((event) => event.type === type).length;
  expect(log.map((event) => event.n)).toEqual(log.map((_, n) => n));
  expect([count("session.start"), log[0]?.type]).toEqual([1, "session.start"]);
  expect(count("session.complete")).toBe(complete ? 1 : 0);
  if (complete) expect(log.at(-1)?.type).toBe("session.complete");
  let turn = 0;
  let inStep = false;
  let drafted = false;
  let open: (string | null)[] = [];
  let wanted = 0;
  let isCut = false;
  for (const [at, event] of log.entries()) {
    if (at === cutAt) isCut = inStep;
    switch (event.type) {
      case "plan.draft":
        expect([inStep, drafted]).toEqual([false, false]);
        drafted = true;
        break;
      case "plan.commit":
        expect(event.data.kept || drafted).toBe(true);
        drafted = false;
        break;
      case "step.start":
        expect([inStep, event.data.turn > turn]).toEqual([false, true]);
        ({ turn } = event.data);
        inStep = true;
        isCut = false;
        open = [];
        wanted = (event.data.step as HarnessStep).calls?.length ?? 0;
        break;
      case "tool.call":
        expect([inStep, event.data.turn]).toEqual([true, turn]);
        open.push(event.data.id);
        break;
      case "tool.result":
      case "tool.error":
        // A call that a hook refused was never told of.
        if (event.type === "tool.error" && event.data.index === open.length) {
          open.push(null);
          break;
        }
        expect(open[event.data.index]).toBe(event.data.id);
        open[event.data.index] = null;
        break;
      case "step.end":
        expect([inStep, event.data.turn, open.every((id) => id === null)]).toEqual([true, turn, true]);
        // What a step asked for was handed over and answered, unless something stopped the step, or its batch was cut off.
        if (!event.data.skipped && event.data.error === null && !isCut) expect(open).toHaveLength(wanted);
        inStep = false;
        break;
      case "session.pause":
        // An aborted plan spends a turn without a step; a draft may be given up in front of a pause.
        turn = Math.max(turn, event.data.turns);
        drafted = false;
        break;
      default:
    }
  }
  if (complete) expect(inStep).toBe(false);
}
