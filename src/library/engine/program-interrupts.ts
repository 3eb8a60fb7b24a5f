/** What asks a run of a program to stop: the program, or its time. No signal of the process is looked at. */
import type { AtRest, StopRequest } from "../../effects/index.ts";
import { type NodeInterrupts, nodeAtRest } from "../../host/index.ts";
import type { InterruptListener } from "../../interp/index.ts";

/** What a timer takes; milliseconds. */
const longestTimer = 2 ** 31 - 1;

const cancelled: StopRequest = { reason: "cancel", exitCode: 130 };

export class ProgramInterrupts implements NodeInterrupts {
  readonly atRest: AtRest = nodeAtRest();
  /** Why it was asked to stop. */
  why: string | undefined;
  /** What the program gave as the reason. */
  cause: unknown;
  private stopped: () => void = () => {};
  private listener: InterruptListener | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly until: number | undefined;
  private begun = false;
  private isAtOnce = false;

  /** `timeout`: milliseconds. */
  constructor(timeout: number | undefined) {
    this.until = timeout === undefined ? undefined : performance.now() + timeout;
    if (timeout !== undefined) this.await(timeout, timeout);
  }

  private await(left: number, timeout: number): void {
    const piece = Math.min(left, longestTimer);
    this.timer = setTimeout(() => {
      if (left > piece) this.await(left - piece, timeout);
      else this.stop(`its ${timeout} ms are over`);
    }, piece);
  }

  /**
   * `now`: it does not unwind. The first of all requests is told, and then one to stop at once: whoever listens takes any second one
   * for that, and several that stop one run know nothing of each other.
   */
  stop(why: string, now = false, cause?: unknown): void {
    this.stopped();
    if (now ? this.isAtOnce : this.why !== undefined) return;
    if (this.why === undefined) {
      this.why = why;
      this.cause = cause;
    }
    this.isAtOnce = now;
    if (this.begun) this.listener?.stop(now ? { ...cancelled, atOnce: true } : cancelled);
  }

  listen(listener: InterruptListener): () => void {
    this.listener = listener;
    return () => {
      this.listener = undefined;
    };
  }

  /** Rejects with this when it is asked to stop once more, for what goes on when the program is over. */
  nextStop(): Promise<never> {
    return new Promise((_, reject) => {
      this.stopped = () => reject(this);
    });
  }

  /** The run has ended, or could not begin: its time is no matter any more. */
  end(): void {
    clearTimeout(this.timer);
  }

  /** The program's beginning: of one that was stopped before it, nothing happens. */
  stretch(work: () => void): void {
    this.begun = true;
    if (this.why === undefined) work();
    else this.listener?.stop({ ...cancelled, atOnce: true });
  }

  /** No timer is heard while a program computes. */
  busy(): void {
    if (this.until === undefined || this.why !== undefined || performance.now() < this.until) return;
    this.why = "its time is over";
    this.listener?.broken(cancelled);
  }
}
