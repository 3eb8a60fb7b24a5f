/** Small recorded observations that builtins make in the middle of what they do. */
import type { Json, ResultShape } from "../../effects/index.ts";
import type { Task } from "../../interp/index.ts";

/** A synchronous look outside, journalled with its result. */
export function observe<T extends Json>(
  task: Task,
  kind: string,
  result: ResultShape<T>,
  run: () => T,
  args: Json = null,
): T {
  const call = {
    effect: "observe" as const,
    kind,
    args: () => args,
    run,
    result,
  };
  // The port hands synchronous results over at once, live and replayed alike.
  return task.perform(call) as T;
}
