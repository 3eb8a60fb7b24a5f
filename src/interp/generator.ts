/**
 * Generators and streams (language.md §14): a JavaScript generator over the lowered body. It yields script values, and
 * promises where the body waits; so one form serves both, and a body that never waits never makes a promise.
 */

import type { EffectScope } from "../effects/index.ts";
import {
  asUncaught,
  type MaybePromise,
  Pullable,
  type Pulled,
  ScriptError,
  type Value,
} from "../values/index.ts";
import type { Frame } from "./frame.ts";
import type { Task } from "./task.ts";
import { ownError } from "./trace.ts";

/** The lowered body: yields values and promises, is resumed with what the promise gave. */
// biome-ignore lint/suspicious/noExplicitAny: what goes in is whatever the promise gave.
export type Steps = Generator<Value | Promise<unknown>, unknown, any>;
export type StepsOf = (f: Frame) => Steps;

export class GeneratorValue extends Pullable {
  readonly type: "generator" | "stream";
  private readonly frame: Frame;
  private readonly start: StepsOf;
  private readonly scope: EffectScope;
  private steps: Steps | undefined = undefined;
  private done = false;
  private running = false;

  /** `task` is the one that called the generator function: its effects count on a path of their own below it. */
  constructor(type: "generator" | "stream", task: Task, frame: Frame, start: StepsOf) {
    super();
    this.type = type;
    this.frame = frame;
    this.start = start;
    this.scope = task.runtime.effects.child(task.scope);
  }

  display(): string {
    return `<${this.type}${this.done ? " (done)" : ""}>`;
  }

  get finished(): boolean {
    return this.done;
  }

  next(task: Task): MaybePromise<Pulled> {
    if (this.done) return undefined;
    // Pulled by its own body, or by two tasks at once: nothing sensible can come.
    if (this.running) throw new ScriptError("runtime", `${this.type} is already running`);
    this.running = true;
    this.frame[0] = task;
    this.frame[1] = task.depth + 1;
    const outer = task.scope;
    task.scope = this.scope;
    this.steps ??= this.start(this.frame);
    return this.advance(this.steps, undefined, false, task, outer);
  }

  /** Runs to the next value, waiting where the body waits. */
  private advance(
    steps: Steps,
    input: unknown,
    raise: boolean,
    task: Task,
    outer: EffectScope,
  ): MaybePromise<Pulled> {
    try {
      const step = raise ? steps.throw(input) : steps.next(input);
      if (!step.done && step.value instanceof Promise) {
        return step.value.then(
          (value) => this.advance(steps, value, false, task, outer),
          (error) => this.advance(steps, error, true, task, outer),
        );
      }
      this.leave(task, outer);
      if (!step.done) return step.value as Value;
      this.done = true;
      return undefined;
    } catch (error) {
      this.leave(task, outer);
      this.done = true;
      const own = ownError(error);
      throw own instanceof ScriptError ? asUncaught(own) : own;
    }
  }

  private leave(task: Task, outer: EffectScope): void {
    this.running = false;
    task.scope = outer;
  }

  /** Runs the `finally` and `defer` blocks around the place where it stands; values yielded there are lost. */
  override close(task: Task): MaybePromise<void> {
    if (this.done || this.running) return;
    this.done = true;
    const { steps } = this;
    if (steps === undefined) return;
    this.frame[0] = task;
    return drain(steps, steps.return(undefined));
  }
}

function drain(steps: Steps, first: IteratorResult<Value | Promise<unknown>, unknown>): MaybePromise<void> {
  for (let step = first; !step.done; step = steps.next(undefined)) {
    if (step.value instanceof Promise) {
      return step.value.then(
        (value) => drain(steps, steps.next(value)),
        (error) => drain(steps, steps.throw(error)),
      );
    }
  }
}
