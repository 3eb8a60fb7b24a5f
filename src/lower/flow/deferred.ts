/**
 * What becomes of `defer` blocks (language.md §12.5): they are kept in the frame until the function ends. They see the
 * variables as they are then; those of a loop's round as they were when that round ended, because the next round takes
 * over its slots.
 */

import { CONTINUE, ExitProgram, type Frame, type Run } from "../../interp/index.ts";
import type { For, While } from "../../syntax/index.ts";
import { type Ctx, type St, st } from "../node.ts";
import type { Rounds } from "./rounds.ts";

/** Runs deferred blocks, last registered first, on every way out. */
export function withDefers(body: Run, slot: number): Run {
  return (f) => {
    let result: unknown;
    try {
      result = body(f);
    } catch (error) {
      return afterError(f, slot, error);
    }
    if (result instanceof Promise)
      return result.then(
        (value) => runDefers(f, slot, () => value),
        (error) => afterError(f, slot, error),
      );
    return runDefers(f, slot, () => result);
  };
}

const raisingDeferred = (error: unknown) => (): never => {
  throw error;
};

/** `exit(n)` ends at once: nothing deferred runs. */
function afterError(f: Frame, slot: number, error: unknown): unknown {
  if (error instanceof ExitProgram) throw error;
  return runDefers(f, slot, raisingDeferred(error));
}

/** Runs what was deferred, then `finish`. An error of a block takes the place of the outcome; the others run all the same. */
export function runDefers(f: Frame, slot: number, finish: () => unknown): unknown {
  const blocks = f[slot] as Run[] | undefined;
  let last = finish;
  while (blocks !== undefined && blocks.length > 0) {
    try {
      const done = blocks.pop()!(f);
      if (done instanceof Promise) {
        const next = last;
        return done.then(
          () => runDefers(f, slot, next),
          (error) => runDefers(f, slot, raisingDeferred(error)),
        );
      }
    } catch (error) {
      if (error instanceof ExitProgram) throw error;
      last = raisingDeferred(error);
    }
  }
  return last();
}

/** `undefined` for loops without a `defer`. */
export function roundsOf(ctx: Ctx, node: For | While): Rounds | undefined {
  const slots = ctx.module.deferringLoops.get(node);
  if (slots === undefined) return undefined;
  const [from, to] = slots;
  const { deferSlot } = ctx.fn;
  const pending = (f: Frame): Run[] => f[deferSlot] ?? [];
  return {
    begin: (f) => pending(f).length,
    end: (f, registered) => {
      const blocks = pending(f);
      if (blocks.length === registered) return;
      const values = f.slice(from, to);
      for (let i = registered; i < blocks.length; i++) {
        const block = blocks[i]!;
        blocks[i] = (f) => {
          for (let k = 0; k < values.length; k++) f[from + k] = values[k];
          return block(f);
        };
      }
    },
  };
}

/** The body of a loop, which keeps the variables of its rounds for what they deferred. */
export function keepingRounds(ctx: Ctx, node: For | While, body: St): St {
  const rounds = roundsOf(ctx, node);
  if (rounds === undefined) return body;
  const { run } = body;
  const ended = (f: Frame, registered: number, result: unknown): unknown => {
    if (result === undefined || result === CONTINUE) rounds.end(f, registered);
    return result;
  };
  return st(
    (f) => {
      const registered = rounds.begin(f);
      const result = run(f);
      return result instanceof Promise
        ? result.then((result) => ended(f, registered, result))
        : ended(f, registered, result);
    },
    body.may,
    body.abrupt,
  );
}
