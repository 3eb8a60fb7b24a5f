/**
 * One effect in flight, as seen by the task that asked for it. Its `AbortSignal` is made only when somebody looks at
 * it: most effects are over before anybody could abort them, and a parked task should cost little.
 */
export class InFlightEffect {
  private aborter: AbortController | undefined = undefined;
  /** Why nobody wants the result any more; `undefined` while it is wanted. */
  private reason: unknown = undefined;
  /** Set by the port once the effect waits: forgets it. */
  onAbandon: (() => void) | undefined = undefined;

  get signal(): AbortSignal {
    if (this.aborter === undefined) {
      this.aborter = new AbortController();
      if (this.reason !== undefined) this.aborter.abort(this.reason);
    }
    return this.aborter.signal;
  }

  get abandoned(): boolean {
    return this.reason !== undefined;
  }

  /** The result is no longer wanted: asks the effect to stop, and it is never handed over. */
  abandon(reason: unknown): void {
    if (this.reason !== undefined) return;
    this.reason = reason ?? new Error("abandoned");
    this.onAbandon?.();
    this.onAbandon = undefined;
    this.aborter?.abort(this.reason);
  }
}
