/**
 * Where the records of the event log are kept: one sequence of numbers, from 1, per topic. Stores know nothing of tasks
 * and journals; whoever calls a durable one does so inside an effect.
 */
import { type ResultOf, shape } from "../../../effects/index.ts";

/** One event as it is stored; `payload` and `headers` are in the stored form of values (`encodeValue`). */
export const storedEventShape = shape.record({
  id: shape.count,
  kind: shape.text,
  payload: shape.json,
  headers: shape.json,
  atMs: shape.number,
});
export type StoredEvent = ResultOf<typeof storedEventShape>;

export type NewEvent = Omit<StoredEvent, "id">;

export type EventBackend = "memory" | "file" | "sqlite";

export interface EventStore {
  readonly backend: EventBackend;
  /** File or folder; `undefined` for what lives in the run only. */
  readonly location: string | undefined;
  /** Adds an event and gives its number. */
  append(topic: string, event: NewEvent): number;
  /** The events after a number of kinds that begin like this, at most `limit`, in order. */
  read(topic: string, after: number, limit: number, kindPrefix?: string): readonly StoredEvent[];
  latest(topic: string): StoredEvent | undefined;
  /** Of a durable store: hints that a topic has more, by whichever process, until the signal ends them. */
  changes?(topic: string, signal: AbortSignal): AsyncIterable<unknown>;
  /** Topics with their latest numbers, sorted by name. */
  topics(): readonly (readonly [topic: string, latest: number])[];
}

/** Events that end with the run. */
export class MemoryEvents implements EventStore {
  readonly backend = "memory";
  readonly location = undefined;
  private readonly byTopic = new Map<string, StoredEvent[]>();

  append(topic: string, event: NewEvent): number {
    let events = this.byTopic.get(topic);
    if (events === undefined) {
      events = [];
      this.byTopic.set(topic, events);
    }
    events.push({ ...event, id: events.length + 1 });
    return events.length;
  }

  read(topic: string, after: number, limit: number, kindPrefix = ""): readonly StoredEvent[] {
    const events = this.byTopic.get(topic) ?? [];
    if (kindPrefix === "") return events.slice(after, after + limit);
    return events
      .slice(after)
      .filter(({ kind }) => kind.startsWith(kindPrefix))
      .slice(0, limit);
  }

  latest(topic: string): StoredEvent | undefined {
    return this.byTopic.get(topic)?.at(-1);
  }

  topics(): readonly (readonly [string, number])[] {
    return [...this.byTopic]
      .map(([topic, events]) => [topic, events.length] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1));
  }
}
