/**
 * What the fast forms of the binary operators share (`generated/`, made by `scripts/specialise.ts`).
 *
 * A node is one closure; reading a slot, holding a constant or storing the result inside it saves a call of another node
 * each (2 to 4 ns), which is most of what an operation costs. Ints are JavaScript numbers while safe; everything else
 * goes to `values/operators.ts`.
 */
import { aboutSecrets, type Frame, locatedFrame, type Run, type Site, type Task } from "../interp/index.ts";
import { equals, type Value } from "../values/index.ts";
import type { Branch, Ex } from "./node.ts";

export type Specialised = (a: Ex, b: Ex, site: Site) => Run;
/** Stores the result in a slot; gives no completion. */
export type Storing = (a: Ex, b: Ex, site: Site, target: number) => Run;

/** A branch on a comparison that never waits. */
export type Branching = (a: Ex, b: Ex) => Branch;

type Operator = (a: Value, b: Value) => Value;
type Comparing = (a: Value, b: Value, f: Frame) => Value;

export const MAX = Number.MAX_SAFE_INTEGER;
/** Strings that are shorter together are joined without asking whether the result is too long. */
export const SHORT_TEXT: number = 1 << 28;

/** An operator that may raise: the position is added when it does. */
export function slow(op: Operator, a: Value, b: Value, site: Site): Value {
  try {
    return op(a, b);
  } catch (error) {
    throw locatedFrame(error, site);
  }
}

/** Equality of two values whose JavaScript types already decide most of it. */
export function same(x: Value, y: Value, f: Frame): boolean {
  if (typeof x === "string" && typeof y === "string") {
    const is = x === y;
    return (f[0] as Task).runtime.effects.metSecrets === undefined ? is : compared(f, x, y, () => is);
  }
  return equals(x, y);
}

/** An order: of texts it may say something about a secret. */
export function ordered(order: (a: Value, b: Value) => boolean, x: Value, y: Value, f: Frame): boolean {
  if (typeof x !== "string" || (f[0] as Task).runtime.effects.metSecrets === undefined) return order(x, y);
  return compared(f, x, y, () => order(x, y));
}

/** The verdict, recorded if it is about a secret. */
export function compared(f: Frame, x: Value, y: Value, decide: () => boolean): boolean {
  return aboutSecrets(f[0] as Task, "compared", [x, y], decide) as boolean;
}

/** A comparison of two values of which the right one is or will be there. */
export function compareRight(
  f: Frame,
  op: Comparing,
  x: Value,
  y: Value | Promise<Value>,
  site: Site,
): unknown {
  return withRight((a, b) => op(a, b, f), x, y, site);
}

/** A comparison of two values of which the left one is or will be there; only then the right one is asked for. */
export function compareLeft(
  f: Frame,
  op: Comparing,
  x: Value | Promise<Value>,
  right: Run,
  site: Site,
): unknown {
  return withLeft(f, (a, b) => op(a, b, f), x, right, site);
}

/** The left value is there, the right one is or will be. */
export function withRight(op: Operator, x: Value, y: Value | Promise<Value>, site: Site): unknown {
  return y instanceof Promise ? y.then((y) => slow(op, x, y, site)) : slow(op, x, y, site);
}

/** The left value is there or will be; only then the right one is asked for. */
export function withLeft(f: Frame, op: Operator, x: Value | Promise<Value>, right: Run, site: Site): unknown {
  if (x instanceof Promise) return x.then((x) => withRight(op, x, right(f), site));
  return withRight(op, x, right(f), site);
}

/** Stores a result that is there or will be: a statement. */
export function storeLater(f: Frame, slot: number, result: unknown): unknown {
  if (result instanceof Promise)
    return result.then((value) => {
      f[slot] = value;
    });
  f[slot] = result;
  return undefined;
}
