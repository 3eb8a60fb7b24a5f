/** Builtins over the event log (builtins.md §2.18), and their namespace value `event_log`. */

import type { Task } from "../../../interp/index.ts";
import { at, defineBuiltins, refusal } from "../../../table/index.ts";
import { Dict, List, Pullable, type PulledValue, type Value } from "../../../values/index.ts";
import { type Argument, optionsOf, textOf } from "../../arguments.ts";
import { eventFollowFields, eventReadFields } from "../../rows/waitpoints.ts";
import { emitEvent, eventStoreOf, eventTopics, latestEvent, nextEvent, readEvents } from "./event-log.ts";

/** A topic alone is as good as a dict with it. */
const topicDict = (value: Argument): Dict =>
  value instanceof Dict ? value : Dict.of({ topic: value ?? null });

/** What has been emitted, then what will be. */
class Subscription extends Pullable {
  override readonly type = "stream";
  private readonly topic: string;
  private cursor: number;
  private open = true;

  constructor(topic: string, cursor: number) {
    super();
    this.topic = topic;
    this.cursor = cursor;
  }

  override display(): string {
    return "<stream>";
  }

  override async next(task: Task): Promise<PulledValue> {
    if (!this.open) return undefined;
    const event = await nextEvent(task, this.topic, this.cursor);
    if (event === undefined) return undefined;
    this.cursor = event.get("id") as number;
    return event;
  }

  override close(): void {
    this.open = false;
  }
}

const common = { performs: true } as const;

export const eventLog = defineBuiltins(
  "event_log",
  {
    event_log_emit: {
      ...common,
      effect: "write",
      doc:
        "Adds an event to a topic of the event log and gives its number, counted from 1 per topic. The log lives in memory, " +
        "or where `HARN_EVENT_LOG_BACKEND` (`file`, `sqlite`) and `HARN_EVENT_LOG_DIR` say. Also `event_log.emit`.",
      sig: '(topic: string != "", kind: string, payload: any = nil, headers!: dict = {}) -> int',
      example: 'event_log.emit("builds", "started", {branch: "main"})  // 1',
      run: (task, topic: string, kind: Argument, payload: Argument, headers = new Dict()) => {
        const what = textOf(kind ?? undefined);
        if (what === "") throw refusal(at("event_log.emit", "kind"), "a text that is not empty", what);
        return emitEvent(task, topic, what, payload ?? null, headers);
      },
    },
    event_log_latest: {
      ...common,
      effect: "read",
      doc: "The latest event of a topic; nil when it has none. Also `event_log.latest`.",
      sig: '(topic: string != "") -> dict?',
      example: 'event_log.latest("nothing yet")  // nil',
      run: (task, topic: string) => latestEvent(task, topic),
    },
    event_log_read: {
      ...common,
      effect: "read",
      doc:
        "Events of a topic in order: `{id, cursor, topic, kind, payload, headers, occurred_at_ms}`. With a dict, those after " +
        "`from_cursor`, at most `limit`, of kinds that begin with `kind_prefix`. Also `event_log.read`.",
      sig: "(topic: string | {topic: string, from_cursor?: int, limit?: int, kind_prefix?: string}) -> list<dict>",
      example: 'event_log.read("nothing yet")  // []',
      fields: { topic: () => eventReadFields },
      run: (task, value: Argument) => {
        const { fromCursor, limit, ...query } = optionsOf(
          "event_log_read",
          topicDict(value),
          eventReadFields,
        );
        const after = Math.max(0, fromCursor);
        return new List(readEvents(task, { ...query, after, limit: limit ?? undefined }));
      },
    },
    event_log_topics: {
      ...common,
      effect: "read",
      doc: "The topics that have events, sorted. Also `event_log.topics`.",
      sig: "() -> list<string>",
      example: "event_log.topics()  // []",
      run: (task) => new List(eventTopics(task).map(([topic]) => topic)),
    },
    event_log_describe: {
      ...common,
      effect: "read",
      doc: "Where the log is and what it holds: `{backend, location, topics: {topic: latest number}}`. Also `event_log.describe`.",
      sig: "() -> dict",
      example: "event_log.describe()  // {backend: memory, location: nil, topics: {}}",
      run: (task) => {
        const { backend, location } = eventStoreOf(task);
        return Dict.of({
          backend,
          location: location ?? null,
          topics: Dict.from(eventTopics(task) as readonly (readonly [string, Value])[]),
        });
      },
    },
    event_log_subscribe: {
      effect: "state",
      doc:
        "A stream of a topic's events: those after `from_cursor` (default 0: all), then each new one as it comes. Pull it with " +
        "`.next()`. Also `event_log.subscribe`.",
      sig: "(topic: string | {topic: string, from_cursor?: int}) -> stream",
      example: 'event_log.subscribe({topic: "builds"})  // <stream>',
      fields: { topic: () => eventFollowFields },
      run: (_task, value: Argument) => {
        const read = optionsOf("event_log_subscribe", topicDict(value), eventFollowFields);
        return new Subscription(read.topic, Math.max(0, read.fromCursor));
      },
    },
  },
  { headers: "headers of the event, by name" },
);
