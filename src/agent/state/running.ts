/**
 * The loops that run now. Whoever works for a loop (a tool handler, a callback, a child loop in either, a task that one of
 * them spawned) finds the innermost one around it.
 */
import { stateKey, type Task, TaskLocal } from "../../interp/index.ts";
import { type Conversation, checkpointCounts, modelBudgets } from "../../model/index.ts";
import { pauseLoop } from "../contract/index.ts";
import type { Loop } from "./loop-state.ts";

const loops = new TaskLocal<Loop>("running loops");
/** Why the task's own outermost loop is to be suspended. */
const halts = new TaskLocal<string>("halted loops");

export class RunningLoops {
  private readonly latest = new WeakMap<Conversation, Loop>();

  /** The loop that runs on a conversation, or the last that did. */
  loopOf(conversation: Conversation): Loop | undefined {
    return this.latest.get(conversation);
  }

  enter(task: Task, loop: Loop): void {
    const reason = halts.own(task).at(-1);
    if (reason !== undefined && loops.own(task).length === 0) haltAtTurn(loop, reason);
    loops.enter(task, loop);
    this.latest.set(loop.conversation, loop);
    modelBudgets.enter(task, loop.modelBudget);
    checkpointCounts.enter(task, loop.state.slots.traced);
  }

  leave(task: Task): void {
    loops.leave(task);
    modelBudgets.leave(task);
    checkpointCounts.leave(task);
  }

  /** The innermost loop around a task, `null` outside. */
  current(task: Task): Loop | null {
    return loops.current(task) ?? null;
  }

  /** The task's outermost loop, also one that is about to begin, is suspended before its next turn. */
  halt(task: Task, reason: string): void {
    halts.enter(task, reason);
    const loop = loops.own(task)[0];
    if (loop !== undefined) haltAtTurn(loop, reason);
  }

  /** The task is not to be suspended any more. */
  unhalt(task: Task): void {
    while (halts.own(task).length > 0) halts.leave(task);
  }

  /** Whether a loop is the first of its task. */
  isOutermost(task: Task, loop: Loop): boolean {
    return loops.own(task)[0] === loop;
  }

  /** How many loops are around a task. */
  depth(task: Task): number {
    return loops.around(task).length;
  }
}

/** Once: a loop that was suspended and goes on is not stopped again. */
function haltAtTurn(loop: Loop, reason: string): void {
  const forget = loop.core.hooks.on("before_plan", () => {
    forget();
    return pauseLoop(reason);
  });
}

/** `task.runtime.state(runningLoops)` */
export const runningLoops = stateKey<RunningLoops>("agent.running loops", () => new RunningLoops());
