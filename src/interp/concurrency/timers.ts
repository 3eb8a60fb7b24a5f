/**
 * Timers inside a run: an effect on a path of its own, so that when they fire is recorded and kept on replay. A timer
 * that is stopped leaves only its intent behind.
 */
import { InFlightEffect, shape } from "../../effects/index.ts";
import type { Host } from "../../host/ports.ts";
import type { UncountedTime } from "../deadline.ts";
import type { Task } from "../task.ts";

/**
 * Calls `fire` after `ms`, in turn; the function it gives stops the timer. `left` is what is left of `ms` when part of
 * it has passed: only `ms` belongs to the fingerprint, because it alone is the program's. What is
 * `uncounted` comes on top.
 */
export function startTimer(
  task: Task,
  ms: number,
  purpose: string,
  fire: () => void,
  left: number = ms,
  uncounted?: UncountedTime,
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
        const began = host.clock.monotonic();
        for (let rest = left; ; ) {
          await pause(host, rest, signal, uncounted);
          rest = left + (uncounted?.ms ?? 0) - (host.clock.monotonic() - began);
          if (uncounted === undefined || rest <= 0) return null;
        }
      },
      result: shape.nothing,
    },
    inFlight,
  );
  Promise.resolve(asked).then(fire, () => {});
  return () => inFlight.abandon(new Error(`${purpose} is over`));
}

/** Sleeps; shorter when less of the time does not count than seemed so. */
async function pause(
  { clock }: Host,
  ms: number,
  signal: AbortSignal,
  uncounted: UncountedTime | undefined,
): Promise<void> {
  if (uncounted === undefined) return await clock.sleep(Math.max(0, ms), signal);
  const less = new AbortController();
  const forget = uncounted.whenLess(() => less.abort());
  try {
    await clock.sleep(Math.max(0, ms), AbortSignal.any([signal, less.signal]));
  } catch (error) {
    if (signal.aborted || !less.signal.aborted) throw error;
  } finally {
    forget();
  }
}
