/**
 * Generators and streams (language.md §14): a JavaScript generator over the lowered body. It yields script values, and
 * promises where the body waits; so one form serves both, and a body that never waits never makes a promise.
 */

import type { EffectScope } from "../../effects/index.ts";
import {
  asUncaught,
  type MaybePromise,
  Pullable,
  type PulledValue,
  ScriptError,
  type Value,
} from "../../values/index.ts";
import type { Frame } from "../frame.ts";
import type { Task } from "../task.ts";
import { ownError } from "../trace.ts";

/**
 * The lowered body: yields values, promises (and is resumed with what they gave) and `Inner`s: a statement inside that
 * yields, run by the driver to its end, and the body resumed with its completion. JavaScript's own `yield*` would pass
 * every value through every level.
 */
export interface Steps {
  next(sent?: unknown): GeneratorStep;
  throw(error: unknown): GeneratorStep;
  return(completion?: unknown): GeneratorStep;
}
export type StepsOf = (f: Frame) => Steps;

/** A part of a body that is run in its place. */
export class Inner {
  readonly steps: Steps;
  constructor(steps: Steps) {
    this.steps = steps;
  }
}

export type GeneratorStep = IteratorResult<Value | Promise<unknown> | Inner, unknown>;

export class GeneratorValue extends Pullable {
  readonly type: "generator" | "stream";
  private readonly frame: Frame;
  private readonly start: StepsOf;
  private readonly scope: EffectScope;
  /** The part that runs now, and those that wait for it. */
  private top: Steps | undefined = undefined;
  private below: Steps[] = [];
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

  next(task: Task): MaybePromise<PulledValue> {
    if (this.done) return undefined;
    // Pulled by its own body, or by two tasks at once: nothing sensible can come.
    if (this.running) throw new ScriptError("runtime", `${this.type} is already running`);
    const { frame } = this;
    this.running = true;
    frame[0] = task;
    frame[1] = task.depth + 1;
    const outer = task.scope;
    task.scope = this.scope;
    this.top ??= this.start(frame);
    let step: GeneratorStep;
    try {
      step = this.top.next(undefined);
    } catch (error) {
      return this.raised(error, task, outer);
    }
    const { value } = step;
    // By far the most pulls end here: the body ran to its next `yield`.
    if (step.done || value instanceof Inner || value instanceof Promise)
      return this.follow(step, task, outer);
    this.running = false;
    task.scope = outer;
    return value as Value;
  }

  /** Gives the part that runs what it waited for, or throws it in; runs to the next value. */
  private advance(
    input: unknown,
    throwing: boolean,
    task: Task,
    outer: EffectScope,
  ): MaybePromise<PulledValue> {
    let step: GeneratorStep;
    try {
      const top = this.top as Steps;
      step = throwing ? top.throw(input) : top.next(input);
    } catch (error) {
      return this.raised(error, task, outer);
    }
    return this.follow(step, task, outer);
  }

  /** What the part that runs has raised is raised where it was entered. */
  private raised(error: unknown, task: Task, outer: EffectScope): MaybePromise<PulledValue> {
    return this.leaveInner() ? this.advance(error, true, task, outer) : this.fail(error, task, outer);
  }

  /** From a step to the next value, waiting where the body waits. */
  private follow(first: GeneratorStep, task: Task, outer: EffectScope): MaybePromise<PulledValue> {
    let step = first;
    for (;;) {
      const { value } = step;
      let input: unknown;
      if (step.done) {
        if (!this.leaveInner()) {
          this.leave(task, outer);
          this.done = true;
          return undefined;
        }
        input = value;
      } else if (value instanceof Inner) {
        this.below.push(this.top as Steps);
        this.top = value.steps;
      } else if (value instanceof Promise) {
        return value.then(
          (result) => this.advance(result, false, task, outer),
          (error) => this.advance(error, true, task, outer),
        );
      } else {
        this.leave(task, outer);
        return value as Value;
      }
      try {
        step = (this.top as Steps).next(input);
      } catch (error) {
        return this.raised(error, task, outer);
      }
    }
  }

  /** The part that ran has ended: the one that waits for it goes on. False when it was the whole body. */
  private leaveInner(): boolean {
    const waiting = this.below.pop();
    if (waiting === undefined) return false;
    this.top = waiting;
    return true;
  }

  private fail(error: unknown, task: Task, outer: EffectScope): never {
    this.leave(task, outer);
    this.done = true;
    const own = ownError(error);
    throw own instanceof ScriptError ? asUncaught(own) : own;
  }

  private leave(task: Task, outer: EffectScope): void {
    this.running = false;
    task.scope = outer;
  }

  /** Runs the `finally` and `defer` blocks around the place where it stands; values yielded there are lost. */
  override close(task: Task): MaybePromise<void> {
    if (this.done || this.running) return;
    this.done = true;
    if (this.top === undefined) return;
    this.frame[0] = task;
    return closeAll([...this.below, this.top]);
  }
}

/** Ends the parts of a body, innermost first. */
function closeAll(parts: Steps[]): MaybePromise<void> {
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    const closed = finish([part], part.return(undefined));
    if (closed instanceof Promise) return closed.then(() => closeAll(parts));
  }
}

/** Runs a part that is on its way out to its end, with what it enters on that way. */
function finish(stack: Steps[], first: GeneratorStep): MaybePromise<void> {
  let step = first;
  for (;;) {
    const top = stack.at(-1) as Steps;
    const { value } = step;
    if (step.done) {
      stack.pop();
      const waiting = stack.at(-1);
      if (waiting === undefined) return;
      step = waiting.next(value);
    } else if (value instanceof Inner) {
      stack.push(value.steps);
      step = value.steps.next(undefined);
    } else if (value instanceof Promise) {
      return value.then(
        (result) => finish(stack, top.next(result)),
        (error) => finish(stack, top.throw(error)),
      );
    } else step = top.next(undefined);
  }
}
