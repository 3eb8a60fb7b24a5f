/**
 * Time as the agents see it: that of the script, mocked (`mock_time`) or the machine's, which is recorded on the asking
 * task's scope, so that a replay sees the same.
 */

import { shape } from "../../effects/index.ts";
import type { MaybePromise } from "../../values/index.ts";
import { clockState, monotonic, sleepInMock, wallClock } from "../script-clock.ts";
import type { Task } from "../task.ts";

/** Milliseconds on a clock that never goes back. */
export function scriptMonotonicMs(task: Task): number {
  const { mock } = task.runtime.state(clockState);
  return mock === undefined ? monotonic(task) : mock.now - mock.start;
}

/** Milliseconds since the epoch. */
export const wallMs = (task: Task): number => wallClock(task);

/** Whole milliseconds since `start`, a value of `monotonicMs`. */
export function elapsedMs(task: Task, start: number): number {
  return Math.max(0, Math.round(scriptMonotonicMs(task) - start));
}

/** Waits; ended by cancellation and deadlines like any wait. A mocked clock goes on by as much instead. */
export function pauseTask(task: Task, ms: number): MaybePromise<null> {
  if (sleepInMock(task, ms)) return null;
  return task.perform<null>({
    effect: "observe",
    kind: "sleep",
    args: () => ({ ms }),
    waits: ms,
    run: async (signal, left = ms) => {
      await task.runtime.host.clock.sleep(left, signal);
      return null;
    },
    result: shape.nothing,
  });
}
