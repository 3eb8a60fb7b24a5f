/**
 * Operators on two operands, specialised by what the operands are: a slot, a constant int, or anything; and assignments
 * of their results to a slot.
 *
 * A node is one closure; reading a slot, holding a constant or storing the result inside it saves a call of another node
 * each (2 to 4 ns), which is most of what an operation costs. Ints are JavaScript numbers while safe; everything else
 * goes to `values/operators.ts`. The variants differ in one line each: written out, because V8 keeps type feedback per
 * function literal. This file is what they share.
 */
import { located, type Run, type Site } from "../interp/index.ts";
import type { Value } from "../values/index.ts";
import type { Ex } from "./node.ts";

export const MAX = Number.MAX_SAFE_INTEGER;

/** An operator that may raise: the position is added when it does. */
export function slow(op: (a: Value, b: Value) => Value, a: Value, b: Value, site: Site): Value {
  try {
    return op(a, b);
  } catch (error) {
    throw located(error, site);
  }
}

export type Specialised = (a: Ex, b: Ex, site: Site) => Run;
/** Stores the result in a slot; gives no completion. */
export type Storing = (a: Ex, b: Ex, site: Site, target: number) => Run;
