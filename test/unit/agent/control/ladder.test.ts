/** C3, C8, C16, C17, C26: the plan of the ladder, mildest first, until the prediction is at the target. */
import { describe, expect, test } from "vitest";
import {
  type LadderInput,
  type LadderPlan,
  librarySteps,
  planLadder,
} from "../../../../src/agent/context/compaction/planner.ts";
import { summaryCap } from "../../../../src/agent/context/compaction/shown.ts";
import type { Rung } from "../../../../src/agent/options/ladder-fields.ts";
import { usualSettings } from "../../../../src/agent/options/ladder-options.ts";
import { Conversation } from "../../../../src/model/conversation/conversation.ts";
import { messageText } from "../../../../src/model/index.ts";
import { drivenPass, passInputFor } from "../../../support/ladder-pass.ts";
import { filler, inputOf, ViewMaker } from "./ladder-views.ts";

const textOf = (plan: LadderPlan, id: string): string =>
  messageText(plan.edits.find((edit) => edit.id === id)?.message ?? { role: "tool", content: "" });

const planEntry = (input: LadderInput): LadderPlan =>
  planLadder(input, librarySteps("large_results", input, 0));

/** The last resort, and where it does not do, everything that is not protected. */
function planDirect(input: LadderInput): LadderPlan {
  const steps = librarySteps("last_resort", input);
  const plan = planLadder(input, steps);
  if (plan.predicted <= input.settings.hard * input.budget) return plan;
  return planLadder(input, [...steps, ...librarySteps("drop_all", input)]);
}

/** A task and reads of files, big ones. */
function reading(count: number, chars = 2000): ViewMaker {
  const made = new ViewMaker();
  made.person("Look at the files.");
  for (let n = 0; n < count; n++)
    made.calling({ tool: "read_file", args: { path: `src/f${n}.ts` }, gives: filler(chars, `f${n}`) });
  return made;
}

describe("the plan of the ladder", () => {
  test("below its target there is nothing to do", () => {
    const plan = planLadder(inputOf(reading(5).view));
    expect(plan).toMatchObject({ edits: [], span: null, drop: null, rungs: [] });
  });

  test("clears the oldest bodies first, and stops when it is enough", () => {
    const { view } = reading(18);
    const plan = planLadder(inputOf(view));
    expect(plan.rungs).toEqual(["clear"]);
    const ids = plan.edits.map(({ id }) => id);
    expect(ids).toEqual(
      view
        .filter(({ message }) => message.role === "tool")
        .slice(0, ids.length)
        .map(({ id }) => id),
    );
    expect(plan.predicted).toBeLessThanOrEqual(5000);
    expect(plan.predicted).toBeGreaterThan(4000);
  });

  test("the note has tool, arguments and size, and says how it is had again", () => {
    const plan = planLadder(inputOf(reading(18).view));
    expect(textOf(plan, "msg_3")).toBe(
      '[result of read_file]\n[cleared: read_file {"path":"src/f0.ts"}, 2,000 characters; context_recall msg_3 has it]\n[end of read_file result]\n',
    );
  });

  test("what a later call wrote and what stands further below goes before everything else, whatever its class", () => {
    const made = new ViewMaker();
    made.person("Look.");
    for (let n = 0; n < 10; n++)
      made.calling({ tool: "list_files", args: { n }, gives: filler(2000, `l${n}`) });
    const [stale] = made.calling({ tool: "read_file", args: { path: "a.ts" }, gives: filler(3000, "a") });
    const [write] = made.calling({ tool: "edit_file", args: { path: "a.ts" }, gives: "ok" });
    const [first] = made.calling({ tool: "bash", args: { command: "date" }, gives: filler(3000, "same") });
    const [second] = made.calling({ tool: "bash", args: { command: "date" }, gives: filler(3000, "same") });
    for (let n = 0; n < 4; n++) made.calling({ tool: "read_file", args: { path: `${n}` }, gives: "short" });
    const settings = { ...usualSettings, target: 0.63 };
    const plan = planLadder(inputOf(made.view, { settings }));
    expect(plan.edits.map(({ id }) => id).slice(-2)).toEqual([stale, first]);
    expect(textOf(plan, stale as string)).toContain(`changed since in ${write}`);
    expect(textOf(plan, first as string)).toContain(`the same again in ${second}`);
  });

  test("ephemeral, then replayable, then anchoring", () => {
    const made = new ViewMaker();
    made.person("Work.");
    const [edit] = made.calling({ tool: "edit_file", args: { path: "z.ts" }, gives: filler(2000, "edit") });
    const [read] = made.calling({ tool: "read_file", args: { path: "a.ts" }, gives: filler(2000, "read") });
    const [list] = made.calling({ tool: "list_files", gives: filler(2000, "list") });
    for (let n = 0; n < 4; n++) made.calling({ tool: "bash", args: { n }, gives: filler(1000, `b${n}`) });
    const clearedAt = (target: number): string[] =>
      planLadder(
        inputOf(made.view, {
          budget: 3000,
          settings: { ...usualSettings, target, rungs: new Set<Rung>(["clear"]) },
        }),
      ).edits.map(({ id }) => id);
    expect(clearedAt(0.8)).toEqual([list]);
    expect(clearedAt(0.6)).toEqual([read, list]);
    expect(clearedAt(0.4)).toEqual([edit, read, list]);
  });

  test("what can't be had again is kept outside, with first and last line and its failures", () => {
    const made = new ViewMaker();
    made.person("Build.");
    const [bash] = made.calling({
      tool: "bash",
      args: { command: "make" },
      gives: `begin\n${filler(4000, "out")}\nerror: it broke\n${filler(4000, "more")}\nthe end`,
    });
    for (let n = 0; n < 4; n++) made.calling({ tool: "bash", args: { n }, gives: filler(800, `b${n}`) });
    const plan = planLadder(inputOf(made.view, { budget: 4000 }));
    expect(plan.rungs).toEqual(["externalize"]);
    expect(textOf(plan, bash as string)).toBe(
      `[result of bash]\n[kept outside: bash, 8,031 characters, ${bash}]\nbegin\nerror: it broke\nthe end\n[end of bash result]\n`,
    );
  });

  test("rungs go by their own aggressiveness, whatever order was given", () => {
    const { view } = reading(18);
    const shuffled = {
      ...usualSettings,
      rungs: new Set<Rung>(["drop", "summarize", "externalize", "clear"]),
    };
    expect(planLadder(inputOf(view, { settings: shuffled }))).toEqual(planLadder(inputOf(view)));
  });

  test("drop is for urgent passes", () => {
    const { view } = reading(18);
    const settings = { ...usualSettings, rungs: new Set<Rung>(["drop"]) };
    expect(planLadder(inputOf(view, { settings })).drop).toBeNull();
    const urgent = planLadder(inputOf(view, { settings, trigger: "hard" }));
    expect(urgent.drop?.ids[0]).toBe("msg_2");
    expect(urgent.predicted).toBeLessThanOrEqual(5000);
  });

  test("a summary takes the oldest whole groups; task and last exchanges stay", () => {
    const made = new ViewMaker();
    made.person("Talk.");
    for (let n = 0; n < 60; n++) made.calling({ tool: "bash", args: { n }, gives: filler(600, `b${n}`) });
    const plan = planLadder(inputOf(made.view));
    expect(plan.rungs).toEqual(["summarize"]);
    expect(plan.span?.ids[0]).toBe("msg_2");
    expect(summaryCap(10_000)).toBe(1200);
    expect(plan.span?.ids).not.toContain("msg_1");
    expect(plan.span?.ids.length).toBeLessThan(made.view.length - 8);
    expect((plan.span?.ids.length ?? 0) % 2).toBe(0);
  });

  test("persons' older words stay as far as there is room, the newest always", () => {
    const made = new ViewMaker();
    made.person("First task.");
    const old = made.person(filler(3000, "old"));
    for (let n = 0; n < 40; n++) made.calling({ tool: "bash", args: { n }, gives: filler(700, `b${n}`) });
    const small = made.person("Use tabs.");
    const newest = made.person("And now go on.");
    for (let n = 0; n < 5; n++) made.calling({ tool: "bash", args: { n }, gives: "ok" });
    // Three hundred tokens are the room: "old" has 750.
    const settings = { ...usualSettings, userTokens: 300 };
    const plan = planLadder(inputOf(made.view, { settings }));
    expect(plan.span?.ids).toContain(old);
    expect(plan.span?.ids).not.toContain(small);
    expect(plan.span?.ids).not.toContain(newest);
  });

  test("long arguments of calls that wrote become a note; keys and JSON stay", () => {
    const made = new ViewMaker();
    made.person("Write.");
    for (let n = 0; n < 8; n++)
      made.calling({ tool: "write_file", args: { path: `f${n}`, text: filler(3000) }, gives: "ok" });
    const plan = planLadder(inputOf(made.view, { budget: 6000 }));
    const call = plan.edits[0]?.message.tool_calls?.[0];
    expect(call?.arguments).toEqual({
      path: "f0",
      text: "[cleared: 3,000 characters; context_recall msg_2 has them]",
    });
  });

  test("a pinned body stays", () => {
    const { view } = reading(18);
    const plan = planLadder(inputOf(view, { holds: (body) => body.call === "call_1" }));
    expect(plan.edits.map(({ id }) => id)).not.toContain("msg_3");
    expect(plan.edits.length).toBeGreaterThan(0);
  });

  test("texts that must survive stand in the note", () => {
    const made = reading(2);
    made.calling({ tool: "read_file", args: { path: "k" }, gives: `KEY-77\n${filler(2000)}` });
    for (let n = 0; n < 15; n++)
      made.calling({ tool: "read_file", args: { path: `${n}` }, gives: filler(2000, `z${n}`) });
    const survivors = (_id: string, text: string): string[] => (text.includes("KEY-77") ? ["KEY-77"] : []);
    expect(textOf(planLadder(inputOf(made.view, { survivors })), "msg_7")).toContain("has KEY-77");
  });

  test("head and tail of a result keep what a step names", () => {
    const { view } = reading(2);
    const keep = ["f0 number 90 of it.", "not there"];
    const step = { ids: ["msg_3"], keep, text: null, until: null, reason: "", sameAs: null, changedIn: null };
    const plan = planLadder(inputOf(view), [{ ...step, by: "clear", ends: 100 }]);
    expect(textOf(plan, "msg_3")).toContain("has f0 number 90 of it.; context_recall msg_3");
    expect(textOf(plan, "msg_3").length).toBeLessThan(400);
  });

  test("a direct clear frees half, the open exchange last", () => {
    const { view } = reading(10, 4000);
    const plan = planDirect(
      inputOf(view, { trigger: "hard", budget: 10_000, settings: { ...usualSettings, target: 0.1 } }),
    );
    expect(plan.predicted).toBeLessThanOrEqual(plan.before / 2);
    expect(plan.edits.map(({ id }) => id)).not.toContain("msg_21");
    expect(textOf(plan, "msg_3")).toContain("characters are out of view; context_recall msg_3 has them");
  });

  test("one message larger than the budget: head and tail, then everything that is not protected goes", () => {
    const made = reading(3, 400);
    const [huge] = made.calling({ tool: "bash", gives: filler(50_000) });
    const entry = planEntry(inputOf(made.view, { budget: 2000 }));
    expect(entry.edits.map(({ id, action }) => `${id} ${action}`)).toEqual([`${huge} externalize`]);
    expect(textOf(entry, huge as string).length).toBeLessThan(2200);
    const direct = planDirect(inputOf(made.view, { budget: 500, trigger: "hard" }));
    expect(textOf(direct, huge as string).length).toBeLessThan(1000);
    expect(direct.drop?.ids).toEqual(["msg_2", "msg_3", "msg_4", "msg_5", "msg_6", "msg_7"]);
  });

  test("a hard pass that can do nothing else takes the last resort, in this order", async () => {
    const settings = { ...usualSettings, rungs: new Set<Rung>() };
    const made = reading(3, 400);
    made.calling({ tool: "bash", gives: filler(50_000) });
    for (const [view, budget] of [
      [reading(10, 4000).view, 5000],
      [made.view, 500],
    ] as const) {
      const input = inputOf(view, { trigger: "hard", budget, settings });
      const passing = passInputFor(new Conversation("last"), input, null, String);
      const plan = (await drivenPass(passing, null)).end.pass?.plan;
      const direct = planDirect(input);
      expect([plan?.edits, plan?.drop]).toEqual([direct.edits, direct.drop]);
      expect(direct.edits.length + (direct.drop?.ids.length ?? 0)).toBeGreaterThan(0);
    }
  });

  test("the same input gives the same plan", () => {
    const { view } = reading(25);
    expect(planLadder(inputOf(view))).toEqual(planLadder(inputOf(view)));
  });
});
