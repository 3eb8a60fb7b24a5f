/** Those of this process who wait for a change of a store. What this process changes wakes them at once; for the rest they look. */
import type { WaitClock } from "./ledger.ts";

/** How long changes of other processes may stay unnoticed. A look costs some 20 µs. */
export const lookEveryMs = 40;

export class Waiters {
  private readonly waiting = new Set<() => void>();

  wake(): void {
    for (const wake of [...this.waiting]) wake();
  }

  /** Waits until the next look, at most so long. True when it was woken, or the signal ended it. */
  async wait(clock: WaitClock, ms: number, signal: AbortSignal | undefined): Promise<boolean> {
    const ended = new AbortController();
    let isWoken = false;
    const wake = (): void => {
      isWoken = true;
      ended.abort();
    };
    this.waiting.add(wake);
    signal?.addEventListener("abort", wake, { once: true });
    try {
      await clock.sleep(Math.min(ms, lookEveryMs), ended.signal);
    } catch (error) {
      if (!ended.signal.aborted) throw error;
    } finally {
      this.waiting.delete(wake);
      signal?.removeEventListener("abort", wake);
    }
    return isWoken;
  }
}
