/**
 * Bodies that `yield` (language.md §14), lowered on JavaScript generator functions: only statements that contain a
 * `yield` of the body become generators, everything inside them that does not stays an ordinary node. A promise is
 * yielded to the driver (interp/concurrency/generator.ts), which gives back what it brought.
 */
import {
  BREAK,
  CONTINUE,
  Exit,
  ExitProgram,
  type Frame,
  type IndexedItems,
  Inner,
  limitCheckpoint,
  type Run,
  type SelectChoice,
  type StepsOf,
  type Task,
} from "../../interp/index.ts";
import type {
  Assign,
  Block,
  Expr,
  For,
  Guard,
  If,
  Let,
  Match,
  Retry,
  Select,
  Statement,
  Try,
  While,
} from "../../syntax/index.ts";
import { err, isResult, okResult, Pullable, type Value } from "../../values/index.ts";
import { counting } from "../counting.ts";
import type { Ctx, ResultMode } from "../node.ts";
import { attemptFailed, attemptsOf } from "./attempts.ts";
import { count } from "./count.ts";
import { runDefers } from "./deferred.ts";
import { loopSource } from "./loop-source.ts";
import { type LoopParts, YieldingLoop } from "./yielding-loop.ts";

/** Gives a completion (or, in value mode, a value) when done. */
type GenRun = StepsOf;

const memo = new WeakMap<object, boolean>();

/** Does the node contain a `yield` of the body that it belongs to? */
function yields(node: Statement | Expr | Block | If | undefined): boolean {
  if (node === undefined) return false;
  const known = memo.get(node);
  if (known !== undefined) return known;
  const found = yieldsInside(node);
  memo.set(node, found);
  return found;
}

function yieldsInside(node: Statement | Expr | Block): boolean {
  switch (node.kind) {
    case "Yield":
    case "Emit":
      return true;
    case "Block":
      return node.statements.some(yields);
    case "ExprStatement":
      return yields(node.expr);
    case "Let":
    case "Assign":
    case "Return":
      return yields(node.value);
    case "For":
    case "While":
      return yields(node.body);
    case "Guard":
      return yields(node.else);
    case "Retry":
      return yields(node.body);
    case "Select":
      return node.cases.some((one) => yields(one.body)) || yields(node.timeout?.body) || yields(node.default);
    case "If":
      return yields(node.then) || yields(node.else);
    case "Match":
      return node.arms.some((arm) => yields(arm.body));
    case "Try":
      return yields(node.body) || yields(node.catch?.body) || yields(node.finally);
    default:
      return false;
  }
}

/** The body of a generator function. */
export function lowerSteps(ctx: Ctx, body: Block): StepsOf {
  const steps = genBlock(ctx, body, "stmt");
  if (!ctx.fn.hasDefer) return steps;
  const slot = ctx.fn.deferSlot;
  return function* (f) {
    try {
      return yield new Inner(steps(f));
    } finally {
      const done = runDefers(f, slot, () => undefined);
      if (done instanceof Promise) yield done;
    }
  };
}

/** Lifts a node without `yield`: its promises are waited for by the driver. */
function lift(run: Run): GenRun {
  return function* (f) {
    const result = run(f);
    return result instanceof Promise ? yield result : result;
  };
}

function genBlock(ctx: Ctx, node: Block, mode: ResultMode): GenRun {
  if (!yields(node)) return lift(ctx.lowering.plain.block(ctx, node, mode));
  return genStatements(ctx, node.statements, mode);
}

function genStatements(ctx: Ctx, nodes: readonly Statement[], mode: ResultMode): GenRun {
  const last = nodes.at(-1);
  const valued = mode !== "stmt" && last?.kind === "ExprStatement" ? last.expr : undefined;
  const parts = partsOf(ctx, valued === undefined ? nodes : nodes.slice(0, -1), nodes);
  if (valued !== undefined) parts.push(...counting(ctx, last!).map(({ run }) => part(run)));
  const end = valued === undefined ? undefined : genExpr(ctx, valued, mode);
  return function* (f) {
    for (let i = 0; i < parts.length; i++) {
      const { give, gen, run } = parts[i]!;
      let result: unknown;
      if (give !== undefined) {
        let value = give(f);
        if (value instanceof Promise) value = yield value;
        if (!(value instanceof Exit)) {
          yield value;
          continue;
        }
        result = value.completion;
      } else {
        result = gen !== undefined ? yield new Inner(gen(f)) : run!(f);
        if (result instanceof Promise) result = yield result;
      }
      if (result !== undefined) return mode === "value" ? new Exit(result) : result;
    }
    if (end !== undefined) return yield new Inner(end(f));
    return mode === "stmt" ? undefined : null;
  };
}

/**
 * A statement of a list: an ordinary node, a `yield` of a value, or a generator. Entering a generator costs a hundred
 * times what a node costs, so lists and loops run the first two kinds themselves.
 */
interface Part {
  readonly run: Run | undefined;
  readonly give: Run | undefined;
  readonly gen: GenRun | undefined;
}

/** One hidden class for all parts: they are looked at in every round of a loop. */
const part = (run?: Run, give?: Run, gen?: GenRun): Part => ({ run, give, gen });

/** The statements of a list, after what has to happen before the whole list. */
function partsOf(ctx: Ctx, nodes: readonly Statement[], all: readonly Statement[] = nodes): Part[] {
  return [
    ...ctx.lowering.plain.prelude(ctx, all).map((run) => part(run)),
    ...nodes.flatMap((node) => [...counting(ctx, node).map(({ run }) => part(run)), partOf(ctx, node)]),
  ];
}

function partOf(ctx: Ctx, node: Statement): Part {
  if (node.kind === "Yield")
    return part(undefined, node.value === undefined ? () => null : ctx.lowering.plain.expr(ctx, node.value));
  if (node.kind === "Emit") return part(undefined, ctx.lowering.plain.expr(ctx, node.value));
  if (!yields(node)) return part(ctx.lowering.plain.statement(ctx, node));
  const before = ctx.throwsExit;
  ctx.throwsExit = false;
  const gen = genStatement(ctx, node);
  const caught = ctx.throwsExit;
  ctx.throwsExit = before;
  return part(undefined, undefined, caught ? catchingExit(gen) : gen);
}

/** An operand may have thrown the exit of a block inside it. */
function catchingExit(gen: GenRun): GenRun {
  return function* (f) {
    try {
      return yield new Inner(gen(f));
    } catch (error) {
      if (error instanceof Exit) return error.completion;
      throw error;
    }
  };
}

function genStatement(ctx: Ctx, node: Statement): GenRun {
  switch (node.kind) {
    case "ExprStatement":
      return genExpr(ctx, node.expr, "stmt");
    case "Let":
    case "Assign":
      return genBinding(ctx, node);
    case "Return":
      return genExpr(ctx, node.value!, "return");
    case "While":
      return genWhile(ctx, node);
    case "For":
      return genFor(ctx, node);
    case "Guard":
      return genGuard(ctx, node);
    case "Select":
      return genSelect(ctx, node);
    default:
      return lift(ctx.lowering.plain.statement(ctx, node));
  }
}

/** An `if`, `match`, `try` or `retry` that yields; anything else is lifted. */
function genExpr(ctx: Ctx, node: Expr, mode: ResultMode): GenRun {
  if (yields(node)) {
    if (node.kind === "If") return genIf(ctx, node, mode);
    if (node.kind === "Match") return genMatch(ctx, node, mode);
    if (node.kind === "Try") return genTry(ctx, node, mode);
    if (node.kind === "Retry") return genRetry(ctx, node, mode);
  }
  if (mode === "return") return lift(ctx.lowering.plain.returned(ctx, node));
  const value = lift(ctx.lowering.plain.expr(ctx, node));
  if (mode === "value") return value;
  return function* (f) {
    const result = yield new Inner(value(f));
    return result instanceof Exit ? result.completion : undefined;
  };
}

function genBinding(ctx: Ctx, node: Let | Assign): GenRun {
  const value = genExpr(ctx, node.value, "value");
  const put = ctx.lowering.plain.put(ctx, node);
  return function* (f) {
    const input = yield new Inner(value(f));
    if (input instanceof Exit) return input.completion;
    const waiting = put(f, input as Value);
    if (waiting instanceof Promise) yield waiting;
    return undefined;
  };
}

function genIf(ctx: Ctx, node: If, mode: ResultMode): GenRun {
  const is = ctx.lowering.plain.condition(ctx, node.condition);
  const then = genBlock(ctx, node.then, mode);
  const otherwise =
    node.else === undefined
      ? undefined
      : node.else.kind === "If"
        ? genExpr(ctx, node.else, mode)
        : genBlock(ctx, node.else, mode);
  return function* (f) {
    let holds = is(f);
    if (holds instanceof Promise) holds = yield holds;
    if (holds) return yield new Inner(then(f));
    if (otherwise !== undefined) return yield new Inner(otherwise(f));
    return mode === "stmt" ? undefined : null;
  };
}

function genGuard(ctx: Ctx, node: Guard): GenRun {
  const is = ctx.lowering.plain.condition(ctx, node.condition);
  const otherwise = genBlock(ctx, node.else, "stmt");
  return function* (f) {
    let holds = is(f);
    if (holds instanceof Promise) holds = yield holds;
    return holds ? undefined : yield new Inner(otherwise(f));
  };
}

function genWhile(ctx: Ctx, node: While): GenRun {
  const is = ctx.lowering.plain.condition(ctx, node.condition);
  const parts = partsOf(ctx, node.body.statements);
  const rounds = ctx.lowering.plain.rounds(ctx, node);
  const simple = rounds === undefined ? loopParts(is, parts) : undefined;
  if (simple !== undefined) return (f) => new YieldingLoop(f, simple);
  return function* (f) {
    for (;;) {
      let holds = is(f);
      if (holds instanceof Promise) holds = yield holds;
      if (!holds) return undefined;
      const deferred = rounds?.begin(f);
      for (let i = 0; i < parts.length; i++) {
        const { give, gen, run } = parts[i]!;
        let result: unknown;
        if (give !== undefined) {
          let value = give(f);
          if (value instanceof Promise) value = yield value;
          if (!(value instanceof Exit)) {
            yield value;
            continue;
          }
          result = value.completion;
        } else {
          result = gen !== undefined ? yield new Inner(gen(f)) : run!(f);
          if (result instanceof Promise) result = yield result;
        }
        if (result === undefined) continue;
        if (result === BREAK) return undefined;
        if (result === CONTINUE) break;
        return result;
      }
      rounds?.end(f, deferred!);
      const task = f[0] as Task;
      if (++task.steps >= task.checkAt) limitCheckpoint(task);
    }
  };
}

/** The parts of a loop around one `yield`, with at most one other statement on each side. */
function loopParts(is: Run, parts: readonly Part[]): LoopParts | undefined {
  const at = parts.findIndex((one) => one.give !== undefined);
  if (at < 0 || at > 1 || parts.length - at > 2) return undefined;
  if (parts.some((one, i) => i !== at && one.run === undefined)) return undefined;
  return { is, before: parts[at - 1]?.run, give: parts[at]!.give!, after: parts[at + 1]?.run, count };
}

/** A snapshot of a collection, one after the other. */
function* snapshot(elements: IndexedItems): Iterator<Value> {
  const { length } = elements;
  for (let i = 0; i < length; i++) yield elements.at(i) as Value;
}

function genFor(ctx: Ctx, node: For): GenRun {
  const iterable = ctx.lowering.plain.expr(ctx, node.iterable);
  const take = ctx.lowering.plain.pattern(ctx, node);
  const parts = partsOf(ctx, node.body.statements);
  const rounds = ctx.lowering.plain.rounds(ctx, node);
  const source = loopSource(ctx, node);
  return function* (f) {
    let iterated = iterable(f);
    if (iterated instanceof Promise) iterated = yield iterated;
    if (iterated instanceof Exit) return iterated.completion;
    const over = source(iterated as Value);
    const from = over instanceof Pullable ? over : snapshot(over);
    let finished = false;
    try {
      for (;;) {
        let element: unknown = from instanceof Pullable ? from.next(f[0] as Task) : from.next().value;
        if (element instanceof Promise) element = yield element;
        if (element === undefined) {
          finished = true;
          return undefined;
        }
        const waiting = take(f, element as Value);
        if (waiting instanceof Promise) yield waiting;
        const deferred = rounds?.begin(f);
        for (let i = 0; i < parts.length; i++) {
          const { give, gen, run } = parts[i]!;
          let result: unknown;
          if (give !== undefined) {
            let value = give(f);
            if (value instanceof Promise) value = yield value;
            if (!(value instanceof Exit)) {
              yield value;
              continue;
            }
            result = value.completion;
          } else {
            result = gen !== undefined ? yield new Inner(gen(f)) : run!(f);
            if (result instanceof Promise) result = yield result;
          }
          if (result === undefined) continue;
          if (result === BREAK) return undefined;
          if (result === CONTINUE) break;
          return result;
        }
        rounds?.end(f, deferred!);
        count(f);
      }
    } finally {
      if (!finished && from instanceof Pullable) {
        const closed = from.close(f[0] as Task);
        if (closed instanceof Promise) yield closed;
      }
    }
  };
}

function genMatch(ctx: Ctx, node: Match, mode: ResultMode): GenRun {
  const { subject, tests, none } = ctx.lowering.plain.matchTests(ctx, node);
  const bodies = node.arms.map((arm) => genBlock(ctx, arm.body, mode));
  return function* (f) {
    let value = subject(f);
    if (value instanceof Promise) value = yield value;
    for (let i = 0; i < tests.length; i++) {
      let is = tests[i]!(f, value as Value);
      if (is instanceof Promise) is = yield is;
      if (is) return yield new Inner(bodies[i]!(f));
    }
    return none();
  };
}

/** A new attempt begins where the block begins; what failed ones have yielded is out. */
function genRetry(ctx: Ctx, node: Retry, mode: ResultMode): GenRun {
  const times = ctx.lowering.plain.expr(ctx, node.count);
  const body = genBlock(ctx, node.body, mode);
  return function* (f) {
    let limit = times(f);
    if (limit instanceof Promise) limit = yield limit;
    if (limit instanceof Exit) return mode === "value" ? limit : limit.completion;
    for (let left = attemptsOf(limit as Value); ; left--) {
      try {
        return yield new Inner(body(f));
      } catch (error) {
        attemptFailed(error, left);
      }
    }
  };
}

function genSelect(ctx: Ctx, node: Select): GenRun {
  const wait = ctx.lowering.plain.selection(ctx, node);
  const bodies = node.cases.map((one) => genBlock(ctx, one.body, "stmt"));
  const other = node.timeout?.body ?? node.default;
  const otherwise = other === undefined ? undefined : genBlock(ctx, other, "stmt");
  return function* (f) {
    let selected = wait(f);
    if (selected instanceof Promise) selected = yield selected;
    const { outcome, index } = selected as SelectChoice;
    const chosen = outcome === "case" ? bodies[index] : outcome === "otherwise" ? otherwise : undefined;
    return chosen === undefined ? undefined : yield new Inner(chosen(f));
  };
}

/** JavaScript's own `try` serves: promises that fail are thrown in by the driver. */
function genTry(ctx: Ctx, node: Try, mode: ResultMode): GenRun {
  const isExpression = node.catch === undefined && node.finally === undefined;
  const body = genBlock(ctx, node.body, isExpression ? "value" : mode);
  if (isExpression) return genTryExpression(ctx, node, body, mode);
  const handler = node.catch === undefined ? undefined : ctx.lowering.plain.catcher(ctx, node);
  const rescue = node.catch === undefined ? undefined : genBlock(ctx, node.catch.body, mode);
  const last = node.finally === undefined ? undefined : genBlock(ctx, node.finally, "stmt");
  const guarded: GenRun = function* (f) {
    try {
      return yield new Inner(body(f));
    } catch (error) {
      if (handler === undefined) throw error;
      handler.rescue(f, error);
    }
    return yield new Inner(rescue!(f));
  };
  if (last === undefined) return guarded;
  return function* (f) {
    let stopped = false;
    try {
      return yield new Inner(guarded(f));
    } catch (error) {
      stopped = error instanceof ExitProgram;
      throw error;
    } finally {
      const own = stopped ? undefined : yield new Inner(last(f));
      // biome-ignore lint/correctness/noUnsafeFinally: a `return` in a script's `finally` wins, as in the language.
      if (own !== undefined) return mode === "value" ? new Exit(own) : own;
    }
  };
}

function genTryExpression(ctx: Ctx, node: Try, body: GenRun, mode: ResultMode): GenRun {
  const { rescue } = ctx.lowering.plain.catcher(ctx, node);
  return function* (f) {
    let value: unknown;
    try {
      value = yield new Inner(body(f));
      if (!(value instanceof Exit)) value = isResult(value as Value) ? value : okResult(value as Value);
    } catch (error) {
      const holder: Frame = [];
      rescue(holder, error);
      value = err(holder[0] as Value);
    }
    if (mode === "value") return value;
    if (value instanceof Exit) return value.completion;
    return mode === "stmt" ? undefined : value;
  };
}
