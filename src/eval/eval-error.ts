/** Errors of evaluations, with their code and the exact words of the catalogue. */
import { type Code, catalogue, coded, type ParamsOf } from "../diagnostics/index.ts";
import type { At } from "../table/index.ts";
import { ScriptError, textOf } from "../values/index.ts";

export type EvalCode = Extract<Code, `HARN-EVL-${string}`>;

/** The words of a code, for those who show the code beside them. */
export function evalWords<C extends EvalCode>(code: C, params: ParamsOf<C>): string {
  // One cast: the table's value type is a union over codes, `params` belongs to this one.
  const words = catalogue[code] as unknown as { message(params: ParamsOf<C>): string };
  return words.message(params);
}

/** The words of a code and the code itself, as people see them in a line. */
export const evalMessage = <C extends EvalCode>(code: C, params: ParamsOf<C>): string =>
  coded(evalWords(code, params), code);

/** What a script threw, with the code that it may have, as people see it in a line. */
export const codedText = ({ value, code }: ScriptError): string =>
  code === "" ? textOf(value) : coded(textOf(value), code);

/** Where something of a task stands. */
export const taskAt = (task: string, path = ""): At => ({
  caller: `task \`${task}\``,
  path,
  codes: { value: "HARN-EVL-001", name: "HARN-EVL-002" },
});

/** Scripts catch its text. */
export const evalError = <C extends EvalCode>(code: C, params: ParamsOf<C>): ScriptError =>
  new ScriptError("thrown", evalWords(code, params), { code });
