/** `let` and assignments (language.md §7): to names, to places inside of values, and the list that grows in place. */
import { type Frame, locatedFrame, type Run, type Site } from "../../interp/index.ts";
import { appendedElement, Binding, namesOf } from "../../resolve/index.ts";
import type { Assign, Binary, Expr, Identifier, Let } from "../../syntax/index.ts";
import { add, List, type Value } from "../../values/index.ts";
import { operand } from "../expressions/operand.ts";
import { combine, lowerAppend } from "../expressions/operators.ts";
import { lowerPattern } from "../expressions/patterns.ts";
import { lowerIdentifier } from "../names.ts";
import { type Ctx, type Ex, type St, st } from "../node.ts";
import { storeLater } from "../specialise.ts";
import { undefinedVariable } from "../undefined-names.ts";
import { assignPath } from "./assign-path.ts";
import { assignWith, evaluateThenRaise, immutable, operatorOf } from "./assign-value.ts";
import { redeclaration, storeInto } from "./stores.ts";

export function lowerLet(ctx: Ctx, node: Let): St {
  const value = ctx.withoutTail(() => ctx.lowering.expr(ctx, node.value));
  const fault = redeclaration(ctx, namesOf(node.pattern));
  if (fault !== undefined) {
    const { run } = value;
    return st((f) => {
      const input = run(f);
      return input instanceof Promise ? input.then(() => fault(f)) : fault(f);
    }, value.may);
  }
  const { pattern } = node;
  if (pattern.kind !== "NamePattern") return assignWith(value, lowerPattern(ctx, pattern));
  const binding = ctx.module.bindings.get(pattern.name);
  if (binding === undefined) return assignWith(value, () => undefined);
  if (!binding.shared && !value.exits && !ctx.module.lateNames.has(binding.name))
    return setSlot(ctx.fn.slotOf(binding), value);
  const put = storeInto(ctx, binding);
  return assignWith(value, (f, input) => {
    put(f, input);
    return undefined;
  });
}

function setSlot(slot: number, value: Ex): St {
  const { run, may } = value;
  if (value.storing !== undefined) return st(value.storing(slot), may);
  if (may) return st((f) => storeLater(f, slot, run(f)), true);
  return st((f) => {
    f[slot] = run(f);
  });
}

/** `x = x + [e]` for a variable of this frame that may grow its list in place. */
function growing(ctx: Ctx, node: Assign, binding: Binding): St | undefined {
  const element = appendedElement(node);
  const token = ctx.fn.tokens.get(binding);
  if (element === undefined || token === undefined || binding.shared || binding.unset) return undefined;
  if (ctx.module.lateNames.has(binding.name)) return undefined;
  const slot = ctx.fn.slotOf(binding);
  const site = ctx.site(node.op === "=" ? ((node.value as Binary).opSpan as Expr) : node);
  const value = operand(ctx, element);
  if (!value.may) return st(appendInPlace(slot, token, value, site));
  return setSlot(slot, lowerAppend(lowerIdentifier(ctx, node.target as Identifier), value, site));
}

export function lowerAssign(ctx: Ctx, node: Assign): St {
  return ctx.withoutTail(() =>
    node.target.kind === "Identifier"
      ? assignName(ctx, node, node.target)
      : assignPath(ctx, node, node.target),
  );
}

function assignName(ctx: Ctx, node: Assign, target: Identifier): St {
  const ref = ctx.module.refs.get(target);
  const site = ctx.site(target);
  const isVariable = ref instanceof Binding && ref.mutable;
  if (!isVariable) {
    const value = ctx.lowering.expr(ctx, node.value);
    if (ref instanceof Binding) return evaluateThenRaise(value, () => immutable(target.name), site);
    const near = ref?.kind === "unknown" ? ref.near : undefined;
    return evaluateThenRaise(value, () => undefinedVariable(target.name, near), site);
  }
  const appended = growing(ctx, node, ref);
  if (appended !== undefined) return appended;
  const value =
    node.op === "="
      ? ctx.lowering.expr(ctx, node.value)
      : combine(
          ctx,
          operatorOf(node),
          lowerIdentifier(ctx, target),
          operand(ctx, node.value),
          ctx.site(node),
        );
  if (!ref.shared && !value.exits && !ctx.module.lateNames.has(ref.name))
    return setSlot(ctx.fn.slotOf(ref), value);
  const put = storeInto(ctx, ref);
  return assignWith(value, (f, input) => {
    put(f, input);
    return undefined;
  });
}

/** Lists up to this length are copied for their variable to own; longer ones grow as versions of a shared buffer. */
const COPIED = 16;

/**
 * `x = x + [e]`, the way in which scripts build lists, for a variable and its token in slots of the frame and an element that never
 * waits. A list that only its variable can see grows in place: no new version is made, and nothing is stored (storing a young object
 * into an old frame costs as much as the rest of it). Who may write in place is decided by owner tokens, as for `x[i] = e`
 * (values/collections/owned-write.ts).
 */
function appendInPlace(slot: number, tokenSlot: number, element: Ex, site: Site): Run {
  const { run, slot: from } = element;
  const otherwise = (f: Frame, before: Value, length: number, value: Value): void => {
    if (!(before instanceof List)) f[slot] = appended(before, value, site);
    // The element's expression appended to the variable itself: the list counts as it was before.
    else if (before.length !== length) f[slot] = new List([...before.buffer.slice(0, length), value]);
    else if (length > COPIED) f[slot] = before.push(value);
    else {
      f[tokenSlot] ??= {};
      f[slot] = before.ownedCopy(f[tokenSlot]).ownedPush(value);
    }
  };
  return (f) => {
    const list = f[slot];
    const length = list instanceof List ? list.length : -1;
    const value = from >= 0 ? f[from] : run(f);
    if (
      length >= 0 &&
      list.owner !== null &&
      list.owner === f[tokenSlot] &&
      list.length === length &&
      f[slot] === list
    )
      list.ownedPush(value);
    else otherwise(f, list, length, value);
    return undefined;
  };
}

function appended(list: Value, value: Value, site: Site): Value {
  try {
    return add(list, new List([value]));
  } catch (error) {
    throw locatedFrame(error, site);
  }
}
