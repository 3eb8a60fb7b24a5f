/**
 * The conversations of a project for those who are asked synchronously: each method is one operation of the project's store
 * (`durable/operations/conversations/`): one transaction over tables and events, durable when it returns (events, partial texts
 * and history: with the next one). Times are arguments, in milliseconds since the epoch. Every method throws `StoreError`s:
 * "missing" what is not there, "taken" what another state or owner forbids, "exists", "full", "invalid".
 */
import {
  type ConversationChanges,
  type ConversationFilter,
  type ConversationQuestion,
  type ConversationRecord,
  type ConversationRunRow,
  conversationOperations,
  EmbeddedOperations,
  type EndRun,
  type Fork,
  type HistoryEntry,
  type Interrupt,
  type LogPiece,
  missingConversation,
  type NewConversation,
  type NewLogEvent,
  type NewMessage,
  type Operation,
  questionPlace,
  questions,
  type RunOwner,
  type SaidMessage,
  type StoredEntry,
  streamOfRun,
  type Taken,
} from "../durable/index.ts";
import type { Json } from "../effects/index.ts";
import { type MailboxMessage, type Store, StoreError } from "../store/index.ts";
import type { UnfinishedText } from "./event-writer.ts";
import { canBeAnswered, type ForkPoint, forkPointBefore, forkPointOf } from "./fork-point.ts";
import { envelopeOf, type StoredEnvelope } from "./stored-envelope.ts";

export interface Page<T> {
  readonly items: readonly T[];
  /** The cursor after the last one; null at the end. */
  readonly next: string | null;
}

export interface EventPage {
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

const anyConversation: ConversationFilter = { owner: null, agent: null, state: null, archived: null, q: "" };

export class Conversations {
  readonly store: Store;
  private readonly operations: EmbeddedOperations;

  constructor(store: Store) {
    this.store = store;
    this.operations = new EmbeddedOperations(store);
  }

  /** Several of these as one transaction. */
  together<T>(work: () => T): T {
    return this.store.transaction(work);
  }

  // ── records ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** With its first message, or nothing of both. */
  create(
    id: string,
    made: NewConversation,
    now: number,
    message: NewMessage | null = null,
  ): ConversationRecord {
    return this.do(conversationOperations.create, { id, made, message, now });
  }

  get(id: string): ConversationRecord | undefined {
    return this.look(conversationOperations.get, { id }) ?? undefined;
  }

  mustGet(id: string): ConversationRecord {
    const record = this.get(id);
    if (record === undefined) throw missingConversation(id);
    return record;
  }

  /** The newest first; stable while others are made. */
  list(
    filter: Partial<ConversationFilter>,
    { after = null, limit = 50 }: { readonly after?: string | null; readonly limit?: number } = {},
  ): Page<ConversationRecord> {
    return this.look(conversationOperations.list, { ...anyConversation, ...filter, after, limit });
  }

  /** How many an owner has, counted up to `limit`. */
  count(owner: string, limit: number): number {
    return this.look(conversationOperations.count, { owner, limit });
  }

  /** A `StoreError` "taken" when the record has another version than the one that was seen. */
  change(
    id: string,
    changes: ConversationChanges,
    {
      by,
      version = null,
      now,
    }: { readonly by: string; readonly version?: number | null; readonly now: number },
  ): ConversationRecord {
    return this.do(conversationOperations.change, { id, changes, version, by, now });
  }

  /** Not while a run works for it. The runs stay unless `runs` says otherwise. */
  remove(
    id: string,
    { runs = false }: { readonly runs?: boolean } = {},
  ): { readonly workspace: string | null; readonly runs: readonly string[] } {
    return this.together(() => {
      const removed = this.do(conversationOperations.remove, { id });
      if (runs) this.store.runs.removeAll(removed.runs);
      else this.store.runs.sweep();
      return removed;
    });
  }

  // ── messages ──────────────────────────────────────────────────────────────────────────────────────────────────

  /** Gives the message and how many wait before it. "full" when 20 wait. */
  say(
    id: string,
    message: NewMessage,
    now: number,
  ): { readonly message: SaidMessage; readonly position: number } {
    return this.do(conversationOperations.say, { id, ...message, now });
  }

  /** "taken" when it waits no longer. */
  withdraw(id: string, message: string, now: number): ConversationRecord {
    return this.do(conversationOperations.withdraw, { id, message, now });
  }

  /** What people said, after a number. */
  messages(id: string, after = 0, limit = 50): readonly SaidMessage[] {
    return this.look(conversationOperations.messages, { id, after, limit });
  }

  /** One of them; `undefined` when there is none. */
  message(message: string): SaidMessage | undefined {
    return this.look(conversationOperations.message, { message }) ?? undefined;
  }

  /** Those that wait, oldest first. */
  waiting(id: string): readonly SaidMessage[] {
    return this.look(conversationOperations.waiting, { id });
  }

  /** What the model is told next time, and what is kept about it (`history-kept.ts`). */
  history(id: string): { readonly entries: readonly StoredEntry[]; readonly kept: Json } {
    return this.look(conversationOperations.history, { id });
  }

  /** Appends messages that became final; what is there already stays. Gives how many there are. */
  said(
    id: string,
    appended: {
      readonly owner: RunOwner | null;
      readonly after: number;
      readonly entries: readonly HistoryEntry[];
      readonly kept: Json;
      readonly said: readonly string[];
    },
    now: number,
  ): number {
    return this.do(conversationOperations.said, { id, ...appended, now });
  }

  /** A run has received messages while it worked. Gives how many still wait. */
  deliver(id: string, owner: RunOwner, messages: readonly string[], now: number): number {
    return this.do(conversationOperations.receive, { id, owner, messages, now });
  }

  // ── runs ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * What whoever claimed the message in `conversation:ID` is to do. `run` is the name for a new run. Repeated after a crash it
   * gives the same run again, to be resumed. `died`: its process ended by itself, which three times is enough.
   */
  take(id: string, run: string, now: number, died = false): Taken {
    return this.together(() => {
      const work = this.get(id)?.work ?? null;
      // That it was resumed is a record, too: it does not tell that the run got on.
      const records = work === null ? 0 : this.store.runs.progressOf(work.run);
      return this.do(conversationOperations.take, { id, run, records, died, now });
    });
  }

  /** The run has ended; the message is done with it. "taken" when it was not this owner's any more. */
  end(ended: EndRun, claimed?: MailboxMessage): ConversationRecord {
    return this.operations.operateSync(
      conversationOperations.end,
      ended,
      claimed === undefined ? {} : { message: claimed },
    );
  }

  resume(id: string, now: number): ConversationRecord {
    return this.do(conversationOperations.resume, { id, now });
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

  fork(fork: Fork): ConversationRecord {
    return this.do(conversationOperations.fork, fork);
  }

  runs(id: string): readonly ConversationRunRow[] {
    return this.look(conversationOperations.runs, { id });
  }

  /** The conversation that a run works for. */
  ofRun(run: string): ConversationRunRow | undefined {
    return this.look(conversationOperations.of_run, { run }) ?? undefined;
  }

  /** The stream that tells of a run: its conversation's, else its own. */
  publishingStream(run: string): string {
    return this.ofRun(run)?.conversation ?? streamOfRun(run);
  }

  // ── interrupts ────────────────────────────────────────────────────────────────────────────────────────────────

  /** Gives the request (nil when nothing runs or waits); the same one again while it is open. */
  interrupt(
    id: string,
    asked: { readonly interrupt: string; readonly by: string; readonly reason: string | null },
    now: number,
  ): { readonly interrupt: Interrupt | null; readonly record: ConversationRecord } {
    return this.do(conversationOperations.interrupt, { id, ...asked, now });
  }

  /** Parks what works or waits, resumably; whoever has its run at work is still to be told (`interrupts`). */
  pause(
    id: string,
    asked: { readonly interrupt: string; readonly by: string; readonly reason: string },
    now: number,
  ): ConversationRecord {
    return this.do(conversationOperations.pause, { id, ...asked, now });
  }

  /** Of a run that works for no conversation. */
  interruptRun(
    run: string,
    asked: { readonly interrupt: string; readonly by: string; readonly reason: string | null },
    now: number,
  ): Interrupt {
    return this.do(conversationOperations.interrupt_run, { run, ...asked, now });
  }

  interruptedRun(interrupt: string, how: "unwound" | "killed" | "idle", now: number): void {
    this.do(conversationOperations.interrupted_run, { interrupt, how, now });
  }

  /** Those that nobody has carried out. */
  interrupts(): readonly Interrupt[] {
    return this.look(conversationOperations.interrupts, {});
  }

  // ── questions ─────────────────────────────────────────────────────────────────────────────────────────────────

  /** Of a conversation's runs, answered ones too, oldest first. */
  questions(id: string): readonly ConversationQuestion[] {
    return this.look(conversationOperations.questions, { id });
  }

  openQuestions(id: string): readonly ConversationQuestion[] {
    return this.questions(id).filter(({ answer }) => answer === null);
  }

  /** A question by its id; `withdrawn` when its run was stopped. */
  question(id: string): ConversationQuestion | "withdrawn" | undefined {
    const found = questionPlace(id);
    if (found === undefined) return undefined;
    const conversation = this.ofRun(found.run)?.conversation;
    // A run that is resumed may ask again what was withdrawn.
    const asked =
      conversation === undefined ? undefined : this.questions(conversation).find((one) => one.id === id);
    return asked ?? (this.withdrawnAt(id) === null ? undefined : "withdrawn");
  }

  /** When the question was withdrawn last; null for one that never was. */
  withdrawnAt(id: string): number | null {
    return this.look(conversationOperations.withdrawn_question, { question: id });
  }

  /** The run that asks a question, also a withdrawn one. */
  questionRun(id: string): string | undefined {
    return questionPlace(id)?.run;
  }

  /** The first answer counts: "exists" for a later one. `answer` is judged already (`judgedAnswer`). */
  answer(id: string, answer: Json, by: string): void {
    const found = questionPlace(id);
    if (found === undefined) throw new StoreError("missing", `there is no question ${id}`);
    this.do(questions.answer, { ...found, answer: JSON.stringify(answer), by });
  }

  // ── the log ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** `stream`: the id of a conversation, or `run:RUN`. */
  events(
    stream: string,
    {
      after = 0,
      limit = 1000,
      types = [],
    }: { readonly after?: number; readonly limit?: number; readonly types?: readonly string[] },
  ): EventPage {
    return this.store.look(() => {
      const found = this.store.streams.shown(stream, after, limit, types);
      const head = this.head(stream);
      const last = found.at(-1)?.seq ?? after;
      const next = found.length < limit || last >= head ? null : last;
      return { items: found.map((event) => envelopeOf(stream, event)), next, head };
    });
  }

  head(stream: string): number {
    return this.store.streams.last(stream);
  }

  /** Events of all streams after a number that counts over all of them. */
  eventsAfterId(id: number, limit: number): readonly NumberedEnvelope[] {
    return this.store.streams
      .shownAfterId(id, limit)
      .map((event) => ({ id: event.id, stream: event.stream, event: envelopeOf(event.stream, event) }));
  }

  lastId(): number {
    return this.store.streams.lastId();
  }

  /** Appends what the stream does not have; gives the number of its last event. "taken" when the owner is another by now. */
  appendEvents(
    stream: string,
    owner: RunOwner | null,
    events: readonly NewLogEvent[],
    pieces: readonly LogPiece[] = [],
  ): number {
    return this.do(conversationOperations.append_events, { stream, owner, events, pieces });
  }

  /** Keeps the text of an unfinished message; it goes with its `message.end`. */
  partial(stream: string, message: string, body: UnfinishedText | null, now: number): void {
    this.do(conversationOperations.partial, { stream, message, body: body as unknown as Json, now });
  }

  partials(stream: string): readonly UnfinishedText[] {
    return this.look(conversationOperations.partials, { stream }).map(
      ({ body }) => JSON.parse(body) as UnfinishedText,
    );
  }

  /** A long text of a log by its name. */
  text(stream: string, ref: string): string | undefined {
    const found = this.look(conversationOperations.piece, { stream, ref });
    return found === null ? undefined : String(JSON.parse(found));
  }

  /** The log of a run was made, or somebody looks at it: it stays. */
  noteLook(run: string, now: number): void {
    this.do(conversationOperations.note_look, { run, now });
  }

  /** Removes the logs of runs that nobody has looked at since then; gives their streams. */
  sweepLogs(before: number): readonly string[] {
    return this.do(conversationOperations.sweep_logs, { before });
  }

  private do<Args, Result>(operation: Operation<Args, Result>, args: Args): Result {
    return this.operations.operateSync(operation, args);
  }

  private look<Args, Result>(operation: Operation<Args, Result>, args: Args): Result {
    return this.operations.readSync(operation, args);
  }
}
