/** `try`, `try*`, `retry`, `defer` (language.md §10, §12). */
import { Exit, ExitProgram, type Frame, locatedFrame, type Run } from "../../interp/index.ts";
import type { Defer, Retry, Try, TryStar, TypeExpr } from "../../syntax/index.ts";
import {
  caughtValue,
  EnumValue,
  err,
  isResult,
  okResult,
  type ScriptError,
  type Value,
} from "../../values/index.ts";
import { operand } from "../expressions/operand.ts";
import { type Ctx, type Ex, ex, type ResultMode, type St, st } from "../node.ts";
import { store } from "../places/stores.ts";
import { attemptFailed, attemptsOf, catchable } from "./attempts.ts";
import { discard, lowerBlock, valueToReturn } from "./control.ts";

/** A value-mode node in another mode. */
export function inValueMode(one: Ex, mode: ResultMode): St {
  if (mode === "value") return st(one.run, one.may, one.exits);
  return mode === "stmt" ? discard(one) : valueToReturn(one);
}

/** A completion that ends a block of the given mode. */
export const abruptly = (mode: ResultMode, completion: unknown): unknown =>
  mode === "value" ? new Exit(completion) : completion;

export function lowerTry(ctx: Ctx, node: Try, mode: ResultMode): St {
  if (node.catch === undefined && node.finally === undefined)
    return inValueMode(tryExpression(ctx, node), mode);
  if (node.finally === undefined) return withCatch(ctx, node, mode);
  return ctx.withoutTail(() => {
    const inner = withCatch(ctx, node, mode);
    return withFinally(inner, lowerBlock(ctx, node.finally!, "stmt"), mode);
  });
}

/** `try { … }` alone: a Result; a Result inside is not wrapped again. */
function tryExpression(ctx: Ctx, node: Try): Ex {
  const body = ctx.withoutTail(() => lowerBlock(ctx, node.body, "value"));
  const { run } = body;
  const wrap = (value: unknown): unknown =>
    value instanceof Exit || isResult(value as Value) ? value : okResult(value as Value);
  const caught = (error: unknown): Value => err(caughtValue(catchable(error)));
  return ex(
    (f) => {
      try {
        const value = run(f);
        return value instanceof Promise ? value.then(wrap, caught) : wrap(value);
      } catch (error) {
        return caught(error);
      }
    },
    body.may,
    body.abrupt,
  );
}

/** Whether `catch (e: T)` is for this value: T names an enum, and only its values match. */
function catches(type: TypeExpr | undefined): (error: ScriptError) => boolean {
  if (type === undefined) return () => true;
  const name = type.kind === "NamedType" ? type.name.text : "";
  return (error) =>
    error.kind === "thrown" && error.value instanceof EnumValue && error.value.enumName === name;
}

function withCatch(ctx: Ctx, node: Try, mode: ResultMode): St {
  const body = ctx.withoutTail(() => lowerBlock(ctx, node.body, mode));
  const handler = node.catch;
  if (handler === undefined) return body;
  const wanted = catches(handler.type);
  const put = handler.name === undefined ? undefined : store(ctx, handler.name);
  const rescue = lowerBlock(ctx, handler.body, mode);
  const { run } = body;
  const caught = (f: Frame, error: unknown): unknown => {
    const own = catchable(error);
    if (!wanted(own)) throw own;
    put?.(f, caughtValue(own));
    return rescue.run(f);
  };
  return st(
    (f) => {
      let result: unknown;
      try {
        result = run(f);
      } catch (error) {
        return caught(f, error);
      }
      return result instanceof Promise ? result.catch((error) => caught(f, error)) : result;
    },
    body.may || rescue.may,
    body.abrupt || rescue.abrupt,
  );
}

/** Runs `last` exactly once on every way out; what it completes with (a `return` in it) wins. */
function withFinally(inner: St, last: St, mode: ResultMode): St {
  const { run } = inner;
  const end = last.run;
  const finish = (f: Frame, result: unknown): unknown => {
    const own = end(f);
    if (own === undefined) return result;
    if (own instanceof Promise) return own.then((own) => (own === undefined ? result : abruptly(mode, own)));
    return abruptly(mode, own);
  };
  const failed = (f: Frame, error: unknown): unknown => {
    if (error instanceof ExitProgram) throw error;
    const raise = (own: unknown): unknown => {
      if (own === undefined) throw error;
      return abruptly(mode, own);
    };
    const own = end(f);
    return own instanceof Promise ? own.then(raise) : raise(own);
  };
  return st(
    (f) => {
      let result: unknown;
      try {
        result = run(f);
      } catch (error) {
        return failed(f, error);
      }
      if (!(result instanceof Promise)) return finish(f, result);
      return result.then(
        (value) => finish(f, value),
        (error) => failed(f, error),
      );
    },
    inner.may || last.may,
    inner.abrupt || last.abrupt,
  );
}

/** `try* e`: says that a failure of `e` is meant to go on. An ordinary place to throw from: any `catch` around it may take it. */
export function lowerTryStar(ctx: Ctx, node: TryStar): Ex {
  const one = operand(ctx, node.value);
  const { run } = one;
  const site = ctx.site(node);
  const raise = (error: unknown): never => {
    throw locatedFrame(error, site);
  };
  return ex((f) => {
    try {
      const value = run(f);
      return value instanceof Promise ? value.catch(raise) : value;
    } catch (error) {
      return raise(error);
    }
  }, one.may);
}

/** `retry n { … }`: the last failure is thrown on, an internal error as its message (language.md §10). */
export function lowerRetry(ctx: Ctx, node: Retry, mode: ResultMode): St {
  const count = operand(ctx, node.count);
  const body = ctx.withoutTail(() => lowerBlock(ctx, node.body, mode));
  const { run } = body;
  const attempt = (f: Frame, left: number): unknown => {
    for (let rest = left; ; rest--) {
      try {
        const result = run(f);
        if (!(result instanceof Promise)) return result;
        const again = rest;
        return result.catch((error) => {
          attemptFailed(error, again);
          return attempt(f, again - 1);
        });
      } catch (error) {
        attemptFailed(error, rest);
      }
    }
  };
  const start = (f: Frame, times: Value): unknown => attempt(f, attemptsOf(times));
  const times = count.run;
  return st(
    (f) => {
      const limit = times(f);
      return limit instanceof Promise ? limit.then((value) => start(f, value)) : start(f, limit);
    },
    count.may || body.may,
    body.abrupt,
  );
}

/** `defer { … }`: kept in the frame until the function ends (deferred.ts). */
export function lowerDefer(ctx: Ctx, node: Defer): St {
  const slot = ctx.fn.deferSlot;
  const { run } = ctx.withoutTail(() => lowerBlock(ctx, node.body, "stmt"));
  const block: Run = (f) => {
    const result = run(f);
    return result instanceof Promise ? result : undefined;
  };
  return st((f) => {
    f[slot] ??= [];
    f[slot].push(block);
  });
}
