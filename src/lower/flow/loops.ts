/**
 * Loops. Each back-edge counts one step; every so many steps the task looks at deadlines and cancellation. A loop that
 * never waits is a plain JavaScript loop; from the first promise on, the rest of it is one asynchronous function.
 */

import {
  BREAK,
  CONTINUE,
  type Frame,
  type IndexedItems,
  limitCheckpoint,
  locatedFrame,
  numbersFrom,
  type Run,
  type Task,
} from "../../interp/index.ts";
import type { For, RangeExpr, While } from "../../syntax/index.ts";
import { List, Pullable, type Value } from "../../values/index.ts";
import { operand, withTwo } from "../expressions/operand.ts";
import { asCondition, rangeBound } from "../expressions/operators.ts";
import { lowerPattern } from "../expressions/patterns.ts";
import { type Ctx, type Ex, type St, st } from "../node.ts";
import { lowerBlock } from "./control.ts";
import { count } from "./count.ts";
import { keepingRounds } from "./deferred.ts";
import { loopSource } from "./loop-source.ts";

/** What a body's completion means for its loop: go on (`undefined`), or leave with this (BREAK: leave normally). */
export const leaves = (result: unknown): boolean => result !== undefined && result !== CONTINUE;
export const completion = (result: unknown): unknown => (result === BREAK ? undefined : result);

/** A loop that says where it stands when the run's step limit ends it; without such a limit it stays as it is. */
export function placedLoop(ctx: Ctx, node: For | While, loop: St): St {
  if (ctx.unit.instance.runtime.limits.steps === Number.POSITIVE_INFINITY) return loop;
  const site = ctx.site(node);
  const { run } = loop;
  const failed = (error: unknown): never => {
    throw locatedFrame(error, site);
  };
  return st(
    (f) => {
      try {
        const result = run(f);
        return result instanceof Promise ? result.catch(failed) : result;
      } catch (error) {
        return failed(error);
      }
    },
    loop.may,
    loop.abrupt,
  );
}

export function lowerWhile(ctx: Ctx, node: While): St {
  const tested = operand(ctx, node.condition);
  const test = asCondition(tested);
  const body = keepingRounds(ctx, node, lowerBlock(ctx, node.body, "stmt"));
  const is = test.run;
  const run = body.run;
  const { less } = tested;
  if (less !== undefined && !test.may) return st(whileLess(less, is, body), body.may, body.abrupt);
  if (test.may || body.may) return st((f) => whileMay(f, is, run), true, body.abrupt);
  return st(
    (f) => {
      const task = f[0] as Task;
      while (is(f)) {
        const result = run(f);
        if (leaves(result)) return completion(result);
        if (++task.steps >= task.checkAt) limitCheckpoint(task);
      }
      return undefined;
    },
    false,
    body.abrupt,
  );
}

/** `while i < n`: compares ints itself, and leaves everything else to the condition's own node. */
function whileLess(less: NonNullable<Ex["less"]>, is: Run, body: St): Run {
  const { slot, than, isSlot } = less;
  const { run } = body;
  const [a, b, c, d] = unrolled(body);
  return (f) => {
    const task = f[0] as Task;
    for (;;) {
      const x = f[slot];
      const y = isSlot ? f[than] : than;
      if (typeof x === "number" && typeof y === "number" ? x >= y : !is(f)) return undefined;
      let result = a(f);
      if (b !== undefined && result === undefined) {
        result = b(f);
        if (c !== undefined && result === undefined) {
          result = c(f);
          if (d !== undefined && result === undefined) result = d(f);
        }
      }
      if (result !== undefined) {
        if (result instanceof Promise) return whileRest(f, is, run, undefined, result);
        if (leaves(result)) return completion(result);
      }
      if (++task.steps >= task.checkAt) limitCheckpoint(task);
    }
  };
}

/**
 * The body of a loop that never waits, as four statements of which the later ones may be missing: running them in the
 * loop's own closure saves the call of a list node in every round.
 */
function unrolled(body: St): readonly [Run, Run | undefined, Run | undefined, Run | undefined] {
  const { parts } = body;
  if (parts === undefined || parts.length > 4) return [body.run, undefined, undefined, undefined];
  return [parts[0]!, parts[1], parts[2], parts[3]];
}

function whileMay(f: Frame, is: Run, run: Run): unknown {
  for (;;) {
    const go = is(f);
    if (go instanceof Promise) return whileRest(f, is, run, go, undefined);
    if (!go) return undefined;
    const result = run(f);
    if (result !== undefined) {
      if (result instanceof Promise) return whileRest(f, is, run, undefined, result);
      if (leaves(result)) return completion(result);
    }
    count(f);
  }
}

/** Goes on from a condition or a body that waits. */
async function whileRest(
  f: Frame,
  is: Run,
  run: Run,
  condition: Promise<boolean> | undefined,
  body: Promise<unknown> | undefined,
): Promise<unknown> {
  let result: unknown;
  if (condition !== undefined) {
    if (!(await condition)) return undefined;
    result = run(f);
    if (result instanceof Promise) result = await result;
  } else result = await body;
  for (;;) {
    if (leaves(result)) return completion(result);
    count(f);
    let go = is(f);
    if (go instanceof Promise) go = await go;
    if (!go) return undefined;
    result = run(f);
    if (result instanceof Promise) result = await result;
  }
}

/** One round of a `for`: takes the element apart, runs the body. */
type Round = (f: Frame, element: Value) => unknown;

export function lowerFor(ctx: Ctx, node: For): St {
  const slot = plainSlot(ctx, node);
  if (node.iterable.kind === "RangeExpr") return forRange(ctx, node, node.iterable, slot);
  const over = operand(ctx, node.iterable);
  const body = keepingRounds(ctx, node, lowerBlock(ctx, node.body, "stmt"));
  return forOver(ctx, node, over, roundOf(ctx, node, body.run), slot, body);
}

/** `for i in a to b`: no range is made. */
function forRange(ctx: Ctx, node: For, range: RangeExpr, slot: number): St {
  const from = operand(ctx, range.from);
  const to = operand(ctx, range.to);
  const body = keepingRounds(ctx, node, lowerBlock(ctx, node.body, "stmt"));
  const round = roundOf(ctx, node, body.run);
  const last = range.exclusive ? 0 : 1;
  if (slot >= 0 && !from.may && !to.may) return rangeLoop(from.run, to.run, last, slot, body, round);
  const each = (f: Frame, a: Value, b: Value) =>
    eachOf(f, numbersFrom(rangeBound(a), rangeBound(b) + last), round);
  return st(withTwo(from, to, each, true).run, true, body.abrupt);
}

function forOver(ctx: Ctx, node: For, over: Ex, round: Round, slot: number, body: St): St {
  const { run } = over;
  const overList = slot < 0 ? undefined : listLoop(slot, body, round);
  const source = loopSource(ctx, node);
  const start = (f: Frame, over: Value): unknown => {
    if (overList !== undefined && over instanceof List) return overList(f, over);
    const from = source(over);
    return from instanceof Pullable ? eachPulled(f, from, round, slot, body.run) : eachOf(f, from, round);
  };
  return st(
    (f) => {
      const over = run(f);
      return over instanceof Promise ? over.then((over) => start(f, over)) : start(f, over);
    },
    true,
    body.abrupt,
  );
}

/** A loop over a list whose element goes into a slot. */
function listLoop(slot: number, body: St, round: Round): (f: Frame, list: List) => unknown {
  const [a, b, c, d] = unrolled(body);
  return (f, list) => {
    const task = f[0] as Task;
    // The elements cannot change under the loop: writes in place need a variable that nobody else reads.
    const { buffer, length } = list;
    for (let i = 0; i < length; i++) {
      f[slot] = buffer[i];
      let result = a(f);
      if (b !== undefined && result === undefined) {
        result = b(f);
        if (c !== undefined && result === undefined) {
          result = c(f);
          if (d !== undefined && result === undefined) result = d(f);
        }
      }
      if (result !== undefined) {
        if (result instanceof Promise) return eachRest(f, list, round, i + 1, result);
        if (leaves(result)) return completion(result);
      }
      if (++task.steps >= task.checkAt) limitCheckpoint(task);
    }
    return undefined;
  };
}

/** The slot of a loop's only name; -1 when it is more than that. */
function plainSlot(ctx: Ctx, node: For): number {
  if (node.pattern.kind !== "NamePattern") return -1;
  const binding = ctx.module.bindings.get(node.pattern.name);
  if (binding === undefined || binding.shared || ctx.module.lateNames.has(binding.name)) return -1;
  return ctx.fn.slotOf(binding);
}

function roundOf(ctx: Ctx, node: For, run: Run): Round {
  const { pattern } = node;
  if (pattern.kind === "NamePattern") {
    const binding = ctx.module.bindings.get(pattern.name);
    if (binding === undefined) return (f) => run(f);
    if (!binding.shared && !ctx.module.lateNames.has(binding.name)) {
      const slot = ctx.fn.slotOf(binding);
      return (f, element) => {
        f[slot] = element;
        return run(f);
      };
    }
  }
  const take = lowerPattern(ctx, pattern);
  return (f, element) => {
    const waiting = take(f, element);
    return waiting instanceof Promise ? waiting.then(() => run(f)) : run(f);
  };
}

/** The commonest loop: ints in a slot. */
function rangeLoop(from: Run, to: Run, last: number, slot: number, body: St, round: Round): St {
  const [a, b, c, d] = unrolled(body);
  return st(
    (f) => {
      const task = f[0] as Task;
      const start = rangeBound(from(f));
      const end = rangeBound(to(f)) + last;
      for (let i = start; i < end; i++) {
        f[slot] = i;
        let result = a(f);
        if (b !== undefined && result === undefined) {
          result = b(f);
          if (c !== undefined && result === undefined) {
            result = c(f);
            if (d !== undefined && result === undefined) result = d(f);
          }
        }
        if (result !== undefined) {
          if (result instanceof Promise)
            return eachRest(f, numbersFrom(start, end), round, i - start + 1, result);
          if (leaves(result)) return completion(result);
        }
        if (++task.steps >= task.checkAt) limitCheckpoint(task);
      }
      return undefined;
    },
    body.may,
    body.abrupt,
  );
}

export function eachOf(f: Frame, over: IndexedItems, round: Round): unknown {
  const { length } = over;
  for (let i = 0; i < length; i++) {
    const result = round(f, over.at(i) as Value);
    if (result !== undefined) {
      if (result instanceof Promise) return eachRest(f, over, round, i + 1, result);
      if (leaves(result)) return completion(result);
    }
    count(f);
  }
  return undefined;
}

async function eachRest(
  f: Frame,
  over: IndexedItems,
  round: Round,
  from: number,
  pending: Promise<unknown>,
): Promise<unknown> {
  let result = await pending;
  for (let i = from; ; i++) {
    if (leaves(result)) return completion(result);
    count(f);
    if (i >= over.length) return undefined;
    result = round(f, over.at(i) as Value);
    if (result instanceof Promise) result = await result;
  }
}

/** Pulls until there is no more. Leaving early tells the source. */
function eachPulled(f: Frame, over: Pullable, round: Round, slot: number, run: Run): unknown {
  const task = f[0] as Task;
  for (;;) {
    task.depth = f[1];
    const pulled = over.next(task);
    if (pulled instanceof Promise) return pulledRest(f, over, round, pulled, undefined);
    if (pulled === undefined) return undefined;
    let result: unknown;
    try {
      if (slot < 0) result = round(f, pulled);
      else {
        f[slot] = pulled;
        result = run(f);
      }
    } catch (error) {
      return raisedIn(over, task, error);
    }
    if (result !== undefined) {
      if (result instanceof Promise) return pulledRest(f, over, round, undefined, result);
      if (leaves(result)) return leaving(over, task, result);
    }
    if (++task.steps >= task.checkAt) limitCheckpoint(task);
  }
}

// The source is told that nobody pulls any more. (Functions of their own: a closure inside the loop would make every
// round allocate what it captures.)

function leaving(over: Pullable, task: Task, result: unknown): unknown {
  const closed = over.close(task);
  return closed instanceof Promise ? closed.then(() => completion(result)) : completion(result);
}

function raisedIn(over: Pullable, task: Task, error: unknown): unknown {
  const closed = over.close(task);
  if (!(closed instanceof Promise)) throw error;
  return closed.then(() => {
    throw error;
  });
}

async function pulledRest(
  f: Frame,
  over: Pullable,
  round: Round,
  pull: Promise<Value | undefined> | undefined,
  body: Promise<unknown> | undefined,
): Promise<unknown> {
  const task = f[0] as Task;
  let finished = false;
  try {
    let result: unknown;
    if (pull !== undefined) {
      const pulled = await pull;
      if (pulled === undefined) {
        finished = true;
        return undefined;
      }
      result = round(f, pulled);
    } else result = body;
    for (;;) {
      if (result instanceof Promise) result = await result;
      if (leaves(result)) return completion(result);
      count(f);
      task.depth = f[1];
      const next = over.next(task);
      const pulled = next instanceof Promise ? await next : next;
      if (pulled === undefined) {
        finished = true;
        return undefined;
      }
      result = round(f, pulled);
    }
  } finally {
    if (!finished) await over.close(task);
  }
}
