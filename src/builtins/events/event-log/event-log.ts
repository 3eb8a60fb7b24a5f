/**
 * The event log of a run (agents.md §20): what scripts emit and what approvals, questions and triggers leave behind, by
 * topic. `HARN_EVENT_LOG_BACKEND` chooses where it lives; without it, it ends with the run.
 *
 * The log in memory is Runtime state: a replay does it again, and nothing is journalled. Durable logs are effects.
 */

import { type Json, type ResultShape, shape } from "../../../effects/index.ts";
import { mirroredEvents, mirroredTopics, runEvents } from "../../../events/index.ts";
import { HostError } from "../../../host/index.ts";
import { startTimer, stateKey, type Task, type Wait } from "../../../interp/index.ts";
import { isAbsolutePath, recordSinks } from "../../../model/index.ts";
import { variable } from "../../../process/environment.ts";
import {
  Dict,
  decodeValue,
  encodeValue,
  type MaybePromise,
  ScriptError,
  thrown,
  type Value,
} from "../../../values/index.ts";
import { attempt } from "../../arguments.ts";
import { joinPaths } from "../../files/path-text.ts";
import { observe } from "../../observe/observed.ts";
import { stateDirectory } from "../../process/environment.ts";
import { clockState, wallClock } from "../../time/clock-state.ts";
import { type EventStore, MemoryEvents, type StoredEvent, storedEventShape } from "./event-store.ts";
import { FileEvents } from "./file-events.ts";
import { LedgerEvents } from "./ledger-events.ts";

interface EventLogState {
  readonly store: EventStore;
  /** Subscribers of the log in memory that have read everything, by topic. */
  readonly waiting: Map<string, Set<Wait<boolean>>>;
}

const logState = stateKey<{ log: EventLogState | undefined }>("event log", () => ({ log: undefined }));

/** The log of the task's run; chosen when first used. */
function memoryLog(task: Task): EventLogState {
  const state = task.runtime.state(logState);
  if (state.log === undefined) {
    state.log = { store: openEventStore(task), waiting: new Map() };
    mirrorAgents(task, state.log);
  }
  return state.log;
}

/**
 * What agents do is copied as it happens, in the order in which scripts get it, from the log's first use on. Each copy is one look at the
 * clock on a path of its own in the journal; a durable log is written as part of it, so a replay writes nothing.
 */
function mirrorAgents(task: Task, log: EventLogState): void {
  const { runtime } = task;
  const mirror = mirrorInto(task, log);
  runtime.state(runEvents).subscribe((event) => {
    for (const { topic, kind, payload } of mirroredEvents(event)) mirror(topic, kind, payload);
  });
  runtime.state(recordSinks).add((record) => {
    mirror(mirroredTopics.models, String(record.type), () => record as Json);
  });
}

/** A sink must not fail: a full disk, a value nested too deep cost the copy. */
function mirrorInto(
  task: Task,
  log: EventLogState,
): (topic: string, kind: string, payload: () => Json) => void {
  const { runtime } = task;
  const { store } = log;
  const scope = runtime.effects.child(task.scope);
  const copy = (topic: string, kind: string, payload: Json): void => {
    const append = (atMs: number): void => {
      store.append(topic, { kind, payload, headers: {}, atMs });
    };
    const atMs = runtime.effects.perform<number>(scope, {
      effect: "observe",
      kind: "event_log.mirror",
      args: () => kind,
      run: () => {
        const now = Math.floor(runtime.state(clockState).mock?.now ?? runtime.host.clock.now());
        if (store.backend !== "memory") append(now);
        return now;
      },
      result: shape.number,
    }) as number;
    if (store.backend === "memory") append(atMs);
  };
  return (topic, kind, payload) => {
    try {
      copy(topic, kind, payload());
    } catch (error) {
      if (!(error instanceof HostError || error instanceof ScriptError)) throw error;
      return;
    }
    wakeSubscribers(log, topic);
  };
}

function openEventStore(task: Task): EventStore {
  const { backend, folder } = observe(
    task,
    "event_log.open",
    shape.record<{ backend: string; folder: string }>({ backend: shape.text, folder: shape.text }),
    () => {
      const { env, cwd } = task.runtime.host;
      const named = variable(env, "HARN_EVENT_LOG_DIR") ?? "";
      const absolute = isAbsolutePath(named) ? named : joinPaths([cwd, named]);
      return {
        backend: variable(env, "HARN_EVENT_LOG_BACKEND") ?? "memory",
        folder: named === "" ? joinPaths([stateDirectory(task), "events"]) : absolute,
      };
    },
  );
  switch (backend) {
    case "":
    case "memory":
      return new MemoryEvents();
    case "file":
      return new FileEvents(task.runtime, folder);
    case "sqlite":
      return new LedgerEvents(task.runtime, folder);
    default:
      throw thrown(`event_log: unknown HARN_EVENT_LOG_BACKEND '${backend}'; expected memory, file or sqlite`);
  }
}

/** A recorded call of a durable store; of the one in memory, the call itself. */
function throughLog<T>(
  task: Task,
  what: {
    readonly effect: "read" | "write";
    readonly kind: string;
    readonly args: Json;
    readonly result: ResultShape<T>;
  },
  run: (store: EventStore) => T,
): MaybePromise<T> {
  const { store } = memoryLog(task);
  if (store.backend === "memory") return run(store);
  return task.perform<T>({
    effect: what.effect,
    kind: `event_log.${what.kind}`,
    // After a crash in between an event may be there twice: readers of logs expect that, a missing one they would not.
    inDoubt: "repeat",
    args: () => what.args,
    run: () => attempt("event_log", () => run(store)),
    result: what.result,
  });
}

/** Adds an event and gives its number. Stores are synchronous, so the number is there at once. */
export function emitEvent(
  task: Task,
  topic: string,
  kind: string,
  payload: Value,
  headers: Value = new Dict(),
): number {
  const event = {
    kind,
    payload: encodeValue(payload),
    headers: encodeValue(headers),
    atMs: Math.floor(wallClock(task)),
  };
  const id = throughLog(
    task,
    { effect: "write", kind: "emit", args: { topic, ...event }, result: shape.count },
    (store) => store.append(topic, event),
  );
  wakeSubscribers(memoryLog(task), topic);
  return id as number;
}

function wakeSubscribers({ waiting }: EventLogState, topic: string): void {
  const waits = waiting.get(topic);
  if (waits === undefined) return;
  waiting.delete(topic);
  for (const wait of waits) wait.wake(true);
}

export interface EventQuery {
  readonly topic: string;
  /** Numbers up to and including this one are left out. */
  readonly after: number;
  readonly limit?: number | undefined;
  readonly kindPrefix?: string | undefined;
}

const eventsShape = shape.listOf(storedEventShape);
const latestShape = shape.orNull(storedEventShape);
const topicsShape = shape.listOf(shape.pair(shape.text, shape.count));

/** The events that fit, as script values. */
export function readEvents(task: Task, query: EventQuery): Dict[] {
  const { topic, after, limit = Number.POSITIVE_INFINITY, kindPrefix = "" } = query;
  const args = { topic, after, limit: Number.isFinite(limit) ? limit : null, kindPrefix };
  const found = throughLog(task, { effect: "read", kind: "read", args, result: eventsShape }, (store) =>
    store.read(topic, after, limit, kindPrefix),
  );
  return (found as readonly StoredEvent[]).map((event) => loggedEventDict(topic, event));
}

export function latestEvent(task: Task, topic: string): Value {
  const found = throughLog(
    task,
    { effect: "read", kind: "latest", args: topic, result: latestShape },
    (store) => store.latest(topic) ?? null,
  ) as StoredEvent | null;
  return found === null ? null : loggedEventDict(topic, found);
}

/** Topics with their latest numbers. */
export function eventTopics(task: Task): readonly (readonly [string, number])[] {
  return throughLog(task, { effect: "read", kind: "topics", args: null, result: topicsShape }, (store) =>
    store.topics(),
  ) as readonly (readonly [string, number])[];
}

export const eventStoreOf = (task: Task): EventStore => memoryLog(task).store;

/** The next event after a number: waits until there is one, at most so long; `undefined` when the time is over. */
export async function nextEvent(
  task: Task,
  topic: string,
  after: number,
  limitMs?: number,
): Promise<Dict | undefined> {
  const log = memoryLog(task);
  for (;;) {
    const [found] = readEvents(task, { topic, after, limit: 1 });
    if (found !== undefined) return found;
    const more =
      log.store.backend === "memory"
        ? await untilEmitted(task, log, topic, limitMs)
        : await untilStored(task, log.store, { topic, after, limitMs });
    if (!more) return undefined;
  }
}

/** False when the time is over. Without a limit, a wait that nobody can end is a deadlock and is reported as one. */
async function untilEmitted(
  task: Task,
  { waiting }: EventLogState,
  topic: string,
  limitMs: number | undefined,
): Promise<boolean> {
  let stop: (() => void) | undefined;
  try {
    return await task.park<boolean>(`the next event of topic \`${topic}\``, (wait) => {
      const waits = waiting.get(topic) ?? new Set();
      waiting.set(topic, waits.add(wait));
      const leave = (): void => {
        waits.delete(wait);
      };
      if (limitMs !== undefined) {
        stop = startTimer(task, limitMs, `waiting for topic ${topic}`, () => {
          leave();
          wait.wake(false);
        });
      }
      return leave;
    });
  } finally {
    stop?.();
  }
}

/** One effect for the whole wait, however often it looks. */
async function untilStored(
  task: Task,
  store: EventStore,
  wanted: { readonly topic: string; readonly after: number; readonly limitMs: number | undefined },
): Promise<boolean> {
  const { topic, after, limitMs } = wanted;
  return task.perform<boolean>({
    effect: "read",
    kind: "event_log.wait",
    args: () => ({ topic, after, limitMs: limitMs ?? null }),
    run: (signal) => hasMore(task, store, wanted, signal),
    result: shape.flag,
  });
}

async function hasMore(
  task: Task,
  store: EventStore,
  { topic, after, limitMs }: Parameters<typeof untilStored>[2],
  signal: AbortSignal,
): Promise<boolean> {
  const isThere = (): boolean => store.read(topic, after, 1).length > 0;
  const over = new AbortController();
  const ends = AbortSignal.any([signal, over.signal]);
  if (limitMs !== undefined)
    task.runtime.host.clock.sleep(limitMs, ends).then(
      () => over.abort(),
      () => {},
    );
  try {
    const changes = store.changes?.(topic, ends)[Symbol.asyncIterator]();
    for (;;) {
      if (isThere()) return true;
      if (changes === undefined || (await changes.next()).done === true) break;
    }
    signal.throwIfAborted();
    return isThere();
  } finally {
    over.abort();
  }
}

function loggedEventDict(topic: string, event: StoredEvent): Dict {
  return Dict.of({
    id: event.id,
    cursor: event.id,
    topic,
    kind: event.kind,
    payload: decodeValue(event.payload),
    headers: decodeValue(event.headers),
    occurred_at_ms: event.atMs,
  });
}
