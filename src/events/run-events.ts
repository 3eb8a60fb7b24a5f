/**
 * The one fan-out of a run: who emits makes an event once, here it gets its identity, is listed for `agent_trace()`, and is
 * handed to every sink, in order, synchronously.
 *
 * Sinks only look: nothing they do reaches the run, one that throws is reported once on standard error and removed.
 * Script subscribers are no sinks, because they may wait: who emits awaits them afterwards (`agent/machine/driver.ts`).
 *
 * An event that nobody listens to is not made: ask `listens` first. Types that `agent_trace()` lists are made always.
 */
import { notifyPerson, type Runtime, stateKey, type Task, TaskLocal } from "../interp/index.ts";
import type { Dict } from "../values/index.ts";
import { agentTraceRow } from "./projections/agent-trace.ts";
import {
  type EmittedEvent,
  type EventPlace,
  isDurable,
  type ParentCall,
  type RunEvent,
  type RunEventData,
  type RunEventType,
} from "./run-event.ts";

export type RunEventSink = (event: RunEvent) => void;

/** A loop as events know it. */
export class LoopIdentity {
  /** `lN`. */
  readonly id: string;
  readonly session: string;
  readonly parent: EventPlace["parent"];
  readonly parentCall: ParentCall | null;
  /** From 1; 0 before the first. */
  turn = 0;

  constructor(id: string, session: string, above: TaskPlace | null) {
    this.id = id;
    this.session = session;
    this.parent = above === null ? null : { loop: above.loop.id, call: above.call?.id ?? null };
    this.parentCall =
      above === null || above.call === null
        ? null
        : { session: above.loop.session, turn: above.call.turn, index: above.call.index };
  }

  /** Where the loop is now. */
  here(call: string | null = null): EventPlace {
    const { session, id, parent, turn } = this;
    return { session, loop: id, parent, turn, call };
  }
}

/** A tool call that is being run. */
export interface CallIdentity {
  /** `LOOP.TURN.INDEX`. */
  readonly id: string;
  readonly turn: number;
  readonly index: number;
  /** The id that the model gave. */
  readonly modelCallId: string;
}

/** What a task works for: the innermost loop around it, and the call of that loop. */
export interface TaskPlace {
  readonly loop: LoopIdentity;
  readonly call: CallIdentity | null;
}

/** Entered by loops and by dispatched calls; a spawned task keeps where it was spawned. */
export const taskPlaces = new TaskLocal<TaskPlace>("event places");

/** Outside of every loop. */
export const outside = (session = ""): EventPlace => ({
  session,
  loop: null,
  parent: null,
  turn: 0,
  call: null,
});

/** Where a task is. */
export function placeOf(task: Task): EventPlace {
  const current = taskPlaces.current(task);
  return current === undefined ? outside() : current.loop.here(current.call?.id ?? null);
}

/** Where the task is that performs an effect; `place`: the effect's in the journal (`PATH#N`). */
export function placeOfEffect(runtime: Runtime, place: string): EventPlace {
  const path = place.slice(0, place.lastIndexOf("#"));
  for (const task of runtime.tasks.live) if (task.scope.path === path) return placeOf(task);
  return outside();
}

export class RunEvents {
  /** What `agent_trace()` lists, in order. */
  readonly listed: Dict[] = [];
  private readonly runtime: Runtime;
  private readonly sinks = new Set<RunEventSink>();
  /** Durable events so far, by loop. */
  private readonly counts = new Map<string, number>();
  /** Loops that work for somebody else than the agent: simulated users, judges. */
  readonly others = new Set<string>();
  private loops = 0;
  private batches = 0;
  private calls = 0;

  constructor(runtime: Runtime) {
    this.runtime = runtime;
  }

  /** False lets who emits skip making events that nobody reads. */
  get listens(): boolean {
    return this.sinks.size > 0;
  }

  /** The result ends it. */
  subscribe(sink: RunEventSink): () => void {
    this.sinks.add(sink);
    return () => this.sinks.delete(sink);
  }

  /** Numbers a loop that is about to begin. */
  openLoop(session: string, above: TaskPlace | null): LoopIdentity {
    this.loops++;
    return new LoopIdentity(`l${this.loops}`, session, above);
  }

  /** Numbers a model call beside the turns of loops. */
  openCall(): number {
    this.calls++;
    return this.calls;
  }

  /** Names a batch of calls that a script runs by itself. */
  openBatch(): string {
    this.batches++;
    return `b${this.batches}`;
  }

  /** Makes an event, lists it, hands it on. Gives what script subscribers get. */
  emit<T extends RunEventType>(place: EventPlace, type: T, data: RunEventData[T]): EmittedEvent<T> {
    const isListened = this.listens;
    const k = isListened && place.loop !== null && isDurable(type) ? this.count(place.loop) : null;
    const event = { type, ...place, k, data } as RunEvent;
    const row = agentTraceRow(event);
    if (row !== null) this.listed.push(row);
    for (const sink of this.sinks) this.hand(sink, event);
    return event as EmittedEvent as EmittedEvent<T>;
  }

  private count(loop: string): number {
    const k = (this.counts.get(loop) ?? 0) + 1;
    this.counts.set(loop, k);
    return k;
  }

  private hand(sink: RunEventSink, event: RunEvent): void {
    try {
      sink(event);
    } catch (error) {
      this.sinks.delete(sink);
      notifyPerson(
        this.runtime,
        `harn: an observer of agent events failed and was removed: ${String(error)}\n`,
      );
    }
  }
}

/** `runtime.state(runEvents)`. Made when a run first has something to do with agents. */
export const runEvents = stateKey<RunEvents>("run events", (runtime) => new RunEvents(runtime));
