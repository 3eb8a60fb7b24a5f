/** Builtins that ask people (builtins.md §2.22, agents.md §20). */

import type { Task } from "../../interp/index.ts";
import { fitAnswer, patternMatcher } from "../../model/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { type Callable, Dict, equals, List, runtimeError, type Value } from "../../values/index.ts";
import { type Argument, optionsOf, textOf } from "../arguments.ts";
import { readEvents } from "../events/event-log/event-log.ts";
import { approvalRequestFields, askFields, hitlFilterFields } from "../rows/questions.ts";
import { dualControl, escalateTo, requestApproval } from "./approval.ts";
import { consult, openingTopics, responseTopic, timeoutTopic } from "./consult.ts";
import { metadataOf, usualLimitMs } from "./request.ts";

function eventsOf(task: Task, topics: readonly string[]): Dict[] {
  return topics.flatMap((topic) => readEvents(task, { topic, after: 0 }));
}

const requestOf = (event: Dict): Value => {
  const payload = event.get("payload");
  return payload instanceof Dict ? (payload.get("request_id") ?? null) : null;
};

function closes(event: Dict): boolean {
  const payload = event.get("payload");
  return event.get("topic") === timeoutTopic || (payload instanceof Dict && payload.get("settled") === true);
}

/** The open requests, newest first, of which every filter's column has that value. */
function pendingRequests(task: Task, filters: Dict): List {
  const wanted = filtersOf(filters);
  const closed = new Set(eventsOf(task, [responseTopic, timeoutTopic]).filter(closes).map(requestOf));
  const open = eventsOf(task, openingTopics)
    .filter((event) => !closed.has(requestOf(event)))
    .map((event) => event.get("payload"))
    .filter((payload): payload is Dict => payload instanceof Dict)
    .filter((row) => wanted.every(([column, value]) => equals(row.get(column) ?? null, value)));
  // Ids grow with time, timestamps may be the same.
  const key = (row: Dict): string => `${String(row.get("timestamp"))} ${idTail(row)}`;
  return new List(open.sort((a, b) => (key(a) < key(b) ? 1 : -1)));
}

const idTail = (row: Dict): string => String(row.get("request_id")).slice(-36);

/** By column; a short name stands for the long one. */
const filtersOf = (filters: Dict): (readonly [string, Value])[] =>
  [...filters.entries()]
    .filter(([name, value]) => value !== null && hitlFilterFields.get(name) !== undefined)
    .map(([name, value]) => [hitlFilterFields.plan.byKey.get(name)!.name, value]);

export { type HumanTape, insertTape } from "./tape.ts";

const asking = { effect: "human", performs: true, suspends: "may", capability: "people" } as const;

export const hitl = defineBuiltins("hitl", {
  ask_user: {
    ...asking,
    doc:
      "Asks a person and gives the answer. With `schema` it must fit, with `default` it is read as a value of the default's " +
      "type; an empty answer, or none within `timeout` (a day), is the default, else a `HumanTimeoutError`. Answers come from " +
      '`host_mock("hitl", "question", {answer})`, the terminal, or, when a recorded run has parked, from `harn hitl`.',
    sig: "(prompt: string, options: {schema?: dict, timeout?: duration | int, default?: any} = {}) -> any",
    traits: ["namedArguments"],
    fields: { options: () => askFields },
    run: (task, prompt: Argument, options: Argument) => askUser(task, prompt, options),
  },
  request_approval: {
    ...asking,
    doc:
      "Asks people to approve an action: `{approved, reviewers, approved_at, reason, signatures}`. Options: `quorum` (1), " +
      "`reviewers` (who may decide), `deadline`, and `detail`, `args`, `principal`, `evidence_refs`, which they are shown. " +
      "Raises an `ApprovalDeniedError` when it is denied and a `HumanTimeoutError` when nobody decides in time.",
    sig: "(action: string, options: dict = {}) -> dict",
    traits: ["namedArguments", "approves"],
    fields: { options: () => approvalRequestFields },
    run: (task, action: Argument, options: Argument) => requestApproval(task, action, options),
  },
  dual_control: {
    ...asking,
    doc: "Runs an action once `n` of `m` people have approved it, and gives its result.",
    sig: "(n: int >= 1, m: int >= 1, action!: fn() -> any, approvers!: list<string> = []) -> any",
    traits: ["namedArguments", "approves"],
    run: (task, n: number, m: number, action: Callable, approvers = new List([])) =>
      dualControl(task, n, m, action, approvers.toArray() as string[]),
  },
  escalate_to: {
    ...asking,
    doc: "Hands something to a role and waits: `{request_id, role, reason, trace_id, status, accepted_at, reviewer}`; status `accepted` or `declined`.",
    sig: "(role: string, reason: string) -> dict",
    traits: ["namedArguments"],
    run: (task, role: Argument, reason: Argument) => escalateTo(task, role, reason),
  },
  hitl_pending: {
    effect: "read",
    performs: true,
    doc:
      "What people were asked and have not answered: `{request_id, request_kind, agent, prompt, trace_id, timestamp, " +
      'approvers, metadata}`, newest first. Filters name columns: `{kind: "approval"}`, `{agent: …}`.',
    sig: "(filters!: dict = {}) -> list<dict>",
    example: "hitl_pending()  // []",
    fields: { filters: () => hitlFilterFields },
    run: (task, filters = new Dict()) => pendingRequests(task, filters),
  },
});

/** `ask_user`: a question whose answer is data (builtins.md §2.22). */
async function askUser(task: Task, prompt: Argument, options: Argument): Promise<Value> {
  if (prompt === undefined || prompt === null) throw runtimeError("ask_user: a prompt is required");
  const read = optionsOf("ask_user", options, askFields);
  const schema = read.schema ?? undefined;
  const fallback = read.default ?? undefined;
  const { settled } = await consult<Value>(task, {
    caller: "ask_user",
    text: {
      kind: "question",
      prompt: textOf(prompt),
      limitMs: read.timeout ?? usualLimitMs,
      metadata: metadataOf(options, ["timeout"]),
    },
    fallback,
    judge: (_request, { answer }) =>
      fitAnswer(answer, { schema, fallback, matches: patternMatcher(task.runtime) }),
  });
  return settled === undefined ? (fallback ?? null) : settled;
}
