/**
 * What arrives from outside until somebody takes it. Waiting and taking are two steps: who gives up waiting takes nothing,
 * so nothing is lost between a timeout and the next look.
 */
export class Inbox<T> {
  private readonly items: T[] = [];
  private over = false;
  private failure: { readonly error: unknown } | undefined;
  private waiting: { readonly promise: Promise<void>; readonly wake: () => void } | undefined;
  private readonly onTaken: (left: number) => void;

  /** `onTaken` is told how many items are left: the place to let more in. */
  constructor(onTaken: (left: number) => void = () => {}) {
    this.onTaken = onTaken;
  }

  get size(): number {
    return this.items.length;
  }

  put(item: T): void {
    if (this.over) return;
    this.items.push(item);
    this.notify();
  }

  /** Nothing more will come. An error is given to whoever comes after the last item, once. */
  end(failure?: { readonly error: unknown }): void {
    if (this.over) return;
    this.over = true;
    this.failure = failure;
    this.notify();
  }

  private notify(): void {
    this.waiting?.wake();
    this.waiting = undefined;
  }

  /** Resolves when there is something to take, or when nothing more will come. */
  ready(): Promise<void> {
    if (this.items.length > 0 || this.over) return Promise.resolve();
    if (this.waiting === undefined) {
      let wake: () => void = () => {};
      const promise = new Promise<void>((resolve) => {
        wake = resolve;
      });
      this.waiting = { promise, wake };
    }
    return this.waiting.promise;
  }

  /** "empty": somebody else was faster. `undefined`: the end. */
  take(): T | "empty" | undefined {
    if (this.items.length > 0) {
      const item = this.items.shift() as T;
      this.onTaken(this.items.length);
      return item;
    }
    if (!this.over) return "empty";
    const { failure } = this;
    this.failure = undefined;
    if (failure !== undefined) throw failure.error;
    return undefined;
  }
}
