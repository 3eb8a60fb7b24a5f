/** The machine's clock. */
import type { Clock } from "./ports.ts";

/** Node keeps timers in 32 bits: longer ones would fire at once. */
const longestTimer = 0x7fff_ffff;

export const nodeClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep,
};

/** Sleeps in stretches, each measured anew, so that a suspended machine doesn't oversleep by its suspension. */
async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  const due = performance.now() + ms;
  for (;;) {
    const left = due - performance.now();
    if (left <= 0 && ms > 0) return;
    await timer(Math.min(Math.max(left, 0), longestTimer), signal);
    if (ms <= 0) return;
  }
}

function timer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const stop = (): void => {
      clearTimeout(handle);
      reject(signal?.reason);
    };
    const handle = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, Math.ceil(ms));
    signal?.addEventListener("abort", stop, { once: true });
  });
}
