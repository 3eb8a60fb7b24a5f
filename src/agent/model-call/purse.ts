/**
 * Money and tokens that a running loop may spend, and with it everybody who works for it: its `llm_caller`, the model
 * calls of its tools and callbacks, the loops inside them.
 *
 * Purses nest as loops do. A call is reserved in and booked to its own purse and every purse around it, so a child can
 * never spend more than what its parent has left, however many children run at once. Money is checked before a call
 * against the call's worst case (`refusal`), tokens between turns, because nobody knows them before.
 */
export class Purse {
  /** `null`: nothing is limited here, only counted. */
  limitUsd: number | null = null;
  limitTokens: number | null = null;
  spentUsd = 0;
  spentTokens = 0;
  calls = 0;
  /** Of the loop around this one. */
  readonly parent: Purse | null;
  private reserved = 0;

  constructor(parent: Purse | null = null) {
    this.parent = parent;
  }

  /** Whether a dollar limit holds here or in a purse around. */
  get hasDollarLimit(): boolean {
    return this.limitUsd !== null || this.parent?.hasDollarLimit === true;
  }

  /** Spent, or maybe spent by calls in flight. */
  get committedUsd(): number {
    return this.spentUsd + this.reserved;
  }

  /** What may still be used here, limits of the purses around included; `Infinity` without a limit. */
  get tokensLeft(): number {
    const own =
      this.limitTokens === null ? Number.POSITIVE_INFINITY : Math.max(0, this.limitTokens - this.spentTokens);
    return Math.min(own, this.parent?.tokensLeft ?? Number.POSITIVE_INFINITY);
  }

  reserve(usd: number): void {
    this.reserved += usd;
    this.parent?.reserve(usd);
  }

  release(usd: number): void {
    this.reserved = Math.max(0, this.reserved - usd);
    this.parent?.release(usd);
  }

  /** An answer, or the part of one that had arrived when the call failed. */
  book(usd: number, tokens: number): void {
    this.calls++;
    this.spentUsd += usd;
    this.spentTokens += tokens;
    this.parent?.book(usd, tokens);
  }
}
