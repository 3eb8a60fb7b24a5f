/** Topics of the event log (builtins.md §2.18): one stream each, numbered from 1. */
import { defineOperations, operation } from "../operation.ts";
import type { Tx } from "../tx.ts";

interface LoggedEvent {
  readonly kind: string;
  /** Values in their stored form, as JSON text with secrets by name. */
  readonly payload: string;
  readonly headers: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

export interface NumberedEvent extends LoggedEvent {
  readonly id: number;
}

const prefix = "log:";
const loggedStreamOf = (topic: string): string => `${prefix}${topic}`;
const topicScope = ({ topic: name }: { readonly topic: string }): readonly string[] => [loggedStreamOf(name)];

interface Page {
  readonly topic: string;
  /** Numbers up to and including this one are left out. */
  readonly after: number;
  /** Null: all. */
  readonly limit: number | null;
  readonly kindPrefix: string;
}

function addLogged(tx: Tx, name: string, { kind, payload, headers, atMs }: LoggedEvent): number {
  return tx.event(loggedStreamOf(name), kind, { payload, headers }, atMs);
}

/** The whole topic is looked through only when kinds are chosen. */
function pageOfTopic(tx: Tx, { topic: name, after, limit, kindPrefix }: Page): NumberedEvent[] {
  const atOnce = 500;
  const found: NumberedEvent[] = [];
  const wanted = limit ?? Number.POSITIVE_INFINITY;
  for (let at = after; found.length < wanted; ) {
    const size = kindPrefix === "" ? Math.min(atOnce, wanted - found.length) : atOnce;
    const events = tx.events(loggedStreamOf(name), at, size);
    for (const { seq, at: atMs, type: kind, body } of events) {
      if (!kind.startsWith(kindPrefix) || found.length >= wanted) continue;
      const { payload, headers } = body as { readonly payload: string; readonly headers: string };
      found.push({ id: seq, kind, payload, headers, atMs });
    }
    if (events.length < size) break;
    at = events[events.length - 1]?.seq ?? at;
  }
  return found;
}

export const eventTopics = defineOperations("event_log", {
  append: operation({
    doc: "Adds an event to a topic; gives its number.",
    scopes: topicScope,
    // A log follows what happens; it must not slow it down to the pace of a disk.
    commit: "process",
    run: (tx: Tx, { topic: name, ...event }: LoggedEvent & { readonly topic: string }): number =>
      addLogged(tx, name, event),
  }),
  replace: operation({
    doc: "Makes these the events of a topic.",
    scopes: topicScope,
    commit: "process",
    run: (tx: Tx, one: { readonly topic: string; readonly events: readonly LoggedEvent[] }): null => {
      tx.clearStream(loggedStreamOf(one.topic));
      for (const event of one.events) addLogged(tx, one.topic, event);
      return null;
    },
  }),
  page: operation({
    doc: "Events of a topic after a number, oldest first.",
    scopes: topicScope,
    reads: true,
    run: pageOfTopic,
  }),
  topics: operation({
    doc: "Topics with the number of their last event, sorted by name.",
    scopes: () => [prefix],
    reads: true,
    run: (tx: Tx): (readonly [topic: string, last: number])[] =>
      tx.streams(prefix).map(([stream, last]) => [stream.slice(prefix.length), last] as const),
  }),
});
