/** How often an address may fail to log in, and how often a principal may ask. */
import type { ServerClock } from "../clock.ts";

const minuteMs = 60_000;
/** Addresses that are remembered; beyond, the oldest are forgotten. */
const remembered = 10_000;

/** Failures within the last minute, by address. */
export class FailureLimit {
  private readonly clock: ServerClock;
  private readonly max: number;
  private readonly failures = new Map<string, number[]>();

  constructor(clock: ServerClock, max: number) {
    this.clock = clock;
    this.max = max;
  }

  /** Seconds to wait; 0: may try. */
  wait(address: string): number {
    const recent = this.recent(address);
    const oldest = recent[0];
    if (recent.length < this.max || oldest === undefined) return 0;
    return Math.max(1, Math.ceil((oldest + minuteMs - this.clock.now()) / 1000));
  }

  note(address: string): void {
    const recent = this.recent(address);
    this.failures.delete(address);
    this.failures.set(address, [...recent, this.clock.now()].slice(-this.max));
    for (const key of this.failures.keys()) {
      if (this.failures.size <= remembered) break;
      this.failures.delete(key);
    }
  }

  private recent(address: string): readonly number[] {
    const since = this.clock.now() - minuteMs;
    return (this.failures.get(address) ?? []).filter((at) => at > since);
  }
}

interface Bucket {
  left: number;
  at: number;
}

/** So many requests a second, and some at once. */
export class RequestRate {
  private readonly clock: ServerClock;
  private readonly perSecond: number;
  private readonly burst: number;
  private readonly buckets = new Map<string, Bucket>();

  constructor(clock: ServerClock, perSecond: number, burst: number) {
    this.clock = clock;
    this.perSecond = perSecond;
    this.burst = burst;
  }

  /** False: too many. */
  take(who: string): boolean {
    const now = this.clock.now();
    const bucket = this.buckets.get(who) ?? { left: this.burst, at: now };
    // A clock that was set back gives nothing and takes nothing.
    const passed = Math.max(0, now - bucket.at) / 1000;
    bucket.left = Math.min(this.burst, bucket.left + passed * this.perSecond);
    bucket.at = now;
    this.buckets.set(who, bucket);
    if (bucket.left < 1) return false;
    bucket.left--;
    return true;
  }
}
