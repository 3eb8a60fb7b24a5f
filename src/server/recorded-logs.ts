/** Logs of runs that no server watched, made when somebody looks; and a run as one file. */

import { streamOfRun } from "../durable/index.ts";
import type { Json } from "../effects/index.ts";
import { type Store, StoreError } from "../store/index.ts";
import type { Conversations } from "../threads/index.ts";
import type { ServerClock } from "./clock.ts";
import { HttpProblem } from "./problems.ts";
import type { DurableEnvelope } from "./protocol/index.ts";
import type { ServerLimits } from "./server-limits.ts";
import type { ReportOf } from "./static/index.ts";
import type { Hub } from "./stream/hub.ts";

/** What the server is given for it: playing a run needs what only a whole `harn` has. */
export interface RecordedRuns {
  /** Makes what the log of a run lacks, in a process of its own; false: it could not be played to its end. */
  rebuild(run: string): Promise<boolean>;
  /** The page of a report. */
  report(of: ReportOf): string;
}

/** Of the server around it. */
interface LogServices {
  readonly store: Store;
  readonly conversations: Conversations;
  readonly hub: Hub;
  readonly clock: ServerClock;
  readonly limits: ServerLimits;
}

/** Between two looks at a run that is at work elsewhere. */
const againAfterMs = 1000;
/** Between two sweeps, and between two notes that a log is looked at. */
const dayMs = 24 * 3_600_000;
const pageSize = 1000;

export class RecordedLogs {
  private readonly services: () => LogServices;
  private readonly runs: RecordedRuns | undefined;
  /** Run ▸ its making. */
  private readonly inFlight = new Map<string, Promise<boolean>>();
  /** Run ▸ what it had come to when this server made its log last. */
  private readonly made = new Map<
    string,
    { readonly records: number; readonly at: number; readonly whole: boolean; readonly head: number }
  >();
  /** Run ▸ when this server noted last that its log is looked at. */
  private readonly heads = new Map<string, number>();

  constructor(services: () => LogServices, runs: RecordedRuns | undefined) {
    this.services = services;
    this.runs = runs;
  }

  get makesReports(): boolean {
    return this.runs !== undefined;
  }

  /** The log of a run is there, as far as it can be made. The log of a conversation's run was written while it worked. */
  async ensure(run: string): Promise<void> {
    const { store, conversations, clock, hub } = this.services();
    if (
      this.runs === undefined ||
      conversations.ofRun({ run }) !== undefined ||
      store.runs.find(run) === undefined
    )
      return;
    const records = store.runs.progressOf(run);
    const before = this.made.get(run);
    const stream = streamOfRun(run);
    // Another server of the store may have swept it.
    const isThere = before !== undefined && conversations.store.streams.last(stream) >= before.head;
    if (isThere && (before.records === records || clock.now() - before.at < againAfterMs)) {
      this.noteLook(run);
      return;
    }
    const { runs } = this;
    const making =
      this.inFlight.get(run) ??
      runs.rebuild(run).finally(() => {
        this.inFlight.delete(run);
      });
    this.inFlight.set(run, making);
    const whole = await making;
    this.made.set(run, { records, at: clock.now(), whole, head: conversations.store.streams.last(stream) });
    this.heads.delete(run);
    this.noteLook(run);
    hub.wrote(stream);
  }

  private noteLook(run: string): void {
    const { conversations, clock } = this.services();
    const now = clock.now();
    if (now - (this.heads.get(run) ?? Number.NEGATIVE_INFINITY) < dayMs) return;
    this.heads.set(run, now);
    conversations.noteLook({ run, now });
  }

  /** Removes the logs that nobody has looked at for so long, now and every day until what it gives is called. */
  sweepDaily(): () => void {
    const { conversations, clock, limits } = this.services();
    let stop = (): void => {};
    const sweep = (): void => {
      stop = clock.after(dayMs, sweep);
      try {
        conversations.sweepLogs({ before: clock.now() - limits.lookedAtLogs });
      } catch (error) {
        // A store that can't be written now is swept tomorrow.
        if (!(error instanceof StoreError)) throw error;
      }
    };
    sweep();
    return () => stop();
  }

  /** A run as one file. Throws 404 where there is nothing to show, and says why. */
  async report(run: string): Promise<string> {
    const { store, conversations } = this.services();
    if (this.runs === undefined)
      throw new HttpProblem(
        "not-found",
        `this server makes no reports: \`harn view ${run} --html FILE\` does`,
      );
    await this.ensure(run);
    const stream = conversations.publishingStream(run);
    const events = eventsOf(conversations, stream, run);
    if (events.length === 0)
      throw new HttpProblem(
        "not-found",
        this.made.get(run)?.whole === false
          ? `the run can't be played again: \`harn replay ${run}\` says why`
          : "the run has no events yet",
      );
    const entry = store.runs.find(run)?.entry ?? run;
    return this.runs.report({
      id: run,
      title: `${entry.slice(entry.lastIndexOf("/") + 1)} · ${run}`,
      events,
    });
  }
}

/** Those of one run, numbered from 1, with their long texts. */
function eventsOf(conversations: Conversations, stream: string, run: string): DurableEnvelope[] {
  const events: DurableEnvelope[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page = conversations.events(stream, { after, limit: pageSize });
    for (const event of page.items) {
      if (event.run !== run) continue;
      const data = withTexts(event.data as Json, (ref) => conversations.text(stream, ref));
      events.push({ ...event, data, seq: events.length + 1 } as unknown as DurableEnvelope);
    }
    after = page.next;
  }
  return events;
}

function withTexts(value: Json, textOf: (ref: string) => string | undefined): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((part: Json) => withTexts(part, textOf));
  const fields = value as { readonly [key: string]: Json };
  if (typeof fields.ref === "string" && typeof fields.bytes === "number" && typeof fields.head === "string") {
    const text = textOf(fields.ref);
    if (text !== undefined) return text;
  }
  return Object.fromEntries(Object.entries(fields).map(([key, part]) => [key, withTexts(part, textOf)]));
}
