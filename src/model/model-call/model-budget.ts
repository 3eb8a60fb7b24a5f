/**
 * Money and tokens that a running loop may spend, and with it everybody who works for it: its `llm_caller`, the model
 * calls of its tools and callbacks, the loops inside them.
 *
 * Budgets nest as loops do. A call is reserved in and booked to its own budget and every budget around it, so a child can
 * never spend more than what its parent has left, however many children run at once. Money is checked before a call
 * against the call's worst case (`refusal`): what does not fit is refused.
 *
 * Tokens are set aside, too, but what a call may use at most (its longest answer) is often more than a small limit has. So
 * a call that does not fit beside those in flight waits for them; alone it may go as long as anything is left. A limit of
 * tokens is passed by one call at most, whoever makes it.
 */
import { type Task, TaskLocal, type Wait } from "../../interp/index.ts";

export class ModelBudget {
  /** `null`: nothing is limited here, only counted. */
  limitUsd: number | null = null;
  limitTokens: number | null = null;
  spentUsd = 0;
  spentTokens = 0;
  calls = 0;
  /** Calls whose price nobody knows. */
  unpriced = 0;
  /** Of the loop around this one. */
  readonly parent: ModelBudget | null;
  private reserved = 0;
  private reservedTokens = 0;
  private maxReserved = 0;
  /** Calls that wait for room. */
  private readonly waiting = new Set<Wait<null>>();

  constructor(parent: ModelBudget | null = null) {
    this.parent = parent;
  }

  /** Whether a dollar limit holds here or in a budget around. */
  get hasDollarLimit(): boolean {
    return this.limitUsd !== null || this.parent?.hasDollarLimit === true;
  }

  /** Spent, or maybe spent by calls in flight. */
  get committedUsd(): number {
    return this.spentUsd + this.reserved;
  }

  /** What may still be used here, limits of the budgets around included; `Infinity` without a limit. */
  get tokensLeft(): number {
    const own =
      this.limitTokens === null ? Number.POSITIVE_INFINITY : Math.max(0, this.limitTokens - this.spentTokens);
    return Math.min(own, this.parent?.tokensLeft ?? Number.POSITIVE_INFINITY);
  }

  /** Whether a token limit holds here or in a budget around. */
  get hasTokenLimit(): boolean {
    return this.limitTokens !== null || this.parent?.hasTokenLimit === true;
  }

  /**
   * Reserves the tokens of a call, as soon as there is room for it in every budget around; gives what was reserved, `null` when
   * nothing is left. `patient: false` does not wait (a call within an effect can't).
   */
  async reserveTokens(task: Task, estimate: number, patient = true): Promise<number | null> {
    for (;;) {
      if (this.tokensLeft === 0) return null;
      // Servers count more than was estimated here: no less than the largest call so far.
      const { largest } = this;
      const tokens = Math.max(estimate, largest);
      const full = patient ? this.fullFor(tokens, largest > 0) : null;
      if (full === null) {
        this.holdTokens(tokens);
        return tokens;
      }
      await task.park<null>("tokens that other calls of the loop may still use", (wait) => {
        full.waiting.add(wait);
        return () => void full.waiting.delete(wait);
      });
    }
  }

  giveBackTokens(tokens: number): void {
    this.reservedTokens = Math.max(0, this.reservedTokens - tokens);
    const woken = [...this.waiting];
    this.waiting.clear();
    for (const wait of woken) wait.wake(null);
    this.parent?.giveBackTokens(tokens);
  }

  private holdTokens(tokens: number): void {
    this.reservedTokens += tokens;
    this.parent?.holdTokens(tokens);
  }

  /** The innermost budget in which the call has no room beside those in flight. Before the first answer, calls go one by one. */
  private fullFor(tokens: number, measured: boolean): ModelBudget | null {
    const committed = this.spentTokens + this.reservedTokens;
    const fits =
      this.limitTokens === null ||
      this.reservedTokens === 0 ||
      (measured && committed + tokens <= this.limitTokens);
    return fits ? (this.parent?.fullFor(tokens, measured) ?? null) : this;
  }

  /** Tokens of the largest call that was booked in the outermost budget: everybody's. */
  private get largest(): number {
    return this.parent?.largest ?? this.maxReserved;
  }

  /** The innermost budget around in which nothing is left. */
  get exhausted(): ModelBudget | null {
    const left = this.limitTokens === null ? 1 : this.limitTokens - this.spentTokens;
    return left <= 0 ? this : (this.parent?.exhausted ?? null);
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
  /** `usd`: null where nobody knows the price. */
  book(usd: number | null, tokens: number): void {
    this.calls++;
    if (usd === null && tokens > 0) this.unpriced++;
    this.spentUsd += usd ?? 0;
    this.spentTokens += tokens;
    this.maxReserved = Math.max(this.maxReserved, tokens);
    this.parent?.book(usd, tokens);
  }
}

/** What model calls are booked to: each loop has a budget, and a run of several loops has one around them. */
export const modelBudgets = new TaskLocal<ModelBudget>("model budgets");

/** What model calls made here are booked to; `null` outside of every loop. */
export const modelBudgetOf = (task: Task): ModelBudget | null => modelBudgets.current(task) ?? null;
