/** Errors that are no failure of a handler or predicate, and that trying again would not mend. */
import type { Task } from "../../../interp/index.ts";

/** A deadline around the call has passed, or the task was cancelled. */
export function isAskedToStop(task: Task): boolean {
  if (task.cancelled) return true;
  for (let deadline = task.deadline; deadline !== undefined; deadline = deadline.outer) {
    if (deadline.fired) return true;
  }
  return false;
}
