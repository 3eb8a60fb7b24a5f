/** Assertions (builtins.md §2.3): they throw plain strings. */
import { defineBuiltins } from "../table/index.ts";
import {
  display,
  equals,
  runtimeError,
  type ScriptError,
  thrown,
  truthy,
  type Value,
} from "../values/index.ts";
import { type Argument, textOf } from "./arguments.ts";

function failure(message: Argument, standard: string): ScriptError {
  return thrown(message === undefined || message === null ? standard : textOf(message));
}

function failAssertion(message: Argument, standard: string): never {
  throw failure(message, standard);
}

/** The two sides of a failed `assert_eq`. */
export interface ComparedValues {
  readonly actual: Value;
  readonly expected: Value;
}

/** Kept beside the error, not in it: scripts see a plain string, the test runner shows a diff. */
const compared = new WeakMap<ScriptError, ComparedValues>();

/** What a failed `assert_eq` compared; `undefined` for any other error. */
export function comparedValues(error: ScriptError): ComparedValues | undefined {
  return compared.get(error);
}

export const assertions = defineBuiltins("assertions", {
  assert: {
    doc: "Throws `message` (or `Assertion failed`) unless `condition` is truthy.",
    sig: "(condition: any, message?: any) -> nil",
    effect: "pure",
    traits: ["borrows", "asserts"],
    example: "assert(1 < 2)  // nil",
    run: (_task, condition: Argument, message: Argument) => {
      if (!truthy(condition ?? null)) failAssertion(message, "Assertion failed");
      return null;
    },
  },
  assert_eq: {
    doc: "Throws unless both values are structurally equal. The second argument is the expected one.",
    sig: "(actual: any, expected: any, message?: any) -> nil",
    effect: "pure",
    traits: ["borrows", "asserts"],
    example: "assert_eq([1, 2], [1, 2])  // nil",
    run: (_task, actual: Argument, expected: Argument, message: Argument) => {
      if (actual === undefined || expected === undefined)
        throw thrown("assert_eq requires at least 2 arguments");
      if (!equals(actual, expected)) {
        const error = failure(
          message,
          `Assertion failed: expected ${display(expected)}, got ${display(actual)}`,
        );
        compared.set(error, { actual, expected });
        throw error;
      }
      return null;
    },
  },
  assert_ne: {
    doc: "Throws when both values are structurally equal.",
    sig: "(a: any, b: any, message?: any) -> nil",
    effect: "pure",
    traits: ["borrows", "asserts"],
    example: "assert_ne(1, 2)  // nil",
    run: (_task, a: Argument, b: Argument, message: Argument) => {
      if (a === undefined || b === undefined) throw thrown("assert_ne requires at least 2 arguments");
      if (equals(a, b)) failAssertion(message, `Assertion failed: values should not be equal: ${display(a)}`);
      return null;
    },
  },
  unreachable: {
    doc: "Raises an error: marks code that can't be reached.",
    sig: "(value?: any) -> never",
    effect: "pure",
    run: (_task, value: Argument): Value => {
      const tail = value === undefined ? "" : `: ${display(value)}`;
      throw runtimeError(`unreachable code was reached${tail}`);
    },
  },
});
