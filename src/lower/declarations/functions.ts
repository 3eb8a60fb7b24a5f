/** Functions: code objects, parameters, bodies, deferred blocks. A body is lowered when it is first called. */
import {
  type Frame,
  FunctionCode,
  GeneratorValue,
  type Run,
  ScriptClosure,
  type Task,
} from "../../interp/index.ts";
import type { FunctionInfo } from "../../resolve/index.ts";
import type { Block, Closure, FnDecl, Param, ToolDecl } from "../../syntax/index.ts";
import { compileParamCheck, type ParamCheck, type Value } from "../../values/index.ts";
import { asOperand, catching, completionOf } from "../expressions/operand.ts";
import { withDefers } from "../flow/deferred.ts";
import { lowerSteps } from "../flow/generators.ts";
import type { Unit } from "../instance.ts";
import { Ctx, type Lowering } from "../node.ts";

/** The code of a function, made once per run. */
export function codeOf(unit: Unit, fn: FunctionInfo, lowering: Lowering): FunctionCode {
  let code = unit.codes.get(fn);
  if (code === undefined) {
    code = new FunctionCode({
      name: fn.name,
      params: fn.params.map((param) => param.name.text),
      size: fn.frameSize,
      rest: fn.params.at(-1)?.rest === true,
      captureBase: fn.captureBase,
      missing: fn.params.some((param) => param.default !== undefined) ? undefined : null,
      maxDepth: unit.instance.runtime.limits.depth,
      lower: (code) => lowerBody(new Ctx(unit, fn, lowering), code),
    });
    unit.codes.set(fn, code);
  }
  return code;
}

function lowerBody(ctx: Ctx, code: FunctionCode): Run {
  const { fn } = ctx;
  const prologue = lowerPrologue(ctx, fn.params, code);
  const body = fn.generator ? generatorBody(ctx) : plainBody(ctx);
  code.tails = ctx.tails;
  const late = fn.paramBindings.filter((binding) => ctx.module.lateNames.has(binding.name));
  const { instance } = ctx.unit;
  const start: Run =
    late.length === 0
      ? body
      : (f) => {
          for (const { name, slot } of late)
            if (f[slot] instanceof ScriptClosure) instance.late.set(name, f[slot]);
          return body(f);
        };
  if (prologue === undefined) return start;
  const whole: Run = (f) => {
    const ready = prologue(f);
    return ready instanceof Promise ? ready.then(() => start(f)) : start(f);
  };
  // A default may contain `?` or a block that returns.
  return ctx.throwsExit ? catching(whole, completionOf) : whole;
}

function bodyOf(fn: FunctionInfo): Block {
  return fn.node.kind === "Block" ? fn.node : (fn.node as FnDecl | ToolDecl | Closure).body;
}

const orNilResult = (completion: unknown): unknown => (completion === undefined ? null : completion);

/** A named `fn` gives what it returns; the other forms give their last expression's value (language.md §8.1). */
function plainBody(ctx: Ctx): Run {
  const { fn } = ctx;
  const named = fn.kind === "fn";
  const one = ctx.lowering.block(ctx, bodyOf(fn), named ? "stmt" : "return");
  const { run } = one;
  const body: Run =
    !named || !one.may
      ? run
      : (f) => {
          const result = run(f);
          return result instanceof Promise ? result.then(orNilResult) : result;
        };
  return fn.hasDefer ? withDefers(body, fn.deferSlot) : body;
}

/** A call makes the generator and runs nothing: its frame is kept for the pulls. */
function generatorBody(ctx: Ctx): Run {
  const { fn } = ctx;
  const type = fn.node.kind === "FnDecl" && fn.node.gen ? "stream" : "generator";
  const steps = lowerSteps(ctx, bodyOf(fn));
  return (f) => new GeneratorValue(type, f[0] as Task, f, steps);
}

/** Defaults and checks, in parameter order (language.md §8.2, §16); `undefined` when there is nothing to do. */
function lowerPrologue(ctx: Ctx, params: readonly Param[], code: FunctionCode): Run | undefined {
  const steps: Run[] = [];
  params.forEach((param, i) => {
    const slot = 2 + i;
    if (param.default !== undefined) {
      const { run } = asOperand(ctx, ctx.lowering.expr(ctx, param.default));
      steps.push((f) => {
        if (f[slot] !== undefined) return undefined;
        const value = run(f);
        if (value instanceof Promise)
          return value.then((value) => {
            f[slot] = value;
          });
        f[slot] = value;
        return undefined;
      });
    } else if (code.missing === undefined && !param.rest)
      steps.push((f) => {
        if (f[slot] === undefined) f[slot] = null;
        return undefined;
      });
  });
  params.forEach((param, i) => {
    const check = paramCheck(ctx, param);
    if (check !== undefined) steps.push(checkStep(check, param, 2 + i));
  });
  if (steps.length === 0) return undefined;
  if (steps.length === 1) return steps[0];
  const from = (f: Frame, start: number): unknown => {
    for (let i = start; i < steps.length; i++) {
      const step = steps[i]!(f);
      if (step !== undefined) return step.then(() => from(f, i + 1));
    }
    return undefined;
  };
  return (f) => from(f, 0);
}

function paramCheck(ctx: Ctx, param: Param): ParamCheck | undefined {
  if (param.type === undefined) return undefined;
  const { name, node } = ctx.fn;
  const declared = (type: string) => declaredKind(ctx, type);
  const fn = node.kind === "Closure" ? "<closure>" : name;
  return compileParamCheck(param.name.text, param.type, { declared, fn, rest: param.rest });
}

/** What a type name stands for in this file; type parameters hide declarations. */
function declaredKind({ module, fn }: Ctx, name: string): "interface" | "struct" | "enum" | undefined {
  if (fn.node.kind === "FnDecl" && fn.node.typeParams.some((one) => one.name.text === name)) return undefined;
  if (module.structs.has(name)) return "struct";
  if (module.enums.has(name) || name === "Result") return "enum";
  const isInterface = module.ast.items.some(
    (item) => item.kind === "InterfaceDecl" && item.name.text === name,
  );
  return isInterface ? "interface" : undefined;
}

/** The commonest annotations are tested inline; the check itself only words the failure. */
function checkStep(check: ParamCheck, param: Param, slot: number): Run {
  const fail = (value: Value): undefined => {
    const failure = check(value);
    if (failure !== undefined) throw failure;
  };
  const name = param.type?.kind === "NamedType" && !param.rest ? param.type.name.text : "";
  if (name === "int" || name === "float")
    return (f) => (typeof f[slot] === "number" ? undefined : fail(f[slot] as Value));
  if (name === "string") return (f) => (typeof f[slot] === "string" ? undefined : fail(f[slot] as Value));
  if (name === "bool") return (f) => (typeof f[slot] === "boolean" ? undefined : fail(f[slot] as Value));
  return (f) => fail(f[slot] as Value);
}
