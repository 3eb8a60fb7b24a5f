/** What is in force for a task, and for those that it spawns. */
import { describe, expect, it } from "vitest";
import {
  awaitHandle,
  childTask,
  pinTask,
  spawnTask,
  type Task,
  TaskLocal,
} from "../../../src/interp/index.ts";
import { testRun } from "../../support/concurrent.ts";

const local = new TaskLocal<string>("test");
const other = new TaskLocal<number>("other");
const child = (parent: Task): Task => childTask(parent, "child", false);

describe("a task local", () => {
  it("gives the innermost value, all of them, and those the task entered itself", () => {
    const { task } = testRun();
    local.enter(task, "a");
    const inside = child(task);
    local.enter(inside, "b");
    other.enter(inside, 1);
    expect([local.current(inside), local.around(inside), local.own(inside)]).toEqual([
      "b",
      ["a", "b"],
      ["b"],
    ]);
    expect([local.current(task), local.around(task), local.own(task)]).toEqual(["a", ["a"], ["a"]]);
    expect([other.current(task), other.around(task), other.own(task)]).toEqual([undefined, [], []]);
  });

  it("holds for a spawned task after its parent has left it, and never begins for one that runs already", () => {
    const { task } = testRun();
    const before = child(task);
    const leave = local.enter(task, "a");
    const during = child(task);
    leave();
    expect([local.current(before), local.current(during), local.current(task)]).toEqual([
      undefined,
      "a",
      undefined,
    ]);
    expect(local.current(child(during))).toBe("a");
  });

  it("can't be ended by a task that inherited it", () => {
    const { task } = testRun();
    local.enter(task, "a");
    const inside = child(task);
    expect(local.leave(inside)).toBe(false);
    local.enter(inside, "b");
    expect([local.leave(inside), local.leave(inside), local.current(inside)]).toEqual([true, false, "a"]);
    expect(local.current(task)).toBe("a");
  });

  it("is left once, in any order", () => {
    const { task } = testRun();
    const leaveA = local.enter(task, "a");
    local.enter(task, "b");
    const leaveC = local.enter(task, "c");
    leaveA();
    leaveA();
    expect(local.around(task)).toEqual(["b", "c"]);
    leaveC();
    leaveC();
    expect(local.around(task)).toEqual(["b"]);
  });

  it("is replaced as a whole by pinning", () => {
    const { task } = testRun();
    const home = child(task);
    local.enter(home, "home");
    const worker = child(task);
    local.enter(worker, "own");
    other.enter(worker, 1);
    pinTask(worker, home);
    expect([local.around(worker), other.around(worker), local.own(worker)]).toEqual([["home"], [], []]);
  });

  it("is what held when a task was spawned, not when it began", async () => {
    const { task } = testRun();
    const leave = local.enter(task, "a");
    const handle = spawnTask(task, (own) => local.current(own) ?? null);
    leave();
    expect(await awaitHandle(task, handle)).toBe("a");
  });
});
