/**
 * Ends a call that takes too long or is no longer wanted: one signal out of the caller's, the total time and the
 * longest silence, and the reason afterwards (SDKs report all three alike).
 */

export type StopCause = "cancelled" | "timeout" | "idle";

export class CallGuard {
  readonly signal: AbortSignal;
  readonly totalMs: number;
  readonly idleMs: number | null;
  cause: StopCause | null = null;
  private readonly controller = new AbortController();
  private readonly caller: AbortSignal | undefined;
  private readonly total: NodeJS.Timeout;
  private idle: NodeJS.Timeout | undefined;
  private readonly onAbort = () => this.stop("cancelled");

  constructor(totalMs: number, idleMs: number | null, caller: AbortSignal | undefined) {
    this.signal = this.controller.signal;
    this.totalMs = totalMs;
    this.idleMs = idleMs;
    this.caller = caller;
    this.total = setTimeout(() => this.stop("timeout"), totalMs);
    if (caller?.aborted) this.stop("cancelled");
    else caller?.addEventListener("abort", this.onAbort, { once: true });
    this.touch();
  }

  /** Something arrived. */
  touch(): void {
    if (this.idleMs === null || this.cause) return;
    if (this.idle) this.idle.refresh();
    else this.idle = setTimeout(() => this.stop("idle"), this.idleMs);
  }

  /** The call is over: no timer or listener stays behind. */
  done(): void {
    clearTimeout(this.total);
    clearTimeout(this.idle);
    this.caller?.removeEventListener("abort", this.onAbort);
  }

  /** Nothing more is wanted of the server, whatever it still sends. */
  hangUp(): void {
    this.done();
    this.controller.abort();
  }

  private stop(cause: StopCause): void {
    if (this.cause) return;
    this.cause = cause;
    this.done();
    this.controller.abort();
  }
}
