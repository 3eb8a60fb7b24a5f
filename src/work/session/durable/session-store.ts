/**
 * The sessions of a project for those who are asked synchronously: each method is one operation of the project's store
 * (`durable/operations/sessions/`), and can be repeated as that says.
 */
import {
  type Batch,
  type Begun,
  type Commit,
  EmbeddedOperations,
  type Learning,
  missingSession,
  type NewSession,
  type Operation,
  type Outcome,
  type Receipt,
  type SessionEvent,
  type SessionRecord,
  type StoredWake,
  sessionBox,
  sessionOperations,
  type WorkEnd,
} from "../../../durable/index.ts";
import type { Json } from "../../../effects/index.ts";
import {
  describeOwner,
  type Lease,
  leaseMs,
  type Store,
  StoreError,
  thisProcess,
} from "../../../store/index.ts";

const pageSize = 200;

export class SessionStore {
  readonly store: Store;
  private readonly operations: EmbeddedOperations;
  /** Of a step that is done once, however often it is repeated. */
  private readonly step: string | undefined;

  constructor(store: Store, step?: string) {
    this.store = store;
    this.operations = new EmbeddedOperations(store);
    this.step = step;
  }

  /** The same sessions for a step of a script: repeated with the same token, it gets what it gave the first time. */
  once(token: string): SessionStore {
    return new SessionStore(this.store, token);
  }

  /** With its first message, or nothing of both. */
  create(name: string, made: NewSession, now: number, message: string | null = null): SessionRecord {
    return this.do(sessionOperations.create, { name, made, message, now });
  }

  find(name: string): SessionRecord | undefined {
    return this.operations.readSync(sessionOperations.find, { name }) ?? undefined;
  }

  mustFind(name: string): SessionRecord {
    const record = this.find(name);
    if (record !== undefined) return record;
    throw missingSession(name);
  }

  /** All names, sorted. A damaged session is in the list, too. */
  names(): string[] {
    return this.operations.readSync(sessionOperations.names, {});
  }

  /** What a person or a program says. Gives the event's number. */
  send(name: string, text: string, now: number): number {
    return this.do(sessionOperations.send, { name, text, now });
  }

  /** The result of a custom tool that the session waits for. Gives the event's number. */
  result(
    name: string,
    use: string,
    value: { readonly content: Json; readonly isError: boolean },
    now: number,
  ): number {
    return this.do(sessionOperations.result, { name, use, ...value, now });
  }

  /** Queues a wake; one of the same key is replaced. */
  wake(name: string, wake: StoredWake, now: number): void {
    this.do(sessionOperations.wake, { name, wake, now });
  }

  /** Takes a waiting wake back. */
  cancelWake(name: string, key: string, now: number): void {
    this.do(sessionOperations.cancel_wake, { name, key, now });
  }

  /** Nothing runs it any more; what was said stays readable. */
  close(name: string, now: number): SessionRecord {
    return this.do(sessionOperations.close, { name, now });
  }

  /** Due wakes become events; gives the record as it is then. */
  fireWakes(name: string, now: number): SessionRecord {
    return this.do(sessionOperations.fire_wakes, { name, now });
  }

  /** Tells orchestration once more when it is due. */
  remind(name: string, now: number): SessionRecord {
    return this.do(sessionOperations.remind, { name, now });
  }

  // ── reading ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** Events after a number, oldest first, at most `limit`. */
  eventsAfter(name: string, after: number, limit: number): SessionEvent[] {
    return this.operations.readSync(sessionOperations.events, { name, after, limit });
  }

  /** Walks over the events after a number, without reading them all at once. */
  *eventsFrom(name: string, after: number): Generator<SessionEvent> {
    for (let at = after; ; ) {
      const page = this.eventsAfter(name, at, pageSize);
      yield* page;
      if (page.length < pageSize) return;
      at = page[page.length - 1]?.n ?? at;
    }
  }

  /** The waiting wakes, soonest first. */
  wakes(name: string): StoredWake[] {
    return this.operations.readSync(sessionOperations.wakes, { name });
  }

  /** As `memory-files.ts` has written it; null before the first commit. */
  memory(name: string): Json {
    return this.operations.readSync(sessionOperations.memory, { name });
  }

  /** What an agent has learned, the most useful first. */
  learnings(agent: string): Learning[] {
    return this.operations.readSync(sessionOperations.learnings, { agent });
  }

  /** Promoted, and perhaps not in `MEMORY.md` yet. */
  promotions(agent: string): string[] {
    return this.operations.readSync(sessionOperations.promotions, { agent });
  }

  /** They are in the file. */
  promoted(agent: string, texts: readonly string[]): void {
    this.do(sessionOperations.promoted, { agent, texts });
  }

  // ── runs ──────────────────────────────────────────────────────────────────────────────────────────────────────

  begin(name: string, token: string, batch: Batch, now: number): Begun {
    return this.do(sessionOperations.begin, { name, token, batch, now });
  }

  /** What came of a run, and what is written with it. */
  commit(
    name: string,
    token: string,
    outcome: Outcome,
    now: number,
    also: Partial<Pick<Commit, "memory" | "learned">> = {},
  ): Receipt {
    const { memory: remembered = null, learned = null } = also;
    return this.do(sessionOperations.commit, { name, token, outcome, memory: remembered, learned, now });
  }

  /** Nothing was handled: tried again later, a few times. */
  fail(name: string, token: string, message: string, now: number): SessionRecord {
    return this.do(sessionOperations.fail, { name, token, message, now });
  }

  /** A recorded run of this name is about to start. */
  beginWork(name: string, run: string, now: number): SessionRecord {
    return this.do(sessionOperations.begin_work, { name, run, now });
  }

  /** The run waits for a person; answered, it goes on. */
  suspendWork(name: string, run: string, now: number): SessionRecord {
    return this.do(sessionOperations.suspend_work, { name, run, now });
  }

  /** The run goes on. */
  resumeWork(name: string, run: string, now: number): SessionRecord {
    return this.do(sessionOperations.resume_work, { name, run, now });
  }

  /** The run is given up: what it began is pending again, and nobody failed. */
  abandonWork(name: string, now: number): SessionRecord {
    return this.do(sessionOperations.abandon_work, { name, now });
  }

  /** Its process ended without a word. What it was at goes on with the next try, which is put off a little. */
  crashedWork(name: string, message: string, now: number): SessionRecord {
    return this.do(sessionOperations.crashed_work, { name, message, now });
  }

  /** The run has ended. */
  endWork(name: string, run: string, end: WorkEnd, now: number): SessionRecord {
    return this.do(sessionOperations.end_work, { name, run, end, now });
  }

  // ── who works on it ───────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Takes the session's lease; `undefined` when this process has it already. Throws while another process has it. An
   * owner on this machine keeps it as long as it lives, one elsewhere for `ms` unless it renews.
   */
  hold(name: string, ms: number = leaseMs): Lease | undefined {
    const holder = this.store.leases.leaseOwner(sessionBox(name));
    if (holder?.owner === thisProcess()) return undefined;
    const lease = this.store.leases.take(sessionBox(name), ms);
    if (lease !== undefined) return lease;
    const who = this.holder(name) ?? "another process";
    throw new StoreError("taken", `the session ${name} is being run by ${who}`, [
      "wait until it has ended; what you send meanwhile is handled afterwards",
    ]);
  }

  /** Who runs it now, in words. */
  holder(name: string): string | undefined {
    const holder = this.store.leases.leaseOwner(sessionBox(name));
    return holder === undefined ? undefined : describeOwner(holder.owner);
  }

  private do<Args, Result>(operation: Operation<Args, Result>, args: Args): Result {
    const { step } = this;
    const options = step === undefined ? {} : { key: `${operation.name}/${step}` };
    return this.operations.operateSync(operation, args, options);
  }
}
