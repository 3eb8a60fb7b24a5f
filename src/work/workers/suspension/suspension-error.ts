/** Errors of suspending and going on carry their code in the text as well (agents.md §17.5). */
import { ScriptError } from "../../../values/index.ts";

export function suspensionError(code: string, text: string): ScriptError {
  return new ScriptError("thrown", `${code}: ${text}`, { code });
}
