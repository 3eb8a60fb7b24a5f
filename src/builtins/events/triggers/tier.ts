/** A trigger's autonomy tier around its own functions. What the runtime records about them is not under it. */
import { enterTier, type TierScope } from "../../../agent/index.ts";
import type { Task } from "../../../interp/index.ts";
import type { Callable, Dict, Value } from "../../../values/index.ts";

export type TierRun = (task: Task, event: Dict) => Promise<Value>;

/** Calls a function of a trigger with an event, under its tier. */
export const underTier =
  (scope: TierScope, callback: Callable): TierRun =>
  async (task, event) => {
    const leave = enterTier(task, scope);
    try {
      return await callback.call(task, [event]);
    } finally {
      leave();
    }
  };
