/** Operands: expressions whose value is needed in the middle of something. */
import { Exit, type Frame, type Run } from "../../interp/index.ts";
import type { Expr } from "../../syntax/index.ts";
import type { Value } from "../../values/index.ts";
import { type Ctx, type Ex, ex, type St, st } from "../node.ts";

function throwExit(value: unknown): unknown {
  if (value instanceof Exit) throw value;
  return value;
}

/** Lowers an operand. One that may return or break throws its `Exit` to the statement around it. */
export function operand(ctx: Ctx, node: Expr): Ex {
  return asOperand(ctx, ctx.lowering.expr(ctx, node));
}

export function asOperand(ctx: Ctx, one: Ex): Ex {
  if (!one.exits) return one;
  ctx.throwsExit = true;
  const { run } = one;
  if (!one.may) return ex((f) => throwExit(run(f)));
  return ex((f) => {
    const value = run(f);
    return value instanceof Promise ? value.then(throwExit) : throwExit(value);
  }, true);
}

/** Runs `lower` for one statement, and catches there what its operands throw. */
export function catchingExits(ctx: Ctx, lower: () => St): St {
  const [one, caught] = noticingExit(ctx, lower);
  return caught ? st(catching(one.run, completionOf), one.may, true) : one;
}

/** The same for an expression that is a block's value: what was thrown is given as the `Exit` that it is. */
export function catchingExitsOfValue(ctx: Ctx, lower: () => Ex): Ex {
  const [one, caught] = noticingExit(ctx, lower);
  return caught ? ex(catching(one.run, exitOf), one.may, true) : one;
}

/** Did an operand inside throw its exit? */
function noticingExit<T>(ctx: Ctx, lower: () => T): [T, boolean] {
  const before = ctx.throwsExit;
  ctx.throwsExit = false;
  const one = lower();
  const caught = ctx.throwsExit;
  ctx.throwsExit = before;
  return [one, caught];
}

/** Runs a node and gives thrown exits in the form that its surroundings expect. */
export function catching(run: Run, form: (error: unknown) => unknown): Run {
  return (f) => {
    try {
      const result = run(f);
      return result instanceof Promise ? result.catch(form) : result;
    } catch (error) {
      return form(error);
    }
  };
}

export function completionOf(error: unknown): unknown {
  if (error instanceof Exit) return error.completion;
  throw error;
}

function exitOf(error: unknown): unknown {
  if (error instanceof Exit) return error;
  throw error;
}

export const constant = (value: Value): Ex => ({
  run: () => value,
  may: false,
  exits: false,
  slot: -1,
  constant: value,
});

/** One operand, then something with its value. */
export function withOne(a: Ex, next: (f: Frame, a: Value) => unknown, mayNext = false): Ex {
  const { run } = a;
  if (!a.may) return ex((f) => next(f, run(f)), mayNext);
  return ex((f) => {
    const value = run(f);
    return value instanceof Promise ? value.then((value) => next(f, value)) : next(f, value);
  }, true);
}

/** Two operands in order, then something with their values. */
export function withTwo(a: Ex, b: Ex, next: (f: Frame, a: Value, b: Value) => unknown, mayNext = false): Ex {
  const left = a.run;
  const right = b.run;
  if (!a.may && !b.may) return ex((f) => next(f, left(f), right(f)), mayNext);
  const second = (f: Frame, x: Value) => {
    const y = right(f);
    return y instanceof Promise ? y.then((y) => next(f, x, y)) : next(f, x, y);
  };
  return ex((f) => {
    const x = left(f);
    return x instanceof Promise ? x.then((x) => second(f, x)) : second(f, x);
  }, true);
}

/** Evaluates operands in order: an array, or its promise from the first that waits. */
export function evaluateAll(f: Frame, runs: readonly Run[]): Value[] | Promise<Value[]> {
  const values: Value[] = [];
  for (let i = 0; i < runs.length; i++) {
    const value = runs[i]!(f);
    if (value instanceof Promise) return evaluateRest(f, runs, values, value, i + 1);
    values.push(value);
  }
  return values;
}

async function evaluateRest(
  f: Frame,
  runs: readonly Run[],
  values: Value[],
  pending: Promise<Value>,
  from: number,
): Promise<Value[]> {
  values.push(await pending);
  for (let i = from; i < runs.length; i++) {
    const value = runs[i]!(f);
    values.push(value instanceof Promise ? await value : value);
  }
  return values;
}

/** Any number of operands, then something with their values. */
export function withAll(
  all: readonly Ex[],
  next: (f: Frame, values: Value[]) => unknown,
  mayNext = false,
): Ex {
  const runs = all.map((one) => one.run);
  if (!all.some((one) => one.may))
    return ex((f) => {
      const values: Value[] = [];
      for (let i = 0; i < runs.length; i++) values.push(runs[i]!(f));
      return next(f, values);
    }, mayNext);
  return ex((f) => {
    const values = evaluateAll(f, runs);
    return values instanceof Promise ? values.then((values) => next(f, values)) : next(f, values);
  }, true);
}
