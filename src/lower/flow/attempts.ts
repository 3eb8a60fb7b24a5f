/** Attempts of `retry`. */
import { ownError } from "../../interp/index.ts";
import type { Value } from "../../values/index.ts";
import { caughtValue, isInt, ScriptError } from "../../values/index.ts";

/** How often `retry` runs its block at most. */
export function attemptsOf(times: Value): number {
  return isInt(times) ? Math.max(1, Number(times)) : 1;
}

/** An attempt failed, with `left` of them not used up before it: raises what `retry` raises after the last one. */
export function attemptFailed(error: unknown, left: number): void {
  const own = catchable(error);
  if (left <= 1) throw asThrown(own);
}

/** A script error, or whatever no script may catch thrown on. */
export function catchable(error: unknown): ScriptError {
  const own = ownError(error);
  if (own instanceof ScriptError) return own;
  throw own;
}

export function asThrown(error: ScriptError): ScriptError {
  if (error.kind === "thrown") return error;
  const own = new ScriptError("thrown", caughtValue(error), { code: error.code, cause: error });
  own.source = error.source;
  own.span = error.span;
  own.trace.push(...error.trace);
  return own;
}
