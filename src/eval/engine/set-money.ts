/**
 * The purse of a set: the outermost of the purses. Nothing of what the set may spend is passed, however many trials run at once.
 *
 *   a trial starts      when the set can set its allotment aside
 *   a call is sent      when its worst case fits into what its trial has left of its allotment, or into what the set has left
 *   a call is answered  what it cost is booked, and the rest is free again
 *
 * A pure machine: who waits is told by `changed` when something has become free.
 */
interface Account {
  /** Set aside for it, US dollars. */
  readonly allotment: number;
  spent: number;
  /** Worst cases of its calls in flight. */
  reserved: number;
}

export class SetMoney {
  /** US dollars; null: no limit. */
  limitUsd: number | null;
  /** Called when money has become free, or the limit has been raised. */
  changed: () => void = () => {};
  /** Of trials that have ended, and of judges. */
  private spentUsd: number;
  private readonly accounts = new Map<string, Account>();

  constructor(limitUsd: number | null, spentUsd = 0) {
    this.limitUsd = limitUsd;
    this.spentUsd = spentUsd;
  }

  /** Spent or doubtful. */
  get spent(): number {
    let sum = this.spentUsd;
    for (const { spent } of this.accounts.values()) sum += spent;
    return sum;
  }

  /** Spent, set aside for trials under way, and worst cases of calls in flight. */
  get committed(): number {
    let sum = this.spentUsd;
    for (const account of this.accounts.values()) sum += heldBy(account);
    return sum;
  }

  /** Worst cases of all calls in flight. */
  get inFlight(): number {
    let sum = 0;
    for (const { reserved } of this.accounts.values()) sum += reserved;
    return sum;
  }

  /** Sets money aside for a trial; false when the set has not so much left. */
  open(name: string, allotment: number): boolean {
    if (this.limitUsd !== null && this.committed + allotment > this.limitUsd + tiny) return false;
    this.accounts.set(name, { allotment, spent: 0, reserved: 0 });
    return true;
  }

  /** Sets the worst case of a call aside; false when it does not fit. */
  reserve(name: string, usd: number): boolean {
    const account = this.accountOf(name);
    const others = this.committed - heldBy(account);
    const held = Math.max(account.allotment, account.spent + account.reserved + usd);
    if (this.limitUsd !== null && others + held > this.limitUsd + tiny) return false;
    account.reserved += usd;
    return true;
  }

  release(name: string, usd: number): void {
    const account = this.accountOf(name);
    account.reserved = Math.max(0, account.reserved - usd);
    if (account.reserved < tiny) account.reserved = 0;
    this.changed();
  }

  /** What a call cost, or may have cost. */
  book(name: string, usd: number): void {
    this.accountOf(name).spent += usd;
  }

  /** The trial has ended or was put off: what it spent stays, the rest is free. */
  close(name: string): void {
    const account = this.accounts.get(name);
    if (account === undefined) return;
    this.accounts.delete(name);
    this.spentUsd += account.spent;
    this.changed();
  }

  raise(limitUsd: number | null): void {
    this.limitUsd = limitUsd;
    this.changed();
  }

  private accountOf(name: string): Account {
    let account = this.accounts.get(name);
    if (account === undefined) {
      account = { allotment: 0, spent: 0, reserved: 0 };
      this.accounts.set(name, account);
    }
    return account;
  }
}

const heldBy = ({ allotment, spent, reserved }: Account): number => Math.max(allotment, spent + reserved);

/** Sums of floats drift. */
const tiny = 1e-9;
