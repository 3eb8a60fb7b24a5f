/**
 * The loops that run now, by the task that runs them. Asking a task walks up its parents, so whoever works for a loop
 * (a tool handler, a callback, a child loop in either) finds the innermost one around it.
 */
import type { StateKey, Task } from "../interp/index.ts";
import { pauseLoop } from "./contract/index.ts";
import type { Loop } from "./loop-state.ts";
import type { Purse } from "./model-call/purse.ts";

export class RunningLoops {
  private readonly stacks = new WeakMap<Task, Loop[]>();
  private readonly pinned = new WeakMap<Task, Pinned>();
  private readonly purses = new WeakMap<Task, OpenPurse[]>();
  private readonly parking = new WeakMap<Task, string>();

  enter(task: Task, loop: Loop): void {
    const stack = this.stacks.get(task);
    const reason = this.parking.get(task);
    if (reason !== undefined && (stack === undefined || stack.length === 0)) parkAtTurn(loop, reason);
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
      const pinned = this.pinned.get(at);
      if (pinned !== undefined) return pinned.loop;
    }
    return null;
  }

  /** `worker` works for the loop around `spawner`, whatever loops its parents begin or end meanwhile. */
  pin(worker: Task, spawner: Task): void {
    const [loop, depth, purse] = [this.current(spawner), this.depth(spawner), this.purse(spawner)];
    this.pinned.set(worker, { loop, depth, purse });
  }

  /** The task's outermost loop, also one that is about to begin, is parked before its next turn. */
  park(task: Task, reason: string): void {
    this.parking.set(task, reason);
    const loop = this.stacks.get(task)?.[0];
    if (loop !== undefined) parkAtTurn(loop, reason);
  }

  /** The task is not to be parked any more. */
  goOn(task: Task): void {
    this.parking.delete(task);
  }

  /** Whether a loop is the first of its task. */
  isOutermost(task: Task, loop: Loop): boolean {
    return this.stacks.get(task)?.[0] === loop;
  }

  /** How many loops are around a task. */
  depth(task: Task): number {
    let found = 0;
    for (let at: Task | undefined = task; at !== undefined; at = at.parent) {
      found += this.stacks.get(at)?.length ?? 0;
      const pinned = this.pinned.get(at);
      if (pinned !== undefined) return found + pinned.depth;
    }
    return found;
  }

  /** What model calls made here are booked to. */
  purse(task: Task): Purse | null {
    for (let at: Task | undefined = task; at !== undefined; at = at.parent) {
      const loops = this.stacks.get(at);
      const open = this.purses.get(at)?.at(-1);
      if (open !== undefined && open.loops === (loops?.length ?? 0)) return open.purse;
      const loop = loops?.at(-1);
      if (loop !== undefined) return loop.purse;
      const pinned = this.pinned.get(at);
      if (pinned !== undefined) return pinned.purse;
    }
    return null;
  }

  /** From now on the task spends from this purse, which is no loop's: a run of several loops has it. Gives what ends that. */
  openPurse(task: Task, purse: Purse): () => void {
    const open = { purse, loops: this.stacks.get(task)?.length ?? 0 };
    const stack = this.purses.get(task);
    if (stack === undefined) this.purses.set(task, [open]);
    else stack.push(open);
    return () => void this.purses.get(task)?.pop();
  }
}

/** What was around whoever spawned a worker. */
interface Pinned {
  readonly loop: Loop | null;
  readonly depth: number;
  readonly purse: Purse | null;
}

/** A purse and how many loops of its task were around it: one that begins later has a purse of its own. */
interface OpenPurse {
  readonly purse: Purse;
  readonly loops: number;
}

/** Once: a loop that was parked and goes on is not stopped again. */
function parkAtTurn(loop: Loop, reason: string): void {
  const forget = loop.core.hooks.on("before_plan", () => {
    forget();
    return pauseLoop(reason);
  });
}

/** `task.runtime.state(runningLoops)` */
export const runningLoops: StateKey<RunningLoops> = {
  name: "agent.running loops",
  create: () => new RunningLoops(),
};
