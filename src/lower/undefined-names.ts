/** The errors of names that mean nothing when they are evaluated (language.md §7.1). */
import { bareError, runtimeError, type ScriptError } from "../values/index.ts";

/** With a suggestion the text has the prefix of run-time errors also when caught. */
const undefinedName = (what: string, name: string, near: string | undefined): ScriptError =>
  near === undefined
    ? bareError(`Undefined ${what}: ${name}`)
    : runtimeError(`Undefined ${what}: ${name} (did you mean \`${near}\`?)`);

export const undefinedVariable = (name: string, near?: string): ScriptError =>
  undefinedName("variable", name, near);
/** A parameter of the entry pipeline that nobody gave a value. */
export function unboundParameter(name: string): ScriptError {
  const error = undefinedVariable(name);
  error.help = `\`harn run FILE -- ${name.toUpperCase()}\` gives the pipeline's parameter \`${name}\` its value`;
  return error;
}
export const undefinedBuiltin = (name: string, near?: string): ScriptError =>
  undefinedName("builtin", name, near);
