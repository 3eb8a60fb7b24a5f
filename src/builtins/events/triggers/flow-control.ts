/** What holds events back: repeats, and too many at once. All of it takes the time as a number. */

/** At most `max` events in any `windowMs`. */
export class RateWindow {
  readonly max: number;
  readonly windowMs: number;
  private taken: number[] = [];

  constructor(max: number, windowMs: number) {
    this.max = max;
    this.windowMs = windowMs;
  }

  /** Takes a place now, or says how long until there is one. */
  take(now: number): number {
    this.taken = this.taken.filter((at) => now - at < this.windowMs);
    if (this.taken.length < this.max) {
      this.taken.push(now);
      return 0;
    }
    return (this.taken[0] as number) + this.windowMs - now;
  }
}

/** Keys that were seen, each for a while: against events that are sent twice, and tokens that are used again. */
export class SeenKeys {
  private readonly until = new Map<string, number>();
  private readonly ttlMs: number;

  constructor(ttlMs: number) {
    this.ttlMs = ttlMs;
  }

  /** True when the key is new; it is remembered from now on. */
  add(key: string, now: number): boolean {
    for (const [old, until] of this.until) if (until <= now) this.until.delete(old);
    if (this.until.has(key)) return false;
    this.until.set(key, now + this.ttlMs);
    return true;
  }
}
