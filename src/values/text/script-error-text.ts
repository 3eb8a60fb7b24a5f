/** What an error reads like: when caught, and when it leaves the program or an isolated body (language.md §12.1, §28.2). */

import { ScriptError } from "../script-error.ts";
import type { Value } from "../value.ts";
import { displayAnyway } from "./display.ts";

/** What `catch e` binds. */
export function caughtValue(error: ScriptError): Value {
  if (error.isolated) return error.kind === "thrown" ? error.value : uncaughtText(error);
  const text = displayAnyway(error.value);
  switch (error.kind) {
    case "thrown":
      return error.value;
    case "type":
      return `Type error: ${text}`;
    case "runtime":
      return `Runtime error: ${text}`;
    case "bare":
      return text;
    case "categorised":
      return `Error [${error.category ?? "generic"}]: ${text}`;
  }
}

/** The text of an error that nobody caught, with ` (line N)` where the form has one. */
export function uncaughtText(error: ScriptError): string {
  const text = displayAnyway(error.value);
  switch (error.kind) {
    case "thrown":
      return `Thrown: ${text}`;
    case "type":
      return `Type error: ${text}${lineSuffix(error)}`;
    case "runtime":
    case "bare":
      return `Runtime error: ${text}${lineSuffix(error)}`;
    case "categorised":
      return `Error [${error.category ?? "generic"}]: ${text}`;
  }
}

function lineSuffix(error: ScriptError): string {
  if (error.source === undefined || error.span === undefined) return "";
  return ` (line ${error.source.line(error.span.start)})`;
}

/**
 * Marks an error that leaves an isolated body (a callback of a method, a struct or dict method, a generator, a task):
 * caught outside, it reads in its uncaught form. The position may still be filled in by frames further out.
 */
export function asUncaught(error: ScriptError): ScriptError {
  error.isolated = true;
  return error;
}

/** For `catch` around isolated bodies: marks script errors, leaves everything else alone, and throws it on. */
export function rethrowIsolated(error: unknown): never {
  throw error instanceof ScriptError ? asUncaught(error) : error;
}
