/**
 * The conversations of a project: the operations on them (`durable/operations/conversations/`), and what is made of several.
 * Each is one transaction over tables and events, durable when it returns (events, partial texts and history: with the next
 * one). Times are arguments, in milliseconds since the epoch. Every method throws `StoreError`s: "missing" what is not there,
 * "taken" what another state or owner forbids, "exists", "full", "invalid".
 */
import {
  type ClaimResult,
  type ConversationQuestion,
  clientOf,
  conversationOperations,
  EmbeddedOperations,
  missingConversation,
  questionPlace,
  questions,
  type StoredConversation,
  streamOfRun,
} from "../durable/index.ts";
import type { Json } from "../effects/index.ts";
import { type LogCursor, type Store, StoreError } from "../store/index.ts";
import type { UnfinishedText } from "./event-writer.ts";
import { canBeAnswered, type ForkPoint, forkPointBefore, forkPointOf } from "./fork-point.ts";
import { envelopeOf, type StoredEnvelope } from "./stored-envelope.ts";

interface StoredEventPage {
  readonly items: readonly StoredEnvelope[];
  /** Number after which the next page begins; null when the end was reached. */
  readonly next: number | null;
  /** Number of the stream's last event. */
  readonly head: number;
}

/** An event with the number that counts over all streams. */
export interface NumberedEnvelope {
  readonly id: number;
  readonly stream: string;
  readonly event: StoredEnvelope;
}

export class Conversations extends clientOf(conversationOperations) {
  readonly store: Store;

  constructor(store: Store) {
    super(new EmbeddedOperations(store));
    this.store = store;
  }

  mustGet(id: string): StoredConversation {
    const record = this.get({ id });
    if (record === undefined) throw missingConversation(id);
    return record;
  }

  /** Removes it, unless a run works for it, with what nobody needs any more. The runs stay unless `runs` says otherwise. */
  discard(
    id: string,
    { runs = false }: { readonly runs?: boolean } = {},
  ): { readonly workspace: string | null; readonly runs: readonly string[] } {
    return this.store.transaction(() => {
      const removed = this.remove({ id });
      if (runs) this.store.runs.removeAll(removed.runs);
      else this.store.runs.sweep();
      return removed;
    });
  }

  /**
   * What whoever claimed the message in `conversation:ID` is to do. `run` is the name for a new run. Repeated after a crash it
   * gives the same run again, to be resumed. `died`: its process ended by itself, which three times is enough.
   */
  takeNext(id: string, run: string, now: number, died = false): ClaimResult {
    return this.store.transaction(() => {
      const work = this.get({ id })?.work ?? null;
      // That it was resumed is a record, too: it does not tell that the run got on.
      const records = work === null ? 0 : this.store.runs.progressOf(work.run);
      return this.take({ id, run, records, died, now });
    });
  }

  /**
   * Where a fork after an event, or before a step of a run, leaves the run; "invalid" when there is no such place. `given`:
   * after the event, the first step of which people can say what it gives.
   */
  forkPoint(
    id: string,
    at:
      | { readonly event: number; readonly hasAnswer?: boolean }
      | { readonly run: string; readonly step: number },
  ): ForkPoint {
    return "event" in at
      ? forkPointOf(this.store, id, at.event, at.hasAnswer === true ? canBeAnswered : undefined)
      : forkPointBefore(this.store, id, at.run, at.step);
  }

  /** The stream that tells of a run: its conversation's, else its own. */
  publishingStream(run: string): string {
    return this.ofRun({ run })?.conversation ?? streamOfRun(run);
  }

  openQuestions(id: string): readonly ConversationQuestion[] {
    return this.questions({ id }).filter(({ answer }) => answer === null);
  }

  /** A question by its id; `withdrawn` when its run was stopped. */
  question(id: string): ConversationQuestion | "withdrawn" | undefined {
    const found = questionPlace(id);
    if (found === undefined) return undefined;
    const conversation = this.ofRun({ run: found.run })?.conversation;
    // A run that is resumed may ask again what was withdrawn.
    const asked =
      conversation === undefined
        ? undefined
        : this.questions({ id: conversation }).find((one) => one.id === id);
    return asked ?? (this.withdrawnQuestion({ question: id }) === null ? undefined : "withdrawn");
  }

  /** The first answer counts: "exists" for a later one. `answer` is judged already (`judgedAnswer`). */
  answer(id: string, answer: Json, by: string): void {
    const found = questionPlace(id);
    if (found === undefined) throw new StoreError("missing", `there is no question ${id}`);
    this.engine.operateSync(questions.answer, { ...found, answer: JSON.stringify(answer), by });
  }

  /** `stream`: the id of a conversation, or `run:RUN`. */
  events(
    stream: string,
    {
      after = 0,
      limit = 1000,
      types = [],
    }: { readonly after?: number; readonly limit?: number; readonly types?: readonly string[] },
  ): StoredEventPage {
    return this.store.look(() => {
      const found = this.store.streams.shown(stream, { after }, limit, types);
      const head = this.store.streams.last(stream);
      const last = found.at(-1)?.seq ?? after;
      const next = found.length < limit || last >= head ? null : last;
      return { items: found.map((event) => envelopeOf(stream, event)), next, head };
    });
  }

  /** Events from a place on, one after the other, read a page at a time: only as many as are taken, and a few more. */
  *eventsFrom(stream: string, place: LogCursor, types: readonly string[]): Generator<StoredEnvelope> {
    for (let at = place, size = 64; ; size = Math.min(2 * size, 1024)) {
      const page = this.store.streams.shown(stream, at, size, types);
      for (const event of page) yield envelopeOf(stream, event);
      const last = page.at(-1);
      if (last === undefined || page.length < size) return;
      at = "after" in place ? { after: last.seq } : { before: last.seq };
    }
  }

  /** Events of all streams after a number that counts over all of them. */
  eventsAfterId(id: number, limit: number): readonly NumberedEnvelope[] {
    return this.store.streams
      .shownAfterId(id, limit)
      .map((event) => ({ id: event.id, stream: event.stream, event: envelopeOf(event.stream, event) }));
  }

  /** The texts of messages that are not finished. */
  unfinished(stream: string): readonly UnfinishedText[] {
    return this.partials({ stream }).map(({ body }) => JSON.parse(body) as UnfinishedText);
  }

  /** A long text of a log by its name. */
  text(stream: string, ref: string): string | undefined {
    const found = this.piece({ stream, ref });
    return found === null ? undefined : String(JSON.parse(found));
  }
}
