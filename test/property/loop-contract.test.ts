/**
 * The contract under random weather: plans, tool results, hooks that change, skip, throw or pause at any firing,
 * budgets that run out anywhere, planner swaps between any two steps and at any firing of a hook. `transition` throws
 * on an illegal edge, so finishing at all is part of the proof.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  HarnessLoop,
  type LoopEvent,
  type Planner,
  type Pull,
  replayEvents,
} from "../../src/agent/contract/index.ts";
import { viewOf } from "../support/control-view.ts";
import { answer, checkLog, Dice, hookAll, planner } from "../support/loop-weather.ts";

const rolls = fc.array(fc.nat(100_000), { minLength: 5, maxLength: 60 });
const budget = { turns: 5, tool_calls: 6, wall_clock_ms: 50 };

/** A log gives back the state, at this very event. */
const sameState = (loop: HarnessLoop): void =>
  expect(viewOf(replayEvents(loop.events.from()))).toEqual(viewOf(loop.control as never));

/** Where each pull point and each hook stands in the cycle. */
const pullStates = { tools: "AWAITING_TOOL", pause: "IDLE", complete: "DONE" } as const;
const hookStates = {
  before_plan: "PLANNING",
  after_plan: "PLANNING",
  before_step: "EXECUTING",
  before_tool_call: "EXECUTING",
  after_tool_call: "AWAITING_TOOL",
  after_step: "REFLECTING",
  on_pause: "IDLE",
  on_complete: "DONE",
} as const;

/** Tells every hook that fires in another state than its own. */
function watchStates(loop: HarnessLoop): readonly string[] {
  const wrong: string[] = [];
  for (const [topic, state] of Object.entries(hookStates))
    loop.hooks.on(topic as keyof typeof hookStates, () => {
      if (loop.state !== state) wrong.push(`${topic} in ${loop.state}`);
    });
  return wrong;
}

function session(values: readonly number[], turns: number): void {
  const dice = new Dice(values);
  const loop = new HarnessLoop({ planner: planner(dice), budget });
  const wrong = watchStates(loop);
  hookAll(loop, dice, { ending: true });
  const received: LoopEvent[] = [];
  loop.events.subscribe((event) => {
    received.push(event);
    if (event.n % 7 === 0 || event.n <= 60) sameState(loop);
  });
  let at = 0;
  let pull = loop.run("goal", { at }) as Pull;
  for (let n = 0; pull.kind !== "complete" && loop.control.budget.used.turns < turns && n < turns * 30; n++) {
    if (dice.roll(9) === 0) loop.swapPlanner(planner(dice));
    at += dice.roll(4);
    expect([pull.kind, loop.state]).toEqual([pull.kind, pullStates[pull.kind]]);
    pull = loop.resume(answer(dice, pull), { at }) as Pull;
    sameState(loop);
  }
  expect(wrong).toEqual([]);
  const log = loop.events.from();
  checkLog(log, pull.kind === "complete");
  // Whoever comes late and asks for everything, or for the end, hears the same.
  const late: LoopEvent[] = [];
  const offset = dice.roll(log.length + 1);
  loop.events.subscribe((event) => late.push(event), offset);
  expect([received, late]).toEqual([log, log.slice(offset)]);
  expect(loop.events.failures).toBe(0);
}

test("no illegal transition, no lost or doubled event, same log gives same state", () => {
  fc.assert(
    fc.property(rolls, (values) => session(values, 25)),
    { numRuns: 150 },
  );
});

/** The same in later microtasks. */
const slowly = (fast: Planner): Planner => ({
  plan: async (view) => fast.plan(view),
  reflect: async (view) => fast.reflect?.(view) as "step",
});

test("planners and hooks that take their time change nothing", async () => {
  const walk = async (values: readonly number[], slow: boolean): Promise<readonly LoopEvent[]> => {
    const dice = new Dice(values);
    const own = planner(dice);
    const loop = new HarnessLoop({ planner: slow ? slowly(own) : own, budget, clock: () => 0 });
    if (slow) loop.hooks.on("before_step", () => Promise.resolve());
    let pull = await loop.run("goal");
    for (let n = 0; pull.kind !== "complete" && n < 40; n++) pull = await loop.resume(answer(dice, pull));
    return loop.events.from();
  };
  await fc.assert(
    fc.asyncProperty(rolls, async (values) => {
      expect(await walk(values, true)).toEqual(await walk(values, false));
    }),
    { numRuns: 60 },
  );
});
