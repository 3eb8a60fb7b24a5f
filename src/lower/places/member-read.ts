/**
 * `x.name` and `x["name"]` of a variable: remembers where the last struct type or dict shape had the name. A value of
 * its own, so that an operator can read its operand itself (`scripts/specialise.ts`).
 */
import type { Frame } from "../../interp/index.ts";
import { Dict, type Shape, type StructType, StructValue, type Value } from "../../values/index.ts";

export interface MemberRead {
  readonly slot: number;
  readonly name: string;
  /** For a value of any other kind or layout; also says what is wrong with it. */
  readonly otherwise: (value: Value, f: Frame) => Value;
  /** In brackets, structs have no fields. */
  readonly dictsOnly: boolean;
  /** What was met last: a struct of this type, else a dict of this shape, with the name at this position. */
  type: StructType | undefined;
  shape: Shape | undefined;
  at: number;
}

export const memberRead = (
  slot: number,
  name: string,
  otherwise: (value: Value, f: Frame) => Value,
  dictsOnly = false,
): MemberRead => ({ slot, name, otherwise, dictsOnly, type: undefined, shape: undefined, at: 0 });

export function memberValue(f: Frame, member: MemberRead): Value {
  const value = f[member.slot];
  const { type } = member;
  // Only the kind that was met last is asked for: a failed `instanceof` walks the whole prototype chain.
  if (type !== undefined) {
    if (value instanceof StructValue && value.struct === type) return value.slots[member.at] ?? null;
  } else if (value instanceof Dict && value.shape === member.shape) return value.slots[member.at] as Value;
  return memberAnew(f, member, value);
}

function memberAnew(f: Frame, member: MemberRead, value: Value): Value {
  if (value instanceof Dict && value.shape !== null) {
    const at = value.shape.index.get(member.name);
    if (at !== undefined) {
      member.type = undefined;
      member.shape = value.shape;
      member.at = at;
    }
  } else if (value instanceof StructValue && !member.dictsOnly) {
    const at = value.struct.slots.get(member.name);
    if (at !== undefined) {
      member.type = value.struct;
      member.at = at;
    }
  }
  return member.otherwise(value, f);
}
