/**
 * A full disk under a service that goes on: what can't be written is tried again until there is room. Nobody else can write
 * meanwhile either, so what is held stays ours.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isDiskFull } from "../../store/index.ts";

const firstPauseMs = 250;
const maxPauseMs = 2000;

export interface FullDiskWaitOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** For whoever operates the service: once when the disk is full, once when there is room again. */
  readonly report: (text: string) => void;
}

export class FullDiskWait {
  private readonly options: FullDiskWaitOptions;
  private readonly over = new AbortController();
  private waiting = 0;
  private since = 0;

  constructor(options: FullDiskWaitOptions) {
    this.options = options;
  }

  /** Something waits for room. */
  get isFull(): boolean {
    return this.waiting > 0;
  }

  /**
   * Does it, again and again while the disk is full; nothing of a failed attempt may stay. Throws whatever else it throws, and
   * after `giveUp` the error of the last attempt.
   */
  async of<T>(work: () => T | Promise<T>): Promise<T> {
    let isWaiting = false;
    try {
      for (let pause = firstPauseMs; ; pause = Math.min(2 * pause, maxPauseMs)) {
        try {
          return await work();
        } catch (error) {
          if (!isDiskFull(error) || this.over.signal.aborted) throw error;
          if (!isWaiting) this.begin(error);
          isWaiting = true;
        }
        await sleep(pause, undefined, { signal: this.over.signal }).catch(() => {});
      }
    } finally {
      if (isWaiting) this.end();
    }
  }

  /** The service ends: nothing waits any longer. */
  giveUp(): void {
    this.over.abort();
  }

  private begin(error: unknown): void {
    if (this.waiting++ > 0) return;
    const { now, report } = this.options;
    this.since = now();
    report(`${error instanceof Error ? error.message : String(error)}; it goes on when there is room`);
  }

  private end(): void {
    if (--this.waiting > 0 || this.over.signal.aborted) return;
    const { now, report } = this.options;
    report(`there is room again after ${Math.round((now() - this.since) / 1000)} s`);
  }
}
