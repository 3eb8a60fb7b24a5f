/** Looking into values: properties, indices, slices, and chains of them (language.md §9). */
import {
  aboutSecrets,
  type Frame,
  isFactMethod,
  locatedFrame,
  type Run,
  type Site,
  type Task,
} from "../../interp/index.ts";
import { Binding } from "../../resolve/index.ts";
import type { Expr, Identifier, Index, Member, MethodCall, Slice } from "../../syntax/index.ts";
import {
  Dict,
  EnumValue,
  getIndex,
  getIndexOptional,
  getProperty,
  getPropertyOptional,
  List,
  leaks,
  type Shape,
  type StructType,
  StructValue,
  slice,
  type Value,
} from "../../values/index.ts";
import { constant, operand, withAll, withOne, withTwo } from "../expressions/operand.ts";
import { lowerLookedAt, tokenOf } from "../names.ts";
import { type Ctx, type Ex, ex } from "../node.ts";
import { type MemberRead, memberRead, memberValue } from "./member-read.ts";

/** The name of an enum where a variable of that name is not meant. */
export function enumName(ctx: Ctx, node: Expr): string | undefined {
  if (node.kind !== "Identifier") return undefined;
  const ref = ctx.module.refs.get(node);
  return ref !== undefined && !(ref instanceof Binding) && ref.kind === "enum" ? ref.name : undefined;
}

/** `E.V`, `E.V(args)`: any variant, unchecked (language.md §15.2). */
export function lowerVariant(ctx: Ctx, name: string, node: Member | MethodCall): Ex {
  if (node.kind === "Member") return constant(new EnumValue(name, node.name.text, []));
  const args = node.args.map((arg) =>
    operand(ctx, arg.kind === "Spread" || arg.kind === "NamedArg" ? arg.value : arg),
  );
  const variant = node.name.text;
  return withAll(args, (_f, values) => new EnumValue(name, variant, values));
}

/**
 * What happens to a value that was read out of a variable: it leaves the expression, or the next link only looks into
 * it (`a.b` in `a.b[i]`), or a method that only looks is called on it (but an `impl` method may keep its receiver).
 */
export type Use = "leaves" | "looked into" | "asked";

/** Where a written variable must give up writing in place because of what was read out of it. */
export function guardLeak(ctx: Ctx, object: Expr, use: Use): ((f: Frame, value: Value) => Value) | undefined {
  if (use === "looked into") return undefined;
  let root = object;
  while (root.kind === "Member" || root.kind === "Index") root = root.object;
  if (root.kind !== "Identifier") return undefined;
  const ref = ctx.module.refs.get(root);
  if (!(ref instanceof Binding)) return undefined;
  const token = tokenOf(ctx, ref);
  if (token === undefined) return undefined;
  const { at, slot } = token;
  return (f, value) => {
    if (typeof value !== "object" || value === null) return value;
    const home = at ?? f;
    if (use === "asked" ? value instanceof StructValue : leaks(value, home[slot] ?? null))
      home[slot] = undefined;
    return value;
  };
}

export function guarded(guard: ((f: Frame, value: Value) => Value) | undefined, one: Ex): Ex {
  if (guard === undefined) return one;
  return withOne(one, guard);
}

/** The value that a link looks into; a variable is read without being handed out. */
export function lookedInto(ctx: Ctx, node: Expr): Ex {
  return lowerLookedAt(ctx, node) ?? operand(ctx, node);
}

export function lowerMember(ctx: Ctx, node: Member, object: Ex, use: Use): Ex {
  const name = node.name.text;
  const guard = guardLeak(ctx, node.object, use);
  const { optional } = node;
  if (optional)
    return guarded(
      guard,
      withOne(object, (f, value) =>
        isFactMethod(name) && typeof value === "string"
          ? aboutSecrets(f[0] as Task, name, [value], () => getPropertyOptional(value, name))
          : getPropertyOptional(value, name),
      ),
    );
  const read = propertyReader(name, ctx.site(node.name as unknown as Identifier));
  if (object.may)
    return guarded(
      guard,
      withOne(object, (f, value) => read(value, f)),
    );
  const { run, slot } = object;
  if (slot >= 0) return guarded(guard, memberEx(memberRead(slot, name, read)));
  return guarded(
    guard,
    ex((f) => read(run(f), f)),
  );
}

/** A read of a variable's member, which an operator may do by itself. */
function memberEx(member: MemberRead): Ex {
  return { ...ex((f) => memberValue(f, member)), member };
}

/** Reads one property, remembering where the last struct type or dict shape had it. */
export function propertyReader(name: string, site: Site): (value: Value, f?: Frame) => Value {
  let type: StructType | undefined;
  let typeSlot = 0;
  let shape: Shape | null | undefined;
  let shapeSlot = 0;
  const fact = isFactMethod(name);
  const readOther = (value: Value): Value => {
    try {
      return getProperty(value, name);
    } catch (error) {
      throw locatedFrame(error, site);
    }
  };
  return (value, f) => {
    if (value instanceof StructValue) {
      if (value.struct === type) return value.slots[typeSlot] ?? null;
      const slot = value.struct.slots.get(name);
      if (slot === undefined) return readOther(value);
      type = value.struct;
      typeSlot = slot;
      return value.slots[slot] ?? null;
    }
    if (value instanceof Dict && value.shape !== null) {
      if (value.shape === shape) return value.slots[shapeSlot] as Value;
      const slot = value.shape.index.get(name);
      if (slot === undefined) return null;
      shape = value.shape;
      shapeSlot = slot;
      return value.slots[slot] as Value;
    }
    if (fact && typeof value === "string" && f !== undefined)
      return aboutSecrets(f[0] as Task, name, [value], () => readOther(value));
    return readOther(value);
  };
}

export function lowerIndex(ctx: Ctx, node: Index, object: Ex, use: Use): Ex {
  const index = operand(ctx, node.index);
  const site = ctx.site(node);
  const guard = guardLeak(ctx, node.object, use);
  const get = node.optional ? getIndexOptional : getIndex;
  const read = (value: Value, at: Value): Value => {
    if (typeof at === "number" && at >= 0 && value instanceof List) return value.at(at) ?? null;
    try {
      return get(value, at);
    } catch (error) {
      throw locatedFrame(error, site);
    }
  };
  if (typeof index.constant === "string" && !node.optional && !object.may) {
    const { run, slot } = object;
    const key = index.constant;
    const entry = propertyReader(key, site);
    const other = (value: Value) => (value instanceof Dict ? entry(value) : read(value, key));
    if (slot >= 0) return guarded(guard, memberEx(memberRead(slot, key, other, true)));
    return guarded(
      guard,
      ex((f) => other(run(f))),
    );
  }
  if (object.may || index.may)
    return guarded(
      guard,
      withTwo(object, index, (_f, value, at) => read(value, at)),
    );
  const left: Run = object.run;
  const right: Run = index.run;
  const { slot } = object;
  const { slot: indexSlot } = index;
  return ex((f) => {
    const value = slot >= 0 ? f[slot] : left(f);
    const at = indexSlot >= 0 ? f[indexSlot] : right(f);
    const element =
      typeof at === "number" && at >= 0 && value instanceof List && at < value.length
        ? (value.buffer[at] as Value)
        : read(value, at);
    return guard === undefined || typeof element !== "object" ? element : guard(f, element);
  });
}

export function lowerSlice(ctx: Ctx, node: Slice, object: Ex): Ex {
  const site = ctx.site(node);
  const from = node.from === undefined ? undefined : operand(ctx, node.from);
  const to = node.to === undefined ? undefined : operand(ctx, node.to);
  const all = [object, ...(from === undefined ? [] : [from]), ...(to === undefined ? [] : [to])];
  return withAll(all, (_f, values) => {
    const start = from === undefined ? undefined : values[1];
    const end = to === undefined ? undefined : values[from === undefined ? 1 : 2];
    try {
      return slice(values[0] as Value, start, end);
    } catch (error) {
      throw locatedFrame(error, site);
    }
  });
}
