/**
 * A `while` around one `yield`, with at most one statement on each side of it: the commonest generator. It is taken
 * from pull to pull by hand, because suspending and resuming a JavaScript generator costs more than its whole round
 * (13 of 47 ns a pull). Promises go to the driver, as in every body that yields (interp/concurrency/generator.ts).
 */
import {
  BREAK,
  CONTINUE,
  Exit,
  type Frame,
  type GeneratorStep,
  type Run,
  type Steps,
} from "../../interp/index.ts";
import type { Value } from "../../values/index.ts";

export interface LoopParts {
  readonly is: Run;
  readonly before: Run | undefined;
  readonly give: Run;
  readonly after: Run | undefined;
  /** Counts a round. */
  readonly count: (f: Frame) => void;
}

/** Where the loop goes on, with the value that it waited for there. */
const CONDITION = 0;
const TESTED = 1;
const BEGUN = 2;
const RECEIVED = 3;
const RESUMED = 4;
const ROUND = 5;
const OVER = 6;

export class YieldingLoop implements Steps {
  private readonly f: Frame;
  private readonly parts: LoopParts;
  private at = CONDITION;
  /** Given again and again: who drives the body looks at it before the next step. */
  private readonly step: { value: Value | Promise<unknown> | undefined; done: boolean } = {
    value: undefined,
    done: false,
  };

  constructor(f: Frame, parts: LoopParts) {
    this.f = f;
    this.parts = parts;
  }

  next(input?: unknown): GeneratorStep {
    try {
      return this.run(input);
    } catch (error) {
      this.at = OVER;
      throw error;
    }
  }

  /** What it waits for has failed; nothing in the loop itself could catch that. */
  throw(error: unknown): GeneratorStep {
    this.at = OVER;
    throw error;
  }

  return(completion?: unknown): GeneratorStep {
    return this.end(completion);
  }

  /** From where it stands to the next value or promise; what a promise gave comes back as `given`. */
  private run(input: unknown): GeneratorStep {
    const { f, parts } = this;
    let { at } = this;
    let x = input;
    for (;;) {
      if (at === CONDITION) {
        x = parts.is(f);
        if (x instanceof Promise) return this.give(x, TESTED);
        at = TESTED;
      }
      if (at === TESTED) {
        if (!x) return this.end(undefined);
        x = parts.before?.(f);
        if (x instanceof Promise) return this.give(x, BEGUN);
        at = BEGUN;
      }
      if (at === BEGUN) {
        at = ROUND;
        if (x === undefined) {
          x = parts.give(f);
          if (x instanceof Promise) return this.give(x, RECEIVED);
          at = RECEIVED;
        }
      }
      if (at === RECEIVED) {
        if (!(x instanceof Exit)) return this.give(x as Value, RESUMED);
        x = x.completion;
      } else if (at === RESUMED) {
        x = parts.after?.(f);
        if (x instanceof Promise) return this.give(x, ROUND);
      } else if (at === OVER) return this.end(undefined);
      if (x !== undefined && x !== CONTINUE) return this.end(x);
      parts.count(f);
      at = CONDITION;
    }
  }

  private give(value: Value | Promise<unknown>, next: number): GeneratorStep {
    this.at = next;
    this.step.value = value;
    return this.step as GeneratorStep;
  }

  private end(completion: unknown): GeneratorStep {
    this.at = OVER;
    this.step.value = (completion === BREAK ? undefined : completion) as Value | undefined;
    this.step.done = true;
    return this.step as GeneratorStep;
  }
}
