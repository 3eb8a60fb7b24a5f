/** The effects of a script, as calls on a task: what builtins do, without the builtins. */
import { type EffectCall, type JournalledClass, type Json, shape } from "../../src/effects/index.ts";
import type { Task } from "../../src/interp/index.ts";
import type { MaybePromise, Value } from "../../src/values/index.ts";

/** Any effect of one class. */
export function effect(
  task: Task,
  kind: string,
  run: (signal: AbortSignal) => MaybePromise<Value>,
  args: Json = null,
  effectClass: JournalledClass = "read",
): MaybePromise<Value> {
  const call: EffectCall<Value> = {
    effect: effectClass,
    kind,
    args: () => args,
    run,
    result: shape.value(),
  };
  return task.perform(call);
}

/** `sleep(ms)`. */
export const sleep = (task: Task, ms: number): MaybePromise<Value> =>
  effect(
    task,
    "sleep",
    (signal) => task.runtime.host.clock.sleep(ms, signal).then(() => null),
    ms,
    "observe",
  );

/** `now_ms()`. */
export const now = (task: Task): number =>
  effect(task, "now_ms", () => task.runtime.host.clock.now(), null, "observe") as number;
