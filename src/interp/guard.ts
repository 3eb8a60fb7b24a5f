/**
 * The frame around a whole run: it ends when the program ends, when somebody outside asks it to stop, or when its
 * journal cannot go on; and always with the journal closed and everything in progress aborted.
 *
 *   a request to stop while the run waits    handed over in turn and recorded; the program's handlers of interrupts are
 *                                            called, then every waiting task unwinds (`finally` blocks run, `catch` does
 *                                            not), within a grace of two seconds
 *   … while it computes                      the stretch is broken off, and the journal notes the looks at its limits so
 *                                            far: a replay ends before the next. Handlers are called off the record,
 *                                            because no replay could work out what they find; nothing unwinds
 *
 * Standard output that nobody takes any more (`harn run x | head`) is such a request too.
 */
import { JournalProblem, type RunEnd, type StopRequest } from "../effects/index.ts";
import type { MaybePromise } from "../values/index.ts";
import { interruptHandlers, isInterrupt } from "./interrupts/interrupt-handlers.ts";
import { Interruption } from "./interrupts/interruption.ts";
import type { Runtime } from "./runtime.ts";
import { placeOfSite } from "./site.ts";

/** Requests to stop, from a terminal, another process or the embedding program. The adapter to signals is in `host/`. */
export interface Interrupts {
  /**
   * `stop` is called for the first request, `broken` when a request broke off a stretch of computation, `force` for a
   * second request, just before the process ends at once. Gives the function that stops listening.
   */
  listen(listener: InterruptListener): () => void;
  /** Runs work that a request can break off. */
  stretch(work: () => void): void;
  /** Called now and then by a computation that does not come to rest. */
  busy(): void;
}

export interface InterruptListener {
  stop(request: StopRequest): void;
  broken(request: StopRequest): void;
  force(): void;
  /** The process has nothing left to wait for. */
  lost(): void;
  /** The process may be ended from outside without another word. */
  flush(): void;
}

/** How a guarded run ended. */
export type GuardedEnd<T> =
  | { readonly kind: "ended"; readonly outcome: T }
  /** `outcome` is there when the program unwound by itself. */
  | { readonly kind: "stopped"; readonly request: StopRequest; readonly outcome?: T }
  | { readonly kind: "problem"; readonly problem: JournalProblem };

interface GuardOptions<T> {
  readonly interrupts?: Interrupts;
  /** What the journal should say about an outcome. */
  end(outcome: T): RunEnd;
}

/** How long a stopped program may unwind. */
const grace = 2000;

/** Runs a program to whatever end; see above. Rejects only with bugs of ours. */
export function runGuarded<T>(
  runtime: Runtime,
  run: () => MaybePromise<T>,
  options: GuardOptions<T>,
): Promise<GuardedEnd<T>> {
  return new Promise((resolve, reject) => new RunGuard(runtime, options, resolve, reject).start(run));
}

class RunGuard<T> {
  private readonly runtime: Runtime;
  private readonly options: GuardOptions<T>;
  private readonly resolve: (guarded: GuardedEnd<T>) => void;
  private readonly reject: (error: unknown) => void;
  private request: StopRequest | undefined;
  /** Handlers of the interrupt run. */
  private handling = false;
  /** The program has ended while they ran. */
  private outcome: T | undefined;
  private over = false;
  private unlisten: () => void = () => {};
  private graceOver: AbortController | undefined;

  constructor(
    runtime: Runtime,
    options: GuardOptions<T>,
    resolve: (guarded: GuardedEnd<T>) => void,
    reject: (error: unknown) => void,
  ) {
    this.runtime = runtime;
    this.options = options;
    this.resolve = resolve;
    this.reject = reject;
  }

  start(run: () => MaybePromise<T>): void {
    const { effects } = this.runtime;
    const { interrupts } = this.options;
    effects.onProblem = (problem) =>
      void this.finish({ kind: "problem", problem: problem as JournalProblem });
    effects.onStop = (request) => this.stop(request);
    if (interrupts === undefined) {
      this.begin(run);
      return;
    }
    const { console } = this.runtime;
    console.onLost = (request) => effects.requestStop(request);
    this.runtime.onBusy = () => {
      interrupts.busy();
      if (console.lost !== undefined && this.request === undefined) this.broken(console.lost);
    };
    this.unlisten = interrupts.listen({
      stop: (request) => effects.requestStop(request),
      broken: (request) => this.broken(request),
      force: () => this.force(),
      lost: () => this.lost(),
      flush: () => {
        this.runtime.console.flush?.();
        effects.flush();
      },
    });
    interrupts.stretch(() => this.begin(run));
  }

  private begin(run: () => MaybePromise<T>): void {
    try {
      const result = run();
      if (result instanceof Promise) {
        result.then(
          (outcome) => this.ended(outcome),
          (error) => this.failed(error),
        );
      } else this.ended(result);
    } catch (error) {
      this.failed(error);
    }
  }

  private ended(outcome: T): void {
    if (this.request === undefined) void this.finish({ kind: "ended", outcome }, this.options.end(outcome));
    else if (this.handling) this.outcome = outcome;
    else void this.finish({ kind: "stopped", request: this.request, outcome }, endOf(this.request));
  }

  private failed(error: unknown): void {
    const { effects } = this.runtime;
    if (this.request === undefined) effects.broke?.(error);
    const { problem } = effects;
    if (problem instanceof JournalProblem) void this.finish({ kind: "problem", problem });
    else if (this.request !== undefined) {
      void this.finish({ kind: "stopped", request: this.request }, endOf(this.request));
    } else if (!this.over) {
      this.over = true;
      this.unlisten();
      const give = (): void => this.reject(error);
      this.runtime.effects
        .close()
        .then(() => this.runtime.close())
        .then(give, give);
    }
  }

  /** A stop takes effect. Asked a second time: no more waiting for anybody. */
  private stop(request: StopRequest): void {
    if (this.request !== undefined) {
      // A terminal that was closed takes no output: what the program does about that still has its time.
      if (request.reason === "output") return;
      void this.finish({ kind: "stopped", request: this.request }, endOf(this.request));
      return;
    }
    this.request = request;
    // A parked run will go on from here: nothing of it unwinds.
    if (request.reason === "parked" || request.atOnce === true) {
      this.runtime.stopping = request;
      void this.finish({ kind: "stopped", request }, endOf(request));
      return;
    }
    this.handle(request, () => this.unwind(request));
  }

  /** Calls the program's handlers, then goes on. One that calls `exit` says what the process ends with. */
  private handle(request: StopRequest, next: () => void): void {
    const handlers = this.runtime.state(interruptHandlers);
    if (isInterrupt(request)) handlers.request = request;
    if (!isInterrupt(request) || !handlers.any) {
      next();
      return;
    }
    const handled = (exitCode: number | undefined): void => {
      this.handling = false;
      if (exitCode !== undefined) this.request = { ...request, exitCode };
      if (!this.over) next();
    };
    this.handling = true;
    try {
      const result = handlers.run(this.runtime, request);
      if (result instanceof Promise) result.then(handled, (error) => this.failed(error));
      else handled(result);
    } catch (error) {
      this.failed(error);
    }
  }

  /** Everybody who waits is told. */
  private unwind(request: StopRequest): void {
    this.runtime.stopping = request;
    if (this.outcome !== undefined) {
      this.ended(this.outcome);
      return;
    }
    const { parked, live } = this.runtime.tasks;
    const waiting = [...parked];
    // Native code that waits for something of its own, the function of a flow for a promise from elsewhere.
    for (const task of live) if (!parked.has(task)) task.askToEnd(new Interruption("stopped", request));
    for (const task of waiting) {
      task.stopped = true;
      task.abort(new Interruption("stopped", request));
    }
    if (this.runtime.effects.mode === "replay") return;
    this.graceOver = new AbortController();
    this.runtime.host.clock.sleep(grace, this.graceOver.signal).then(
      () => this.stop(request),
      () => {},
    );
  }

  private broken(request: StopRequest): void {
    const { runtime } = this;
    const { effects, console, checks, printing } = runtime;
    if (console.taken !== undefined && console.taken < effects.printed) console.write(printing);
    const finish = (): void => {
      const stopped = this.request ?? request;
      void this.finish({ kind: "stopped", request: stopped }, endOf(stopped));
    };
    effects.decided({ path: "", steps: checks, kind: "interrupt", subject: request.reason });
    // Asked a second time: handlers were running, or the program was unwinding.
    const again = this.request !== undefined;
    this.request ??= request;
    runtime.stopping = request;
    const handled = isInterrupt(request) && runtime.state(interruptHandlers).any;
    if (again || !handled || effects.mode === "replay") {
      finish();
      return;
    }
    effects.leaveRecord();
    effects.turns.ready({ run: () => this.handle(request, finish) });
  }

  /** Without this the process would end as if all were well. */
  private lost(): void {
    if (this.over) return;
    this.runtime.effects.lost();
    if (this.over) return;
    this.failed(new Error("the run waits for something that will never come, and nothing is under way"));
  }

  private force(): void {
    this.runtime.host.processes.killAll();
    this.runtime.console.flush?.();
    this.runtime.effects.flush();
  }

  /** A program that is through, and whose output nobody took to its end, has not reached what it is for. */
  private endOrStop(end: RunEnd | undefined): RunEnd | undefined {
    const { lost } = this.runtime.console;
    return lost !== undefined && (end?.reason === "done" || end?.reason === "exit") ? endOf(lost) : end;
  }

  private async finish(guarded: GuardedEnd<T>, end?: RunEnd): Promise<void> {
    if (this.over) return;
    this.over = true;
    this.unlisten();
    this.graceOver?.abort();
    const { effects } = this.runtime;
    // Printed before the journal says that the run has ended: nothing of it can be lost in between.
    this.runtime.console.flush?.();
    await effects.close(this.endOrStop(end));
    if (this.runtime.open.size > 0) await this.runtime.close();
    const { problem } = effects;
    if (!(problem instanceof JournalProblem)) {
      this.resolve(guarded);
      return;
    }
    // A problem that came up while all waited has no place of its own: that of the first who waits will do.
    const [waiting] = this.runtime.tasks.parked;
    const site = waiting?.waitingFor?.site;
    if (site !== undefined) problem.at(placeOfSite(site));
    this.resolve({ kind: "problem", problem });
  }
}

function endOf(request: StopRequest): RunEnd {
  return { reason: request.reason, exitCode: request.exitCode };
}
