/**
 * Calls of trials between being admitted and being booked. A set that stops lets them end, for they are paid for: what is answered
 * is in the journal then, and the task that asked goes no further.
 */
export class CallsInFlight {
  /** By the row of the trial. */
  private readonly counts = new Map<number, number>();
  /** They end first: how many there were, and how long they may take. */
  ending: { readonly calls: number; readonly graceMs: number } | undefined;
  private onRest: ((trial: number) => void) | undefined;

  /** Nothing begins any more. `onRest` is called for each of the trials that has no call left, now or later. */
  close(trials: Iterable<number>, onRest: (trial: number) => void): void {
    this.onRest = onRest;
    for (const trial of trials) this.over(trial, 0);
  }

  /** Trials with calls in flight, and how many. */
  get left(): readonly (readonly [trial: number, calls: number])[] {
    return [...this.counts].filter(([, count]) => count > 0);
  }

  /** A call that may be sent, unless nothing begins any more; gives what is called once it is booked. */
  async begin(trial: number, free: () => void): Promise<() => Promise<void> | undefined> {
    const end = (calls: number): Promise<void> | undefined => {
      free();
      this.over(trial, calls);
      return this.onRest === undefined ? undefined : forever();
    };
    await (this.onRest === undefined ? undefined : end(0));
    this.counts.set(trial, (this.counts.get(trial) ?? 0) + 1);
    return () => end(1);
  }

  /** So many of its calls are over, or will never be sent. */
  over(trial: number, calls = 1): void {
    const left = Math.max(0, (this.counts.get(trial) ?? 0) - calls);
    if (left === 0) this.counts.delete(trial);
    else this.counts.set(trial, left);
    if (left === 0) this.onRest?.(trial);
  }
}

const forever = (): Promise<never> => new Promise<never>(() => {});
