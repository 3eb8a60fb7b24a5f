/**
 * Orchestration of sessions: takes what is due from the mailboxes (`session:NAME`) and gives each to a process of its own.
 *
 *     take ─▶ free to run? ─▶ worker process (started ahead) ─▶ how did it end? ─▶ complete
 *             │ no: postpone                                     │ without a word: noted, tried again later
 *
 * It decides nothing about sessions but whether one runs now; a letter is only a hint, the session's own record says what is
 * to be done. So several servers may work on one store, and one that dies costs nothing.
 */

import { boxOf, crashedWork, goOnWork, type SessionRecord, type SessionStore } from "../../session/index.ts";
import type { RunState } from "../../store/index.ts";
import { leaseMs, StoreError } from "../../store/index.ts";
import type { Dispatcher, Letter } from "../../worker/index.ts";
import { exitCode } from "../exit-codes.ts";
import type { SessionRunFlags } from "./run.ts";
import { type Said, type WorkerEnd, WorkerProcess } from "./worker-process.ts";

export interface ServerOptions {
  readonly jobs: number;
  readonly once: boolean;
  readonly timeoutMs: number | undefined;
  readonly flags: SessionRunFlags;
  /** Told every line that a run prints. */
  readonly said: (session: string, stream: "stdout" | "stderr", line: string) => void;
  /** Told what the server itself has to say. */
  readonly tell: (text: string) => void;
}

const boxes = boxOf("*");
/** When something that can't run now is looked at again. */
const lookAgainMs = 1000;

export class SessionServer {
  private readonly sessions: SessionStore;
  private readonly dispatcher: Dispatcher;
  private readonly options: ServerOptions;
  private readonly running = new Map<Letter, WorkerProcess>();
  private readonly stopping = new AbortController();
  private spare: WorkerProcess | undefined;
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
    if (!this.options.once) this.spare = new WorkerProcess();
    try {
      while (!this.stopping.signal.aborted) {
        const full = this.running.size >= this.options.jobs;
        const letter = full ? undefined : await this.dispatcher.take(boxes);
        if (letter !== undefined) await this.begin(letter);
        else if (this.options.once && this.running.size === 0) break;
        else await this.rest(full);
      }
      while (this.running.size > 0) await this.rest(true);
    } finally {
      clearInterval(renewal);
      this.spare?.dismiss();
    }
  }

  /** Begins no more runs. Those at work may end, or are stopped, to go on later. */
  stop(atOnce: boolean): void {
    this.stopping.abort();
    this.stir();
    if (atOnce) for (const worker of this.running.values()) worker.stop();
  }

  get busy(): number {
    return this.running.size;
  }

  /** Until something may be due, or a run has ended. */
  private async rest(onlyForRuns: boolean): Promise<void> {
    const { signal } = this.changed;
    const done = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    if (onlyForRuns || this.options.once) await done;
    else await Promise.race([done, this.dispatcher.arrival(boxes, signal).catch(() => {})]);
    this.changed = signal.aborted ? new AbortController() : this.changed;
  }

  private stir(): void {
    this.changed.abort();
  }

  private async begin(letter: Letter): Promise<void> {
    const session = letter.box.slice(boxOf("").length);
    try {
      if (!this.isFree(session)) {
        await this.dispatcher.postpone(letter, Date.now() + lookAgainMs);
        return;
      }
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.options.tell(`${session}: ${error.message}`);
      await this.dispatcher.bury(letter, error.message);
      return;
    }
    void this.work(session, letter);
  }

  /** Nobody runs it, and it does not wait for a person. */
  private isFree(session: string): boolean {
    const { sessions } = this;
    const record = sessions.mustFind(session);
    if (sessions.holder(session) !== undefined) return false;
    if (record.work?.parked !== true) return true;
    const { run } = record.work;
    const questions = sessions.store.runs.questions.of(run);
    if (questions.some(({ answer }) => answer === undefined)) return false;
    goOnWork(sessions, session, Date.now());
    return true;
  }

  private async work(session: string, letter: Letter): Promise<void> {
    const worker = this.spare?.isAlive === true ? this.spare : new WorkerProcess();
    this.spare = this.options.once ? undefined : new WorkerProcess();
    this.running.set(letter, worker);
    const before = this.sessions.mustFind(session);
    const said: Said = (stream, line) => this.options.said(session, stream, line);
    try {
      const end = await worker.run({ session, flags: this.options.flags }, said, this.options.timeoutMs);
      this.note(session, before, end);
      // In this order: a server that dies in between leaves a letter too many, never one too few.
      this.sessions.remind(session, Date.now());
      await this.dispatcher.complete(letter);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.options.tell(`${session}: ${error.message}`);
      await this.dispatcher.postpone(letter, Date.now() + lookAgainMs);
    } finally {
      this.running.delete(letter);
      this.stir();
    }
  }

  /** A run that ended without noting anything must not be begun again at once, for ever. */
  private note(session: string, before: SessionRecord, end: WorkerEnd): void {
    const record = this.sessions.mustFind(session);
    const how = end.late ? "took too long and was ended" : (end.signal ?? `exit code ${end.code}`);
    const stopped = end.code === exitCode.terminated && this.stopping.signal.aborted;
    const moved =
      record.runs > before.runs || record.failures !== before.failures || record.looks > before.looks;
    const rests = record.work === null && (moved || end.code === exitCode.ok);
    if (stopped || rests || record.work?.parked === true) return;
    if (this.sessions.holder(session) !== undefined) return;
    const state: RunState | undefined =
      record.work === null ? undefined : this.sessions.store.runs.find(record.work.run)?.state;
    const after = crashedWork(this.sessions, session, `its process ended (${how})`, Date.now());
    const next =
      after.status === "failed"
        ? "given up"
        : `tried again, ${state === undefined ? "anew" : "from where it was"}`;
    this.options.tell(`${session}: its process ended (${how}); ${next}`);
  }

  private async renew(): Promise<void> {
    for (const letter of this.running.keys()) await this.dispatcher.renew(letter);
  }
}
