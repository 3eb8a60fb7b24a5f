/**
 * The budget of a set, of US dollars or of tokens: the outermost of the budgets. Nothing of what the set may spend is passed, however many trials run at once.
 *
 *   a trial starts      when the set can set its allotment aside
 *   a call is sent      when its worst case fits into what its trial has left of its allotment, or into what the set has left
 *   a call is answered  what it cost is booked, and the rest is free again
 *
 * A pure machine: who waits is told by `changed` when something has become free.
 */
interface Account {
  /** Set aside for it. */
  readonly allotment: number;
  spent: number;
  /** Worst cases of its calls in flight. */
  reserved: number;
}

export class SetBudget {
  /** Null: no limit. */
  limit: number | null;
  /** Called when some of it has become free, or the limit has been raised. */
  changed: () => void = () => {};
  /** Of trials that have ended, and of judges. */
  private used: number;
  private readonly accounts = new Map<string, Account>();

  constructor(limit: number | null, used = 0) {
    this.limit = limit;
    this.used = used;
  }

  /** Spent or doubtful. */
  get spent(): number {
    let sum = this.used;
    for (const { spent } of this.accounts.values()) sum += spent;
    return sum;
  }

  /** Spent, set aside for trials in progress, and worst cases of calls in flight. */
  get committed(): number {
    let sum = this.used;
    for (const account of this.accounts.values()) sum += heldBy(account);
    return sum;
  }

  /** Worst cases of all calls in flight. */
  get inFlight(): number {
    let sum = 0;
    for (const { reserved } of this.accounts.values()) sum += reserved;
    return sum;
  }

  /** Sets an amount aside for a trial; false when the set has not so much left. */
  open(name: string, allotment: number): boolean {
    if (this.limit !== null && this.committed + allotment > this.limit + tiny) return false;
    this.hold(name, allotment);
    return true;
  }

  /** The same for what somebody has got already, whatever is left. */
  hold(name: string, allotment: number): void {
    this.accounts.set(name, { allotment, spent: 0, reserved: 0 });
  }

  /** Sets the worst case of a call aside; false when it does not fit. */
  reserve(name: string, amount: number): boolean {
    const account = this.accountOf(name);
    const others = this.committed - heldBy(account);
    const held = Math.max(account.allotment, account.spent + account.reserved + amount);
    if (this.limit !== null && others + held > this.limit + tiny) return false;
    account.reserved += amount;
    return true;
  }

  release(name: string, amount: number): void {
    const account = this.accountOf(name);
    account.reserved = Math.max(0, account.reserved - amount);
    if (account.reserved < tiny) account.reserved = 0;
    this.changed();
  }

  /** What a call cost, or may have cost. */
  book(name: string, amount: number): void {
    this.accountOf(name).spent += amount;
  }

  /** The trial has ended or was put off: what it spent stays, the rest is free. */
  close(name: string): void {
    const account = this.accounts.get(name);
    if (account === undefined) return;
    this.accounts.delete(name);
    this.used += account.spent;
    this.changed();
  }

  /** By a trial since it was opened. */
  spentBy(name: string): number {
    return this.accounts.get(name)?.spent ?? 0;
  }

  raise(limit: number | null): void {
    this.limit = limit;
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
