/** `Result` values and errors as values (builtins.md §2.3, language.md §12.3–12.4). */
import { defineBuiltins } from "../../table/index.ts";
import {
  Dict,
  display,
  err,
  isErr,
  isOkValue,
  okResult,
  runtimeError,
  thrown,
  unwrap,
  unwrapErr,
  unwrapOr,
  type Value,
} from "../../values/index.ts";
import { type Argument, textOf } from "../arguments.ts";
import { classifyError, errorCategories, transientCategories } from "../error-categories.ts";

export const results = defineBuiltins("results", {
  Ok: {
    doc: "A successful `Result` with a payload.",
    sig: "(value?: any) -> Result",
    effect: "pure",
    example: "Ok(1)  // Result.Ok(1)",
    run: (_task, value: Argument) => okResult(value ?? null),
  },
  Err: {
    doc: "A failed `Result` with its error.",
    sig: "(error?: any) -> Result",
    effect: "pure",
    example: 'Err("bad")  // Result.Err(bad)',
    run: (_task, error: Argument) => err(error ?? null),
  },
  is_ok: {
    doc: "Whether the value is a `Result.Ok`. False for anything that is no result.",
    sig: "(value: any) -> bool",
    effect: "pure",
    example: "is_ok(Ok(1))  // true",
    run: (_task, value: Argument) => isOkValue(value),
  },
  is_err: {
    doc: "Whether the value is a `Result.Err`. False for anything that is no result.",
    sig: "(value: any) -> bool",
    effect: "pure",
    example: "is_err(3)  // false",
    run: (_task, value: Argument) => isErr(value),
  },
  unwrap: {
    doc: "The payload of an `Ok`; raises an error for an `Err`. Other values pass through.",
    sig: "(result: any) -> any",
    effect: "pure",
    traits: ["resultVaries"],
    example: "unwrap(Ok(5))  // 5",
    run: (_task, result: Argument) => unwrap(result ?? null),
  },
  unwrap_or: {
    doc: "The payload of an `Ok`, the default for an `Err`. Other values pass through.",
    sig: "(result: any, default: any) -> any",
    effect: "pure",
    traits: ["resultVaries"],
    example: 'unwrap_or(Err("no"), 7)  // 7',
    run: (_task, result: Argument, fallback: Argument) => unwrapOr(result ?? null, fallback ?? null),
  },
  unwrap_err: {
    doc: "The error of an `Err`; raises an error for anything else.",
    sig: "(result: any) -> any",
    effect: "pure",
    traits: ["resultVaries"],
    example: 'unwrap_err(Err("no"))  // no',
    run: (_task, result: Argument) => unwrapErr(result ?? null),
  },
  throw_error: {
    doc: "Throws the dict `{category, message}`. A missing or unknown category becomes `generic`.",
    sig: "(message?: any, category?: string) -> never",
    effect: "pure",
    run: (_task, message: Argument, category: Argument): Value => {
      const name = textOf(category);
      throw thrown(
        Dict.of({ category: errorCategories.has(name) ? name : "generic", message: textOf(message) }),
      );
    },
  },
  throw_runtime_error: {
    doc: "Raises a run-time error with this text, as builtins do: for modules that check what they are given.",
    sig: "(message: any) -> never",
    effect: "pure",
    run: (_task, message: Argument): Value => {
      throw runtimeError(textOf(message));
    },
  },
  error_category: {
    doc: "The category of a caught error: the `category` of a dict, a guess from the text of a string, else `generic`.",
    sig: "(error: any) -> string",
    effect: "pure",
    example: 'error_category("HTTP 429")  // rate_limit',
    run: (_task, error: Argument) => errorCategoryOf(error),
  },
  is_timeout: {
    doc: "Whether the error's category is `timeout`.",
    sig: "(error: any) -> bool",
    effect: "pure",
    example: 'is_timeout("Deadline exceeded")  // true',
    run: (_task, error: Argument) => errorCategoryOf(error) === "timeout",
  },
  is_rate_limited: {
    doc: "Whether the error's category is `rate_limit`.",
    sig: "(error: any) -> bool",
    effect: "pure",
    example: 'is_rate_limited({category: "rate_limit"})  // true',
    run: (_task, error: Argument) => errorCategoryOf(error) === "rate_limit",
  },
  error_is: {
    doc: "Whether the error has the given category.",
    sig: "(error: any, category: string) -> bool",
    effect: "pure",
    example: 'error_is("HTTP 404", "not_found")  // true',
    run: (_task, error: Argument, category: Argument) => {
      const name = textOf(category);
      if (!errorCategories.has(name)) throw runtimeError(`error_is: unknown error category "${name}"`);
      return errorCategoryOf(error) === name;
    },
  },
  error_is_transient: {
    doc: "Whether trying again may help: timeout, rate_limit, overloaded, server_error, transient_network.",
    sig: "(error: any) -> bool",
    effect: "pure",
    example: 'error_is_transient("connection reset by peer")  // true',
    run: (_task, error: Argument) => transientCategories.has(errorCategoryOf(error)),
  },
});

function errorCategoryOf(error: Argument): string {
  if (error instanceof Dict) {
    const category = error.get("category");
    return category === undefined || category === null ? "generic" : display(category);
  }
  return typeof error === "string" ? classifyError(error) : "generic";
}
