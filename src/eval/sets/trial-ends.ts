/**
 * The transactions in which trials end. Those that end in the same turn of the event loop are committed as one, because a commit
 * costs as much as all that is written in it; each of them becomes true as a whole or not at all.
 */
import type { EvalStore } from "./eval-store.ts";

interface TrialWrite {
  readonly write: () => void;
  readonly committed: () => void;
  readonly failed: (error: unknown) => void;
}

export class TrialEnds {
  private readonly store: EvalStore;
  private readonly steady: () => Promise<void>;
  private waiting: TrialWrite[] = [];

  /** `steady` resolves where no interrupt breaks off what comes next, in a later turn of the event loop. */
  constructor(store: EvalStore, steady: () => Promise<void>) {
    this.store = store;
    this.steady = steady;
  }

  /** Resolves when what `write` has written is true; rejects with what it has thrown, and then nothing of it is. */
  end(write: () => void): Promise<void> {
    return new Promise((committed, failed) => {
      this.waiting.push({ write, committed, failed });
      if (this.waiting.length === 1) void this.steady().then(() => this.commit());
    });
  }

  private commit(): void {
    const { store } = this;
    const ends = this.waiting;
    this.waiting = [];
    const settle: (() => void)[] = [];
    try {
      store.together(() => {
        for (const { write, committed, failed } of ends) {
          try {
            store.alone(write);
            settle.push(committed);
          } catch (error) {
            settle.push(() => failed(error));
          }
        }
      });
    } catch (error) {
      for (const { failed } of ends) failed(error);
      return;
    }
    for (const one of settle) one();
  }
}
