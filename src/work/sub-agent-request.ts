/**
 * What a sub-agent is asked for: `sub_agent_request(task, options?)` (agents.md §17.4). Options are sorted into those of
 * the child's loop and those of the one who asks; nothing runs here, so callers can look at the request first.
 */

import type { Task } from "../interp/index.ts";
import { newId } from "../interp/index.ts";
import { Dict, failing, List, typeOf, type Value } from "../values/index.ts";
import { namesOf, readCarry, requestLists } from "./fields/shared-fields.ts";
import { subAgentOwn } from "./fields/worker-fields.ts";

/** A request that is complete, as scripts see it; `readRequest` makes it. */
export type SubAgentRequest = Dict;

/** What the parent keeps about the work, for itself: handed through unchanged. */
type ListField = keyof typeof requestLists;
type RequestField = "request" | ListField;
export const requestFields = ["request", ...Object.keys(requestLists)] as readonly RequestField[];

/** Every name that says something of the request. */
export const requestNames: readonly string[] = [...requestFields, ...Object.values(requestLists)];

/** A field of the request, by either of its names; `null` when it isn't given. */
export const requestValue = (options: Dict, name: RequestField): Value =>
  options.get(name) ?? (name === "request" ? null : (options.get(requestLists[name]) ?? null));

/** `payload`: what was said as `request`, else the list fields that were given; `null` without any. */
export function requestPayload(options: Dict): Value {
  const said = requestValue(options, "request");
  if (said !== null) return said;
  const listed = requestFields
    .map((name): [string, Value] => [name, requestValue(options, name)])
    .filter(([, value]) => value !== null);
  return listed.length === 0 ? null : Dict.from(listed);
}

function tokenBudgetOf(options: Dict, fail: Fail): Value {
  const budget = options.get("token_budget") ?? null;
  if (budget !== null && (typeof budget !== "number" || budget < 0))
    fail(
      `\`token_budget\` must be an int of 0 or more; got ${typeof budget === "number" ? budget : typeOf(budget)}`,
    );
  return budget;
}

/** The request for a task. `caller` begins error texts: `sub_agent_run`. */
export function makeRequest(
  task: Task,
  caller: string,
  about: Value | undefined,
  input: Value | undefined,
): SubAgentRequest {
  const fail: Fail = failing(`${caller}: `);
  if (about instanceof Dict && about.get("_type") === "sub_agent_request") return about;
  if (typeof about !== "string" || about.trim() === "") return fail("task is required");
  const options = input ?? new Dict();
  if (!(options instanceof Dict)) return fail("options must be a dict");
  const text = (name: string): string | undefined => {
    const value = options.get(name) ?? null;
    if (value === null) return undefined;
    return typeof value === "string" ? value : fail(`\`${name}\` must be a string; got ${typeOf(value)}`);
  };
  const budget = tokenBudgetOf(options, fail);
  readCarry(options.get("carry") ?? null, caller);
  const session = text("session_id") ?? `sub_agent_session_${newId(task)}`;
  const own = namesOf(subAgentOwn());
  const loopOptions = Dict.from([...options.entries()].filter(([name]) => !own.has(name)));
  return Dict.of({
    _type: "sub_agent_request",
    name: text("name") ?? "sub-agent",
    task: about,
    session_id: session,
    background: options.get("background") === true,
    options: loopOptions.with("session_id", session),
    system: text("system"),
    allowed_tools: allowedTools(options.get("allowed_tools") ?? null, fail),
    policy: requestPolicyOf(options.get("policy") ?? null, fail),
    returns_schema: schemaOf(options.get("returns") ?? null, fail),
    token_budget: budget ?? undefined,
    carry: options.get("carry") ?? undefined,
    execution: options.get("execution") ?? undefined,
    reminder_propagation: propagation(options.get("reminder_propagation") ?? null, fail),
    ...Object.fromEntries(requestFields.map((name) => [name, requestValue(options, name) ?? undefined])),
  });
}

type Fail = (text: string) => never;

function allowedTools(value: Value, fail: Fail): List | undefined {
  if (value === null) return undefined;
  const names = value instanceof List ? value.toArray() : [value];
  const wrong = names.find((name) => typeof name !== "string" || name === "");
  if (wrong !== undefined) fail(`\`allowed_tools\` must be a list of tool names; it holds ${typeOf(wrong)}`);
  return new List(names);
}

/** false keeps the parent's reminders from the child; true is what happens anyway. */
function propagation(value: Value, fail: Fail): boolean | undefined {
  if (value === null) return undefined;
  return typeof value === "boolean"
    ? value
    : fail(`\`reminder_propagation\` must be a bool; got ${typeOf(value)}`);
}

function requestPolicyOf(value: Value, fail: Fail): Dict | undefined {
  if (value === null) return undefined;
  return value instanceof Dict ? value : fail(`\`policy\` must be a dict; got ${typeOf(value)}`);
}

function schemaOf(value: Value, fail: Fail): Dict | undefined {
  if (value === null) return undefined;
  const schema = value instanceof Dict ? (value.get("schema") ?? null) : value;
  if (schema === null) return undefined;
  return schema instanceof Dict ? schema : fail("`returns` must be `{schema: {…}}`");
}
