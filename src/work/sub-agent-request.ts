/**
 * What a sub-agent is asked for: `sub_agent_request(task, options?)` (agents.md §17.4). Options are sorted into those of
 * the child's loop and those of the one who asks; nothing runs here, so callers can look at the request first.
 */

import type { Task } from "../interp/index.ts";
import { newId } from "../interp/index.ts";
import { at, readRows, row } from "../table/index.ts";
import { Dict, thrown, type Value } from "../values/index.ts";
import { requestLists } from "./fields/shared-fields.ts";
import { subAgentOwn } from "./fields/worker-fields.ts";

/** A request that is complete, as scripts see it; `requestOf` makes it. */
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

/** The request for a task. `caller` begins error texts: `sub_agent_run`. */
export function makeRequest(
  task: Task,
  caller: string,
  about: Value | undefined,
  input: Value | undefined,
): SubAgentRequest {
  if (about instanceof Dict && about.get("_type") === "sub_agent_request") return about;
  if (typeof about !== "string" || about.trim() === "") throw thrown(`${caller}: task is required`);
  const options = row
    .dict(null)
    .read(input ?? new Dict(), at(caller, input instanceof Dict ? "" : "options"));
  const isOwn = (name: string): boolean => subAgentOwn.get(name) !== undefined;
  const entries = [...options.entries()];
  const own = Dict.from(entries.filter(([name]) => isOwn(name)));
  const read = readRows(own, subAgentOwn, at(caller));
  const named = options.get("session_id") ?? `sub_agent_session_${newId(task)}`;
  const session = row.text().read(named, at(caller, "session_id"));
  return Dict.of({
    _type: "sub_agent_request",
    name: read.name,
    task: about,
    session_id: session,
    background: read.background,
    options: Dict.from(entries.filter(([name]) => !isOwn(name))).with("session_id", session),
    system: read.system ?? undefined,
    allowed_tools: read.allowedTools ?? undefined,
    policy: read.policy ?? undefined,
    returns_schema: read.returns ?? undefined,
    token_budget: read.tokenBudget ?? undefined,
    carry: own.get("carry") ?? undefined,
    execution: own.get("execution") ?? undefined,
    reminder_propagation: read.reminderPropagation ?? undefined,
    ...Object.fromEntries(requestFields.map((name) => [name, requestValue(options, name) ?? undefined])),
  });
}
