/**
 * Orchestration of sessions: takes what is due from the mailboxes (`session:NAME`) and gives each to a process of its own.
 *
 *     claim ─▶ free to run? ─▶ `harn session run` in a child ─▶ how did it end? ─▶ ack
 *             │ no: defer                                        │ without a word: noted, tried again later
 *
 * It decides nothing about sessions but whether one runs now; a message is only a hint, the session's own record says what is
 * to be done. So several servers may work on one store, and one that dies costs nothing.
 */

import type { Dispatcher, MailboxMessage } from "../../durable/index.ts";
import { type SessionRecord, sessionBox } from "../../durable/index.ts";
import type { ChildPool, JobEnd } from "../../host/index.ts";
import { leaseMs, StoreError } from "../../store/index.ts";
import type { SessionStore } from "../../work/session/index.ts";
import { exitCode } from "../exit-codes.ts";
import type { CommandTask } from "../pool/pool-worker.ts";
import { LineReader } from "./line-reader.ts";

export interface ServerOptions {
  readonly jobs: number;
  readonly once: boolean;
  /** Where the children work. */
  readonly pool: ChildPool;
  /** Behind `harn session run NAME`. */
  readonly flags: readonly string[];
  /** Told what a run prints, a line each. */
  readonly said: (session: string, line: string) => void;
  /** Told what the server itself has to say. */
  readonly tell: (text: string) => void;
}

const boxes = sessionBox("*");
/** When something that can't run now is looked at again. */
const lookAgainMs = 1000;

export class SessionServer {
  private readonly sessions: SessionStore;
  private readonly dispatcher: Dispatcher;
  private readonly options: ServerOptions;
  private readonly running = new Set<MailboxMessage>();
  private readonly stopping = new AbortController();
  /** Aborted when those at work are to stop, too. */
  private readonly ending = new AbortController();
  /** Aborted when a run ends: whoever waits looks again. */
  private changed = new AbortController();

  constructor(sessions: SessionStore, dispatcher: Dispatcher, options: ServerOptions) {
    this.sessions = sessions;
    this.dispatcher = dispatcher;
    this.options = options;
  }

  /** Until it is stopped; with `once` until nothing is due. */
  async run(): Promise<void> {
    const renewal = setInterval(() => void this.renew(), leaseMs / 3);
    this.lookForAnswers();
    try {
      while (!this.stopping.signal.aborted) {
        const full = this.running.size >= this.options.jobs;
        const message = full ? undefined : await this.dispatcher.claim(boxes);
        if (message !== undefined) await this.begin(message);
        else if (this.options.once && this.running.size === 0) break;
        else await this.rest(full);
      }
      while (this.running.size > 0) await this.rest(true);
    } finally {
      clearInterval(renewal);
    }
  }

  /** What was answered while nobody served is due now, not when it would be looked at again. */
  private lookForAnswers(): void {
    for (const name of this.sessions.names()) {
      try {
        const record = this.sessions.mustFind(name);
        if (record.work?.parked === true) this.isAnswered(record);
      } catch (error) {
        // A damaged session is told of when its message is taken.
        if (!(error instanceof StoreError)) throw error;
      }
    }
  }

  /** Begins no more runs. Those at work may end, or are stopped, to go on later. */
  stop(atOnce: boolean): void {
    this.stopping.abort();
    this.stir();
    if (atOnce) this.ending.abort();
  }

  get busy(): number {
    return this.running.size;
  }

  /** Until something may be due, or a run has ended. */
  private async rest(onlyForRuns: boolean): Promise<void> {
    if (this.stopping.signal.aborted && !onlyForRuns) return;
    this.changed = new AbortController();
    const { signal } = this.changed;
    const done = new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    if (onlyForRuns || this.options.once) await done;
    else await Promise.race([done, this.dispatcher.arrival(boxes, signal).catch(() => {})]);
  }

  private stir(): void {
    this.changed.abort();
  }

  private async begin(message: MailboxMessage): Promise<void> {
    const session = message.mailbox.slice(sessionBox("").length);
    try {
      if (!this.isFree(session)) {
        await this.dispatcher.defer(message, Date.now() + lookAgainMs);
        return;
      }
      // A wake is an event from the moment it is due, however long the run takes to begin.
      this.sessions.fireWakes(session, Date.now());
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.options.tell(`${session}: ${error.message}`);
      await this.dispatcher.deadLetter(message, error.message);
      return;
    }
    void this.work(session, message);
  }

  /** Nobody runs it, and it does not wait for a person. */
  private isFree(session: string): boolean {
    const { sessions } = this;
    const record = sessions.mustFind(session);
    if (sessions.holder(session) !== undefined) return false;
    return record.work?.parked !== true || this.isAnswered(record);
  }

  /** Whether people have said all that a parked run asked: then it goes on. */
  private isAnswered({ name, work }: SessionRecord): boolean {
    if (work === null) return true;
    const questions = this.sessions.store.runs.questions.of(work.run);
    if (questions.some(({ answer }) => answer === undefined)) return false;
    this.sessions.resumeWork(name, work.run, Date.now());
    return true;
  }

  private async work(session: string, message: MailboxMessage): Promise<void> {
    this.running.add(message);
    try {
      const before = this.sessions.mustFind(session);
      const end = await this.child(session);
      this.note(session, before, end);
      // In this order: a server that dies in between leaves a message too many, never one too few.
      this.sessions.remind(session, Date.now());
      await this.dispatcher.ack(message);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.options.tell(`${session}: ${error.message}`);
      await this.dispatcher.defer(message, Date.now() + lookAgainMs);
    } finally {
      this.running.delete(message);
      this.stir();
    }
  }

  private async child(session: string): Promise<JobEnd> {
    const { pool, flags, said } = this.options;
    const lines = new LineReader((line) => said(session, line));
    const task: CommandTask = { kind: "command", args: ["session", "run", session, ...flags], script: [] };
    const job = { cwd: process.cwd(), task };
    const end = await pool.run(job, { onOutput: (text) => lines.read(text), signal: this.ending.signal });
    lines.end();
    return end;
  }

  /** A run that ended without noting anything must not be begun again at once, for ever. */
  private note(session: string, before: SessionRecord, end: JobEnd): void {
    const record = this.sessions.mustFind(session);
    const moved =
      record.runs > before.runs || record.failures !== before.failures || record.looks > before.looks;
    const wentWell = end.kind === "ended" && end.exitCode === exitCode.ok;
    const rests = record.work === null && (moved || wentWell);
    const stopped = end.kind === "killed" && end.because === "asked";
    if (stopped || rests || record.work?.parked === true) return;
    if (this.sessions.holder(session) !== undefined) return;
    const how = endText(end);
    const after = this.sessions.crashedWork(session, `its process ended (${how})`, Date.now());
    const next = after.status === "failed" ? "given up" : "tried again later";
    this.options.tell(`${session}: its process ended (${how}); ${next}`);
  }

  private async renew(): Promise<void> {
    for (const message of this.running) await this.dispatcher.renew(message);
  }
}

function endText(end: JobEnd): string {
  switch (end.kind) {
    case "ended":
      return `exit code ${end.exitCode}`;
    case "died":
      return end.signal ?? `exit code ${end.exitCode}`;
    case "killed":
      return killedTexts[end.because];
  }
}
const killedTexts = {
  time: "it took too long",
  memory: "it took too much memory",
  stuck: "it computed without end",
  asked: "it was stopped",
} as const;
