/** What the handlers of a trigger may spend and decide by themselves in an hour and in a day (UTC), and what they have. */

/** What becomes of an event when the budget is used up. */
export type OnExhausted = "skip" | "retry_later" | "fail" | "warn";

interface BudgetLimits {
  readonly costUsd: number | undefined;
  readonly decisions: number | undefined;
}

const unlimited: BudgetLimits = { costUsd: undefined, decisions: undefined };
export const noBudget = {
  hourly: unlimited,
  daily: unlimited,
  /** Handlers that run at once. */
  maxConcurrent: undefined as number | undefined,
  onExhausted: "skip" as OnExhausted,
};

export type TriggerBudget = Readonly<typeof noBudget>;

/** A limit that is reached, and when it begins anew. */
export interface Exhausted {
  readonly reason: string;
  readonly untilMs: number;
}

/** One hour or one day. */
class BudgetSpan {
  private readonly name: string;
  private readonly lengthMs: number;
  private index = 0;
  usd = 0;
  private decisions = 0;

  constructor(name: string, lengthMs: number) {
    this.name = name;
    this.lengthMs = lengthMs;
  }

  add(now: number, usd: number, decisions: number): void {
    const index = Math.floor(now / this.lengthMs);
    if (index !== this.index) {
      this.index = index;
      this.usd = 0;
      this.decisions = 0;
    }
    this.usd += usd;
    this.decisions += decisions;
  }

  over(limits: BudgetLimits, now: number): Exhausted | undefined {
    if (Math.floor(now / this.lengthMs) !== this.index) return undefined;
    const untilMs = (this.index + 1) * this.lengthMs;
    if (limits.costUsd !== undefined && this.usd >= limits.costUsd)
      return { reason: `${this.name}_budget_exceeded`, untilMs };
    if (limits.decisions !== undefined && this.decisions >= limits.decisions)
      return { reason: `${this.name}_decisions_exceeded`, untilMs };
    return undefined;
  }
}

const hourMs = 3_600_000;

/** What the handlers of a trigger, in all of its versions, have spent and decided. */
export class BudgetUsage {
  private readonly hour = new BudgetSpan("hourly", hourMs);
  private readonly day = new BudgetSpan("daily", 24 * hourMs);

  get usdToday(): number {
    return this.day.usd;
  }

  /** Money counts for the time at which it is booked. */
  spend(now: number, usd: number): void {
    this.hour.add(now, usd, 0);
    this.day.add(now, usd, 0);
  }

  /** An event goes to a handler that nobody is asked about. */
  decide(now: number): void {
    this.hour.add(now, 0, 1);
    this.day.add(now, 0, 1);
  }

  /** The longer limit first: what it refuses, the shorter one would not let through later. */
  exhausted(budget: TriggerBudget, now: number): Exhausted | undefined {
    return this.day.over(budget.daily, now) ?? this.hour.over(budget.hourly, now);
  }
}
