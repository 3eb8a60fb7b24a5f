/**
 * The events of a batch of calls: each call is announced when it is dispatched and when it ends, also while others run.
 * Its identity is `LOOP.TURN.INDEX`, whatever id the model gave it; a batch that a script runs by itself has a name of its own
 * (`bN`) in the place of the turn, so that its calls are never taken for those of the loop.
 */
import type { Json } from "../../effects/index.ts";
import {
  type CallIdentity,
  type EventPlace,
  type LoopIdentity,
  type RunEventData,
  runEvents,
  taskPlaces,
  toolEnded,
  toolStarted,
} from "../../events/index.ts";
import type { Task } from "../../interp/index.ts";
import {
  type DispatchOptions,
  type LoopBatch,
  listens,
  placeInSession,
  publish,
  type ToolCall,
  type ToolEntry,
  type ToolOutcome,
  type ToolSet,
} from "../../model/index.ts";
import type { MaybePromise } from "../../values/index.ts";
import { firstLine } from "../../values/index.ts";
import { kindOfTool } from "../policy/annotations.ts";

export class BatchEvents {
  private readonly set: ToolSet;
  private readonly loop: LoopIdentity | null;
  private readonly batch: LoopBatch | undefined;
  private readonly place: EventPlace;
  private readonly name: string;
  private readonly begun = new Set<number>();
  private readonly ended: Set<number>;

  constructor(task: Task, set: ToolSet, { sessionId, iteration, batch }: DispatchOptions) {
    this.set = set;
    this.batch = batch;
    this.loop = batch?.loop ?? taskPlaces.current(task)?.loop ?? null;
    this.place = { ...(batch?.loop.here() ?? placeInSession(task, sessionId)), turn: iteration + 1 };
    const of = batch === undefined ? task.runtime.state(runEvents).openBatch() : `${this.place.turn}`;
    this.name = this.loop === null ? of : `${this.loop.id}.${of}`;
    this.ended = batch?.ended ?? new Set();
  }

  /** A call is about to be decided and run in this task, which is its own. */
  began(task: Task, call: ToolCall, at: number): MaybePromise<void> {
    const identity = this.identity(call, at);
    if (this.loop !== null) taskPlaces.enter(task, { loop: this.loop, call: identity });
    this.begun.add(identity.index);
    if (!listens(task.runtime, this.place.session)) return;
    const entry = this.set.byName.get(call.name);
    const event = toolStarted({
      script: this.batch === undefined,
      name: call.name,
      kind: kindOfTool(entry?.annotations) ?? "other",
      arguments: (call.arguments as Json | null) ?? call.rawArguments,
      model_call_id: call.id,
    });
    return publish(task, this.placeOf(identity), ...event);
  }

  /** It came to its end. */
  finished(task: Task, call: ToolCall, at: number, outcome: ToolOutcome): MaybePromise<void> {
    if (this.batch?.endsLater === true) return;
    return this.end(task, call, at, outcome, true);
  }

  /** The time of the loop is over: it was broken off, or never begun. */
  stopped(task: Task, call: ToolCall, at: number, outcome: ToolOutcome): MaybePromise<void> {
    return this.end(task, call, at, outcome, this.begun.has(this.indexOf(at)), "interrupted");
  }

  /** It failed and is tried again. */
  retrying(
    task: Task,
    call: ToolCall,
    at: number,
    again: { attempt: number; delay: number; reason: string },
  ): void {
    const events = task.runtime.state(runEvents);
    if (!events.listens) return;
    const { attempt, delay, reason } = again;
    events.emit(this.placeOf(this.identity(call, at)), "retry", {
      what: "tool",
      of: "turn",
      attempt,
      delay_ms: delay,
      reason: `${call.name}: ${firstLine(reason)}`,
    });
  }

  /** Once: what a stopped call still does is not emitted. */
  private end(
    task: Task,
    call: ToolCall,
    at: number,
    outcome: ToolOutcome,
    begun: boolean,
    status: RunEventData["tool.end"]["status"] = outcome.status,
  ): MaybePromise<void> {
    const identity = this.identity(call, at);
    if (this.ended.has(identity.index)) return;
    this.ended.add(identity.index);
    const entry = this.set.byName.get(outcome.name);
    const data = dataOfEnd(outcome, entry, { begun, script: this.batch === undefined });
    return publish(task, this.placeOf(identity), ...toolEnded({ ...data, status }));
  }

  private identity({ id: modelCallId }: ToolCall, at: number): CallIdentity {
    const index = this.indexOf(at);
    return { id: `${this.name}.${index}`, turn: this.place.turn, index, modelCallId };
  }

  private indexOf(at: number): number {
    return this.batch?.positions[at] ?? at;
  }

  private placeOf({ id }: CallIdentity): EventPlace {
    return { ...this.place, call: id };
  }
}

/** The data of a call's end. */
export function dataOfEnd(
  outcome: ToolOutcome,
  entry: ToolEntry | undefined,
  how: { readonly begun: boolean; readonly script: boolean },
): RunEventData["tool.end"] {
  return {
    ...how,
    name: outcome.name,
    model_call_id: outcome.callId,
    status: outcome.status,
    arguments: outcome.arguments,
    result: outcome.rendered,
    error: outcome.error,
    category: outcome.errorCategory,
    gate: outcome.denial?.gate ?? null,
    duration_ms: outcome.durationMs,
    attempts: outcome.attempts,
    executor: outcome.executor,
    server: entry?.mcpServer ?? null,
  };
}
