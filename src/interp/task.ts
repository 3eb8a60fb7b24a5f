/**
 * A task: one logical flow of a program (the program itself, a `spawn`, one body of `parallel`). Tasks switch only
 * where they wait. Everything that a native function needs comes with the task that calls it.
 *
 * Every wait is registered here (`park`, `perform`), so that a deadline, a cancellation or a stop can end it wherever
 * it is, and so that a deadlock can say who waits for what. Native code that must wait for something which is neither
 * an effect nor a `park` goes through `runtime.effects.turns.hold`.
 */
import {
  type EffectCall,
  type EffectScope,
  InFlightEffect,
  JournalProblem,
  type ProblemPlace,
  type Runnable,
} from "../effects/index.ts";
import type { MaybePromise } from "../values/index.ts";
import type { ParallelBranch, PrintedText } from "./concurrency/branch.ts";
import type { Deadline } from "./deadline.ts";
import { Interruption } from "./interrupts/interruption.ts";
import type { Runtime } from "./runtime.ts";
import { placeOfSite, type Site } from "./site.ts";
import type { TaskLocals } from "./task-local.ts";

declare module "../values/caller.ts" {
  interface Caller extends Task {}
}

export class Task {
  readonly runtime: Runtime;
  readonly parent: Task | undefined;
  /** `task_root`, `task_root:spawn:1` … (language.md §13.8); for display, not an identity. */
  readonly id: string;
  /** The path of the task's own scope: its identity. */
  readonly path: string;
  /** Where this task's effects are counted: its own path, or that of a generator while it is pulled. */
  scope: EffectScope;
  /** Nested script calls now; bounded by `runtime.limits.depth`. */
  depth = 0;
  /** Loop back-edges and calls so far; `checkpoint` is called when it reaches `checkAt`. */
  steps = 0;
  checkAt: number;
  /** Steps that are part of `runtime.steps` already. */
  counted = 0;
  /** Output buffered until the task is joined; `undefined` where it is printed at once: by the program itself, or `through`. */
  output: PrintedText[] | undefined;
  /** The task whose output this one's is part of, while nothing that is still to come stands before it. */
  through: Task | undefined = undefined;
  /** A body of `parallel` that somebody watches. */
  branch: ParallelBranch | undefined = undefined;
  /** The call that runs now, set by the lowering before calls that may wait; for messages about waits. */
  site: Site | undefined = undefined;
  /** Raised at the next step or wait. */
  pending: unknown = undefined;
  /** Set once cancellation was asked for; children that are joined inherit it. */
  cancelRequested = false;
  /** Raised by every blocking call from now on (a graceful cancellation whose grace is over). */
  blockingError: (() => unknown) | undefined = undefined;
  /** The parent waits for this task (a body of `parallel`), so the parent's deadlines and cancellation hold here too. */
  joined = false;
  /** Of one that a function of the embedding program began, and of all below it: where that asks for it. */
  place: ProblemPlace | undefined;
  /** Innermost deadline around what runs now. */
  deadline: Deadline | undefined = undefined;
  ended = false;
  /** It was told that the whole run stops; it may wait again while it unwinds. */
  stopped = false;
  /** Numbers what it spawned, for display ids. */
  spawns = 0;
  /** Numbers its parallel forms of all kinds together, for display ids. */
  parallels = 0;
  /** What is in force for it (`TaskLocal`): what was in force where it was spawned, and what it entered itself. */
  locals: TaskLocals;
  /** Values of `runtime_context_set`, a snapshot of the parent's; made on first use. */
  context: Map<string, unknown> | undefined = undefined;
  /** Called when the task has ended, whatever way: releases what it still holds. */
  onEnd: Set<() => void> | undefined = undefined;
  /** What it waits for now; more than one only when native code waits for several things at once. */
  private waits: Wait<unknown>[] | undefined = undefined;
  private wait: Wait<unknown> | undefined = undefined;
  private inFlight: InFlightEffect | undefined = undefined;
  private aborter: InFlightEffect | undefined = undefined;

  /** The task that this one descends from and that has no parent: the program's own, or a server's for one request. */
  get root(): Task {
    let root: Task = this;
    while (root.parent !== undefined) root = root.parent;
    return root;
  }

  constructor(runtime: Runtime, parent: Task | undefined, id: string, scope: EffectScope) {
    this.runtime = runtime;
    this.parent = parent;
    this.id = id;
    this.path = scope.path;
    this.scope = scope;
    this.locals = parent?.locals ?? runtime.locals;
    this.place = parent?.place;
    this.checkAt = runtime.limits.checkEvery;
    if (runtime.effects.mode === "replay") {
      const first = runtime.effects.nextDecision(scope.path);
      if (first !== undefined) this.checkAt = Math.min(this.checkAt, first.steps);
    }
    this.output = parent === undefined ? undefined : [];
    runtime.tasks.live.add(this);
  }

  /** Inside an effect: aborted when its result is no longer wanted. Elsewhere: aborted when the task is cancelled. */
  get signal(): AbortSignal {
    if (this.inFlight !== undefined) return this.inFlight.signal;
    this.aborter ??= new InFlightEffect();
    return this.aborter.signal;
  }

  /** True once somebody asked this task, or one that waits for it, to stop. */
  get cancelled(): boolean {
    for (
      let task: Task | undefined = this;
      task !== undefined;
      task = task.joined ? task.parent : undefined
    ) {
      if (task.cancelRequested) return true;
    }
    return false;
  }

  /**
   * Raises `error` where the task waits now, or at its next step or wait. A `ScriptError` can be caught by the
   * script, an `Interruption` cannot.
   */
  interrupt(error: unknown): void {
    if (this.ended) return;
    if (this.wait !== undefined) {
      const others = this.waits;
      const one = this.wait;
      one.raise(error);
      for (const other of others?.slice() ?? []) if (other !== one) other.raise(error);
      return;
    }
    this.pending = error;
    this.checkAt = this.steps;
  }

  /** Ends the task for good: `error` is raised and effects in flight are asked to stop. */
  abort(error: unknown): void {
    if (this.ended) return;
    this.cancelRequested = true;
    this.aborter?.abandon(error);
    this.interrupt(error);
  }

  /** Aborts its signal, for native code that waits without anybody knowing. */
  askToEnd(error: unknown): void {
    this.aborter?.abandon(error);
  }

  /** Raises what is pending. Called at each wait and by `checkpoint`. */
  raisePending(): void {
    if (this.runtime.stopping !== undefined && !this.stopped) {
      this.stopped = true;
      throw new Interruption("stopped", this.runtime.stopping);
    }
    if (this.pending === undefined) return;
    const error = this.pending;
    this.pending = undefined;
    throw error;
  }

  /** Performs an effect on this task's path. */
  perform<T>(asked: EffectCall<T>): MaybePromise<T> {
    let call = asked;
    this.raisePending();
    if (this.blockingError !== undefined && (call.effect === "model" || call.effect === "human")) {
      throw this.blockingError();
    }
    this.runtime.builtins.admit?.(call.effect, call.kind);
    if (this.runtime.guard !== undefined) call = this.runtime.guard(this, call);
    const inFlight = new InFlightEffect();
    const outer = this.inFlight;
    this.inFlight = inFlight;
    let result: MaybePromise<T>;
    try {
      result = this.runtime.effects.perform(this.scope, call, inFlight);
    } catch (error) {
      if (error instanceof JournalProblem) {
        const place = this.place ?? (this.site === undefined ? undefined : placeOfSite(this.site));
        if (place !== undefined) error.at(place);
      }
      throw error;
    } finally {
      this.inFlight = outer;
    }
    if (!(result instanceof Promise)) return result;
    if (this.blockingError !== undefined) {
      const error = this.blockingError();
      inFlight.abandon(error);
      throw error;
    }
    const wait = new Wait<T>(this, call.kind, false);
    wait.drop = () => inFlight.abandon(new Error(`${call.kind} was cancelled`));
    result.then(
      (value) => wait.resume(value),
      (error) => wait.fail(error),
    );
    return wait.promise;
  }

  /**
   * Waits for something inside the run. `begin` registers the wait where it will be woken, and gives the function that
   * takes it out again when it is interrupted. `what` names it for people: ``receive on channel `jobs` ``.
   */
  park<T>(what: string, begin: (wait: Wait<T>) => (() => void) | undefined): Promise<T> {
    this.raisePending();
    if (this.blockingError !== undefined) throw this.blockingError();
    const wait = new Wait<T>(this, what, true);
    wait.drop = begin(wait);
    this.runtime.effects.turns.check();
    return wait.promise;
  }

  /** Writes to standard output, or to the buffer that is appended where the task is joined. */
  write(text: string): void {
    this.take(this.branch === undefined ? text : this.branch.printed(text));
  }

  private take(printed: PrintedText): void {
    if (this.output !== undefined) this.output.push(printed);
    else if (this.through !== undefined) this.through.take(printed);
    else {
      const { runtime } = this;
      const { text, as } = typeof printed === "string" ? { text: printed, as: printed } : printed;
      runtime.printing = as;
      if (runtime.effects.output(text)) runtime.console.write(as);
    }
  }

  /** Whether it is this task, or was begun by it or by one that was. */
  isInside(ancestor: Task): boolean {
    for (let at: Task | undefined = this; at !== undefined; at = at.parent) if (at === ancestor) return true;
    return false;
  }

  /** Hands this task's buffered output to the task that joins it. */
  flushInto(joiner: Task): void {
    const { output } = this;
    if (output === undefined || output.length === 0) return;
    this.output = [];
    for (const printed of output) joiner.take(printed);
  }

  /** Nothing stands before what this task prints any more: it is part of what the other one prints. */
  printThrough(joiner: Task): void {
    this.flushInto(joiner);
    this.output = undefined;
    this.through = joiner;
  }

  /** Nobody joins it any more: what it prints from here on is lost. */
  printNowhere(): void {
    this.output = [];
    this.through = undefined;
    this.branch = undefined;
  }

  /** The body has ended, one way or another. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.runtime.steps += this.steps - this.counted;
    this.runtime.tasks.live.delete(this);
    const { onEnd } = this;
    this.onEnd = undefined;
    if (onEnd !== undefined) for (const clean of onEnd) clean();
  }

  /** For `Wait` only. */
  waitBegins(wait: Wait<unknown>): void {
    if (this.wait === undefined) {
      this.wait = wait;
      this.runtime.tasks.parked.add(this);
      return;
    }
    this.waits ??= [this.wait];
    this.waits.push(wait);
  }

  /** For `Wait` only. */
  waitEnds(wait: Wait<unknown>): void {
    if (this.waits !== undefined) {
      this.waits = this.waits.filter((other) => other !== wait);
      this.wait = this.waits[0];
      if (this.waits.length < 2) this.waits = undefined;
    } else if (this.wait === wait) this.wait = undefined;
    if (this.wait === undefined) this.runtime.tasks.parked.delete(this);
  }

  /** What it waits for now. */
  get waitingFor(): Wait<unknown> | undefined {
    return this.wait;
  }
}

/** One wait of one task. It ends once: by `wake` or `raise` (in turn), or by `resume` or `fail` (at once). */
export class Wait<T> implements Runnable {
  readonly task: Task;
  /** For people: ``receive on channel `jobs` ``. */
  readonly what: string;
  /** Only the program itself can end it: such waits can deadlock. */
  readonly internal: boolean;
  readonly site: Site | undefined;
  readonly promise: Promise<T>;
  /** Takes the wait out of the queue it stands in, when it is interrupted. */
  drop: (() => void) | undefined = undefined;
  private resolve!: (value: T) => void;
  private reject!: (error: unknown) => void;
  private state: "waiting" | "woken" | "raised" | "over" = "waiting";
  private outcome: unknown = undefined;

  constructor(task: Task, what: string, internal: boolean) {
    this.task = task;
    this.what = what;
    this.internal = internal;
    this.site = task.site;
    this.promise = new Promise<T>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    task.waitBegins(this as Wait<unknown>);
  }

  /** Gives the value and lets the task go on when its turn comes. False when the wait was over already. */
  wake(value: T): boolean {
    if (!this.leave("woken")) return false;
    this.outcome = value;
    this.task.runtime.effects.turns.ready(this);
    return true;
  }

  /** Ends the wait with an error, and lets the task go on when its turn comes. */
  raise(error: unknown): boolean {
    if (!this.leave("raised")) return false;
    this.drop?.();
    this.outcome = error;
    this.task.runtime.effects.turns.ready(this);
    return true;
  }

  /** For `Turns`. */
  run(): void {
    if (this.state === "woken") this.resolve(this.outcome as T);
    else if (this.state === "raised") this.reject(this.outcome);
    this.state = "over";
  }

  /** Gives the value at once: only for what is handed over in turn already. */
  resume(value: T): void {
    if (this.leave("over")) this.resolve(value);
  }

  /** Ends the wait with an error at once: as `resume`. */
  fail(error: unknown): void {
    if (!this.leave("over")) return;
    this.drop?.();
    this.reject(error);
  }

  private leave(state: "woken" | "raised" | "over"): boolean {
    if (this.state !== "waiting") return false;
    this.state = state;
    this.task.waitEnds(this as Wait<unknown>);
    return true;
  }
}
