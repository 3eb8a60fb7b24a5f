/** Rounds of loops that are counted as steps. */

import type { Frame, Task } from "../../interp/index.ts";
import { limitCheckpoint } from "../../interp/index.ts";

/** One step of the current task. */
export function count(f: Frame): void {
  const task = f[0] as Task;
  if (++task.steps >= task.checkAt) limitCheckpoint(task);
}
