/**
 * Ctrl-C, TERM and HUP (the terminal was closed) as requests to stop. The first is passed on; a second one ends the
 * process at once.
 *
 * A signal handler of Node runs in the event loop, which a synchronous `while true {}` never reaches. So stretches of
 * computation run under `vm` with `breakOnSigint`, where Node watches for the signal on a thread of its own (65 µs a
 * stretch): the program's start is one, and so is each batch of turns together with the microtasks they make. TERM and HUP
 * have no such watch: a computation that goes on for half a second gives them their ordinary meaning back until it ends.
 */
import vm from "node:vm";
import type { AtRest, StopRequest } from "../effects/index.ts";
import type { InterruptListener, Interrupts } from "../interp/index.ts";
import { nodeAtRest } from "./at-rest.ts";
import { monotonicMs } from "./node/node-clock.ts";

/** What each signal asks for. */
export const stopRequests = {
  SIGINT: { reason: "interrupt", exitCode: 130 },
  SIGTERM: { reason: "terminate", exitCode: 143 },
  SIGHUP: { reason: "hangup", exitCode: 129 },
} as const satisfies Record<string, StopRequest>;

export type StopSignal = keyof typeof stopRequests;

/** How long a computation may keep TERM and HUP waiting; milliseconds. */
export const signalPatienceMs = 500;
/**
 * How long turns run in one stretch before the event loop gets its chance. While Node sets up and takes down its watch
 * (about 30 µs) the signal has its ordinary meaning, so stretches of busy programs should be long beside that.
 */
const stretchMs = 10;
/** How often a run that waits looks whether Ctrl-C came. */
const lookMs = 40;
/** Turns between two looks at the clock. */
const turnsPerLook = 64;

export interface NodeInterrupts extends Interrupts {
  /** To be given to the effects port of the same run. */
  readonly atRest: AtRest;
}

/** Interrupts of this process; one run at a time. */
export function nodeInterrupts(): NodeInterrupts {
  return new SignalInterrupts();
}

/** Microtasks are run by Node between callbacks; inside one, only this old entry point of Node does it. */
const drainMicrotasks = (process as unknown as { _tickCallback?: () => void })._tickCallback;

class SignalInterrupts implements NodeInterrupts {
  private listener: InterruptListener | undefined;
  private asked = false;
  private inStretch = false;
  private stretchBegan = 0;
  private checks = 0;
  private dropped = false;
  private queued: (() => void) | undefined;
  private readonly onInterrupt = (): void => this.signalled("SIGINT");
  private readonly onEmpty = (): void => this.listener?.lost();
  private readonly onTerminate = (): void => this.signalled("SIGTERM");
  private readonly onHangUp = (): void => this.signalled("SIGHUP");

  listen(listener: InterruptListener): () => void {
    this.listener = listener;
    this.asked = false;
    this.watching = watch !== undefined && process.listenerCount("SIGINT") === 0;
    if (this.watching) this.beginWatch();
    else process.on("SIGINT", this.onInterrupt);
    this.watchUnwatched();
    process.on("beforeExit", this.onEmpty);
    return () => {
      this.listener = undefined;
      if (this.watching) this.endWatch();
      process.off("SIGINT", this.onInterrupt);
      this.unwatch();
      process.off("beforeExit", this.onEmpty);
    };
  }

  /** Is Node's watch held from the run's beginning to its end? */
  private watching = false;
  private looking: NodeJS.Timeout | undefined;

  private beginWatch(): void {
    watch?.startSigintWatchdog();
    this.looking = setInterval(() => this.look(), lookMs).unref();
  }

  private endWatch(): boolean {
    clearInterval(this.looking);
    this.looking = undefined;
    return watch?.stopSigintWatchdog() ?? false;
  }

  /** Whether Ctrl-C came while no stretch ran. */
  private look(): void {
    if (watch?.watchdogHasPendingSigint() !== true) return;
    // Only a new watch has forgotten it.
    this.endWatch();
    this.beginWatch();
    this.signalled("SIGINT");
  }

  /** The signals of which Node has no watch of its own. */
  private watchUnwatched(): void {
    process.on("SIGTERM", this.onTerminate);
    process.on("SIGHUP", this.onHangUp);
  }

  private unwatch(): void {
    process.off("SIGTERM", this.onTerminate);
    process.off("SIGHUP", this.onHangUp);
  }

  private signalled(signal: StopSignal): void {
    const request = stopRequests[signal];
    if (this.asked) {
      this.listener?.force();
      process.exit(request.exitCode);
    }
    this.asked = true;
    this.listener?.stop(request);
  }

  /** Whether the work was broken off. */
  stretch(work: () => void): boolean {
    if (this.inStretch || this.listener === undefined) {
      work();
      return false;
    }
    this.inStretch = true;
    this.stretchBegan = 0;
    try {
      breakable(() => {
        // It came between two stretches; the end of this one would make Node's watch forget it.
        if (this.watching && watch?.watchdogHasPendingSigint() === true) this.signalled("SIGINT");
        work();
      });
      return false;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_INTERRUPTED") throw error;
      this.queued = undefined;
      this.asked = true;
      this.listener?.broken(stopRequests.SIGINT);
      return true;
    } finally {
      this.inStretch = false;
      this.restore();
    }
  }

  /** Turns queue here while a stretch runs, and are run in it; otherwise one begins at the next rest. */
  readonly atRest: AtRest = (callback) => {
    if (drainMicrotasks === undefined) {
      this.plain(callback);
      return;
    }
    if (this.inTurns) {
      this.queued = callback;
      return;
    }
    // Without a watch a stretch takes the listener away, and a signal that waits for it in the event loop would be lost
    // with it: the loop has just looked when immediates run.
    setImmediate(() => this.turns(callback));
  };
  private inTurns = false;
  /** For a Node that has lost that entry point: Ctrl-C is then seen only between turns. */
  private readonly plain = nodeAtRest();

  private turns(first: () => void): void {
    this.inTurns = true;
    let broken: boolean;
    try {
      broken = this.stretch(() => this.runTurns(first));
    } finally {
      this.inTurns = false;
    }
    const { queued } = this;
    this.queued = undefined;
    // More to do: timers, sockets and signals first. Also what was broken off: the program's handlers are called in a turn.
    if (queued !== undefined) setImmediate(() => this.turns(queued));
    if (broken) unwindCallbacks();
  }

  private runTurns(first: () => void): void {
    let until = 0;
    let turn: (() => void) | undefined = first;
    for (let count = 1; turn !== undefined; count++) {
      this.queued = undefined;
      turn();
      drainMicrotasks?.();
      turn = this.queued;
      if (count % turnsPerLook !== 0) continue;
      const now = monotonicMs();
      if (until === 0) until = now + stretchMs;
      else if (now >= until) return;
    }
  }

  busy(): void {
    this.checks++;
    if (this.checks % 64 !== 0) return;
    const now = monotonicMs();
    if (!this.inStretch && this.stretchBegan === 0) this.untilRest();
    if (this.stretchBegan === 0) this.stretchBegan = now;
    else if (now - this.stretchBegan > signalPatienceMs) {
      this.stretchBegan = now;
      this.listener?.flush();
      if (this.dropped) return;
      this.dropped = true;
      this.unwatch();
      // Nobody watches for Ctrl-C either.
      if (this.inStretch) return;
      if (this.watching) this.endWatch();
      else process.off("SIGINT", this.onInterrupt);
    }
  }

  /** Work that did not begin in a stretch, such as a call that a client made: it lasts until the event loop comes round. */
  private untilRest(): void {
    setImmediate(() => {
      if (this.inStretch) return;
      this.stretchBegan = 0;
      this.restore();
    });
  }

  private restore(): void {
    if (!this.dropped) return;
    this.dropped = false;
    if (this.listener === undefined) return;
    this.watchUnwatched();
    if (this.watching) {
      if (this.looking === undefined) this.beginWatch();
      return;
    }
    process.off("SIGINT", this.onInterrupt);
    process.on("SIGINT", this.onInterrupt);
  }
}

interface SigintWatch {
  startSigintWatchdog(): void;
  /** Whether the signal came meanwhile. */
  stopSigintWatchdog(): boolean;
  watchdogHasPendingSigint(): boolean;
}

/**
 * Node's watch for Ctrl-C. Held from a run's beginning to its end: the one that a stretch makes for itself forgets a signal
 * that comes while its thread is taken down (13 of 72 on a busy machine), and nested in this one it makes no thread.
 * Undefined where this Node does not show it; then a Ctrl-C in that moment must be given again.
 */
const watch = ((): SigintWatch | undefined => {
  const { binding } = process as unknown as { readonly binding?: (name: string) => Partial<SigintWatch> };
  try {
    const found = binding?.("contextify");
    return typeof found?.startSigintWatchdog === "function" ? (found as SigintWatch) : undefined;
  } catch {
    return undefined;
  }
})();

/** Ctrl-C for a process in which many runs compute: each asks now and then whether it came. */
export interface WatchedSigint {
  /** Whether it came since the last look: also while JavaScript computes, where Node shows that. */
  look(): boolean;
  close(): void;
}

/**
 * From now until it is closed Ctrl-C does nothing of its own; `came` is called from the event loop, `look` from a computation.
 * To be called by who listens for the signal in the ordinary way, and goes on with it: without a listener a signal before the watch
 * ends the process, and without a watch of Node's the listener is all there is.
 */
export function watchSigint(came: () => void): WatchedSigint {
  if (watch === undefined) return { look: () => false, close: () => {} };
  const node = watch;
  node.startSigintWatchdog();
  const look = (): boolean => {
    if (!node.watchdogHasPendingSigint()) return false;
    // Only a new watch has forgotten it.
    node.stopSigintWatchdog();
    node.startSigintWatchdog();
    return true;
  };
  const looking = setInterval(() => {
    if (look()) came();
  }, lookMs).unref();
  return {
    look,
    close: () => {
      clearInterval(looking);
      if (node.stopSigintWatchdog()) came();
    },
  };
}

/**
 * Ends the callback of the event loop in which microtasks were broken off. What breaks them off runs no `finally`, so Node's
 * stack of callbacks is deeper than it should be, and Node ends the process when it finds out ("async hook stack has become
 * corrupted", exit code 1: one Ctrl-C in five, right after work). Only for an error that nobody caught does it clear the stack.
 */
function unwindCallbacks(): void {
  if (process.hasUncaughtExceptionCaptureCallback()) return;
  process.setUncaughtExceptionCaptureCallback(() => process.setUncaughtExceptionCaptureCallback(null));
  throw new Error("broken off");
}

/** Where the one-line script finds its work: `vm` runs text, not functions. */
const slot = Symbol.for("harn stretch");
let runner: vm.Script | undefined;

function breakable(work: () => void): void {
  runner ??= new vm.Script('globalThis[Symbol.for("harn stretch")]()');
  (globalThis as unknown as Record<symbol, () => void>)[slot] = work;
  runner.runInThisContext({ breakOnSigint: true });
}
