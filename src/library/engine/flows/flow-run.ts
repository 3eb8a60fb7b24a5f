/**
 * A flow at work: its function, called by the script of its run, and what it has begun. The function is ordinary JavaScript, whose
 * promises do as they like; what it asks of its context are effects on paths of the run's tasks, in the order in which it asks.
 *
 *     function ── ctx.step(…) ──▶ `call` ──▶ task ──▶ effect          asked for at once, on the path of its context
 *        ▲                                             │
 *        └───────── promise ◀── one result at a time ──┘            each after all microtasks of the one before (`effects/turns.ts`)
 *
 * So between two results it does the same on replay, whatever awaits what. A run that stops leaves the function where it waits: its
 * promises never settle, no `catch` and no `finally` of it runs, and a resumed run calls it anew.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { type Effects, JournalProblem, type ProblemPlace } from "../../../effects/index.ts";
import { ExitProgram, InternalError, Interruption, type Task } from "../../../interp/index.ts";
import { type MaybePromise, toJs, type Value } from "../../../values/index.ts";
import { type HarnError, harnError } from "../../errors.ts";
import type { FlowFunction } from "../../orders.ts";
import type { AnyTool, FlowContext } from "../../types.ts";
import { callPlace, errorForFlow, failureOfFlow, valueForRun } from "./flow-errors.ts";

export interface FlowOptions {
  readonly name: string;
  readonly fn: FlowFunction;
  /** Name of the run. */
  readonly run: string;
  /** The one by which the function knows it: of the origin, in a fork. */
  readonly named: string;
  /** Those of all its agents. */
  readonly tools: readonly AnyTool[];
}

/** The step whose function runs now. */
const stepAtWork = new AsyncLocalStorage<{ readonly flow: FlowRun; readonly step: string }>();

/** What is waited for before a run ends: what works does it to its end, what only waits need not. */
export type CallKind = "work" | "wait";

export class FlowRun {
  readonly options: FlowOptions;
  private readonly task: Task;
  private state: "working" | "over" | "interrupted" = "working";
  private readonly working = new Set<Promise<unknown>>();
  private interrupted: (error: unknown) => void = () => {};
  private asks: () => void = () => {};

  constructor(options: FlowOptions, task: Task) {
    this.options = options;
    this.task = task;
  }

  /** Calls the function, and gives its result when all that it began has ended. */
  play(context: FlowContext, input: Value): Promise<Value> {
    const { task } = this;
    // Where it stands in the script of one line tells nobody anything.
    task.site = undefined;
    const patience = new Patience(task.runtime.effects);
    this.asks = () => patience.renew();
    return new Promise<Value>((resolve, reject) => {
      this.interrupted = (error) => {
        if (this.state === "working") this.state = "interrupted";
        reject(error);
      };
      task.signal.addEventListener("abort", () => this.interrupted(task.signal.reason), { once: true });
      this.result(context, input).then(resolve, reject);
    }).finally(() => patience.end());
  }

  private async result(context: FlowContext, input: Value): Promise<Value> {
    const { fn, name, run } = this.options;
    try {
      const given = await fn(context, toJs(input));
      await this.settled();
      return valueForRun(given, `the result of the flow ${name}`, run);
    } catch (error) {
      if (endsRun(error)) throw error;
      await this.settled();
      throw failureOfFlow(error);
    } finally {
      if (this.state === "working") this.state = "over";
    }
  }

  /** What works is through, and what went on after it has begun nothing more. */
  private async settled(): Promise<void> {
    while (this.working.size > 0) {
      await Promise.race(this.working);
      // Whoever waited for it has gone on by the next turn.
      await this.task.park<void>("the end of the flow's steps", (wait) => void wait.wake());
    }
  }

  /**
   * A call of the function, asked for at once. `name`: that of the context's method, written out, since bundlers shorten names of
   * functions. What ends the run is no result of it: then the promise never settles.
   */
  call<T>(
    name: keyof FlowContext,
    method: (...args: never) => unknown,
    kind: CallKind,
    begin: (place: ProblemPlace | undefined) => MaybePromise<T>,
  ): Promise<T> {
    const wrong = this.refusal(name);
    if (wrong !== undefined) return Promise.reject(wrong);
    if (this.state === "interrupted") return new Promise(() => {});
    return new Promise<T>((resolve, reject) => {
      const failed = (error: unknown): void => {
        if (endsRun(error)) this.interrupted(error);
        else reject(errorForFlow(error));
      };
      try {
        const result = this.begun(method, begin);
        if (!(result instanceof Promise)) resolve(result);
        else {
          if (kind === "work") this.watch(result);
          result.then(resolve, failed);
        }
      } catch (error) {
        failed(error);
      }
    });
  }

  /** A call that is answered at once. */
  callNow<T>(name: keyof FlowContext, method: (...args: never) => unknown, begin: () => T): T {
    const wrong = this.refusal(name);
    if (wrong !== undefined) throw wrong;
    if (this.state === "interrupted")
      throw harnError("HARN-LIB-003", `${this.options.run} was stopped`, { run: this.options.run });
    return this.begun(method, begin);
  }

  /** Runs the function of a step. */
  inStep<T>(step: string, body: () => T): T {
    return stepAtWork.run({ flow: this, step }, body);
  }

  private watch(result: Promise<unknown>): void {
    const over = (): void => void this.working.delete(watched);
    const watched = result.then(over, over);
    this.working.add(watched);
  }

  /** Where a replay asks for something else the message says where the program does: at once, or on the path that `begin` opens. */
  private begun<T>(method: (...args: never) => unknown, begin: (place: ProblemPlace | undefined) => T): T {
    this.asks();
    const { effects, host } = this.task.runtime;
    const place = effects.mode === "replay" ? callPlace(method, host.cwd) : undefined;
    try {
      return begin(place);
    } catch (error) {
      if (place !== undefined && error instanceof JournalProblem) error.at(place);
      throw error;
    }
  }

  private refusal(method: keyof FlowContext): HarnError | undefined {
    const { name, run } = this.options;
    const at = stepAtWork.getStore();
    if (at?.flow === this)
      return harnError(
        "HARN-LIB-022",
        `ctx.${method} inside the step \`${at.step}\`: a step is one effect, and what it began would be missing when it is answered from the record; call it beside the step`,
        { run },
      );
    if (this.state !== "over") return undefined;
    return harnError(
      "HARN-LIB-022",
      `ctx.${method}: the flow \`${name}\` has ended, and nothing more is recorded of ${run}; await what calls it`,
      { run },
    );
  }
}

/** What no function may catch. */
const endsRun = (error: unknown): boolean =>
  error instanceof Interruption ||
  error instanceof JournalProblem ||
  error instanceof ExitProgram ||
  error instanceof InternalError;

const patienceMs = 5000;

/**
 * Before a replay says that its flow waits for something else than recorded, the function has a while: it may wait for something that is
 * no step, and ask for the next one after that. Live that took its time, too.
 */
class Patience {
  private readonly effects: Effects;
  private readonly allWait: Effects["allWait"];
  private until = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(effects: Effects) {
    this.effects = effects;
    this.allWait = effects.allWait;
    effects.allWait = () => this.allWait() && !this.lasts();
    this.renew();
  }

  /** The function asks for something. */
  renew(): void {
    if (this.effects.mode === "replay") this.until = performance.now() + patienceMs;
  }

  end(): void {
    clearTimeout(this.timer);
    this.effects.allWait = this.allWait;
  }

  private lasts(): boolean {
    if (this.effects.isAhead?.() !== true) return false;
    const left = this.until - performance.now();
    if (left <= 0) return false;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.effects.turns.check();
    }, left + 1);
    return true;
  }
}
