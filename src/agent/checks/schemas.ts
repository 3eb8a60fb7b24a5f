/** Whether a text is JSON of a schema. Pure. */
import { checkSchema, type JsonSchema, type PatternMatcher } from "../../model/index.ts";
import { jsonParse, ScriptError, type Value } from "../../values/index.ts";
import { type CheckLook, excerptOf, met, partly, unmet } from "./look.ts";

/** Errors that are named. */
const named = 3;

export function lookAtJson(
  matches: PatternMatcher,
  schema: JsonSchema,
  text: string,
  { ref, kind }: { readonly ref: string; readonly kind: "file" | "artifact" | "text" },
): CheckLook {
  let value: Value;
  try {
    value = jsonParse(text);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return unmet(`${ref} is not JSON`, [{ kind, ref, digest: null, excerpt: excerptOf(text) }]);
  }
  const { errors } = checkSchema(value, schema, { matches });
  const evidence = [{ kind, ref, digest: null, excerpt: excerptOf(text) }] as const;
  if (errors.length === 0) return met(`${ref} fits the schema`, evidence);
  return partly(`${ref} is JSON and does not fit the schema: ${errors.slice(0, named).join("; ")}`, evidence);
}
