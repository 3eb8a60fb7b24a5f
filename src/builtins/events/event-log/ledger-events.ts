/**
 * Durable events: topics of a ledger of their own, `events.sqlite` in the log's folder, because a folder may be shared by several
 * projects (`HARN_EVENT_LOG_DIR`). Several processes may write at once; numbers stay without gaps and repeats.
 */
import {
  type Change,
  type EmbeddedLedger,
  eventTopics,
  type NumberedEvent,
  runLedger,
} from "../../../durable/index.ts";
import type { Json } from "../../../effects/index.ts";
import { keptText, type Runtime } from "../../../interp/index.ts";
import { StoreError } from "../../../store/index.ts";
import { thrown } from "../../../values/index.ts";
import { joinPaths } from "../../files/path-text.ts";
import type { EventBackend, EventStore, NewEvent, StoredEvent } from "./event-store.ts";

const ledgerFile = "events.sqlite";

export class LedgerEvents implements EventStore {
  readonly backend: EventBackend = "sqlite";
  readonly location: string;
  protected readonly runtime: Runtime;
  protected readonly folder: string;

  /** Touches nothing yet: a replay makes one too. */
  constructor(runtime: Runtime, folder: string) {
    this.runtime = runtime;
    this.folder = folder;
    this.location = joinPaths([folder, ledgerFile]);
  }

  append(topic: string, event: NewEvent): number {
    return this.use((ledger) => ledger.operateSync(eventTopics.append, { topic, ...this.hidden(event) }));
  }

  read(topic: string, after: number, limit: number, kindPrefix = ""): readonly StoredEvent[] {
    const max = Number.isFinite(limit) ? limit : null;
    const page = { topic, after, limit: max, kindPrefix };
    return this.use((ledger) => ledger.operateSync(eventTopics.page, page)).map((event) => this.shown(event));
  }

  latest(topic: string): StoredEvent | undefined {
    const last = this.topics().find(([name]) => name === topic)?.[1] ?? 0;
    return this.read(topic, last - 1, 1)[0];
  }

  topics(): readonly (readonly [string, number])[] {
    return this.use((ledger) => ledger.operateSync(eventTopics.topics, {}));
  }

  /** Hints that a topic has more, by whichever process. */
  changes(topic: string, signal: AbortSignal): AsyncIterable<Change> {
    return this.use((ledger) => ledger.changes(eventTopics.page.scopes({ topic, ...wholeTopic }), signal));
  }

  protected use<T>(work: (ledger: EmbeddedLedger) => T): T {
    try {
      return work(runLedger(this.runtime, this.folder, ledgerFile));
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      throw thrown([`event_log: ${error.message}`, ...error.advice].join("; "));
    }
  }

  /** Values as JSON text with secrets by name; they are themselves again only in a file that is closed to others. */
  protected hidden({ kind, payload, headers, atMs }: NewEvent) {
    const { secrets } = this.runtime;
    const text = (value: Json): string => secrets.hide(JSON.stringify(value));
    return { kind, payload: text(payload), headers: text(headers), atMs };
  }

  private shown({ id, kind, payload, headers, atMs }: NumberedEvent): StoredEvent {
    const { host } = this.runtime;
    const kept = keptText(this.runtime, host.files, this.location);
    const value = (text: string): Json => JSON.parse(kept.reveal(text)) as Json;
    return { id, kind, payload: value(payload), headers: value(headers), atMs };
  }
}

const wholeTopic = { after: 0, limit: null, kindPrefix: "" } as const;
