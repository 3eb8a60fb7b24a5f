/**
 * Money that is lent to whoever calls models on another's behalf: an `llm_caller` may ask three models at once or the
 * same one four times, and the loop's dollar limit must hold for all of it. Every call made while a purse is open is
 * reserved in it and booked to it.
 */
export class Purse {
  /** `null`: nothing is limited, only counted. */
  readonly limitUsd: number | null;
  spentUsd: number;
  calls = 0;
  private reserved = 0;

  constructor(limitUsd: number | null, spentUsd: number) {
    this.limitUsd = limitUsd;
    this.spentUsd = spentUsd;
  }

  /** Spent, or maybe spent by calls in flight. */
  get committedUsd(): number {
    return this.spentUsd + this.reserved;
  }

  reserve(usd: number): void {
    this.reserved += usd;
  }

  release(usd: number): void {
    this.reserved = Math.max(0, this.reserved - usd);
  }

  book(usd: number): void {
    this.calls++;
    this.spentUsd += usd;
  }
}
