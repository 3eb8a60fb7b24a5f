/** Where the events of a log come from: a conversation, a run, or the report that the page is. */
import type { DurableEnvelope, LogView } from "../../src/server/protocol/index.ts";
import { ask } from "../net/api.ts";

export interface EventPage {
  readonly items: readonly DurableEnvelope[];
  readonly head: number;
}

export interface LogSource {
  /** Whether it can be talked to: a conversation, not a run or a report. */
  readonly kind: "conversation" | "run" | "report";
  readonly id: string;
  /** Of `/api/stream`; null for what does not change. */
  readonly topic: string | null;
  /** Path below `/api`; null in a report. */
  readonly base: string | null;
  events(after: number, limit: number): Promise<EventPage>;
  /** The state at the head, without any event; null where nobody keeps one. */
  state(): Promise<LogView | null>;
}

function served(kind: "conversation" | "run", id: string, topic: string, base: string): LogSource {
  return {
    kind,
    id,
    topic,
    base,
    events: (after, limit) => ask<EventPage>(`${base}/events?after=${after}&limit=${limit}`),
    state: async () => {
      if (kind === "run") return null;
      const read = await ask<LogView | { state: LogView }>(`${base}/state`);
      return "runs" in read ? read : read.state;
    },
  };
}

export const conversationLog = (id: string): LogSource =>
  served("conversation", id, id, `/api/conversations/${encodeURIComponent(id)}`);

export const runLog = (id: string): LogSource =>
  served("run", id, `run:${id}`, `/api/runs/${encodeURIComponent(id)}`);

/** All events of a report, which has no server. */
export const reportLog = (id: string, events: readonly DurableEnvelope[]): LogSource => ({
  kind: "report",
  id,
  topic: null,
  base: null,
  events: async (after, limit) => ({
    items: events.filter((event) => event.seq > after).slice(0, limit),
    head: events.at(-1)?.seq ?? 0,
  }),
  state: async () => null,
});
