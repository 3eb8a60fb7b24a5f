/**
 * The event stream of a session: eleven types, versioned, append-only, numbered from 0 without gaps, replayable from
 * any offset. Events observe, they never steer: a subscriber's failure is counted and otherwise ignored.
 */

import type { ToolRequest } from "../../model/index.ts";
import type { ResumePoint } from "./control.ts";
import { copyPlain } from "./hooks.ts";
import type { StateName } from "./states.ts";

export const eventTypes = [
  "session.start",
  "plan.draft",
  "plan.commit",
  "step.start",
  "step.end",
  "tool.call",
  "tool.result",
  "tool.error",
  "budget.warn",
  "session.pause",
  "session.complete",
] as const;
export type EventType = (typeof eventTypes)[number];

/** Version of the envelope and of the data below. Raise it when a reader of old logs would go wrong. */
export const eventVersion = 1;

/** The session and the tool call under which this session was started. */
export interface ParentRef {
  readonly session: string;
  readonly call: string | null;
}

export interface EventData {
  "session.start": { goal: unknown };
  "plan.draft": { plan: unknown };
  /** `kept`: the plan was committed before and goes on after a pause. */
  "plan.commit": { plan: unknown; step: number; kept: boolean };
  /** `aborted`: what keeps it from being executed; absent when nothing does. */
  "step.start": { step: unknown; turn: number; aborted?: string };
  "step.end": {
    step: unknown;
    turn: number;
    next: "step" | "replan" | "done";
    skipped: boolean;
    error: string | null;
    /** How the session ends, for `done`. */
    status?: string;
    reason?: string;
  };
  /** A call that is handed over. */
  "tool.call": { id: string; name: string; arguments: unknown; turn: number };
  /** `index`: position in the batch; ids come from models and may be double. An error without its call: a hook refused it. */
  "tool.result": { id: string; name: string; index: number; value: unknown };
  "tool.error": { id: string; name: string; index: number; error: string; category: string };
  /** `state`: where the loop was when it met the limit. */
  "budget.warn": { kind: string; limit: number; used: number; state: StateName };
  /** `at`: where it will take up again, with this plan; `calls`: the batch that waits there for its dispatch. */
  "session.pause": {
    reason: string;
    detail: unknown;
    at: ResumePoint;
    turns: number;
    plan: unknown;
    step: number;
    calls: readonly ToolRequest[];
  };
  "session.complete": { status: string; reason: string; turns: number; tool_calls: number };
}

export type LoopEvent = {
  [T in EventType]: {
    readonly v: typeof eventVersion;
    /** Position in the stream of this session. */
    readonly n: number;
    readonly type: T;
    readonly session: string;
    readonly parent: ParentRef | null;
    /** What the driver said the time was; `null` when it never did. */
    readonly at: number | null;
    readonly data: Readonly<EventData[T]>;
  };
}[EventType];

export type EventSubscriber = (event: LoopEvent) => void;

/** Freezes plain data through and through. */
function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}

/** Events are copies that nobody can change: neither who reads them, nor who changes what they were made of. */
export class EventLog {
  readonly session: string;
  readonly parent: ParentRef | null;
  private readonly log: LoopEvent[];
  private readonly subscribers = new Set<EventSubscriber>();
  /** Subscribers that threw so far. */
  failures = 0;

  constructor(session: string, parent: ParentRef | null = null, events: readonly LoopEvent[] = []) {
    this.session = session;
    this.parent = parent;
    this.log = events.map(frozen);
  }

  get length(): number {
    return this.log.length;
  }

  /** Appends one event and tells the subscribers, in the order in which they subscribed. */
  append<T extends EventType>(type: T, data: EventData[T], at: number | null): void {
    const event = frozen({
      v: eventVersion,
      n: this.log.length,
      type,
      session: this.session,
      parent: this.parent,
      at,
      data: copyPlain(data),
    }) as unknown as LoopEvent;
    this.log.push(event);
    for (const subscriber of this.subscribers) this.tell(subscriber, event);
  }

  /** The events from an offset on. */
  from(offset = 0): readonly LoopEvent[] {
    return this.log.slice(Math.max(0, offset));
  }

  /** Replays from an offset, then follows. Returns how to stop. */
  subscribe(subscriber: EventSubscriber, offset: number = this.log.length): () => void {
    for (let n = Math.max(0, offset); n < this.log.length; n++)
      this.tell(subscriber, this.log[n] as LoopEvent);
    this.subscribers.add(subscriber);
    return () => void this.subscribers.delete(subscriber);
  }

  private tell(subscriber: EventSubscriber, event: LoopEvent): void {
    try {
      subscriber(event);
    } catch {
      this.failures++;
    }
  }
}
