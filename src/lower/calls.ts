/**
 * Calls. What is called is decided as far as possible before the run: a function that captures nothing is called
 * through its code object; other functions and variables through the closure in their slot; builtins through the
 * table. Up to three arguments go straight into the callee's frame.
 */
import {
  aboutSecrets,
  type BuiltinFunction,
  bounce,
  enter,
  type Frame,
  type FunctionCode,
  limitCheckpoint,
  locatedFrame,
  newFrame,
  newFrame1,
  newFrame2,
  placeArgs,
  type Run,
  ScriptClosure,
  type Site,
  stackOverflow,
  TailCall,
  type Task,
  unwound,
} from "../interp/index.ts";
import type { CallRef } from "../resolve/index.ts";
import type { Arg, Call, Expr, NamedArg } from "../syntax/index.ts";
import { hasTrait } from "../table/index.ts";
import { Callable, Dict, err, okResult, typeError, typeOf, type Value } from "../values/index.ts";
import { aliasSchema } from "./declarations/schema-alias.ts";
import { constructStruct } from "./declarations/struct-values.ts";
import { structTypeOf } from "./declarations/structs.ts";
import { spreadAll } from "./expressions/literals.ts";
import { asOperand, operand, withAll, withOne } from "./expressions/operand.ts";
import { lowerBinding, lowerFunctionName, lowerLookedAt, staticClosure } from "./names.ts";
import { type Ctx, type Ex, ex, type St, st } from "./node.ts";
import { undefinedBuiltin } from "./undefined-names.ts";

export interface Args {
  readonly all: readonly Ex[];
  /** Positions that are `...xs`; `undefined` without any. */
  readonly spread: readonly boolean[] | undefined;
  readonly sites: readonly Site[];
  readonly may: boolean;
}

/** Lowers arguments. Named ones are collected in one dict after the positional ones. */
export function lowerArgs(ctx: Ctx, nodes: readonly Arg[], name = ""): Args {
  const named = nodes.filter((node): node is NamedArg => node.kind === "NamedArg");
  const positional = nodes.filter((node) => node.kind !== "NamedArg");
  const all = positional.map((node) => lowerArg(ctx, node.kind === "Spread" ? node.value : node, name));
  if (named.length > 0) {
    const keys = named.map((arg) => arg.name.text);
    const values = named.map((arg) => operand(ctx, arg.value));
    all.push(
      withAll(values, (_f, value) => Dict.from(keys.map((key, i) => [key, value[i] as Value] as const))),
    );
  }
  const spread = positional.map((node) => node.kind === "Spread");
  return {
    all,
    spread: spread.includes(true) ? spread : undefined,
    sites: positional.map((node) => ctx.site(node)),
    may: all.some((one) => one.may),
  };
}

function lowerArg(ctx: Ctx, node: Expr, name: string): Ex {
  const spec = ctx.unit.instance.runtime.builtins.get(name);
  if (hasTrait(spec, "takesSchema")) {
    const schema = aliasSchema(ctx, node);
    if (schema !== undefined) return schema;
  }
  if (hasTrait(spec, "borrows")) {
    const read = lowerLookedAt(ctx, node);
    if (read !== undefined) return read;
    if (node.kind === "Member" || node.kind === "Index")
      return asOperand(ctx, ctx.lowering.lookedAtChain(ctx, node));
  }
  return operand(ctx, node);
}

/** Calls a value with arguments in an array. */
function callWith(f: Frame, callee: Callable, args: readonly Value[], site: Site): unknown {
  const task = f[0] as Task;
  if (callee instanceof ScriptClosure) {
    const g = callee.frame(task, f[1] + 1);
    placeArgs(callee.code, g, args);
    return enter(callee.code, g);
  }
  task.depth = f[1];
  task.site = site;
  return callee.call(task, args);
}

/** Adds this call to the trace of what comes out of it, now or later. */
function traced(result: unknown, site: Site, caller: string): unknown {
  if (!(result instanceof Promise)) return result;
  return result.catch((error) => {
    throw unwound(error, site, caller);
  });
}

export function lowerCall(ctx: Ctx, node: Call): Ex {
  const ref = ctx.module.calls.get(node);
  if (ref === undefined) return callThrough(ctx, node, calleeValue(ctx, node), true);
  if (ref.variable !== undefined) return callThrough(ctx, node, variableTarget(ctx, node, ref), true);
  if (ref.fn?.fn !== undefined) {
    const { fn } = ref.fn;
    if (fn.isStatic) return callStatic(ctx, node, staticClosure(ctx, fn).code, fn.suspends && !fn.generator);
    return callThrough(
      ctx,
      node,
      lowerFunctionName(ctx, ref.fn, fn, ctx.site(node)).run,
      fn.suspends && !fn.generator,
    );
  }
  if (ref.struct !== undefined) return lowerStructCall(ctx, node, ref.name);
  if (ref.builtin) return lowerBuiltinCall(ctx, node, ref.name);
  return callThrough(ctx, node, lateTarget(ctx, node, ref), true);
}

/** `(e)(x)`: whatever the expression gives must be callable. */
function calleeValue(ctx: Ctx, node: Call): Run {
  const callee = operand(ctx, node.callee);
  const site = ctx.site(node);
  const check = (value: Value) => {
    if (value instanceof Callable) return value;
    throw locatedFrame(typeError(`cannot call ${typeOf(value)}`), site);
  };
  return withOne(callee, (_f, value) => check(value)).run;
}

/** A variable counts only when it holds a function; else the name is looked up as if it were not there. */
function variableTarget(ctx: Ctx, node: Call, ref: CallRef): Run {
  const read = lowerBinding(ctx, ref.variable!, node.callee).run;
  const site = ctx.site(node);
  const { instance } = ctx.unit;
  let otherwise: Run = () => {
    throw locatedFrame(undefinedBuiltin(ref.name, ref.near), site);
  };
  if (ref.fn?.fn !== undefined) otherwise = lowerFunctionName(ctx, ref.fn, ref.fn.fn, site).run;
  else if (ref.struct !== undefined)
    otherwise = () => instance.structConstructor(structTypeOf(ctx.unit, ref.name));
  else if (ref.builtin) otherwise = () => instance.builtin(ref.name);
  return (f) => {
    const value = read(f);
    return value instanceof Callable ? value : otherwise(f);
  };
}

/** A name that only a caller may know (language.md §8.3): functions are noted as they are made. */
function lateTarget(ctx: Ctx, node: Call, ref: CallRef): Run {
  const { instance } = ctx.unit;
  const site = ctx.site(node);
  return () => {
    const found = instance.late.get(ref.name);
    if (found !== undefined) return found;
    throw locatedFrame(undefinedBuiltin(ref.name, ref.near), site);
  };
}

/** A call of a function whose code is known. */
function callStatic(ctx: Ctx, node: Call, code: FunctionCode, may: boolean): Ex {
  const args = lowerArgs(ctx, node.args);
  const site = ctx.site(node);
  const caller = ctx.traceName;
  const runs = args.all.map((one) => one.run);
  if (args.may || args.spread !== undefined || code.exact !== runs.length || runs.length > 3) {
    const closure = new ScriptClosure(code, []);
    return callArray(args, () => closure, site, caller, may);
  }
  const { size, maxDepth } = code;
  /** What all lengths share: count, check, run, unwind. */
  const go = (task: Task, g: Frame): unknown => {
    try {
      if (++task.steps >= task.checkAt) limitCheckpoint(task);
      if (g[1] > maxDepth) throw stackOverflow();
      let result = code.body(g);
      if (code.tails) result = bounce(result);
      else if (result === undefined) result = null;
      return may ? traced(result, site, caller) : result;
    } catch (error) {
      throw unwound(error, site, caller);
    }
  };
  const [a, b, c] = runs as [Run, Run, Run];
  const i = args.all[0]?.slot ?? -1;
  const j = args.all[1]?.slot ?? -1;
  switch (runs.length) {
    case 0:
      return ex((f) => go(f[0], newFrame(size, f[0], f[1] + 1)), may);
    // The commonest lengths do what `go` does by themselves: one call less.
    case 1:
      return ex((f) => {
        const x = i >= 0 ? f[i] : a(f);
        const task = f[0] as Task;
        const depth = f[1] + 1;
        const g = newFrame1(size, task, depth, x);
        try {
          if (++task.steps >= task.checkAt) limitCheckpoint(task);
          if (depth > maxDepth) throw stackOverflow();
          let result = code.body(g);
          if (code.tails) result = bounce(result);
          else if (result === undefined) result = null;
          return may ? traced(result, site, caller) : result;
        } catch (error) {
          throw unwound(error, site, caller);
        }
      }, may);
    case 2:
      return ex((f) => {
        const x = i >= 0 ? f[i] : a(f);
        const y = j >= 0 ? f[j] : b(f);
        const task = f[0] as Task;
        const depth = f[1] + 1;
        const g = newFrame2(size, task, depth, x, y);
        try {
          if (++task.steps >= task.checkAt) limitCheckpoint(task);
          if (depth > maxDepth) throw stackOverflow();
          let result = code.body(g);
          if (code.tails) result = bounce(result);
          else if (result === undefined) result = null;
          return may ? traced(result, site, caller) : result;
        } catch (error) {
          throw unwound(error, site, caller);
        }
      }, may);
    default:
      return ex((f) => {
        const x = a(f);
        const y = b(f);
        const z = c(f);
        const g = newFrame(size, f[0], f[1] + 1);
        g[2] = x;
        g[3] = y;
        g[4] = z;
        return go(f[0], g);
      }, may);
  }
}

/** Arguments through an array: spreads, waiting arguments, many arguments, wrong numbers of them. */
function callArray(args: Args, target: Run, site: Site, caller: string, may: boolean): Ex {
  const { spread, sites } = args;
  return withAll(
    args.all,
    (f, values) => {
      const whole = spread === undefined ? values : spreadAll(values, spread, sites);
      const callNow = (callee: Callable): unknown => {
        try {
          return traced(callWith(f, callee, whole, site), site, caller);
        } catch (error) {
          throw unwound(error, site, caller);
        }
      };
      let callee: unknown;
      try {
        callee = target(f);
      } catch (error) {
        throw unwound(error, site, caller);
      }
      return callee instanceof Promise ? callee.then(callNow) : callNow(callee as Callable);
    },
    may,
  );
}

/** A call of whatever `target` gives. */
function callThrough(ctx: Ctx, node: Call, target: Run, may: boolean): Ex {
  const args = lowerArgs(ctx, node.args);
  const site = ctx.site(node);
  const caller = ctx.traceName;
  const [a, b] = args.all.map((one) => one.run) as [Run, Run];
  const count = args.all.length;
  if (args.may || args.spread !== undefined || count > 2) return callArray(args, target, site, caller, may);
  const go = (f: Frame, callee: Callable | Promise<Callable>, x: Value, y: Value): unknown => {
    // `f()(x)`, where `f` waits.
    if (callee instanceof Promise) return callee.then((one) => go(f, one, x, y));
    try {
      const task = f[0] as Task;
      if (callee instanceof ScriptClosure && callee.code.exact === count) {
        const g = callee.frame(task, f[1] + 1);
        if (count > 0) g[2] = x;
        if (count > 1) g[3] = y;
        return traced(enter(callee.code, g), site, caller);
      }
      return traced(callWith(f, callee, count === 0 ? [] : count === 1 ? [x] : [x, y], site), site, caller);
    } catch (error) {
      throw unwound(error, site, caller);
    }
  };
  if (count === 0) return ex((f) => go(f, target(f), null, null), may);
  if (count === 1)
    return ex((f) => {
      const x = a(f);
      return go(f, target(f), x, null);
    }, may);
  return ex((f) => {
    const x = a(f);
    const y = b(f);
    return go(f, target(f), x, y);
  }, may);
}

function lowerStructCall(ctx: Ctx, node: Call, name: string): Ex {
  const type = structTypeOf(ctx.unit, name);
  const args = lowerArgs(ctx, node.args);
  const { spread, sites } = args;
  return withAll(args.all, (_f, values) => {
    const whole = spread === undefined ? values : spreadAll(values, spread, sites);
    return constructStruct(type, whole[0]);
  });
}

/** Can this call wait, given what its arguments are? */
function builtinMay(ctx: Ctx, fn: BuiltinFunction, args: readonly Arg[]): boolean {
  if (!fn.direct || fn.spec.performs === true || fn.spec.suspends === "may") return true;
  if (fn.spec.suspends === "never") return false;
  return args.some((arg) => {
    if (arg.kind === "Closure") return ctx.module.fnByNode.get(arg)?.suspends !== false;
    return !["IntLit", "FloatLit", "StringLit", "BoolLit", "NilLit", "Interpolation"].includes(arg.kind);
  });
}

function lowerBuiltinCall(ctx: Ctx, node: Call, name: string): Ex {
  const fn = ctx.unit.instance.builtin(name);
  const args = lowerArgs(ctx, node.args, name);
  if ((name === "Ok" || name === "Err") && args.all.length === 1 && args.spread === undefined) {
    const make = name === "Ok" ? okResult : err;
    return withOne(args.all[0]!, (_f, value) => make(value));
  }
  const may = builtinMay(ctx, fn, node.args);
  const site = ctx.site(node);
  const caller = ctx.traceName;
  if (!fn.plain || args.may || args.spread !== undefined || args.all.length > 2)
    return callArray(args, () => fn, site, caller, may);
  const { spec } = fn;
  if (fn.fact) return callFact(fn, args, site, caller);
  const [a, b] = args.all.map((one) => one.run) as [Run, Run];
  const prepare = (f: Frame): Task => {
    const task = f[0] as Task;
    task.depth = f[1];
    task.site = site;
    return task;
  };
  // Arguments are evaluated outside the `try`: what they raise did not come through this call.
  const failed = (error: unknown): never => {
    throw unwound(error, site, caller);
  };
  if (args.all.length === 0) {
    return ex((f) => {
      try {
        const result = spec.run(prepare(f));
        return may ? traced(result, site, caller) : result;
      } catch (error) {
        return failed(error);
      }
    }, may);
  }
  if (args.all.length === 1) {
    return ex((f) => {
      const x = a(f);
      try {
        const result = x === null && fn.omits(0) ? spec.run(prepare(f)) : spec.run(prepare(f), x);
        return may ? traced(result, site, caller) : result;
      } catch (error) {
        return failed(error);
      }
    }, may);
  }
  return ex((f) => {
    const x = a(f);
    const y = b(f);
    try {
      const result =
        (x === null && fn.omits(0)) || (y === null && fn.omits(1))
          ? spec.run(prepare(f), ...fn.withDefaults([x, y]))
          : spec.run(prepare(f), x, y);
      return may ? traced(result, site, caller) : result;
    } catch (error) {
      return failed(error);
    }
  }, may);
}

/** A pure builtin that may say something about a secret (`interp/secret-facts.ts`). Never waits. */
function callFact(fn: BuiltinFunction, args: Args, site: Site, caller: string): Ex {
  const { spec, name } = fn;
  const [a, b] = args.all.map((one) => one.run);
  return ex((f) => {
    const task = f[0] as Task;
    const x = a?.(f);
    const y = b?.(f);
    task.depth = f[1];
    task.site = site;
    try {
      if ((x === null && fn.omits(0)) || (y === null && fn.omits(1)))
        return fn.call(task, b === undefined ? [x as Value] : [x as Value, y as Value]);
      if (task.runtime.effects.metSecrets === undefined)
        return b === undefined
          ? a === undefined
            ? spec.run(task)
            : spec.run(task, x)
          : spec.run(task, x, y);
      const values = b === undefined ? (a === undefined ? [] : [x as Value]) : [x as Value, y as Value];
      return aboutSecrets(task, name, values, () => spec.run(task, ...values) as Value);
    } catch (error) {
      throw unwound(error, site, caller);
    }
  });
}

/** `return f(x)`: the callee takes the frame's place, when it is a script function. */
export function lowerTailCall(ctx: Ctx, node: Call): St | undefined {
  if (!ctx.tailOk) return undefined;
  const ref = ctx.module.calls.get(node);
  if (ref !== undefined && ref.variable === undefined && ref.fn === undefined && !ref.late) return undefined;
  const target = tailTarget(ctx, node, ref);
  const args = lowerArgs(ctx, node.args);
  if (args.spread !== undefined) return undefined;
  ctx.tails = true;
  const site = ctx.site(node);
  const caller = ctx.traceName;
  const one = withAll(
    args.all,
    (f, values) => {
      try {
        return tailCall(f, target(f), values, site);
      } catch (error) {
        throw unwound(error, site, caller);
      }
    },
    true,
  );
  return st(asOperand(ctx, one).run, true, true);
}

export function tailCall(f: Frame, callee: Callable, values: readonly Value[], site: Site): unknown {
  if (!(callee instanceof ScriptClosure)) return callWith(f, callee, values, site);
  const g = callee.frame(f[0], f[1]);
  placeArgs(callee.code, g, values);
  return new TailCall(callee.code, g);
}

function tailTarget(ctx: Ctx, node: Call, ref: CallRef | undefined): Run {
  if (ref === undefined) return calleeValue(ctx, node);
  if (ref.variable !== undefined) return variableTarget(ctx, node, ref);
  if (ref.fn?.fn !== undefined) return lowerFunctionName(ctx, ref.fn, ref.fn.fn, ctx.site(node)).run;
  return lateTarget(ctx, node, ref);
}

export { callWith, traced };
