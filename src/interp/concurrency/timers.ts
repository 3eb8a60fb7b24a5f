/**
 * Timers inside a run: an effect on a path of its own, so that when they fire is recorded and kept on replay. A timer
 * that is stopped leaves only its intent behind.
 */
import { InFlightEffect, shape } from "../../effects/index.ts";
import type { Task } from "../task.ts";

/**
 * Calls `fire` after `ms`, in turn; the function it gives stops the timer. `left` is what is left of `ms` when part of
 * it has passed: only `ms` belongs to the fingerprint, because it alone is the program's. `waited` gives the milliseconds since
 * its beginning that do not count.
 */
export function startTimer(
  task: Task,
  ms: number,
  purpose: string,
  fire: () => void,
  left: number = ms,
  waited?: () => number,
): () => void {
  const { effects, host } = task.runtime;
  const inFlight = new InFlightEffect();
  const asked = effects.perform<null>(
    effects.child(task.scope),
    {
      effect: "observe",
      kind: "timer",
      args: () => ({ purpose, ms: Math.max(0, Math.ceil(ms)) }),
      run: async (signal) => {
        await host.clock.sleep(Math.max(0, left), signal);
        // What did not count is slept in addition, and what did not count meanwhile.
        for (let slept = 0, more = waited?.() ?? 0; more > slept; more = waited?.() ?? 0) {
          await host.clock.sleep(more - slept, signal);
          slept = more;
        }
        return null;
      },
      result: shape.nothing,
    },
    inFlight,
  );
  Promise.resolve(asked).then(fire, () => {});
  return () => inFlight.abandon(new Error(`${purpose} is over`));
}
