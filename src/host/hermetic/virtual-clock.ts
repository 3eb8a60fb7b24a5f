/** Time that passes only by waiting, for tests and hermetic runs: sleeping costs nothing, and the order is fixed. */
import type { Clock } from "../ports.ts";

/** A clock whose time passes only while all wait: the earliest sleeper is woken and the clock set to its due time. */
export class VirtualClock implements Clock {
  private time: number;
  private readonly start: number;
  private readonly sleepers: { due: number; order: number; wake: () => void }[] = [];
  private order = 0;
  private scheduled = false;

  constructor(now = Date.UTC(2026, 0, 2, 3, 4, 5, 678)) {
    this.time = now;
    this.start = now;
  }
  now(): number {
    return this.time;
  }
  monotonic(): number {
    return this.time - this.start;
  }
  /** Moves the clock without waking anybody early. */
  advance(ms: number): void {
    this.time += ms;
  }
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const sleeper = { due: this.time + Math.max(ms, 0), order: this.order++, wake: resolve };
      this.sleepers.push(sleeper);
      signal?.addEventListener("abort", () => {
        const at = this.sleepers.indexOf(sleeper);
        if (at >= 0) this.sleepers.splice(at, 1);
        reject(signal.reason);
      });
      this.schedule();
    });
  }
  private schedule(): void {
    if (this.scheduled || this.sleepers.length === 0) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.sleepers.sort((a, b) => a.due - b.due || a.order - b.order);
      const next = this.sleepers.shift();
      if (next === undefined) return;
      this.time = Math.max(this.time, next.due);
      next.wake();
      this.schedule();
    });
  }
}
