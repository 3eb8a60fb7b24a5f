/** Reading names: slots, captures, module variables, functions, builtins, and names that mean nothing. */
import { type Cell, type Frame, locatedFrame, type Run, ScriptClosure, type Site } from "../interp/index.ts";
import { Binding, type FunctionInfo } from "../resolve/index.ts";
import type { Expr, Identifier, Node } from "../syntax/index.ts";
import type { ScriptError } from "../values/index.ts";
import { codeOf } from "./declarations/functions.ts";
import { structTypeOf } from "./declarations/structs.ts";
import { literalValue } from "./expressions/literals.ts";
import { constant } from "./expressions/operand.ts";
import { type Ctx, type Ex, ex } from "./node.ts";
import { unboundParameter, undefinedBuiltin, undefinedVariable } from "./undefined-names.ts";

const slotEx = (slot: number): Ex => ({
  run: (f) => f[slot],
  may: false,
  exits: false,
  slot,
  constant: undefined,
});

/** Raises when evaluated. */
export function raising(make: () => ScriptError, site: Site): Ex {
  return ex(() => {
    throw locatedFrame(make(), site);
  });
}

/** The value of a name. Its collection may now be seen elsewhere, so the variable loses its right to write in place. */
export function lowerIdentifier(ctx: Ctx, node: Identifier): Ex {
  const ref = ctx.module.refs.get(node);
  if (ref instanceof Binding) {
    const token = tokenOf(ctx, ref);
    const read = lowerBinding(ctx, ref, node);
    if (token === undefined) return read;
    const { run } = read;
    const { at, slot } = token;
    return ex((f) => {
      (at ?? f)[slot] = undefined;
      return run(f);
    });
  }
  const site = ctx.site(node);
  switch (ref?.kind) {
    case "builtin":
      return constant(ctx.unit.instance.builtin(ref.name));
    case "struct":
      return constant(ctx.unit.instance.structConstructor(structTypeOf(ctx.unit, ref.name)));
    case "global": {
      const { instance } = ctx.unit;
      const { name } = ref;
      return ex((f) => instance.global(name, f[0]), instance.globalWaits(name));
    }
    case "unknown":
      return raising(() => undefinedVariable(ref.name, ref.near), site);
    default:
      return raising(() => undefinedVariable(node.name), site);
  }
}

/** The value of an operand that is only looked into: a plain read where that is possible. */
export function lowerLookedAt(ctx: Ctx, node: Expr): Ex | undefined {
  if (node.kind !== "Identifier") return undefined;
  const ref = ctx.module.refs.get(node);
  return ref instanceof Binding ? lowerBinding(ctx, ref, node) : undefined;
}

/** Where a written variable keeps its owner token: a slot of this frame, or of the module's. */
export interface TokenPlace {
  readonly at: Frame | undefined;
  readonly slot: number;
}

export function tokenOf(ctx: Ctx, binding: Binding): TokenPlace | undefined {
  if (binding.shared) {
    const slot = binding.owner.tokens.get(binding);
    return slot === undefined ? undefined : { at: ctx.unit.frame, slot };
  }
  const slot = ctx.fn.tokens.get(binding);
  return slot === undefined ? undefined : { at: undefined, slot };
}

export function lowerBinding(ctx: Ctx, binding: Binding, node: Node): Ex {
  if (binding.fn !== undefined) return lowerFunctionName(ctx, binding, binding.fn, ctx.site(node));
  if (binding.constant !== undefined) return constant(literalValue(binding.constant)!);
  const { name } = binding;
  const site = ctx.site(node);
  const missing = binding.unset ? unboundParameter : undefinedVariable;
  if (binding.shared) {
    const { frame } = ctx.unit;
    const { slot } = binding;
    return ex(() => frame[slot] ?? unset(frame[slot], name, site, missing));
  }
  const slot = ctx.fn.slotOf(binding);
  if (!binding.unset) return slotEx(slot);
  return ex((f) => f[slot] ?? unset(f[slot], name, site, missing));
}

function unset(
  value: null | undefined,
  name: string,
  site: Site,
  missing: (name: string) => ScriptError,
): null {
  if (value === undefined) throw locatedFrame(missing(name), site);
  return value;
}

/** A function's closure: one for the run when it captures nothing, else what its slot or cell holds. */
export function lowerFunctionName(ctx: Ctx, binding: Binding, fn: FunctionInfo, site: Site): Ex {
  if (fn.isStatic) return constant(staticClosure(ctx, fn));
  const { cell, name } = binding;
  if (binding.kind === "import") return raising(() => undefinedBuiltin(name), site);
  const slot = ctx.fn.slotOf(binding);
  if (binding.owner !== ctx.fn)
    return ex((f) => {
      const held = f[slot] as Cell<ScriptClosure> | undefined;
      if (held?.value === undefined) throw locatedFrame(undefinedBuiltin(name), site);
      return held.value;
    });
  // Used before its declaration has run: it sees what is visible now.
  const make = makeClosure(ctx, fn);
  if (cell) return ex((f) => f[slot]?.value ?? make(f));
  return ex((f) => f[slot] ?? make(f));
}

/** The one closure of a function without captures. */
export function staticClosure(ctx: Ctx, fn: FunctionInfo): ScriptClosure {
  const unit = ctx.unit.instance.unitOf(fn.module);
  let closure = unit.closures.get(fn);
  if (closure === undefined) {
    closure = new ScriptClosure(codeOf(unit, fn, ctx.lowering), []);
    unit.closures.set(fn, closure);
  }
  return closure;
}

/** Makes a closure: a snapshot of what it captures. Captured collections are shared from now on. */
export function makeClosure(ctx: Ctx, fn: FunctionInfo): Run {
  if (fn.isStatic) {
    const closure = staticClosure(ctx, fn);
    return () => closure;
  }
  const code = codeOf(ctx.unit, fn, ctx.lowering);
  const slots = fn.captures.map((binding) => ctx.fn.slotOf(binding));
  const tokens = fn.captures.flatMap((binding) => ctx.fn.tokens.get(binding) ?? []);
  if (tokens.length === 0 && slots.length === 1) {
    const slot = slots[0]!;
    return (f) => new ScriptClosure(code, [f[slot]]);
  }
  return (f) => {
    for (const token of tokens) f[token] = undefined;
    const captures: unknown[] = [];
    for (let i = 0; i < slots.length; i++) captures.push(f[slots[i]!]);
    return new ScriptClosure(code, captures);
  };
}
