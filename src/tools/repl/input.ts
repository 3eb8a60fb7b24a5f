/** Is an input complete, or does the reader have to wait for more lines? */
import type { Diagnostic } from "../../diagnostics/index.ts";

/** An operand, a closer or a name is missing at the end; a comment is open. */
const unfinished = new Set(["HARN-PAR-002", "HARN-PAR-005"]);
/** A string that may go on on the next line; a plain one has to end on its own. */
const longString = /^(?:"""|r#+")/;

/** True when more text may repair the first error. Offsets are those of `text`. */
export function needsMore(diagnostics: readonly Diagnostic[], text: string): boolean {
  const first = diagnostics.find((one) => one.severity === "error");
  if (first === undefined) return false;
  if (unfinished.has(first.code)) return true;
  return first.code === "HARN-PAR-004" && longString.test(text.slice(first.span.start));
}
