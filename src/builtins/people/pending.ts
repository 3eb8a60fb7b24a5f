/** `hitl_pending`: what was asked and not answered yet, read off the event log. */
import type { Task } from "../../interp/index.ts";
import { Dict, equals, List, runtimeError, typeOf, type Value } from "../../values/index.ts";
import type { Argument } from "../arguments.ts";
import { readEvents } from "../events/event-log/event-log.ts";
import { hitlFilterFields } from "../rows/more.ts";
import { openingTopics, responseTopic, timeoutTopic } from "./consult.ts";

/** What a filter may name: `request_NAME` of those that have a short name too. */
const columns = [...hitlFilterFields.names()].filter(
  (name) => hitlFilterFields.get(`request_${name}`) === undefined,
);

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
export function pendingRequests(task: Task, filters: Argument): List {
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

function filtersOf(filters: Argument): (readonly [string, Value])[] {
  if (filters === undefined || filters === null) return [];
  if (!(filters instanceof Dict))
    throw runtimeError(`hitl_pending: filters must be a dict, got ${typeOf(filters)}`);
  return [...filters.entries()]
    .filter(([, value]) => value !== null)
    .map(([name, value]) => {
      const column = columns.find((one) => one === name || one === `request_${name}`);
      if (column !== undefined) return [column, value] as const;
      throw runtimeError(`hitl_pending: unknown filter '${name}'; expected one of ${columns.join(", ")}`);
    });
}
