/**
 * The sessions of a project as work of a service (server/service/work-service.ts): each message of a mailbox `session:NAME` is a run of
 * that session in a process of its own.
 *
 *     message ─▶ free to run? ─▶ `harn session run` in a child ─▶ how did it end? ─▶ ack
 *                │ no: defer                                       │ without a word: noted, tried again later
 *
 * It decides nothing about sessions but whether one runs now; a message is only a hint, the session's own record says what is
 * to be done. So several servers may work on one store, and one that dies costs nothing.
 */
import { idOfBox, type MailboxMessage, type SessionRecord } from "../../durable/index.ts";
import { exitCode } from "../../host/command/index.ts";
import type { ChildEnd } from "../../host/index.ts";
import { ownProcess } from "../../process/index.ts";
import type { CommandTask } from "../../server/local/pool/index.ts";
import {
  jobEndText,
  type MessageSettlement,
  type WorkKindOptions,
  WorkKindService,
} from "../../server/service/index.ts";
import { StoreError } from "../../store/index.ts";
import type { SessionStore } from "../session/index.ts";

export interface SessionWorkOptions extends Omit<WorkKindOptions, "store"> {
  readonly once: boolean;
  /** After `harn session run NAME`. */
  readonly flags: readonly string[];
  /** Called with what a run prints, a line each. */
  readonly onLine: (session: string, line: string) => void;
}

/** When something that can't run now is looked at again. */
const lookAgainMs = 1000;

/** Each run has its session's lease besides the claim of its message. */
export class SessionWork extends WorkKindService {
  override readonly once: boolean;
  private readonly sessions: SessionStore;
  private readonly options: SessionWorkOptions;

  constructor(sessions: SessionStore, options: SessionWorkOptions) {
    super("session", "*", { ...options, store: sessions.store });
    this.sessions = sessions;
    this.options = options;
    this.once = options.once;
  }

  /** What was answered while nobody served is due now, not when it would be looked at again. */
  override async begin(): Promise<void> {
    for (const name of this.sessions.names()) {
      try {
        const record = this.sessions.mustFind(name);
        if (record.work?.parked === true) this.isAnswered(record);
      } catch (error) {
        // A damaged session is reported when its message is claimed.
        if (!(error instanceof StoreError)) throw error;
      }
    }
  }

  async handle(message: MailboxMessage, signal: AbortSignal): Promise<MessageSettlement> {
    const session = idOfBox(message.mailbox);
    try {
      await this.room.of(() => this.clear(session));
      if (!this.isFree(session)) return { kind: "defer", dueInMs: lookAgainMs };
      // A wake is an event from the moment it is due, however long the run takes to begin.
      this.sessions.fireWakes({ name: session, now: Date.now() });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.report(`${session}: ${error.message}`);
      return { kind: "deadLetter", reason: error.message };
    }
    return await this.run(session, signal);
  }

  /** Nobody runs it, and it does not wait for a person. */
  private isFree(session: string): boolean {
    const { sessions } = this;
    const record = sessions.mustFind(session);
    if (sessions.holder(session) !== undefined) return false;
    return record.work?.parked !== true || this.isAnswered(record);
  }

  /** Whether people have said all that a waiting run asked: then it is resumed. */
  private isAnswered({ name, work }: SessionRecord): boolean {
    if (work === null) return true;
    const questions = this.sessions.store.runs.questions.of(work.run);
    if (questions.some(({ answer }) => answer === undefined)) return false;
    this.sessions.resumeWork({ name, run: work.run, now: Date.now() });
    return true;
  }

  private async run(session: string, signal: AbortSignal): Promise<MessageSettlement> {
    try {
      const before = this.sessions.mustFind(session);
      const end = await this.child(session, signal);
      this.note(session, before, end);
      // In this order: a server that dies in between leaves a message too many, never one too few.
      this.sessions.remind({ name: session, now: Date.now() });
      return { kind: "ack" };
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.report(`${session}: ${error.message}`);
      return { kind: "defer", dueInMs: lookAgainMs };
    }
  }

  private async child(session: string, signal: AbortSignal): Promise<ChildEnd> {
    const { flags, onLine } = this.options;
    const task: CommandTask = { kind: "command", args: ["session", "run", session, ...flags], script: [] };
    const job = { cwd: ownProcess().cwd(), task };
    const [end] = await this.inChild(session, job, { onLine: (line) => onLine(session, line), signal });
    return end;
  }

  /** A run that ended without noting anything must not be begun again at once, for ever. */
  private note(session: string, before: SessionRecord, end: ChildEnd): void {
    const record = this.sessions.mustFind(session);
    const moved =
      record.runs > before.runs || record.failures !== before.failures || record.looks > before.looks;
    const wentWell = end.kind === "ended" && end.exitCode === exitCode.ok;
    const rests = record.work === null && (moved || wentWell);
    const stopped = end.kind === "killed" && end.because === "asked";
    if (stopped || rests || record.work?.parked === true) return;
    if (this.sessions.holder(session) !== undefined) return;
    const how = jobEndText(end);
    const after = this.sessions.crashedWork({
      name: session,
      message: `its process ended (${how})`,
      now: Date.now(),
    });
    const next = after.status === "failed" ? "given up" : "tried again later";
    this.report(`${session}: its process ended (${how}); ${next}`);
  }
}
