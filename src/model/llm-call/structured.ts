/** Structured output of one call: extraction, validation, and the text that asks for a correction (agents.md §1.3, §1.4). */
import type { Task } from "../../interp/index.ts";
import { Dict, List, toJson, type Value } from "../../values/index.ts";
import { isObject, type Json, type JsonObject, unstrictify } from "../llm/index.ts";
import type { CallPlan } from "../model-call/index.ts";
import { checkSchema, requiredKeys } from "../values/schema-check.ts";
import { patternMatcher } from "../values/schema-pattern.ts";
import { extractJson } from "./json-extract.ts";

export interface StructuredAnswer {
  /** Undefined when no JSON was found, or when what was found does not fit and validation is "error". */
  readonly data: Value | undefined;
  readonly lifted: boolean;
  readonly errors: readonly string[];
  /** No JSON at all. */
  readonly missing: boolean;
}

export const noJson = "response did not contain parseable JSON";

/**
 * Reads an answer as the plan wants it. `strictNulls`: it followed a strict form of the schema, in which what is left out
 * is written as null.
 */
export function parsedStructured(
  task: Task,
  plan: CallPlan,
  visible: string,
  strictNulls = false,
): StructuredAnswer {
  const found = extractJson(visible);
  if (found === undefined) return { data: undefined, lifted: false, errors: [noJson], missing: true };
  if (plan.schema === null) return { data: found.value, lifted: found.lifted, errors: [], missing: false };
  const value =
    strictNulls && plan.sentSchema !== null
      ? pruned(found.value, unstrictify(plan.sentSchema, toJson(found.value) as Json))
      : found.value;
  const checked = checkSchema(value, plan.schema, {
    defaults: true,
    matches: patternMatcher(task.runtime),
  });
  return { data: checked.value, lifted: found.lifted, errors: checked.errors, missing: false };
}

/** The value without the keys that `kept` does not have. */
function pruned(value: Value, kept: Json): Value {
  if (value instanceof List && Array.isArray(kept))
    return new List(value.toArray().map((item, index) => pruned(item, kept[index] as Json)));
  if (!(value instanceof Dict) || !isObject(kept)) return value;
  const entries = [...value.entries()].filter(([key]) => Object.hasOwn(kept, key));
  return Dict.from(entries.map(([key, item]) => [key, pruned(item, kept[key] as Json)] as const));
}

/** The user message that asks for a better answer. */
export function correctionText(
  schema: JsonObject | null,
  errors: readonly string[],
  nudge: string | true,
): string {
  const first = nudge === true ? "Your previous answer did not match the required JSON schema." : nudge;
  const lines = [first, "Problems with the schema check:", ...errors.map((error) => `- ${error}`)];
  const keys = schema === null ? [] : requiredKeys(schema);
  if (keys.length > 0) lines.push(`Required top-level keys: ${keys.join(", ")}.`);
  if (schema !== null) lines.push(`The schema: ${JSON.stringify(schema)}`);
  lines.push("Answer with the bare JSON value only: no prose, no code fence.");
  return lines.join("\n");
}

/** The text of the final failure. */
export function failureText(errors: readonly string[], retries: number): string {
  const hint =
    retries === 0
      ? "set `schema_retries: N` to let the model correct itself"
      : `the schema_retries budget of ${retries} is exhausted`;
  return `LLM output failed schema validation: ${errors.join("; ")} (${hint})`;
}
