/** What all assignments share: a value, then something done with it. */
import { Exit, type Frame, locatedFrame, type Site } from "../../interp/index.ts";
import type { Assign, BinaryOp } from "../../syntax/index.ts";
import { bareError, type ScriptError, type Value } from "../../values/index.ts";
import { type Ex, type St, st } from "../node.ts";

/** A value, then something done with it; an `Exit` instead of the value completes the statement. */
export function assignWith(value: Ex, put: (f: Frame, value: Value) => unknown): St {
  const { run } = value;
  if (!value.may && !value.exits) return st((f) => put(f, run(f)), true);
  const settle = (f: Frame, input: unknown): unknown =>
    isExit(input) ? input.completion : put(f, input as Value);
  return st(
    (f) => {
      const input = run(f);
      return input instanceof Promise ? input.then((input) => settle(f, input)) : settle(f, input);
    },
    true,
    value.exits,
  );
}

const isExit = (value: unknown): value is Exit => value instanceof Exit;

export const immutable = (name: string): ScriptError =>
  bareError(`Cannot assign to immutable binding: ${name}`);

/** Evaluates a value, then raises. */
export function evaluateThenRaise(value: Ex, make: () => ScriptError, site: Site): St {
  return assignWith(value, () => {
    throw locatedFrame(make(), site);
  });
}

/** `+` of `+=`. */
export const operatorOf = (node: Assign): BinaryOp => node.op.slice(0, -1) as BinaryOp;
