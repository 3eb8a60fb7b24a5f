/** Postfix chains (`x.a[i].m()?`, `v |> f |> g`), lowered from their base outward in a loop, however long they are. */
import { Exit, type Frame, locatedFrame, type Site, unwound } from "../../interp/index.ts";
import type { Binding } from "../../resolve/index.ts";
import type { Expr, Pipe, Propagate } from "../../syntax/index.ts";
import { leftOfLink } from "../../syntax/nodes.ts";
import {
  Callable,
  isErr,
  isOkValue,
  notAResult,
  payload,
  typeError,
  typeOf,
  type Value,
} from "../../values/index.ts";
import { callWith, tailCall, traced } from "../calls.ts";
import { asOperand, catchingExitsOfValue, operand } from "../expressions/operand.ts";
import { looksOnlyMethods, lowerMethodCall } from "../methods.ts";
import { type Ctx, type Ex, ex, type St, st } from "../node.ts";
import { undefinedBuiltin } from "../undefined-names.ts";
import {
  enumName,
  guarded,
  guardLeak,
  lookedInto,
  lowerIndex,
  lowerMember,
  lowerSlice,
  lowerVariant,
  type Use,
} from "./access.ts";

export const isChain = (node: Expr): boolean => leftOfLink(node) !== undefined;

/** `last` says what happens to the value of the whole chain. */
export function lowerChain(ctx: Ctx, node: Expr, last: Use = "leaves"): Ex {
  const links: Expr[] = [];
  let base = node;
  for (let left = leftOfLink(base); left !== undefined; left = leftOfLink(base)) {
    links.push(base);
    base = left;
  }
  const first = links.at(-1)!;
  const enumeration =
    first.kind === "Member" || first.kind === "MethodCall" ? enumName(ctx, base) : undefined;
  let made: Ex;
  if (enumeration !== undefined && (first.kind === "Member" || first.kind === "MethodCall")) {
    made = lowerVariant(ctx, enumeration, first);
    links.pop();
  } else {
    const use = useBy(first);
    if (use === "leaves") made = ctx.lowering.expr(ctx, base);
    else made = guarded(guardLeak(ctx, base, use), lookedInto(ctx, base));
  }
  for (let i = links.length - 1; i >= 0; i--)
    made = lowerLink(ctx, links[i]!, asOperand(ctx, made), i === 0 ? last : useBy(links[i - 1]));
  return made;
}

/** What a link does with the value on its left; without a link the value leaves the chain. */
function useBy(link: Expr | undefined): Use {
  if (link?.kind === "Member" || link?.kind === "Index") return "looked into";
  return link?.kind === "MethodCall" && looksOnlyMethods.has(link.name.text) ? "asked" : "leaves";
}

function lowerLink(ctx: Ctx, node: Expr, left: Ex, use: Use): Ex {
  switch (node.kind) {
    case "Member":
      return lowerMember(ctx, node, left, use);
    case "Index":
      return lowerIndex(ctx, node, left, use);
    case "Slice":
      return lowerSlice(ctx, node, left);
    case "MethodCall":
      return lowerMethodCall(ctx, node, left);
    case "Propagate":
      return lowerPropagate(ctx, node, left);
    default:
      return lowerPipe(ctx, node as Pipe, left, false);
  }
}

/** `e?`: the payload of Ok; an Err leaves the function (language.md §12.3). */
function lowerPropagate(ctx: Ctx, node: Propagate, left: Ex): Ex {
  const site = ctx.site(node);
  const { run } = left;
  const open = (value: Value): unknown => {
    if (isOkValue(value)) return payload(value);
    if (isErr(value)) return new Exit(value);
    throw locatedFrame(notAResult(value), site);
  };
  if (!left.may) return ex((f) => open(run(f)), false, true);
  return ex(
    (f) => {
      const value = run(f);
      return value instanceof Promise ? value.then(open) : open(value);
    },
    true,
    true,
  );
}

/** `v |> f`; `tail` when its result is the function's (language.md §8.7). */
function lowerPipe(ctx: Ctx, node: Pipe, left: Ex, tail: boolean): Ex {
  const placeholder = ctx.module.placeholders.get(node);
  if (placeholder !== undefined) return pipeIntoExpression(ctx, node, left, placeholder);
  const target = operand(ctx, node.into);
  const site = ctx.site(node.into);
  const caller = ctx.traceName;
  const value = left.run;
  const into = target.run;
  const go = (f: Frame, input: Value, f2: Value): unknown => {
    const callee = pipeTarget(ctx, f2, site);
    try {
      if (tail) return tailCall(f, callee, [input], site);
      return traced(callWith(f, callee, [input], site), site, caller);
    } catch (error) {
      throw unwound(error, site, caller);
    }
  };
  const second = (f: Frame, input: Value): unknown => {
    const callee = into(f);
    return callee instanceof Promise ? callee.then((callee) => go(f, input, callee)) : go(f, input, callee);
  };
  return ex((f) => {
    const input = value(f);
    return input instanceof Promise ? input.then((input) => second(f, input)) : second(f, input);
  }, true);
}

function pipeTarget(ctx: Ctx, value: Value, site: Site): Callable {
  if (value instanceof Callable) return value;
  if (typeof value === "string") {
    const { instance } = ctx.unit;
    const found = instance.functionNamed(ctx.unit, value);
    if (found !== undefined) return found;
    throw locatedFrame(undefinedBuiltin(value), site);
  }
  throw locatedFrame(typeError(`cannot pipe into ${typeOf(value)}`), site);
}

/** The right side is the body of a `fn(_)`, run in the frame itself: an `?` in it leaves only that function. */
function pipeIntoExpression(ctx: Ctx, node: Pipe, left: Ex, placeholder: Binding): Ex {
  const slot = ctx.fn.slotOf(placeholder);
  const value = left.run;
  const body = catchingExitsOfValue(ctx, () => ctx.withoutTail(() => ctx.lowering.expr(ctx, node.into)));
  const { run } = body;
  const settle = (result: unknown): unknown => (result instanceof Exit ? result.completion : result);
  const inner = (f: Frame): unknown => {
    const result = run(f);
    return result instanceof Promise ? result.then(settle) : settle(result);
  };
  return ex((f) => {
    const input = value(f);
    if (input instanceof Promise)
      return input.then((input) => {
        f[slot] = input;
        return inner(f);
      });
    f[slot] = input;
    return inner(f);
  }, left.may || body.may);
}

/** `return x |> f`. */
export function lowerTailPipe(ctx: Ctx, node: Pipe): St | undefined {
  if (!ctx.tailOk || ctx.module.placeholders.has(node)) return undefined;
  ctx.tails = true;
  const left = asOperand(ctx, ctx.lowering.expr(ctx, node.value));
  return st(lowerPipe(ctx, node, left, true).run, true, true);
}
