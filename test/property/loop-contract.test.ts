/**
 * The contract under random weather: plans, tool results, hooks that change, skip, throw or pause at any firing,
 * budgets that run out anywhere, planner swaps. `transition` throws on an illegal edge, so finishing at all is part of
 * the proof.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  HarnessLoop,
  type HarnessStep,
  hookTopics,
  type LoopEvent,
  type Planner,
  type Pull,
  pauseLoop,
  replacePayload,
  replayEvents,
  skipStep,
  viewOf,
} from "../../src/agent/contract/index.ts";

/** Numbers from a list, over and over. */
class Dice {
  private readonly values: readonly number[];
  private at = 0;
  constructor(values: readonly number[]) {
    this.values = values;
  }
  roll(sides: number): number {
    const value = this.values[this.at++ % this.values.length] as number;
    // The position is mixed in, so that a short list does not lock the walk into one rhythm.
    return ((value + Math.imul(this.at, 2654435761) + (this.at >>> 3)) % sides) >>> 0;
  }
}

const roll = (dice: Dice, sides: number): number => Math.abs(dice.roll(sides)) % sides;

function planner(dice: Dice): Planner {
  return {
    plan() {
      switch (roll(dice, 12)) {
        case 0:
          throw new Error("planner");
        case 1:
          return { steps: [{ id: "" }] } as never;
        default:
          return { steps: Array.from({ length: 1 + roll(dice, 4) }, (_, n) => step(dice, n)) };
      }
    },
    reflect: () => (["step", "step", "replan", "step", "junk"] as const)[roll(dice, 5)] as "step",
  };
}

function step(dice: Dice, n: number): HarnessStep {
  const calls = Array.from({ length: roll(dice, 4) }, (_, k) => ({
    id: `c${roll(dice, 3)}`,
    name: `tool${k}`,
  }));
  return calls.length > 0 ? { id: `s${n}`, calls } : { id: `s${n}` };
}

function meddle(dice: Dice, payload: Record<string, unknown>): unknown {
  switch (roll(dice, 14)) {
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
    default:
      return undefined;
  }
}

function answer(dice: Dice, pull: Pull): object {
  if (pull.kind === "pause")
    return roll(dice, 6) === 0
      ? {}
      : { extend: { turns: 1 + roll(dice, 5), tool_calls: 3, wall_clock_ms: 20 } };
  if (pull.kind === "complete") return {};
  const results = pull.calls.map((call) =>
    roll(dice, 3) === 0
      ? { id: call.id, ok: false, error: "no" }
      : { id: call.id, ok: true, value: { n: 1 } },
  );
  switch (roll(dice, 8)) {
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

/** What every log must satisfy, whatever happened. */
function checkLog(log: readonly LoopEvent[], complete: boolean): void {
  const count = (type: string): number => log.filter((event) => event.type === type).length;
  expect(log.map((event) => event.n)).toEqual(log.map((_, n) => n));
  expect(count("session.start")).toBe(1);
  expect(log[0]?.type).toBe("session.start");
  expect(count("session.complete")).toBe(complete ? 1 : 0);
  let open = 0;
  let inStep = false;
  for (const event of log) {
    if (event.type === "step.start") {
      expect(inStep).toBe(false);
      inStep = true;
    }
    if (event.type === "tool.call") open++;
    if (event.type === "tool.result" || event.type === "tool.error") expect(--open).toBeGreaterThanOrEqual(0);
    if (event.type === "step.end") {
      expect(inStep && open === 0).toBe(true);
      inStep = false;
    }
  }
  if (complete) expect([inStep, open]).toEqual([false, 0]);
}

function session(values: readonly number[], turns: number): void {
  const dice = new Dice(values);
  const loop = new HarnessLoop({
    planner: planner(dice),
    budget: { turns: 5, tool_calls: 6, wall_clock_ms: 50 },
  });
  for (const topic of hookTopics) loop.hooks.on(topic, (payload) => meddle(dice, payload));
  loop.events.subscribe((event) => {
    if (event.n % 7 !== 0 && event.n > 60) return;
    const told = viewOf(replayEvents(loop.events.from()));
    expect(told).toEqual(viewOf(loop.control as never));
  });
  let at = 0;
  let pull = loop.run("goal", { at }) as Pull;
  for (let n = 0; pull.kind !== "complete" && loop.control.budget.used.turns < turns && n < turns * 30; n++) {
    if (roll(dice, 9) === 0) loop.swapPlanner(planner(dice));
    at += roll(dice, 4);
    pull = loop.resume(answer(dice, pull), { at }) as Pull;
    expect(viewOf(replayEvents(loop.events.from()))).toEqual(viewOf(loop.control as never));
  }
  checkLog(loop.events.from(), pull.kind === "complete");
  expect(loop.events.failures).toBe(0);
}

test("no illegal transition, no lost or doubled event, same log gives same state", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(100_000), { minLength: 5, maxLength: 60 }), (values) => session(values, 25)),
    { numRuns: 150 },
  );
});

test("a session survives a thousand turns of it", () => {
  const dice = new Dice([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 97, 93]);
  const loop = new HarnessLoop({
    planner: { plan: () => ({ steps: [step(dice, 0), step(dice, 1)] }), reflect: () => "step" },
    budget: { turns: 10, tool_calls: 10 },
  });
  for (const topic of hookTopics) {
    if (topic !== "before_plan" && topic !== "after_plan")
      loop.hooks.on(topic, (payload) => (payload.next === "done" ? undefined : meddle(dice, payload)));
  }
  let pull = loop.run("goal") as Pull;
  while (pull.kind !== "complete" && loop.control.budget.used.turns < 1000) {
    pull = loop.resume(
      pull.kind === "pause" ? { extend: { turns: 5, tool_calls: 9 } } : answer(dice, pull),
    ) as Pull;
  }
  expect(loop.control.budget.used.turns).toBeGreaterThanOrEqual(1000);
  checkLog(loop.events.from(), false);
  expect(viewOf(replayEvents(loop.events.from()))).toEqual(viewOf(loop.control as never));
});
