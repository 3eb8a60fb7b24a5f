/** `x.f = v`, `x[i] = v` and longer paths (language.md §7.3): the variable takes a changed copy. */
import { Exit, type Frame, locatedFrame, type Site } from "../../interp/index.ts";
import { Binding } from "../../resolve/index.ts";
import type { Assign, BinaryOp, Expr, Identifier, Index, Member } from "../../syntax/index.ts";
import {
  Dict,
  getIndex,
  getProperty,
  List,
  type PathStep,
  runtimeError,
  type ScriptError,
  type Value,
  writeIndex,
  writePath,
  writeProperty,
} from "../../values/index.ts";
import { operand, withAll } from "../expressions/operand.ts";
import { combine } from "../expressions/operators.ts";
import { lowerBinding, tokenOf } from "../names.ts";
import { type Ctx, type Ex, ex, type St, st } from "../node.ts";
import { undefinedVariable } from "../undefined-names.ts";
import { evaluateThenRaise, immutable, operatorOf } from "./assign-value.ts";
import { storeInto } from "./stores.ts";

/** `a.b[i].c = v`: the root variable takes a changed copy, written in place where nobody else can see it (§7.3). */
export function assignPath(ctx: Ctx, node: Assign, target: Member | Index): St {
  const steps: (string | Ex)[] = [];
  let root: Expr = target;
  while (root.kind === "Member" || root.kind === "Index") {
    steps.push(root.kind === "Member" ? root.name.text : operand(ctx, root.index));
    root = root.object;
  }
  steps.reverse();
  const value = ctx.lowering.expr(ctx, node.value);
  const ref = root.kind === "Identifier" ? ctx.module.refs.get(root) : undefined;
  const site = ctx.site(target);
  if (root.kind !== "Identifier") return evaluateThenRaise(value, invalidTarget, site);
  const { name } = root;
  if (!(ref instanceof Binding)) return evaluateThenRaise(value, () => undefinedVariable(name), site);
  if (!ref.mutable) return evaluateThenRaise(value, () => immutable(name), site);
  const write = pathWriter(ctx, ref, root, steps, node.op === "=" ? undefined : operatorOf(node), site);
  const indices = steps.filter((step): step is Ex => typeof step !== "string");
  const simple = indices.length <= 1 && !indices.some((one) => one.may) && !value.may && !value.exits;
  if (simple) {
    const index = indices[0]?.run;
    const input = value.run;
    if (index === undefined) return st((f) => write(f, [], input(f)));
    const element = node.op === "=" && steps.length === 1 ? ownElement(ctx, ref) : undefined;
    return st((f) => {
      const at = index(f);
      const value = input(f);
      return element?.(f, at, value) === true ? undefined : write(f, [at], value);
    });
  }
  const keys = withAll(indices, (_f, values) => values as unknown as Value);
  const all = keys.run;
  const last = value.run;
  const finish = (f: Frame, at: Value[], input: unknown): unknown => {
    if (input instanceof Exit) return input.completion;
    return write(f, at, input as Value);
  };
  const second = (f: Frame, at: Value[]): unknown => {
    const input = last(f);
    return input instanceof Promise ? input.then((input) => finish(f, at, input)) : finish(f, at, input);
  };
  return st(
    (f) => {
      const at = all(f);
      return at instanceof Promise ? at.then((at) => second(f, at)) : second(f, at);
    },
    true,
    value.exits,
  );
}

const invalidTarget = (): ScriptError =>
  runtimeError(
    "invalid assignment target: expected a variable, property path (`x.a.b`), or subscript path (`x[i][j]`), found an expression",
  );

/**
 * `x[i] = v` where the variable of this frame owns its list or dict: the write itself, without a path. False for
 * everything else, errors included.
 */
function ownElement(
  ctx: Ctx,
  binding: Binding,
): ((f: Frame, at: Value, value: Value) => boolean) | undefined {
  const token = tokenOf(ctx, binding);
  if (binding.shared || token === undefined || ctx.module.lateNames.has(binding.name)) return undefined;
  const slot = ctx.fn.slotOf(binding);
  const { slot: tokenSlot } = token;
  return (f, at, value) => {
    const container = f[slot];
    if (container instanceof List) {
      if (typeof at !== "number" || at < 0 || at >= container.length) return false;
      if (container.owner === null || container.owner !== f[tokenSlot]) return false;
      container.ownedSet(at, value);
      return true;
    }
    if (typeof at !== "string" || !(container instanceof Dict)) return false;
    if (container.owner === null || container.owner !== f[tokenSlot]) return false;
    container.ownedSet(at, value);
    return true;
  };
}

type PathWriter = (f: Frame, indices: readonly Value[], value: Value) => undefined;

function pathWriter(
  ctx: Ctx,
  binding: Binding,
  root: Identifier,
  steps: readonly (string | Ex)[],
  op: BinaryOp | undefined,
  site: Site,
): PathWriter {
  const token = tokenOf(ctx, binding)!;
  const read = lowerBinding(ctx, binding, root).run;
  const put = storeInto(ctx, binding);
  const pathOf = (indices: readonly Value[]): PathStep[] => {
    let next = 0;
    return steps.map((step) =>
      typeof step === "string" ? { name: step } : { index: indices[next++] as Value },
    );
  };
  const change = op === undefined ? undefined : compoundChange(ctx, op, site);
  const only = steps.length === 1 ? steps[0] : undefined;
  return (f, indices, value) => {
    const home = token.at ?? f;
    home[token.slot] ??= {};
    const owner = home[token.slot] as object;
    const container = read(f) as Value;
    try {
      const path = only === undefined || change !== undefined ? pathOf(indices) : undefined;
      const input = change === undefined ? value : change(lowerPathRead(container, path!), value);
      const written =
        only === undefined
          ? writePath(container, owner, path!, input)
          : typeof only === "string"
            ? writeProperty(container, owner, only, input)
            : writeIndex(container, owner, indices[0] as Value, input);
      if (written !== container) put(f, written);
    } catch (error) {
      throw locatedFrame(error, site);
    }
    return undefined;
  };
}

function lowerPathRead(container: Value, path: readonly PathStep[]): Value {
  let at = container;
  for (const step of path) at = "name" in step ? getProperty(at, step.name) : getIndex(at, step.index);
  return at;
}

/** `x.f += v`: the operator over two values at hand. */
function compoundChange(ctx: Ctx, op: BinaryOp, site: Site): (old: Value, value: Value) => Value {
  const holder: { old: Value; value: Value } = { old: null, value: null };
  const { run } = combine(
    ctx,
    op,
    ex(() => holder.old),
    ex(() => holder.value),
    site,
  );
  return (old, value) => {
    holder.old = old;
    holder.value = value;
    return run([]) as Value;
  };
}
