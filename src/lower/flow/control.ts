/** Branches and exits: `if`, `guard`, `require`, `return`, `throw`, blocks in any mode (language.md §10). */
import { BREAK, CONTINUE, Exit, type Frame, locatedFrame, type Run } from "../../interp/index.ts";
import type { Block, Expr, Guard, If, Require, Return, Statement, Throw } from "../../syntax/index.ts";
import { thrown, type Value } from "../../values/index.ts";
import { lowerTailCall } from "../calls.ts";
import { counting } from "../counting.ts";
import { prelude } from "../declarations/declarations.ts";
import { catchingExits, catchingExitsOfValue, constant, operand, withOne } from "../expressions/operand.ts";
import { condition, conditionBranch } from "../expressions/operators.ts";
import {
  type Condition,
  type Ctx,
  type Ex,
  ex,
  noStatement,
  nothing,
  type ResultMode,
  type St,
  st,
} from "../node.ts";
import { lowerTailPipe } from "../places/chains.ts";
import { sequence, sequenceReturn, sequenceValue } from "./sequence.ts";

/** A statement list in a mode: what its last expression is for (node.ts, `ResultMode`). */
export function lowerStatements(ctx: Ctx, nodes: readonly Statement[], mode: ResultMode): St {
  const before = prelude(ctx, nodes);
  const last = nodes.at(-1);
  if (mode !== "stmt" && last?.kind === "Select") {
    const first = sequence([...before, ...lowerEach(ctx, nodes.slice(0, -1)), ...counting(ctx, last)]);
    const value = catchingExits(ctx, () => ctx.lowering.select(ctx, last, mode));
    if (mode === "return") return sequenceReturn(first, value);
    return valueAsSt(sequenceValue(first, ex(value.run, value.may, value.abrupt)));
  }
  if (mode === "stmt" || last?.kind !== "ExprStatement") {
    const all = sequence([...before, ...lowerEach(ctx, nodes)]);
    if (mode === "stmt") return all;
    return mode === "value" ? valueAsSt(sequenceValue(all, constant(null))) : orNil(all);
  }
  const lead = [...before, ...lowerEach(ctx, nodes.slice(0, -1)), ...counting(ctx, last)];
  if (mode === "return") return sequence([...lead, catchingExits(ctx, () => lowerReturned(ctx, last.expr))]);
  const first = lead.length === 0 ? undefined : sequence(lead);
  const value = catchingExitsOfValue(ctx, () => ctx.lowering.expr(ctx, last.expr));
  return valueAsSt(first === undefined ? value : sequenceValue(first, value));
}

/** A list that ends without an expression gives nil. */
function orNil(all: St): St {
  const { run } = all;
  if (!all.may)
    return st(
      (f) => {
        const result = run(f);
        return result === undefined ? null : result;
      },
      false,
      true,
    );
  const settle = (result: unknown): unknown => (result === undefined ? null : result);
  return st(
    (f) => {
      const result = run(f);
      return result instanceof Promise ? result.then(settle) : settle(result);
    },
    true,
    true,
  );
}

const valueAsSt = (one: Ex): St => st(one.run, one.may, one.exits);

/** Blocks only open scopes, which slots have done away with. */
export function lowerBlock(ctx: Ctx, node: Block, mode: ResultMode): St {
  return lowerStatements(ctx, node.statements, mode);
}

function lowerEach(ctx: Ctx, nodes: readonly Statement[]): St[] {
  return nodes.flatMap((node) => {
    const one = catchingExits(ctx, () => ctx.lowering.statement(ctx, node));
    return one.run === nothing ? [] : [...counting(ctx, node), one];
  });
}

/** An expression evaluated for its effects. */
export function discard(one: Ex): St {
  const { run } = one;
  if (!one.may && !one.exits)
    return st((f) => {
      run(f);
    });
  const settle = (value: unknown): unknown => (value instanceof Exit ? value.completion : undefined);
  return st(
    (f) => {
      const value = run(f);
      return value instanceof Promise ? value.then(settle) : settle(value);
    },
    one.may,
    one.exits,
  );
}

/** The value of an expression as a function's result. */
export function valueToReturn(one: Ex): St {
  if (!one.exits) return st(one.run, one.may, true);
  const { run } = one;
  const settle = (value: unknown): unknown => (value instanceof Exit ? value.completion : value);
  return st(
    (f) => {
      const value = run(f);
      return value instanceof Promise ? value.then(settle) : settle(value);
    },
    one.may,
    true,
  );
}

/** An expression in result position: calls become tail calls, branches are results themselves. */
export function lowerReturned(ctx: Ctx, node: Expr): St {
  switch (node.kind) {
    case "Call": {
      const tail = lowerTailCall(ctx, node);
      if (tail !== undefined) return tail;
      break;
    }
    case "Pipe": {
      const tail = lowerTailPipe(ctx, node);
      if (tail !== undefined) return tail;
      break;
    }
    case "If":
      return lowerIf(ctx, node, "return");
    case "Match":
      return ctx.lowering.match(ctx, node, "return");
    case "Ternary": {
      const test = condition(ctx, node.condition);
      return branch(test, lowerReturned(ctx, node.then), lowerReturned(ctx, node.else));
    }
    default:
      break;
  }
  return valueToReturn(ctx.lowering.expr(ctx, node));
}

/** One of two statements; without the second nothing happens in its place. */
export function branch(test: Condition, then: St, otherwise?: St): St {
  const may = test.may || then.may || otherwise?.may === true;
  const abrupt = then.abrupt || otherwise?.abrupt === true;
  const one = st(conditionBranch(test)(then.run, otherwise?.run), may, abrupt);
  if (then.ends !== true) return one;
  if (otherwise?.ends === true) return { ...one, ends: true };
  const before = (rest: St): St =>
    branch(test, then, otherwise === undefined ? rest : sequence([otherwise, rest]));
  return { ...one, before };
}

/** `if` chains are folded from their end, so that any number of `else if` needs no stack here. */
export function lowerIf(ctx: Ctx, node: If, mode: ResultMode): St {
  const arms: If[] = [];
  let at: Block | If | undefined = node;
  while (at?.kind === "If") {
    arms.push(at);
    at = at.else;
  }
  let result = at === undefined ? missingElse(mode) : lowerBlock(ctx, at, mode);
  if (arms.length > 16) return longIf(ctx, arms, result ?? noStatement, mode);
  for (const arm of arms.reverse())
    result = branch(condition(ctx, arm.condition), lowerBlock(ctx, arm.then, mode), result);
  return result!;
}

const missingElse = (mode: ResultMode): St | undefined => (mode === "stmt" ? undefined : st(() => null));

/** Many arms: one loop over them instead of one stack frame each. */
function longIf(ctx: Ctx, arms: readonly If[], otherwise: St, mode: ResultMode): St {
  const all = arms.map((arm) => ({
    test: condition(ctx, arm.condition),
    body: lowerBlock(ctx, arm.then, mode),
  }));
  const from = (f: Frame, start: number): unknown => {
    for (let i = start; i < all.length; i++) {
      const { test, body } = all[i]!;
      const is = test.run(f);
      if (is instanceof Promise) return is.then((is) => (is ? body.run(f) : from(f, i + 1)));
      if (is) return body.run(f);
    }
    return otherwise.run(f);
  };
  const may = otherwise.may || all.some(({ test, body }) => test.may || body.may);
  return st((f) => from(f, 0), may, otherwise.abrupt || all.some(({ body }) => body.abrupt));
}

export function lowerReturn(ctx: Ctx, node: Return): St {
  if (node.value === undefined) return ending(() => null);
  return { ...lowerReturned(ctx, node.value), abrupt: true, ends: true };
}

const ending = (run: Run): St => ({ ...st(run, false, true), ends: true });

export const lowerBreak = (): St => ending(() => BREAK);
export const lowerContinue = (): St => ending(() => CONTINUE);

export function lowerThrow(ctx: Ctx, node: Throw): St {
  const site = ctx.site(node);
  return discard(
    withOne(operand(ctx, node.value), (_f, value) => {
      throw locatedFrame(thrown(value), site);
    }),
  );
}

export function lowerGuard(ctx: Ctx, node: Guard): St {
  const test = condition(ctx, node.condition);
  const otherwise = lowerBlock(ctx, node.else, "stmt");
  const one = branch(test, noStatement, otherwise);
  return otherwise.ends ? { ...one, before: (rest) => branch(test, rest, otherwise) } : one;
}

export function lowerRequire(ctx: Ctx, node: Require): St {
  const site = ctx.site(node);
  const raise = (_f: Frame, value: Value): never => {
    throw locatedFrame(thrown(value), site);
  };
  const message =
    node.message === undefined ? constant("require condition failed") : operand(ctx, node.message);
  return branch(condition(ctx, node.condition), noStatement, discard(withOne(message, raise)));
}
