/**
 * Sessions that are taken up again from their event log: at any prefix of it, as often as one likes. Nothing is told
 * twice, nothing is lost, and a session that lives through all the weather of the contract does so for a thousand turns.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { HarnessLoop, type LoopEvent, type Pull, replayEvents } from "../../src/agent/contract/index.ts";
import { viewOf } from "../support/control-view.ts";
import { answer, checkLog, Dice, hookAll, planner } from "../support/loop-weather.ts";

const stored = (events: readonly LoopEvent[]): LoopEvent[] =>
  JSON.parse(JSON.stringify(events)) as LoopEvent[];
const more = { extend: { turns: 20, tool_calls: 40 } };

/** Some turns of a session, with hooks that do anything. */
function anyLog(dice: Dice): readonly LoopEvent[] {
  const loop = new HarnessLoop({ planner: planner(dice), budget: { turns: 6, tool_calls: 8 } });
  hookAll(loop, dice, { ending: true });
  let pull = loop.run("goal") as Pull;
  for (let n = 0; pull.kind !== "complete" && n < 12; n++) pull = loop.resume(answer(dice, pull)) as Pull;
  return loop.events.from();
}

test("from every prefix of a log a session goes on, and its log is one that could have been written at once", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(100_000), { minLength: 5, maxLength: 40 }), (values) => {
      const dice = new Dice(values);
      const log = anyLog(dice);
      for (let length = 1; length <= log.length; length++) {
        const prefix = stored(log.slice(0, length));
        const loop = HarnessLoop.restore(prefix, { planner: planner(dice) });
        expect(viewOf(loop.control as never)).toEqual(viewOf(replayEvents(prefix)));
        let pull = loop.resume(more) as Pull;
        for (let n = 0; pull.kind !== "complete" && n < 6; n++)
          pull = loop.resume(answer(dice, pull)) as Pull;
        expect(stored(loop.events.from().slice(0, length))).toEqual(prefix);
        checkLog(loop.events.from(), pull.kind === "complete", length);
        expect(viewOf(replayEvents(loop.events.from()))).toEqual(viewOf(loop.control as never));
      }
    }),
    { numRuns: 15 },
  );
});

test("a call that a hook refused is never handed over, wherever the log ends", () => {
  const loop = new HarnessLoop({
    planner: { plan: () => ({ steps: [{ id: "s", tool: "rm" }] }) },
    budget: { turns: 3 },
  });
  loop.hooks.on("before_tool_call", () => {
    throw new Error("not that");
  });
  loop.run("goal");
  const log = loop.events.from();
  expect(log.map(({ type }) => type)).not.toContain("tool.call");
  const refused = log.findIndex((event) => event.type === "tool.error") + 1;
  const again = HarnessLoop.restore(stored(log.slice(0, refused)), { planner: { plan: () => null } });
  expect(again.resume()).toMatchObject({ kind: "complete" });
  expect(again.events.from(refused)[0]).toMatchObject({ type: "step.end" });
  expect(again.control.budget.used.tool_calls).toBe(0);
});

test("a session survives a thousand turns of it, and being carried to another process in between", () => {
  const dice = new Dice([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 97, 93]);
  let loop = new HarnessLoop({ planner: planner(dice, false), budget: { turns: 10, tool_calls: 10 } });
  hookAll(loop, dice, { ending: false });
  let pull = loop.run("goal") as Pull;
  let carried = 0;
  while (pull.kind !== "complete" && loop.control.budget.used.turns < 1000) {
    if (dice.roll(50) === 0) {
      carried++;
      loop = HarnessLoop.restore(stored(loop.events.from()), {
        planner: planner(dice, false),
        budget: loop.control.budget.limits,
      });
      hookAll(loop, dice, { ending: false });
    } else if (dice.roll(9) === 0) loop.swapPlanner(planner(dice, false));
    pull = loop.resume(
      pull.kind === "pause" ? { extend: { turns: 5, tool_calls: 9 } } : answer(dice, pull),
    ) as Pull;
  }
  expect(pull.kind).not.toBe("complete");
  expect(carried).toBeGreaterThan(5);
  expect(loop.control.budget.used.turns).toBeGreaterThanOrEqual(1000);
  checkLog(loop.events.from(), false);
  expect(viewOf(replayEvents(loop.events.from()))).toEqual(viewOf(loop.control as never));
});
