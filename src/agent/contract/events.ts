/**
 * The event log of a session: eleven types, append-only, always kept, replayable from any offset. An entry is a pure function
 * of what the machine emits (`events/projections/contract-log.ts`). Events observe, they never steer: a subscriber's failure
 * is counted and otherwise ignored.
 */
import {
  type ContractData,
  type ContractEvent,
  type ContractType,
  contractEntry,
  contractTypes,
  frozen,
  type LoopEvent,
  type ParentRef,
} from "../../events/index.ts";

export type { LoopEvent, ParentRef };
export const eventTypes = contractTypes;
export type EventType = ContractType;
export type EventData = ContractData;

export type EventSubscriber = (event: LoopEvent) => void;

/**
 * Events are copies that nobody can change: neither who changes what they were made of, nor who reads them. They are frozen when
 * somebody reads them: most loops have no reader.
 */
export class EventLog {
  readonly session: string;
  readonly parent: ParentRef | null;
  private readonly log: LoopEvent[];
  private readonly subscribers = new Set<EventSubscriber>();
  /** The runtime's own reader: it is handed each event unfrozen, and changes nothing. */
  observer: EventSubscriber | undefined;
  /** Subscribers that threw so far. */
  failures = 0;

  constructor(session: string, parent: ParentRef | null = null, events: readonly LoopEvent[] = []) {
    this.session = session;
    this.parent = frozen(parent);
    this.log = [...events];
  }

  get length(): number {
    return this.log.length;
  }

  /** Appends one event and publishes it to the subscribers, in the order in which they subscribed. */
  append<T extends ContractType>(type: T, data: ContractData[T], at: number | null): void {
    const { session, parent } = this;
    const entry = contractEntry({ type, data } as ContractEvent, { n: this.log.length, session, parent, at });
    this.log.push(entry);
    this.observer?.(entry);
    for (const subscriber of this.subscribers) this.publish(subscriber, entry);
  }

  /** The events from an offset on. */
  from(offset = 0): readonly LoopEvent[] {
    return this.log.slice(Math.max(0, offset)).map(frozen);
  }

  /** Replays from an offset, then follows. Returns how to stop. */
  subscribe(subscriber: EventSubscriber, offset: number = this.log.length): () => void {
    for (let n = Math.max(0, offset); n < this.log.length; n++)
      this.publish(subscriber, this.log[n] as LoopEvent);
    this.subscribers.add(subscriber);
    return () => void this.subscribers.delete(subscriber);
  }

  private publish(subscriber: EventSubscriber, event: LoopEvent): void {
    try {
      subscriber(frozen(event));
    } catch {
      this.failures++;
    }
  }
}
