/** How large a string or a list may become in one step: past it V8 would end the process, so the error is ours. */
import { runtimeError, type ScriptError } from "./script-error.ts";

/** UTF-16 units of a string. JavaScript's own limit is 2^29 - 24. */
export const maxText = 0x1fff_0000;

/** Elements of a list that a native operation makes (268 MB of them). */
export const maxItems: number = 2 ** 25;

export const textTooLong = (length: number): ScriptError =>
  runtimeError(`string of ${length} characters is too long (at most ${maxText})`);

/** To be asked before a list of `count` elements is made. */
export function checkItems(count: number): void {
  if (count > maxItems) throw runtimeError(`list of ${count} elements is too long (at most ${maxItems})`);
}
