/** The machine's clock. */
import type { Clock } from "../ports.ts";

/** Node keeps timers in 32 bits: longer ones would fire at once. */
const maxTimer = 0x7fff_ffff;

/** Milliseconds since the process began. `performance` would be the same clock, but is loaded on first use: 4 ms. */
export function monotonicMs(): number {
  return process.uptime() * 1000;
}

export const nodeClock: Clock = {
  now: () => Date.now(),
  monotonic: monotonicMs,
  sleep,
};

/** Sleeps in stretches, each measured anew, so that a suspended machine doesn't oversleep by its suspension. */
async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  const due = monotonicMs() + ms;
  for (;;) {
    const left = due - monotonicMs();
    if (left <= 0 && ms > 0) return;
    await timer(Math.min(Math.max(left, 0), maxTimer), signal);
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
