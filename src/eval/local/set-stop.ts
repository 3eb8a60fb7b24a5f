/**
 * What asks a set to stop: Ctrl-C, TERM, HUP; a second one ends the process. Trials that wait stop at their effects. One that
 * computes never comes back to the event loop, where signals arrive: it asks here now and then, and is broken off.
 */
import { setImmediate } from "node:timers/promises";
import type { StopRequest } from "../../effects/index.ts";
import {
  type StopSignal,
  signalPatienceMs,
  stopRequests,
  type WatchedSigint,
  watchSigint,
} from "../../host/index.ts";
import type { InterruptListener, Interrupts } from "../../interp/index.ts";

/** How often the event loop shows that it runs; milliseconds. */
const beat = 50;

export class SetStop {
  private readonly aborter = new AbortController();
  private readonly listeners = new Map<StopSignal, () => void>();
  private sigint: WatchedSigint | undefined;
  private beating: NodeJS.Timeout | undefined;
  private lastBeat = Date.now();
  private isDeaf = false;

  constructor() {
    for (const name of Object.keys(stopRequests) as StopSignal[]) {
      const listener = (): void => this.came(name);
      this.listeners.set(name, listener);
      process.on(name, listener);
    }
  }

  get signal(): AbortSignal {
    return this.aborter.signal;
  }

  /** From now on trials run; until then the plan has the process for itself. */
  async watch(): Promise<void> {
    if (this.sigint !== undefined) return;
    this.sigint = watchSigint(() => this.came("SIGINT"));
    // What came before the watch waits in the event loop, which a trial that computes never reaches. The loop may be handling
    // what it saw earlier: only between two immediates does it surely look.
    await setImmediate();
    await setImmediate();
    this.lastBeat = Date.now();
    this.beating = setInterval(() => this.receive(), beat).unref();
  }

  /** What a run of the set stops by. */
  interrupts(): Interrupts {
    let own: InterruptListener | undefined;
    return {
      listen: (listener) => {
        own = listener;
        return () => {
          own = undefined;
        };
      },
      stretch: (work) => work(),
      busy: () => {
        const asked = this.asked();
        if (asked === undefined || own === undefined) return;
        const listener = own;
        own = undefined;
        listener.broken(asked);
      },
    };
  }

  close(): void {
    this.sigint?.close();
    this.sigint = undefined;
    clearInterval(this.beating);
    for (const name of this.listeners.keys()) this.off(name);
  }

  /** What was asked for, looked at from a computation. */
  private asked(): StopRequest | undefined {
    if (this.sigint?.look() === true) this.came("SIGINT");
    if (!this.isDeaf && Date.now() - this.lastBeat > signalPatienceMs) {
      // Nothing would hear them: they get their ordinary meaning back. What is written is whole after every trial.
      this.isDeaf = true;
      this.off("SIGTERM");
      this.off("SIGHUP");
    }
    return this.aborter.signal.aborted ? (this.aborter.signal.reason as StopRequest) : undefined;
  }

  private receive(): void {
    this.lastBeat = Date.now();
    if (!this.isDeaf) return;
    this.isDeaf = false;
    for (const name of ["SIGTERM", "SIGHUP"] as const)
      process.on(name, this.listeners.get(name) as () => void);
  }

  private came(name: StopSignal): void {
    const request: StopRequest = stopRequests[name];
    if (this.aborter.signal.aborted) process.exit(request.exitCode);
    this.aborter.abort(request);
  }

  private off(name: StopSignal): void {
    process.off(name, this.listeners.get(name) as () => void);
  }
}
