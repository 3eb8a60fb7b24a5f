/** Storing under declared names: slots of the frame, the module's cells, names that a call may look up late. */
import { type Frame, locatedFrame, type Run, ScriptClosure } from "../../interp/index.ts";
import type { Binding } from "../../resolve/index.ts";
import type { Name, Node } from "../../syntax/index.ts";
import { runtimeError, type ScriptError } from "../../values/index.ts";
import type { Ctx } from "../node.ts";

/** Stores a value under a binding of this frame (or of the module). */
export function storeInto(ctx: Ctx, binding: Binding): (f: Frame, value: unknown) => void {
  const slot = binding.shared ? binding.slot : ctx.fn.slotOf(binding);
  const late = ctx.module.lateNames.has(binding.name);
  const { instance, frame } = ctx.unit;
  const { name } = binding;
  if (late)
    return (f, value) => {
      (binding.shared ? frame : f)[slot] = value;
      if (value instanceof ScriptClosure) instance.late.set(name, value);
    };
  if (binding.shared)
    return (_f, value) => {
      frame[slot] = value;
    };
  return (f, value) => {
    f[slot] = value;
  };
}

const ignore = (): void => {};

/** Stores under a declared name; `_` stores nothing. */
export function store(ctx: Ctx, name: object): (f: Frame, value: unknown) => void {
  const binding = ctx.module.bindings.get(name);
  return binding === undefined ? ignore : storeInto(ctx, binding);
}

const redeclared = (name: string): ScriptError =>
  runtimeError(
    `Cannot redeclare immutable variable '${name}' in the same scope (use 'var' for mutable bindings)`,
  );

/** Raises when one of the names was declared before in its scope. */
export function redeclaration(ctx: Ctx, names: readonly Name[]): Run | undefined {
  const bad = names.find((name) => ctx.module.redeclared.has(name));
  if (bad === undefined) return undefined;
  const site = ctx.site(bad as unknown as Node);
  return () => {
    throw locatedFrame(redeclared(bad.text), site);
  };
}
