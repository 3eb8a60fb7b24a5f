/** Unary and binary operators, ternaries, ranges (language.md §6). Chains are folded in a loop, however long they are. */
import { type Frame, locatedFrame, type Run, type Site, type Task } from "../../interp/index.ts";
import type { Binary, BinaryOp, Expr, RangeExpr, Ternary, Unary } from "../../syntax/index.ts";
import {
  add,
  contains,
  divide,
  equals,
  greaterOrEqual,
  greaterThan,
  List,
  lessOrEqual,
  lessThan,
  modulo,
  multiply,
  negate,
  power,
  Range,
  subtract,
  truthy,
  type Value,
} from "../../values/index.ts";
import { equal, equalBranch } from "../generated/equal.ts";
import { greater, greaterBranch } from "../generated/greater.ts";
import { greaterEqual, greaterEqualBranch } from "../generated/greater-equal.ts";
import { less, lessBranch } from "../generated/less.ts";
import { lessEqual, lessEqualBranch } from "../generated/less-equal.ts";
import { minus, minusTo } from "../generated/minus.ts";
import { notEqual, notEqualBranch } from "../generated/not-equal.ts";
import { over, overTo } from "../generated/over.ts";
import { plus, plusTo } from "../generated/plus.ts";
import { rest, restTo } from "../generated/rest.ts";
import { times, timesTo } from "../generated/times.ts";
import { type Branch, type Condition, type Ctx, type Ex, ex } from "../node.ts";
import { type Branching, compared, type Specialised, type Storing } from "../specialise.ts";
import { constant, operand, withOne, withTwo } from "./operand.ts";

type OperatorRun = (a: Value, b: Value) => Value;

/** Operators that evaluate both sides. */
const strict: Readonly<Record<Exclude<BinaryOp, "&&" | "||" | "??">, OperatorRun>> = {
  "+": add,
  "-": subtract,
  "*": multiply,
  "/": divide,
  "%": modulo,
  "**": power,
  "==": equals,
  "!=": (a, b) => !equals(a, b),
  "<": lessThan,
  "<=": lessOrEqual,
  ">": greaterThan,
  ">=": greaterOrEqual,
  in: (a, b) => contains(b, a),
  "not in": (a, b) => !contains(b, a),
};

const specialised: Partial<Readonly<Record<BinaryOp, Specialised>>> = {
  "+": plus,
  "-": minus,
  "*": times,
  "/": over,
  "%": rest,
  "<": less,
  "<=": lessEqual,
  ">": greater,
  ">=": greaterEqual,
  "==": equal,
  "!=": notEqual,
};

const storing: Partial<Readonly<Record<BinaryOp, Storing>>> = {
  "+": plusTo,
  "-": minusTo,
  "*": timesTo,
  "/": overTo,
  "%": restTo,
};

const branching: Partial<Readonly<Record<BinaryOp, Branching>>> = {
  "<": lessBranch,
  "<=": lessEqualBranch,
  ">": greaterBranch,
  ">=": greaterEqualBranch,
  "==": equalBranch,
  "!=": notEqualBranch,
};

/** Beyond this, evaluating a chain node by node would need a stack as deep as the chain is long. */
const LONG = 100;

export function lowerBinary(ctx: Ctx, node: Binary): Ex {
  const links: Binary[] = [];
  let base: Expr = node;
  while (base.kind === "Binary") {
    links.push(base);
    base = base.left;
  }
  let left = operand(ctx, base);
  links.reverse();
  if (links.length > LONG) return chain(ctx, left, links);
  for (const link of links) left = lowerOperatorLink(ctx, link, left);
  return left;
}

function lowerOperatorLink(ctx: Ctx, link: Binary, left: Ex): Ex {
  const site = ctx.site(link.opSpan as Expr);
  const { right } = link;
  if (link.op === "+" && right.kind === "ListLit" && right.elements.length === 1) {
    const only = right.elements[0]!;
    if (only.kind !== "Spread") return lowerAppend(left, operand(ctx, only), site);
  }
  return combine(ctx, link.op, left, operand(ctx, right), site);
}

/** `xs + [x]`: no list is made to be thrown away. */
export function lowerAppend(left: Ex, element: Ex, site: Site): Ex {
  const slow = checkedOperator(add, site);
  if (!left.may && !element.may) {
    const one = left.run;
    const other = element.run;
    const i = left.slot;
    const j = element.slot;
    const run: Run = (f) => {
      const list = i >= 0 ? f[i] : one(f);
      const value = j >= 0 ? f[j] : other(f);
      return list instanceof List ? list.push(value) : slow(list, new List([value]));
    };
    const storing = (slot: number): Run => {
      return (f) => {
        const list = i >= 0 ? f[i] : one(f);
        const value = j >= 0 ? f[j] : other(f);
        f[slot] = list instanceof List ? list.push(value) : slow(list, new List([value]));
      };
    };
    return { ...ex(run), storing };
  }
  return withTwo(left, element, (_f, list, value) =>
    list instanceof List ? list.push(value) : slow(list, new List([value])),
  );
}

/** One operator over lowered operands. */
export function combine(_ctx: Ctx, op: BinaryOp, left: Ex, right: Ex, site: Site): Ex {
  switch (op) {
    case "&&":
      if (!left.may && !right.may) return evaluateBoth(asCondition(left), asCondition(right));
      return lazily(left, right, (a) => (truthy(a) ? undefined : false), truthy);
    case "||":
      if (!left.may && !right.may) return eitherCondition(asCondition(left), asCondition(right));
      return lazily(left, right, (a) => (truthy(a) ? true : undefined), truthy);
    case "??":
      if (!left.may && !right.may) return orElse(left.run, right.run);
      return lazily(left, right, (a) => (a === null ? undefined : a), same);
    default: {
      const make = specialised[op];
      const store = storing[op];
      const branch = branching[op];
      const may = left.may || right.may;
      if (make !== undefined)
        return {
          ...ex(make(left, right, site), may),
          bool: branch !== undefined,
          ...known(op, left, right),
          ...(branch && !may && { branch: branch(left, right) }),
          ...(store && { storing: (slot: number) => store(left, right, site, slot) }),
        };
      const apply = checkedOperator(strict[op], site);
      if (op === "in" || op === "not in")
        return withTwo(left, right, (f, a, b) =>
          (f[0] as Task).runtime.effects.metSecrets === undefined
            ? apply(a, b)
            : compared(f, a, b, () => apply(a, b) as boolean),
        );
      return withTwo(left, right, (_f, a, b) => apply(a, b));
    }
  }
}

function evaluateBoth(a: Condition, b: Condition): Ex {
  const left = a.run;
  const right = b.run;
  const branch: Branch = (yes, no) => conditionBranch(a)(conditionBranch(b)(yes, no), no);
  return { ...ex((f) => left(f) && right(f)), bool: true, branch };
}

function eitherCondition(a: Condition, b: Condition): Ex {
  const left = a.run;
  const right = b.run;
  const branch: Branch = (yes, no) => conditionBranch(a)(yes, conditionBranch(b)(yes, no));
  return { ...ex((f) => left(f) || right(f)), bool: true, branch };
}

const orElse = (a: Run, b: Run): Ex => ex((f) => a(f) ?? b(f));

const same = (value: Value): Value => value;

/** What a loop or another operator may do by itself. */
function known(op: BinaryOp, left: Ex, right: Ex): Pick<Ex, "less" | "remainder" | "inner"> {
  const by = right.constant;
  if (left.slot < 0) return {};
  if (op === "<" && right.slot >= 0) return { less: { slot: left.slot, than: right.slot, isSlot: true } };
  if (typeof by !== "number") return {};
  if (op === "<") return { less: { slot: left.slot, than: by, isSlot: false } };
  if (op === "%" && by !== 0) return { remainder: { slot: left.slot, by } };
  if (op === "+" || op === "-" || op === "*") return { inner: { op, slot: left.slot, by } };
  return {};
}

/** An operator that knows where it stands. */
function checkedOperator(op: OperatorRun, site: Site): OperatorRun {
  return (a, b) => {
    try {
      return op(a, b);
    } catch (error) {
      throw locatedFrame(error, site);
    }
  };
}

/** The right side only when the left does not decide. */
function lazily(
  left: Ex,
  right: Ex,
  decide: (a: Value) => Value | undefined,
  finish: (b: Value) => Value,
): Ex {
  const b = right.run;
  const second = (f: Frame, value: Value) => {
    const decided = decide(value);
    if (decided !== undefined) return decided;
    const other = b(f);
    return other instanceof Promise ? other.then(finish) : finish(other);
  };
  return withOne(left, second, true);
}

/** A very long chain: one loop over its links. */
function chain(ctx: Ctx, base: Ex, links: readonly Binary[]): Ex {
  const steps = links.map((link): ((f: Frame, left: Value) => unknown) => {
    const right = operand(ctx, link.right);
    const held: { value: Value } = { value: null };
    // The left side is handed over through a holder; nothing runs between setting and reading it but this very node.
    const left = { ...ex(() => held.value), may: false };
    const made = combine(ctx, link.op, left, right, ctx.site(link.opSpan as Expr));
    return (f, value) => {
      held.value = value;
      return made.run(f);
    };
  });
  const start = base.run;
  const rest = async (f: Frame, pending: Promise<Value>, from: number): Promise<Value> => {
    let value = await pending;
    for (let i = from; i < steps.length; i++) {
      const next = steps[i]!(f, value);
      value = (next instanceof Promise ? await next : next) as Value;
    }
    return value;
  };
  return ex((f) => {
    let value = start(f);
    if (value instanceof Promise) return rest(f, value, 0);
    for (let i = 0; i < steps.length; i++) {
      value = steps[i]!(f, value);
      if (value instanceof Promise) return rest(f, value, i + 1);
    }
    return value;
  }, true);
}

export function lowerUnary(ctx: Ctx, node: Unary): Ex {
  const signs: Unary[] = [];
  let inner: Expr = node;
  while (inner.kind === "Unary") {
    signs.push(inner);
    inner = inner.operand;
  }
  let result = operand(ctx, inner);
  for (const sign of signs.reverse()) result = applySign(ctx, sign, result);
  return result;
}

function applySign(ctx: Ctx, node: Unary, inner: Ex): Ex {
  if (node.op === "!") {
    if (inner.may) return withOne(inner, (_f, value) => !truthy(value));
    const { run } = inner;
    return ex((f) => {
      const value = run(f);
      return value === true ? false : value === false ? true : !truthy(value);
    });
  }
  const site = ctx.site(node);
  if (typeof inner.constant === "number") return constant(0 - inner.constant);
  return withOne(inner, (_f, value) => {
    if (typeof value === "number") return 0 - value;
    try {
      return negate(value);
    } catch (error) {
      throw locatedFrame(error, site);
    }
  });
}

/** A condition, as a function that gives true or false (or a promise of it). */
export function condition(ctx: Ctx, node: Expr): Condition {
  return asCondition(operand(ctx, node));
}

/** A branch on a condition: its own, or one that calls it. */
export function conditionBranch(test: Condition): Branch {
  if (test.branch !== undefined) return test.branch;
  const is = test.run;
  if (!test.may) return (yes, no) => (f) => (is(f) ? yes(f) : no === undefined ? undefined : no(f));
  return (yes, no) => (f) => {
    const result = is(f);
    if (result instanceof Promise) return result.then((result) => (result ? yes(f) : no?.(f)));
    return result ? yes(f) : no === undefined ? undefined : no(f);
  };
}

export function asCondition(test: Ex): Condition {
  const { run } = test;
  if (test.bool === true) return { run, may: test.may, less: test.less, branch: test.branch };
  if (test.may)
    return {
      run: (f) => {
        const value = run(f);
        if (value === true || value === false) return value;
        return value instanceof Promise ? value.then(truthy) : truthy(value);
      },
      may: true,
    };
  return {
    run: (f) => {
      const value = run(f);
      return value === true || (value !== false && truthy(value));
    },
    may: false,
  };
}

export function lowerTernary(ctx: Ctx, node: Ternary): Ex {
  const tests: { test: Run; value: Run }[] = [];
  let may = false;
  let at: Expr = node;
  for (; at.kind === "Ternary"; at = at.else) {
    const test = condition(ctx, at.condition);
    const then = operand(ctx, at.then);
    may ||= test.may || then.may;
    tests.push({ test: test.run, value: then.run });
  }
  const otherwise = operand(ctx, at);
  const last = otherwise.run;
  if (!may && !otherwise.may && tests.length === 1) {
    const { test, value } = tests[0]!;
    return ex((f) => (test(f) ? value(f) : last(f)));
  }
  const from = (f: Frame, start: number): unknown => {
    for (let i = start; i < tests.length; i++) {
      const { test, value } = tests[i]!;
      const is = test(f);
      if (is instanceof Promise) return is.then((is) => (is ? value(f) : from(f, i + 1)));
      if (is) return value(f);
    }
    return last(f);
  };
  return ex((f) => from(f, 0), may || otherwise.may);
}

export const rangeBound = (value: Value): number =>
  typeof value === "number" ? value : typeof value === "bigint" ? Number(value) : 0;

export function lowerRange(ctx: Ctx, node: RangeExpr): Ex {
  const { exclusive } = node;
  return withTwo(
    operand(ctx, node.from),
    operand(ctx, node.to),
    (_f, a, b) => new Range(rangeBound(a), rangeBound(b), exclusive),
  );
}
