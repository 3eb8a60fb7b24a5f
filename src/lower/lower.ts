/**
 * Lowering: every node of the resolved tree becomes one JavaScript closure `(frame) => …`, specialised to what is known
 * about it. Nothing is looked up by name while running, and no node asks what kind of node it is.
 *
 * What a closure gives depends on the mode in which it was lowered (node.ts): expressions give values, statements give
 * completions (interp/interrupts/signals.ts). Each lowered node says whether it may give a promise; nodes whose parts never do are
 * lowered to code that never looks for one. The others look, and from the first promise on continue in a `then` or in
 * one asynchronous function per loop or statement list. So a pure script runs without a single microtask.
 *
 * One file per family: literals, names, operators (`generated/` holds their fast forms, `specialise.ts` what those share), access, methods, calls,
 * chains, assign, control, loops, match, errors, concurrency, declarations, functions, generators. They need each other
 * in a circle; this file closes the circle through `node.ts`, because value imports may not form cycles.
 */
import type { Frame } from "../interp/index.ts";
import { Binding } from "../resolve/index.ts";
import type { Expr, Mutex, Statement } from "../syntax/index.ts";
import { caughtValue, EnumValue, runtimeError, type Value } from "../values/index.ts";
import { lowerCall } from "./calls.ts";
import { lowerDeclaration, prelude } from "./declarations/declarations.ts";
import {
  literalValue,
  lowerDict,
  lowerInterpolation,
  lowerList,
  lowerStruct,
} from "./expressions/literals.ts";
import { lowerMatch, matchTests } from "./expressions/match.ts";
import { catchingExits, catchingExitsOfValue, constant } from "./expressions/operand.ts";
import { condition, lowerBinary, lowerRange, lowerTernary, lowerUnary } from "./expressions/operators.ts";
import { lowerPattern } from "./expressions/patterns.ts";
import { catchable } from "./flow/attempts.ts";
import {
  lowerCostRoute,
  lowerDeadline,
  lowerMutex,
  lowerParallel,
  lowerScope,
  lowerSelect,
  lowerSelection,
  lowerSpawn,
} from "./flow/concurrency.ts";
import {
  discard,
  lowerBlock,
  lowerBreak,
  lowerContinue,
  lowerGuard,
  lowerIf,
  lowerRequire,
  lowerReturn,
  lowerReturned,
  lowerThrow,
} from "./flow/control.ts";
import { roundsOf } from "./flow/deferred.ts";
import { lowerDefer, lowerRetry, lowerTry, lowerTryStar } from "./flow/errors.ts";
import { lowerFor, lowerWhile, placedLoop } from "./flow/loops.ts";
import { lowerIdentifier, makeClosure, raising } from "./names.ts";
import { type Ctx, type Ex, ex, type Lowering, type Plain, type St } from "./node.ts";
import { lowerAssign, lowerLet } from "./places/assign.ts";
import { isChain, lowerChain } from "./places/chains.ts";
import { store } from "./places/stores.ts";

const asEx = (one: St): Ex => ex(one.run, one.may, one.abrupt);

/** An expression for its value. */
function lowerExpr(ctx: Ctx, node: Expr): Ex {
  if (isChain(node)) return lowerChain(ctx, node);
  switch (node.kind) {
    case "IntLit":
    case "FloatLit":
    case "DurationLit":
    case "StringLit":
    case "BoolLit":
    case "NilLit":
      return constant(literalValue(node)!);
    case "Interpolation":
      return lowerInterpolation(ctx, node);
    case "Identifier":
      return lowerIdentifier(ctx, node);
    case "ListLit":
      return lowerList(ctx, node);
    case "DictLit":
      return lowerDict(ctx, node);
    case "StructLit":
      return lowerStruct(ctx, node);
    case "Closure":
      return lowerClosure(ctx, node);
    case "Unary":
      return lowerUnary(ctx, node);
    case "Binary":
      return lowerBinary(ctx, node);
    case "Ternary":
      return lowerTernary(ctx, node);
    case "RangeExpr":
      return lowerRange(ctx, node);
    case "Call":
      return lowerCall(ctx, node);
    case "If":
      return asEx(lowerIf(ctx, node, "value"));
    case "Match":
      return asEx(lowerMatch(ctx, node, "value"));
    case "Try":
      return asEx(lowerTry(ctx, node, "value"));
    case "TryStar":
      return lowerTryStar(ctx, node);
    case "Retry":
      return asEx(lowerRetry(ctx, node, "value"));
    case "Parallel":
      return lowerParallel(ctx, node);
    case "Spawn":
      return lowerSpawn(ctx, node);
    case "Deadline":
      return asEx(lowerDeadline(ctx, node, "value"));
    case "Scope":
      return asEx(lowerScope(ctx, node, "value"));
    case "CostRoute":
      return lowerCostRoute(ctx, node);
    default:
      return raising(() => runtimeError("this expression could not be parsed"), ctx.site(node));
  }
}

function lowerClosure(ctx: Ctx, node: Extract<Expr, { kind: "Closure" }>): Ex {
  const info = ctx.module.fnByNode.get(node)!;
  const make = makeClosure(ctx, info);
  return info.isStatic ? constant(make([]) as Value) : ex(make);
}

function lowerStatement(ctx: Ctx, node: Statement): St {
  switch (node.kind) {
    case "ExprStatement":
      return lowerExprStatement(ctx, node.expr);
    case "Let":
      return lowerLet(ctx, node);
    case "Assign":
      return lowerAssign(ctx, node);
    case "For":
      return placedLoop(ctx, node, lowerFor(ctx, node));
    case "While":
      return placedLoop(ctx, node, lowerWhile(ctx, node));
    case "Select":
      return lowerSelect(ctx, node, "stmt");
    case "Return":
      return lowerReturn(ctx, node);
    case "Throw":
      return lowerThrow(ctx, node);
    case "Break":
      return lowerBreak();
    case "Continue":
      return lowerContinue();
    case "Guard":
      return lowerGuard(ctx, node);
    case "Require":
      return lowerRequire(ctx, node);
    case "Defer":
      return lowerDefer(ctx, node);
    case "Mutex":
      return lowerMutex(ctx, node as Mutex);
    case "Yield":
    case "Emit":
      // The resolver reported a `yield` that is not a statement of its function's body.
      return discard(raising(() => runtimeError("`yield` cannot stand here"), ctx.site(node)));
    default:
      return lowerDeclaration(ctx, node);
  }
}

/** Block forms are lowered as statements: no value is made only to be dropped. */
function lowerExprStatement(ctx: Ctx, node: Expr): St {
  switch (node.kind) {
    case "If":
      return lowerIf(ctx, node, "stmt");
    case "Match":
      return lowerMatch(ctx, node, "stmt");
    case "Try":
      return lowerTry(ctx, node, "stmt");
    case "Retry":
      return lowerRetry(ctx, node, "stmt");
    case "Deadline":
      return lowerDeadline(ctx, node, "stmt");
    case "Scope":
      return lowerScope(ctx, node, "stmt");
    default:
      return discard(lowerExpr(ctx, node));
  }
}

/** What bodies of generators are made of. */
const plain: Plain = {
  statement: (ctx, node) => catchingExits(ctx, () => lowerStatement(ctx, node)).run,
  block: (ctx, node, mode) => lowerBlock(ctx, node, mode).run,
  prelude: (ctx, nodes) => prelude(ctx, nodes).map((one) => one.run),
  expr: (ctx, node) => catchingExitsOfValue(ctx, () => lowerExpr(ctx, node)).run,
  returned: (ctx, node) => catchingExits(ctx, () => lowerReturned(ctx, node)).run,
  condition: (ctx, node) => condition(ctx, node).run,
  pattern: (ctx, node) => lowerPattern(ctx, node.pattern),
  put: (ctx, node) => {
    if (node.kind === "Let") return lowerPattern(ctx, node.pattern);
    const ref = node.target.kind === "Identifier" ? ctx.module.refs.get(node.target) : undefined;
    if (node.op === "=" && ref instanceof Binding && ref.mutable) return storeTo(ctx, ref);
    return () => {
      throw runtimeError("a block that yields can only be assigned to a variable");
    };
  },
  matchTests,
  catcher: (ctx, node) => catcher(ctx, node),
  selection: lowerSelection,
  rounds: roundsOf,
};

export const lowering: Lowering = {
  expr: lowerExpr,
  lookedAtChain: (ctx: Ctx, node: Expr) => lowerChain(ctx, node, "looked into"),
  statement: lowerStatement,
  block: lowerBlock,
  match: lowerMatch,
  select: lowerSelect,
  plain,
};

function storeTo(ctx: Ctx, binding: Binding): (f: Frame, value: Value) => unknown {
  const slot = ctx.fn.slotOf(binding);
  const { frame } = ctx.unit;
  return (f, value) => {
    (binding.shared ? frame : f)[binding.shared ? binding.slot : slot] = value;
  };
}

function catcher(ctx: Ctx, node: Extract<Expr, { kind: "Try" }>): { rescue(f: Frame, error: unknown): void } {
  const handler = node.catch;
  if (handler === undefined)
    return {
      rescue: (holder, error) => {
        holder[0] = caughtValue(catchable(error));
      },
    };
  const put = handler.name === undefined ? undefined : store(ctx, handler.name);
  const type = handler.type?.kind === "NamedType" ? handler.type.name.text : undefined;
  return {
    rescue: (f, error) => {
      const own = catchable(error);
      const isWanted =
        handler.type === undefined ||
        (own.kind === "thrown" && own.value instanceof EnumValue && own.value.enumName === type);
      if (!isWanted) throw own;
      put?.(f, caughtValue(own));
    },
  };
}

export { lowerExpr, lowerStatement };
