/**
 * The loops that run now, by the task that runs them. Asking a task walks up its parents, so whoever works for a loop
 * (a tool handler, a callback, a child loop in either) finds the innermost one around it.
 */
import type { StateKey, Task } from "../interp/index.ts";
import type { Loop } from "./loop-state.ts";
import type { Purse } from "./model-call/purse.ts";

export class RunningLoops {
  private readonly stacks = new WeakMap<Task, Loop[]>();

  enter(task: Task, loop: Loop): void {
    const stack = this.stacks.get(task);
    if (stack === undefined) this.stacks.set(task, [loop]);
    else stack.push(loop);
  }

  leave(task: Task): void {
    this.stacks.get(task)?.pop();
  }

  /** The innermost loop around a task, `null` outside. */
  current(task: Task): Loop | null {
    for (let at: Task | undefined = task; at !== undefined; at = at.parent) {
      const loop = this.stacks.get(at)?.at(-1);
      if (loop !== undefined) return loop;
    }
    return null;
  }

  /** How many loops are around a task. */
  depth(task: Task): number {
    let found = 0;
    for (let at: Task | undefined = task; at !== undefined; at = at.parent)
      found += this.stacks.get(at)?.length ?? 0;
    return found;
  }

  /** What model calls made here are booked to. */
  purse(task: Task): Purse | null {
    return this.current(task)?.purse ?? null;
  }
}

/** `task.runtime.state(runningLoops)` */
export const runningLoops: StateKey<RunningLoops> = {
  name: "agent.running loops",
  create: () => new RunningLoops(),
};
