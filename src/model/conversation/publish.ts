/**
 * Emitting events of a session: the sinks of the run are handed them at once, the session's script subscribers
 * (agents.md §4.2) are called one after the other, in order. Nothing is made when nobody listens.
 */
import {
  type EmittedEvent,
  type EventPlace,
  failedCheckpoint,
  type NamedEvent,
  outside,
  placeOf,
  type RunEventData,
  type RunEventType,
  runEvents,
  scriptEvents,
  scriptTypes,
  taskPlaces,
  typedEvent,
} from "../../events/index.ts";
import { callableOnChild, notifyPerson, type Runtime, type Task, TaskLocal } from "../../interp/index.ts";
import {
  type Callable,
  Dict,
  type MaybePromise,
  ScriptError,
  uncaughtText,
  type Value,
} from "../../values/index.ts";
import { conversations } from "./conversation.ts";

/** Whether anybody would get an event of this session. */
export const listens = (runtime: Runtime, session: string): boolean =>
  runtime.state(runEvents).listens ||
  (runtime.state(conversations).get(session)?.subscribers.length ?? 0) > 0;

/** Where an event of a session belongs: the loop around the task when it is that session's, else the session's latest. */
export function placeInSession(task: Task, session: string): EventPlace {
  if (taskPlaces.current(task)?.loop.session === session) return placeOf(task);
  return task.runtime.state(conversations).get(session)?.latestLoop?.here() ?? outside(session);
}

/** Emits an event; done when the subscribers were called. */
export function publish<T extends RunEventType>(
  task: Task,
  place: EventPlace,
  type: T,
  data: RunEventData[T],
): MaybePromise<void> {
  const event = task.runtime.state(runEvents).emit(place, type, data);
  if (!scriptTypes.has(type)) return;
  const subscribers = task.runtime.state(conversations).get(place.session)?.subscribers;
  if (subscribers === undefined || subscribers.length === 0) return;
  return callSubscribers(task, [...subscribers], scriptEvents(event as EmittedEvent));
}

/** One after the other; subscribers that do not wait are called in one go, so that nothing comes in between. */
function callSubscribers(
  task: Task,
  subscribers: readonly Callable[],
  events: readonly Dict[],
): MaybePromise<void> {
  const calls = events.flatMap((event) => subscribers.map((subscriber) => [subscriber, event] as const));
  for (const [at, [subscriber, event]] of calls.entries()) {
    const called = callSubscriber(task, subscriber, event, event.get("type"));
    if (called instanceof Promise) return called.then(() => callEach(task, calls.slice(at + 1)));
  }
}

async function callEach(
  task: Task,
  calls: readonly (readonly [subscriber: Callable, event: Dict])[],
): Promise<void> {
  for (const [subscriber, event] of calls) await callSubscriber(task, subscriber, event, event.get("type"));
}

/** An exception in a subscriber is logged, not propagated. */
export function callSubscriber(
  task: Task,
  subscriber: Callable,
  event: Value,
  type: Value | undefined,
): MaybePromise<void> {
  const failed = (error: unknown): void => {
    if (!(error instanceof ScriptError)) throw error;
    warn(task, `a subscriber of agent events failed on ${type}: ${uncaughtText(error)}`);
  };
  try {
    const called = callableOnChild(task, subscriber, [event]);
    if (called instanceof Promise) return called.then(() => {}, failed);
  } catch (error) {
    failed(error);
  }
}

/** An event of a session under a name of the runtime's own; `agent_trace()` lists it. */
export async function publishNamed(task: Task, session: string, name: string, fields: Dict): Promise<void> {
  if (name === "typed_checkpoint") countCheckpoint(task, fields);
  const [type, data] = typedEvent(namedEvent(name, fields, name));
  await publish(task, placeInSession(task, session), type, data);
}

/** What script subscribers get, and under which type `agent_trace()` lists it. */
export const namedEvent = (name: string, fields: Dict, listed: string | null): NamedEvent => ({
  name,
  fields,
  live: true,
  listed,
});

/** `agent_trace()` lists it, and hosts are handed it; script subscribers do not get it. */
export function listEvent(
  task: Task,
  name: string,
  fields: Readonly<Record<string, Value | undefined>>,
): void {
  const data: NamedEvent = { name, fields: Dict.of(fields), live: false, listed: name };
  task.runtime.state(runEvents).emit(placeOf(task), "trace", data);
}

/** Typed checkpoints of a running loop, counted for its result. */
interface CheckpointCounts {
  checkpoints: number;
  checkpointFailures: number;
}

/** Those of the innermost loop around a task. */
export const checkpointCounts = new TaskLocal<CheckpointCounts>("checkpoint counts");

/** A checkpoint belongs to the loop that it was made in. */
function countCheckpoint(task: Task, fields: Dict): void {
  const traced = checkpointCounts.current(task);
  if (traced === undefined) return;
  traced.checkpoints++;
  if (failedCheckpoint(fields)) traced.checkpointFailures++;
}

/** Says on standard error what went wrong without ending anything, and emits that it was said. */
export function warn(task: Task, text: string): void {
  notifyPerson(task.runtime, `warning: ${text}\n`);
  const events = task.runtime.state(runEvents);
  if (events.listens) events.emit(placeOf(task), "notice", { level: "warning", text });
}
