/** What is said once and read by several, each from its beginning and at its own pace; the last ones are kept for who comes later. */

/** So many are kept. */
const kept = 10_000;

export class Broadcast<T> {
  private readonly lost: () => Error;
  private items: T[] = [];
  /** Number of the first that is kept. */
  private first = 0;
  private isOver = false;
  private waiting: (() => void)[] = [];

  /** `lost` makes the error of a reader that is too far behind. */
  constructor(lost: () => Error) {
    this.lost = lost;
  }

  say(item: T): void {
    this.items.push(item);
    // In large steps: a shift for each would move them all.
    if (this.items.length >= 2 * kept) {
      this.first += this.items.length - kept;
      this.items = this.items.slice(-kept);
    }
    this.wake();
  }

  end(): void {
    this.isOver = true;
    this.wake();
  }

  private wake(): void {
    const { waiting } = this;
    if (waiting.length === 0) return;
    this.waiting = [];
    for (const next of waiting) next();
  }

  async *read(): AsyncGenerator<T, void, undefined> {
    for (let at = 0; ; ) {
      if (at < this.first) throw this.lost();
      const end = this.first + this.items.length;
      if (at < end) {
        yield this.items[at - this.first] as T;
        at++;
      } else if (this.isOver) return;
      else await new Promise<void>((next) => this.waiting.push(next));
    }
  }
}
