/** Branches and exits: `if`, `guard`, `require`, `return`, `throw`, blocks in any mode (language.md §10). */
import { BREAK, CONTINUE, Exit, type Frame, located, type Run } from "../interp/index.ts";
import type { Block, Expr, Guard, If, Require, Return, Statement, Throw } from "../syntax/index.ts";
import { thrown, type Value } from "../values/index.ts";
import { lowerTailCall } from "./calls.ts";
import { lowerTailPipe } from "./chains.ts";
import { counting } from "./coverage.ts";
import { prelude } from "./declarations.ts";
import {
  type Condition,
  type Ctx,
  type Ex,
  ex,
  lowering,
  type Mode,
  noStatement,
  nothing,
  type St,
  st,
} from "./node.ts";
import { catchingExits, catchingExitsOfValue, constant, operand, withOne } from "./operand.ts";
import { condition } from "./operators.ts";
import { sequence, sequenceReturn, sequenceValue } from "./sequence.ts";

/** A statement list in a mode: what its last expression is for (node.ts, `Mode`). */
export function lowerStatements(ctx: Ctx, nodes: readonly Statement[], mode: Mode): St {
  const before = prelude(ctx, nodes);
  const last = nodes.at(-1);
  if (mode !== "stmt" && last?.kind === "Select") {
    const first = sequence([...before, ...lowerEach(ctx, nodes.slice(0, -1)), ...counting(ctx, last)]);
    const value = catchingExits(ctx, () => lowering.select(ctx, last, mode));
    if (mode === "return") return sequenceReturn(first, value);
    return valueAsSt(sequenceValue(first, ex(value.run, value.may, value.abrupt)));
  }
  if (mode === "stmt" || last?.kind !== "ExprStatement") {
    const all = sequence([...before, ...lowerEach(ctx, nodes)]);
    if (mode === "stmt") return all;
    return mode === "value" ? valueAsSt(sequenceValue(all, constant(null))) : orNil(all);
  }
  const lead = [...before, ...lowerEach(ctx, nodes.slice(0, -1)), ...counting(ctx, last)];
  const first = lead.length === 0 ? undefined : sequence(lead);
  if (mode === "return")
    return sequenceReturn(
      first,
      catchingExits(ctx, () => lowerReturned(ctx, last.expr)),
    );
  const value = catchingExitsOfValue(ctx, () => lowering.expr(ctx, last.expr));
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
export function lowerBlock(ctx: Ctx, node: Block, mode: Mode): St {
  return lowerStatements(ctx, node.statements, mode);
}

function lowerEach(ctx: Ctx, nodes: readonly Statement[]): St[] {
  return nodes.flatMap((node) => {
    const one = catchingExits(ctx, () => lowering.statement(ctx, node));
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
      return lowering.match(ctx, node, "return");
    case "Ternary": {
      const test = condition(ctx, node.condition);
      return branch(test, lowerReturned(ctx, node.then), lowerReturned(ctx, node.else));
    }
    default:
      break;
  }
  return valueToReturn(lowering.expr(ctx, node));
}

/** One of two statements. */
export function branch(test: Condition, then: St, otherwise: St): St {
  const is = test.run;
  const yes = then.run;
  const no = otherwise.run;
  const may = test.may || then.may || otherwise.may;
  const abrupt = then.abrupt || otherwise.abrupt;
  if (test.less !== undefined) return st(branchLess(test.less, is, yes, no), may, abrupt);
  if (test.divides !== undefined) return st(branchDivides(test.divides, is, yes, no), may, abrupt);
  if (!test.may) return st((f) => (is(f) ? yes(f) : no(f)), may, abrupt);
  return st(
    (f) => {
      const result = is(f);
      if (result instanceof Promise) return result.then((result) => (result ? yes(f) : no(f)));
      return result ? yes(f) : no(f);
    },
    may,
    abrupt,
  );
}

/** `if a < b`: compares ints itself, and leaves everything else to the condition's own node. */
function branchLess(less: NonNullable<Condition["less"]>, is: Run, yes: Run, no: Run): Run {
  const { slot, than, isSlot } = less;
  if (isSlot)
    return (f) => {
      const x = f[slot];
      const y = f[than];
      return (typeof x === "number" && typeof y === "number" ? x < y : is(f)) ? yes(f) : no(f);
    };
  return (f) => {
    const x = f[slot];
    return (typeof x === "number" ? x < than : is(f)) ? yes(f) : no(f);
  };
}

/** `if a % 2 == 0`. */
function branchDivides(divides: NonNullable<Condition["divides"]>, run: Run, yes: Run, no: Run): Run {
  const { slot, by, is } = divides;
  return (f) => {
    const x = f[slot];
    return (typeof x === "number" ? x % by === is : run(f)) ? yes(f) : no(f);
  };
}

/** `if` chains are folded from their end, so that any number of `else if` needs no stack here. */
export function lowerIf(ctx: Ctx, node: If, mode: Mode): St {
  const arms: If[] = [];
  let at: Block | If | undefined = node;
  while (at?.kind === "If") {
    arms.push(at);
    at = at.else;
  }
  let result = at === undefined ? missingElse(mode) : lowerBlock(ctx, at, mode);
  if (arms.length > 16) return longIf(ctx, arms, result, mode);
  for (const arm of arms.reverse())
    result = branch(condition(ctx, arm.condition), lowerBlock(ctx, arm.then, mode), result);
  return result;
}

const missingElse = (mode: Mode): St => (mode === "stmt" ? noStatement : st(() => null));

/** Many arms: one loop over them instead of one stack frame each. */
function longIf(ctx: Ctx, arms: readonly If[], otherwise: St, mode: Mode): St {
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
  if (node.value === undefined) return st(() => null, false, true);
  return { ...lowerReturned(ctx, node.value), abrupt: true };
}

export const lowerBreak = (): St => st(() => BREAK, false, true);
export const lowerContinue = (): St => st(() => CONTINUE, false, true);

export function lowerThrow(ctx: Ctx, node: Throw): St {
  const site = ctx.site(node);
  return discard(
    withOne(operand(ctx, node.value), (_f, value) => {
      throw located(thrown(value), site);
    }),
  );
}

export function lowerGuard(ctx: Ctx, node: Guard): St {
  return branch(condition(ctx, node.condition), noStatement, lowerBlock(ctx, node.else, "stmt"));
}

export function lowerRequire(ctx: Ctx, node: Require): St {
  const site = ctx.site(node);
  const raise = (_f: Frame, value: Value): never => {
    throw located(thrown(value), site);
  };
  const message =
    node.message === undefined ? constant("require condition failed") : operand(ctx, node.message);
  return branch(condition(ctx, node.condition), noStatement, discard(withOne(message, raise)));
}
