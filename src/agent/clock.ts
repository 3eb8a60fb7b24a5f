/** Time as the agents see it: recorded observations on the asking task's scope, so that a replay sees the same. */
import type { Task } from "../interp/index.ts";
import type { MaybePromise } from "../values/index.ts";

/** Milliseconds on a clock that never goes back. */
export function monotonicMs(task: Task): number {
  return look(task, "clock.monotonic", () => task.runtime.host.clock.monotonic());
}

/** Milliseconds since the epoch. */
export function wallMs(task: Task): number {
  return look(task, "clock.now", () => task.runtime.host.clock.now());
}

/** Whole milliseconds since `start`, a value of `monotonicMs`. */
export function elapsedMs(task: Task, start: number): number {
  return Math.max(0, Math.round(monotonicMs(task) - start));
}

/** Waits; ended by cancellation and deadlines like any wait. */
export function pause(task: Task, ms: number): MaybePromise<null> {
  return task.perform<null>({
    effect: "observe",
    kind: "sleep",
    args: () => ({ ms }),
    waits: ms,
    run: async (signal, left = ms) => {
      await task.runtime.host.clock.sleep(left, signal);
      return null;
    },
    encode: () => null,
    decode: () => null,
  });
}

function look(task: Task, kind: string, run: () => number): number {
  // The port hands the result of a synchronous effect over at once, live and replayed alike.
  return task.perform<number>({
    effect: "observe",
    kind,
    args: () => null,
    run,
    encode: (result) => result,
    decode: (stored) => stored as number,
  }) as number;
}
