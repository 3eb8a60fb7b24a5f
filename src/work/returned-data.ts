/**
 * Structured results of a child: `returns: {schema}` and `response_format: "json"`. The model is told the schema, its
 * final text is read and checked; where `schema_retries` allows it, an answer that does not fit is sent back.
 */

import type { Task } from "../interp/index.ts";
import { NativeCallable } from "../interp/index.ts";
import { checkSchema, correctionText, extractJson, patternMatcher } from "../model/index.ts";
import { Callable, Dict, jsonStringify, toJson, type Value, wireSchema } from "../values/index.ts";

export type ReturnCheck =
  | { readonly ok: true; readonly data: Value }
  | { readonly ok: false; readonly errors: readonly string[] };

/** Reads the final text. */
export function returnedData(task: Task, text: string, schema: Dict | null): ReturnCheck {
  const found = extractJson(text);
  if (found === undefined) return { ok: false, errors: [] };
  if (schema === null) return { ok: true, data: found.value };
  const checked = checkSchema(found.value, schema, { defaults: true, matches: patternMatcher(task.runtime) });
  return checked.errors.length === 0
    ? { ok: true, data: checked.value }
    : { ok: false, errors: checked.errors };
}

/** The error text of an envelope. */
export function noValidJson(errors: readonly string[]): string {
  const text = "sub_agent_run: child transcript did not contain valid JSON";
  return errors.length === 0 ? text : `${text} for returns.schema: ${errors.join("; ")}`;
}

/** What the child's system text says about its answer. */
export function returnsText(schema: Dict): string {
  return [
    "## Your answer",
    "A program reads your final answer. End with one JSON value and nothing after it: no prose, no code fence.",
    `It must fit this schema: ${jsonStringify(wireSchema(schema))}`,
  ].join("\n");
}

/** `verify_completion` that sends back what does not fit, at most `retries` times; the caller's own check comes first. */
export function schemaCheck(schema: Dict, retries: number, own: Value): Callable {
  let sentBack = 0;
  return new NativeCallable("returns_schema", ["payload"], async (task, [payload]) => {
    const answer = own instanceof Callable ? await own.call(task, [payload ?? null]) : null;
    if (answer !== null && answer !== "" && answer !== true) return answer;
    const text = payload instanceof Dict ? payload.get("last_text") : "";
    const read = returnedData(task, typeof text === "string" ? text : "", schema);
    if (read.ok || sentBack >= retries) return answer;
    sentBack++;
    const errors = read.errors.length === 0 ? ["the answer holds no JSON value"] : read.errors;
    return correctionText(toJson(wireSchema(schema)) as Parameters<typeof correctionText>[0], errors, true);
  });
}
