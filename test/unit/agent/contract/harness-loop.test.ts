/** The loop contract, driven by hand: every edge, every hook topic, both pull points, the budget envelope. */
import { describe, expect, test } from "vitest";
import {
  EventLog,
  eventTypes,
  HarnessLoop,
  type Hook,
  type HookTopic,
  hookTopics,
  IllegalTransition,
  isLegal,
  type LoopEvent,
  type Planner,
  type Pull,
  pauseLoop,
  replacePayload,
  replayEvents,
  resumeWith,
  skipStep,
  stateNames,
  transition,
} from "../../../../src/agent/contract/index.ts";
import type { ToolRequest } from "../../../../src/model/tools/requests.ts";
import { viewOf } from "../../../support/control-view.ts";

const threeSteps: Planner = {
  plan: () => ({
    steps: [
      { id: "look", tool: "list" },
      { id: "think" },
      { id: "write", tool: "save", arguments: { a: 1 } },
    ],
  }),
};

const types = (loop: HarnessLoop): string[] => loop.events.from().map((event) => event.type);
const sync = (pull: Pull | Promise<Pull>): Pull => {
  if (pull instanceof Promise) throw new Error("expected a synchronous pull");
  return pull;
};
/** Answers every pull until the end. */
function finish(
  loop: HarnessLoop,
  first: Pull,
  answer: (pull: Pull) => object = () => ({ result: "ok" }),
): Pull {
  let pull = first;
  for (let n = 0; pull.kind !== "complete" && n < 500; n++) pull = sync(loop.resume(answer(pull)));
  return pull;
}

describe("transitions", () => {
  test("are exactly the edges of the contract", () => {
    const legal: string[] = [];
    for (const from of stateNames) {
      for (const to of stateNames) {
        for (const because of [
          "run",
          "resume",
          "plan committed",
          "tool_call needed",
          "result",
          "no_tool step done",
          "next step",
          "replan",
          "goal_met",
          "no_plan",
          "pause",
        ] as const) {
          if (isLegal(from, to, because)) legal.push(`${from} ${to} ${because}`);
        }
      }
    }
    expect(legal).toEqual([
      "IDLE PLANNING run",
      "IDLE PLANNING resume",
      "PLANNING IDLE pause",
      "PLANNING EXECUTING plan committed",
      "PLANNING DONE no_plan",
      "EXECUTING IDLE pause",
      "EXECUTING AWAITING_TOOL tool_call needed",
      "EXECUTING REFLECTING no_tool step done",
      "AWAITING_TOOL IDLE pause",
      "AWAITING_TOOL REFLECTING result",
      "REFLECTING IDLE pause",
      "REFLECTING PLANNING replan",
      "REFLECTING EXECUTING next step",
      "REFLECTING DONE goal_met",
    ]);
  });

  test("an illegal one throws and changes nothing", () => {
    const control = { state: "DONE" as const };
    expect(() => transition(control, "PLANNING", "replan")).toThrow(IllegalTransition);
    expect(control.state).toBe("DONE");
  });
});

describe("a plan of three steps", () => {
  test("yields at the two tool steps and completes", () => {
    const loop = new HarnessLoop({ planner: threeSteps, session: "s1" });
    const first = sync(loop.run("goal"));
    expect(first).toMatchObject({ kind: "tools", calls: [{ name: "list" }] });
    expect(loop.state).toBe("AWAITING_TOOL");
    const second = sync(loop.resume({ result: ["a"] }));
    expect(second).toMatchObject({ kind: "tools", calls: [{ name: "save", arguments: { a: 1 } }] });
    expect(sync(loop.resume({ error: "disk full", category: "io" }))).toEqual({
      kind: "complete",
      status: "done",
      reason: "goal_met",
    });
    expect(types(loop)).toEqual([
      "session.start",
      "plan.draft",
      "plan.commit",
      "step.start",
      "tool.call",
      "tool.result",
      "step.end",
      "step.start",
      "step.end",
      "step.start",
      "tool.call",
      "tool.error",
      "step.end",
      "session.complete",
    ]);
    expect(loop.events.from(9).map((event) => event.n)).toEqual([9, 10, 11, 12, 13]);
    expect(loop.control.budget.used).toMatchObject({ turns: 3, tool_calls: 2 });
  });

  test("no plan goes straight to DONE", () => {
    const loop = new HarnessLoop({ planner: { plan: () => null } });
    expect(sync(loop.run("g"))).toMatchObject({ kind: "complete", reason: "no_plan" });
    expect(types(loop)).toEqual(["session.start", "session.complete"]);
  });

  test("misuse is an exception, a bad tool result is not", () => {
    const loop = new HarnessLoop({ planner: threeSteps });
    expect(() => loop.resume({})).toThrow("not started");
    sync(loop.run("g"));
    expect(() => loop.run("g")).toThrow("started before");
    sync(loop.resume(42 as never));
    expect(loop.events.from().find((event) => event.type === "tool.error")?.data).toMatchObject({
      category: "malformed",
    });
  });

  test("a batch may be answered one by one, in any order, and is recorded once per call", () => {
    const planner: Planner = {
      plan: () => ({
        steps: [
          {
            id: "s",
            calls: [
              { id: "a", name: "x" },
              { id: "b", name: "y" },
            ],
          },
        ],
      }),
    };
    const loop = new HarnessLoop({ planner });
    sync(loop.run("g"));
    const rest = sync(
      loop.resume({
        results: [
          { id: "b", ok: true, value: 2 },
          { id: "b", ok: true, value: 3 },
          { id: "zz", ok: true, value: 0 },
        ],
      }),
    );
    expect(rest).toMatchObject({ kind: "tools", calls: [{ id: "a" }] });
    sync(loop.resume({ result: 1 }));
    const results = loop.events.from().filter((event) => event.type === "tool.result");
    expect(results.map((event) => event.data)).toEqual([
      { id: "b", name: "y", index: 1, value: 2 },
      { id: "a", name: "x", index: 0, value: 1 },
    ]);
  });
});

describe("hooks", () => {
  test("all ten topics fire, in registration order", () => {
    const seen: string[] = [];
    const loop = new HarnessLoop({ planner: threeSteps, budget: { turns: 2 } });
    for (const topic of hookTopics) {
      loop.hooks.on(topic, () => void seen.push(`1 ${topic}`));
      loop.hooks.on(topic, () => void seen.push(`2 ${topic}`));
    }
    loop.hooks.on("after_step", () => {
      throw new Error("boom");
    });
    finish(loop, sync(loop.run("g")), (pull) =>
      pull.kind === "pause" ? { extend: { turns: 5 } } : { result: 1 },
    );
    expect(new Set(seen.map((line) => line.slice(2)))).toEqual(new Set(hookTopics));
    for (let n = 0; n < seen.length; n += 2) expect(seen[n + 1]).toBe(`2${seen[n]?.slice(1)}`);
  });

  const oneCall: Planner = { plan: () => ({ steps: [{ id: "s", tool: "rm", arguments: { path: "/" } }] }) };
  const run = (topic: HookTopic, hook: Hook): HarnessLoop => {
    const loop = new HarnessLoop({ planner: oneCall });
    loop.hooks.on(topic, hook);
    finish(loop, sync(loop.run("g")));
    return loop;
  };
  const dataOf = (loop: HarnessLoop, type: string): unknown[] =>
    loop.events
      .from()
      .filter((event) => event.type === type)
      .map((event) => event.data);

  test("before_tool_call may change arguments in place or by replacement, never the id", () => {
    const inPlace = run("before_tool_call", (payload) => {
      (payload.call as { arguments: unknown }).arguments = { path: "/tmp" };
    });
    expect(dataOf(inPlace, "tool.call")).toMatchObject([{ id: "call_1_1", arguments: { path: "/tmp" } }]);
    const replaced = run("before_tool_call", () =>
      replacePayload({ call: { id: "other", name: "ls", arguments: {} } }),
    );
    expect(dataOf(replaced, "tool.call")).toMatchObject([{ id: "call_1_1", name: "ls" }]);
  });

  test("before_tool_call that throws refuses its own call, with its reason; the others are handed over", () => {
    const loop = new HarnessLoop({
      planner: {
        plan: () => ({ steps: [{ id: "s", calls: [{ name: "rm" }, { name: "ls" }, { name: "rm" }] }] }),
      },
    });
    loop.hooks.on("before_tool_call", ({ call }) => {
      if ((call as ToolRequest).name === "rm") throw new Error("rm is blocked");
    });
    const pull = sync(loop.run("g"));
    expect(pull).toMatchObject({ kind: "tools", calls: [{ name: "ls" }] });
    expect(finish(loop, pull)).toMatchObject({ status: "done" });
    const error = "a before_tool_call hook failed: rm is blocked";
    expect(dataOf(loop, "tool.error")).toMatchObject([
      { index: 0, category: "hook", error },
      { index: 2, category: "hook", error },
    ]);
    expect(dataOf(loop, "tool.result")).toMatchObject([{ index: 1, name: "ls" }]);
    expect(dataOf(loop, "step.end")).toMatchObject([{ error: null }]);
    expect(loop.control.errors).toBe(2);
  });

  test("one that changes the payload and then throws has changed nothing", () => {
    const loop = run("after_tool_call", (payload) => {
      (payload.result as { value: unknown }).value = "forged";
      throw new Error("late");
    });
    expect(dataOf(loop, "tool.result")).toMatchObject([{ value: "ok" }]);
  });

  test("a payload turned into junk is reported and ignored", () => {
    const errors: unknown[] = [];
    const loop = new HarnessLoop({ planner: oneCall });
    loop.hooks.on("on_error", (payload) => void errors.push(payload.where));
    loop.hooks.on("after_plan", () => replacePayload({ plan: 7 }));
    loop.hooks.on("before_step", () => replacePayload({ step: null }));
    loop.hooks.on("before_tool_call", () => replacePayload({ call: [] }));
    loop.hooks.on("after_tool_call", () => replacePayload({ result: "x" }));
    expect(finish(loop, sync(loop.run("g")))).toMatchObject({ status: "done" });
    expect(errors).toEqual(["after_plan", "before_step", "before_tool_call", "after_tool_call"]);
  });

  test("skip: the step, the call, the plan", () => {
    expect(
      dataOf(
        run("before_step", () => skipStep),
        "step.end",
      ),
    ).toMatchObject([{ skipped: true, error: null }]);
    expect(
      dataOf(
        run("before_tool_call", () => skipStep),
        "tool.error",
      ),
    ).toMatchObject([{ category: "skipped" }]);
    expect(types(run("before_plan", () => skipStep))).toEqual(["session.start", "session.complete"]);
    expect(
      dataOf(
        run("after_plan", () => skipStep),
        "step.end",
      ),
    ).toMatchObject([{ skipped: true }]);
  });

  test("before_plan that throws spends the turn and yields", () => {
    let throws = true;
    const loop = new HarnessLoop({ planner: oneCall });
    loop.hooks.on("before_plan", () => {
      if (throws) throw new Error("not now");
    });
    expect(sync(loop.run("g"))).toMatchObject({ kind: "pause", reason: "plan_aborted" });
    throws = false;
    expect(finish(loop, sync(loop.resume({})))).toMatchObject({ status: "done" });
    expect(loop.control.budget.used.turns).toBe(2);
  });

  test("pause asks for review once per place and takes up there, plan kept", () => {
    for (const topic of [
      "before_plan",
      "after_plan",
      "before_step",
      "before_tool_call",
      "after_tool_call",
      "after_step",
    ] as const) {
      const loop = new HarnessLoop({
        planner: { plan: threeSteps.plan, reflect: (view) => (view.step?.id === "look" ? "step" : "done") },
      });
      let asked = 0;
      loop.hooks.on(topic, () => {
        asked++;
        return asked < 3 ? pauseLoop("look at this") : undefined;
      });
      const seen: string[] = [];
      const done = finish(loop, sync(loop.run("g")), (pull) => {
        seen.push(pull.kind);
        return pull.kind === "pause" ? {} : { result: 1 };
      });
      expect(done.kind, topic).toBe("complete");
      expect(seen.filter((kind) => kind === "pause").length, topic).toBe(1);
      expect(viewOf(replayEvents(loop.events.from())), topic).toEqual(viewOf(loop.control as never));
    }
  });

  test("on_pause may resume at once; on_error that throws is not reported again", () => {
    const loop = new HarnessLoop({ planner: oneCall, budget: { turns: 0 } });
    loop.hooks.on("on_error", () => {
      throw new Error("worse");
    });
    loop.hooks.on("on_pause", () => resumeWith({ extend: { turns: 1 } }));
    expect(finish(loop, sync(loop.run("g")))).toMatchObject({ status: "done" });
    const stuck = new HarnessLoop({ planner: oneCall, budget: { turns: 0 } });
    stuck.hooks.on("on_pause", () => resumeWith({}));
    expect(sync(stuck.run("g")).kind).toBe("pause");
  });

  test("an asynchronous hook makes the pull a promise", async () => {
    const loop = new HarnessLoop({ planner: oneCall });
    loop.hooks.on("before_step", async () => {});
    const pull = loop.run("g");
    expect(pull).toBeInstanceOf(Promise);
    expect((await pull).kind).toBe("tools");
  });

  test("an unknown topic is refused", () => {
    expect(() => new HarnessLoop({ planner: oneCall }).hooks.on("before_lunch" as never, () => {})).toThrow(
      "unknown hook topic",
    );
  });
});

describe("budget", () => {
  const forever: Planner = { plan: () => ({ steps: [{ id: "s", tool: "t" }] }), reflect: () => "replan" };

  test("turns: a yield that can be extended or closed", () => {
    const loop = new HarnessLoop({ planner: forever, budget: { turns: 2 } });
    let pull = sync(loop.run("g"));
    pull = sync(loop.resume({ result: 1 }));
    pull = sync(loop.resume({ result: 1 }));
    expect(pull).toMatchObject({
      kind: "pause",
      reason: "budget_exceeded:turns",
      detail: { limit: 2, used: 2 },
    });
    expect(loop.state).toBe("IDLE");
    pull = sync(loop.resume({ extend: { turns: 1 } }));
    expect(pull.kind).toBe("tools");
    pull = sync(loop.resume({ result: 1 }));
    expect(sync(loop.resume({}))).toMatchObject({ kind: "pause" });
    expect(sync(loop.resume({ close: { status: "budget_exhausted", reason: "turns" } }))).toEqual({
      kind: "complete",
      status: "budget_exhausted",
      reason: "turns",
    });
    expect(types(loop).filter((type) => type === "session.complete").length).toBe(1);
  });

  test("tool calls: nothing of a batch that does not fit is dispatched", () => {
    const planner: Planner = {
      plan: () => ({ steps: [{ id: "s", calls: [{ name: "a" }, { name: "b" }] }] }),
    };
    const loop = new HarnessLoop({ planner, budget: { tool_calls: 1 } });
    expect(sync(loop.run("g"))).toMatchObject({ kind: "pause", reason: "budget_exceeded:tool_calls" });
    expect(types(loop)).not.toContain("tool.call");
    expect(sync(loop.resume({ extend: { tool_calls: 1 } }))).toMatchObject({ kind: "tools" });
  });

  test("wall clock counts running time only", () => {
    const loop = new HarnessLoop({ planner: forever, budget: { wall_clock_ms: 100 } });
    sync(loop.run("g", { at: 0 }));
    expect(sync(loop.resume({ result: 1 }, { at: 60 })).kind).toBe("tools");
    expect(sync(loop.resume({ result: 1 }, { at: 110 }))).toMatchObject({
      reason: "budget_exceeded:wall_clock_ms",
    });
    expect(sync(loop.resume({ extend: { wall_clock_ms: 50 } }, { at: 10_000 })).kind).toBe("tools");
    expect(loop.control.budget.used.wall_clock_ms).toBe(110);
  });

  test("a negative limit is refused", () => {
    expect(() => new HarnessLoop({ planner: forever, budget: { turns: -1 } })).toThrow(
      "budget turns must be",
    );
  });
});

describe("events", () => {
  test("carry version, number, session and parent; subscribers replay from any offset; one that throws is survived", () => {
    const loop = new HarnessLoop({
      planner: threeSteps,
      session: "child",
      parent: { session: "p", call: "c1" },
    });
    const live: number[] = [];
    loop.events.subscribe(() => {
      throw new Error("bad subscriber");
    });
    loop.events.subscribe((event) => live.push(event.n), 0);
    finish(loop, sync(loop.run("g", { at: 5 })));
    const all = loop.events.from();
    expect(live).toEqual(all.map((event) => event.n));
    expect(all[0]).toMatchObject({
      v: 1,
      n: 0,
      session: "child",
      parent: { session: "p", call: "c1" },
      at: 5,
    });
    const late: number[] = [];
    loop.events.subscribe((event) => late.push(event.n), 3);
    expect(late).toEqual(live.slice(3));
    expect(loop.events.failures).toBe(all.length);
  });

  test("eleven types", () => expect(eventTypes.length).toBe(11));

  test("a log with a hole, another session or another version is refused", () => {
    const log = new EventLog("s");
    log.append("session.start", { goal: 1 }, null);
    const [first] = log.from();
    expect(() => replayEvents([])).toThrow("empty");
    expect(() => replayEvents([{ ...first, n: 1 } as never])).toThrow("number");
    expect(() => replayEvents([first as never, { ...first, n: 1, session: "t" } as never])).toThrow(
      "belongs",
    );
    expect(() => replayEvents([{ ...first, v: 2 } as never])).toThrow("version");
  });
});

describe("planner", () => {
  test("swapped between two steps: the next plan is the new one's", () => {
    const loop = new HarnessLoop({ planner: threeSteps });
    sync(loop.run("g"));
    loop.swapPlanner({ plan: () => ({ steps: [{ id: "other" }] }), reflect: () => "done" });
    sync(loop.resume({ result: 1 }));
    const steps = loop.events
      .from()
      .filter((event) => event.type === "step.start")
      .map((event) => (event.data.step as { id: string }).id);
    expect(steps).toEqual(["look", "other"]);
  });

  test("one that throws or plans nonsense pauses the session, which goes on with a better one", () => {
    for (const bad of [
      () => {
        throw new Error("no");
      },
      () => ({ steps: [{}] }) as never,
      () => ({}) as never,
    ]) {
      const loop = new HarnessLoop({ planner: { plan: bad } });
      expect(sync(loop.run("g"))).toMatchObject({ kind: "pause", reason: "plan_aborted" });
      loop.swapPlanner(threeSteps);
      expect(finish(loop, sync(loop.resume({}))).kind).toBe("complete");
    }
  });
});

describe("restore", () => {
  test("from its log, at both pull points", () => {
    const loop = new HarnessLoop({ planner: threeSteps });
    sync(loop.run("g"));
    const again = HarnessLoop.restore(JSON.parse(JSON.stringify(loop.events.from())), {
      planner: threeSteps,
    });
    expect(viewOf(again.control as never)).toEqual(viewOf(loop.control as never));
    expect(sync(again.resume({ result: "x" }))).toMatchObject({ kind: "tools", calls: [{ name: "save" }] });
    const paused = new HarnessLoop({ planner: threeSteps, budget: { turns: 1 } });
    sync(paused.run("g"));
    sync(paused.resume({ result: 1 }));
    const later = HarnessLoop.restore(paused.events.from(), { planner: threeSteps, budget: { turns: 9 } });
    expect(finish(later, sync(later.resume({}))).kind).toBe("complete");
    expect(types(later).filter((type) => type === "session.start").length).toBe(1);
  });
});

describe("a caller that says little", () => {
  const again: Planner = { plan: () => ({ steps: [{ id: "again" }] }), reflect: () => "replan" };

  test("has a default budget; an empty one is no limit", () => {
    const loop = new HarnessLoop({ planner: again });
    expect(sync(loop.run("g"))).toMatchObject({
      kind: "pause",
      detail: { kind: "turns", limit: 50, used: 50 },
    });
    let turns = 0;
    const free = new HarnessLoop({
      planner: { ...again, reflect: () => (++turns < 300 ? "replan" : "done") },
      budget: {},
    });
    expect(sync(free.run("g"))).toMatchObject({ kind: "complete", status: "done" });
  });

  test("wall_clock_ms is limited from the start without `at`; a pause is not counted", () => {
    let now = 5_000;
    const planner: Planner = {
      ...again,
      plan: () => {
        now += 40;
        return { steps: [{ id: "again" }] };
      },
    };
    const loop = new HarnessLoop({ planner, budget: { wall_clock_ms: 100 }, clock: () => now });
    expect(sync(loop.run("g"))).toMatchObject({
      kind: "pause",
      detail: { kind: "wall_clock_ms", limit: 100 },
    });
    const used = loop.control.budget.used.wall_clock_ms;
    expect(used).toBeGreaterThanOrEqual(100);
    now += 10_000;
    expect(sync(loop.resume({ extend: { wall_clock_ms: 60 } }))).toMatchObject({ kind: "pause" });
    expect(loop.control.budget.used.wall_clock_ms).toBeLessThan(300);
  });

  test("resume without a payload while calls are open throws and changes nothing", () => {
    const loop = new HarnessLoop({
      planner: { plan: ({ turns }) => (turns > 0 ? undefined : { steps: [{ id: "s", tool: "read" }] }) },
    });
    expect(sync(loop.run("g"))).toMatchObject({ kind: "tools" });
    const before = loop.events.length;
    expect(() => loop.resume()).toThrow(
      "HarnessLoop.resume: calls wait for their results: read (call_1_1); give { results }",
    );
    expect([loop.events.length, loop.state]).toEqual([before, "AWAITING_TOOL"]);
    const restored = HarnessLoop.restore(loop.events.from(), { planner: again });
    expect(() => restored.resume()).toThrow(/read \(call_1_1\)/);
    expect(sync(restored.resume({ result: "late" }))).toMatchObject({ kind: "pause" });
    expect(finish(loop, sync(loop.resume({ result: "text" })))).toMatchObject({ status: "done" });
  });

  test("calls that hooks refuse are neither told nor counted, and a log with them gives back the state", () => {
    const loop = new HarnessLoop({
      planner: {
        plan: ({ turns }) =>
          turns > 0
            ? undefined
            : { steps: [{ id: "s", calls: [{ name: "rm" }, { name: "ls" }, { name: "mv" }] }] },
      },
      budget: { tool_calls: 3 },
    });
    loop.hooks.on("before_tool_call", ({ call }) =>
      (call as ToolRequest).name === "ls" ? undefined : skipStep,
    );
    finish(loop, sync(loop.run("g")));
    const report = loop.events
      .from()
      .map(({ type }) => type)
      .filter((type) => type.startsWith("tool."));
    expect(report).toEqual(["tool.error", "tool.call", "tool.error", "tool.result"]);
    expect(loop.control.budget.used.tool_calls).toBe(1);
    expect(viewOf(replayEvents(loop.events.from()))).toEqual(viewOf(loop.control));
  });

  test("events can't be changed by who reads them, nor by who changes what they tell of", () => {
    const steps = [{ id: "s", tool: "read", arguments: { path: ["a"] } }];
    const loop = new HarnessLoop({ planner: { plan: ({ turns }) => (turns > 0 ? undefined : { steps }) } });
    loop.events.subscribe((event) => {
      (event.data as Record<string, unknown>).forged = true;
    });
    sync(loop.run("g"));
    (steps[0] as { arguments: { path: string[] } }).arguments.path.push("b");
    const call = loop.events.from().find(({ type }) => type === "tool.call");
    expect(call?.data).toMatchObject({ arguments: { path: ["a"] } });
    expect(() => Object.assign(call as object, { type: "x" })).toThrow(TypeError);
    const { arguments: args } = (call as LoopEvent).data as { arguments: { path: string[] } };
    expect(() => args.path.push("c")).toThrow(TypeError);
    expect(loop.events.failures).toBe(loop.events.length);
  });
});
