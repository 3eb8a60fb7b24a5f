/** A time limit joined with a caller's own signal. */
import { HostError } from "./ports.ts";

/** Aborts with the caller's reason, or when the time is over. */
export class Deadline {
  readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout | undefined;
  private readonly outer: AbortSignal | undefined;
  private readonly passOn = (): void => this.controller.abort(this.outer?.reason);

  constructor(ms: number | undefined, outer: AbortSignal | undefined) {
    this.outer = outer;
    if (ms !== undefined && ms < 0x7fff_ffff) {
      const words = `Deadline exceeded: no complete answer within ${ms} ms`;
      this.timer = setTimeout(() => this.expire(words), Math.max(ms, 0));
    }
    if (outer?.aborted === true) this.passOn();
    else outer?.addEventListener("abort", this.passOn, { once: true });
  }
  get signal(): AbortSignal {
    return this.controller.signal;
  }
  expire(words: string): void {
    this.controller.abort(new HostError("ETIMEDOUT", words));
  }
  clear(): void {
    clearTimeout(this.timer);
    this.outer?.removeEventListener("abort", this.passOn);
  }
}

/** What comes first: the work, which goes on, or the end of waiting for it. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
