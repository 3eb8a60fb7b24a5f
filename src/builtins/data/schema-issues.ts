/** The errors of a schema check as data: where, what, and a code that programs can compare. */
import { Dict, List } from "../../values/index.ts";

/** What a message begins with, and its code; the first that fits counts. */
const codes: readonly (readonly [RegExp, string])[] = [
  [/^expected type /, "wrong_type"],
  [/^missing required key /, "missing_key"],
  [/^unexpected key /, "unexpected_key"],
  [/^expected constant /, "wrong_constant"],
  [/^value did not match any union branch/, "no_union_branch"],
  [/^expected (length|value) (>=|>)/, "too_small"],
  [/^expected (length|value) (<=|<)/, "too_large"],
  [/^expected at least /, "too_few_items"],
  [/^expected at most /, "too_many_items"],
  [/^value does not match pattern /, "pattern_mismatch"],
  [/^value must be one of /, "not_in_enum"],
  [/^expected items to be unique/, "duplicate_items"],
  [/^unresolved schema reference /, "unresolved_reference"],
];

/** `at PATH: TEXT` in parts: `{path, message, code}`. */
function issueOf(error: string): Dict {
  const [, path = "root", message = error] = /^at (.*?): ([\s\S]*)$/.exec(error) ?? [];
  const code = codes.find(([pattern]) => pattern.test(message))?.[1] ?? "invalid";
  return Dict.of({ path, message, code });
}

export const schemaIssues = (errors: readonly string[]): List => new List(errors.map(issueOf));
