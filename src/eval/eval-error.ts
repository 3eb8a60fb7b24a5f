/** Errors of evaluations, with their code and the exact words of the catalogue. */
import { type Code, catalogue, type ParamsOf } from "../diagnostics/index.ts";
import { ScriptError } from "../values/index.ts";

export type EvalCode = Extract<Code, `HARN-EVL-${string}`>;

/** The words of a code. */
export function evalMessage<C extends EvalCode>(code: C, params: ParamsOf<C>): string {
  // One cast: the table's value type is a union over codes, `params` belongs to this one.
  const words = catalogue[code] as unknown as { message(params: ParamsOf<C>): string };
  return words.message(params);
}

/** Scripts catch its text. */
export const evalError = <C extends EvalCode>(code: C, params: ParamsOf<C>): ScriptError =>
  new ScriptError("thrown", evalMessage(code, params), { code });
