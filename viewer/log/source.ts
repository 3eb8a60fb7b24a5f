/** Where the events of a log come from: a conversation, a run, or the report that the page is. */
import type { DurableEnvelope, LogView } from "../../src/server/protocol/index.ts";
import { client } from "../net/api.ts";

export interface EventPage {
  readonly items: readonly DurableEnvelope[];
  readonly head: number;
}

export interface LogSource {
  /** Whether it can be talked to: a conversation, not a run or a report. */
  readonly kind: "conversation" | "run" | "report";
  readonly id: string;
  /** What the server calls the log, in requests and as a topic of its stream: `c_…`, `run:NAME`; null in a report. */
  readonly ref: string | null;
  events(after: number, limit: number): Promise<EventPage>;
  /** The state at the head, without any event; null where nobody keeps one. */
  state(): Promise<LogView | null>;
}

const served = (kind: "conversation" | "run", id: string, ref: string): LogSource => ({
  kind,
  id,
  ref,
  events: async (after, limit) => {
    const { items, head } = await client.eventPage(ref, { after, limit });
    return { items: items as readonly DurableEnvelope[], head };
  },
  state: async () => (kind === "run" ? null : await client.state(ref)),
});

export const conversationLog = (id: string): LogSource => served("conversation", id, id);

export const runLog = (id: string): LogSource => served("run", id, `run:${id}`);

/** All events of a report, which has no server. */
export const reportLog = (id: string, events: readonly DurableEnvelope[]): LogSource => ({
  kind: "report",
  id,
  ref: null,
  events: async (after, limit) => ({
    items: events.filter((event) => event.seq > after).slice(0, limit),
    head: events.at(-1)?.seq ?? 0,
  }),
  state: async () => null,
});
