/** Whether a tool call is one that was expected: by name, and by arguments that are equal or contained. */
import { Dict, equals, List, type Value } from "../../values/index.ts";

export type ArgumentMatch = "subset" | "equal" | "ignore";

export interface ExpectedCall {
  readonly name: string;
  /** Nil: any. */
  readonly arguments: Value;
}

export function callMatches(
  expected: ExpectedCall,
  call: { readonly name: string; readonly arguments: Value },
  how: ArgumentMatch,
): boolean {
  if (expected.name !== call.name) return false;
  if (expected.arguments === null || how === "ignore") return true;
  return how === "equal"
    ? equals(expected.arguments, call.arguments)
    : containsExpected(call.arguments, expected.arguments);
}

/** Dicts hold at least the keys, lists the items in their places, everything else is equal. */
function containsExpected(value: Value, expected: Value): boolean {
  if (expected instanceof Dict)
    return (
      value instanceof Dict &&
      [...expected.entries()].every(
        ([key, part]) => value.has(key) && containsExpected(value.get(key) ?? null, part),
      )
    );
  if (expected instanceof List)
    return (
      value instanceof List &&
      value.length === expected.length &&
      expected.toArray().every((part, at) => containsExpected(value.at(at) ?? null, part))
    );
  return equals(value, expected);
}
