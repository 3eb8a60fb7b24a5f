/**
 * The runs of conversations inside one transaction: a message is taken, its run ends, goes on, is stopped. Who has the
 * conversation's queued message takes; who took it ends it.
 */

import type { AgentFailure, Json } from "../../../effects/index.ts";
import { StoreError } from "../../../store/index.ts";
import type { ConversationState } from "../../conversation-states.ts";
import type { RowOf } from "../../tables.ts";
import { durableKinds } from "../status.ts";
import { askedToGoOn, Conversations, messageOf, type SaidMessage } from "./conversations.ts";
import { openEnds } from "./open-ends.ts";
import { questionId } from "./questions.ts";
import type { ConversationRun, ResumeCause, StoredConversation } from "./record.ts";

const withdrawnSpace = "question.withdrawn";

export type ClaimResult =
  /** Nothing is to be done. */
  | { readonly kind: "none"; readonly record: StoredConversation | null }
  /** The run was given up: three deaths. */
  | { readonly kind: "failed"; readonly record: StoredConversation }
  /** A new run of this name is to be started for the message. */
  | {
      readonly kind: "start";
      readonly run: string;
      readonly message: SaidMessage;
      readonly record: StoredConversation;
    }
  /** This run is to be resumed; when it has no journal yet, started for the message. */
  | {
      readonly kind: "resume";
      readonly run: string;
      readonly because: ResumeCause;
      readonly message: SaidMessage | null;
      readonly record: StoredConversation;
    };

export interface TakeRun {
  readonly id: string;
  /** Name for a new run. */
  readonly run: string;
  /** Records of the journal of the run at work; 0 without. */
  readonly records: number;
  /** Its process ended by itself: that counts. One that ended with its server is no fault of the run. */
  readonly died: boolean;
  readonly now: number;
}

/** What an open request says that wants a run parked, not stopped. */
export const pausing = "pause";

/** Why a conversation in another state than `interrupted`, `paused` or `failed` can't be told to go on. */
const whyNoResume = {
  idle: "nothing was stopped; a message begins a run",
  queued: "it goes on by itself",
  processing: "its run is at work",
  waiting: "it goes on when its questions are answered",
} as const;

/** `waiting`: only questions are left. `resumable`: it was stopped in good order and goes on at the next start. */
export const runEnds = ["done", "failed", "interrupted", "waiting", "resumable"] as const;
export type RunEndStatus = (typeof runEnds)[number];
export type InterruptKind = "unwound" | "killed" | "idle";

export interface EndRun {
  readonly id: string;
  readonly run: string;
  readonly status: RunEndStatus;
  readonly exitCode: number | null;
  readonly error: string | null;
  /** How its agent ended that did not do its work, of a run that is done. */
  readonly outcome?: AgentFailure;
  /** Of an interrupted one. */
  readonly how: "unwound" | "killed" | null;
  readonly now: number;
}

export interface NewInterrupt extends Pick<RowOf<"interrupt">, "by" | "reason"> {
  /** `i_…` */
  readonly interrupt: string;
}

/** Whether an end of the run is still to be told: a run that was to go on, or to begin, has none. */
const isOpenRun = ({ state }: StoredConversation, { because, isOpen }: ConversationRun): boolean =>
  state !== "queued" || because === "crash" || isOpen === true;

export class ConversationRuns extends Conversations {
  take({ id, run, records, died, now }: TakeRun): ClaimResult {
    const record = this.find(id);
    if (record === undefined) return { kind: "none", record: null };
    const { state, work } = record;
    if (state === "queued")
      return work === null
        ? this.start(record, run, now)
        : this.resumeRun(record, work, work.because, records, now);
    if (state === "waiting" && work !== null && this.isAnswered(work.run))
      return this.resumeRun(record, work, "answer", records, now);
    if (state === "processing" && work !== null) return this.afterDeath(record, work, { records, died }, now);
    return { kind: "none", record };
  }

  private start(record: StoredConversation, run: string, now: number): ClaimResult {
    const [row] = this.waiting(record.id);
    if (row === undefined) return { kind: "none", record: this.move(record, "idle", now) };
    const { id } = record;
    this.tx.write("message", { ...row, state: "taken", run });
    this.tx.write("conversation_run", {
      run,
      conversation: id,
      message: row.id,
      began: now,
      ended: null,
      status: null,
    });
    const since = record.head + 1;
    const work = { run, message: row.id, since, deaths: 0, records: 0, because: null };
    let next: StoredConversation = { ...record, work, queued: record.queued - 1 };
    next = this.log(next, "message.taken", { message: row.id }, now, { run });
    next = this.log(next, "run.start", { message: row.id, agent: record.agent }, now, { run });
    next = this.move(next, "processing", now);
    return { kind: "start", run, message: messageOf({ ...row, state: "taken", run }), record: next };
  }

  private resumeRun(
    record: StoredConversation,
    work: ConversationRun,
    because: ResumeCause | null,
    records: number,
    now: number,
  ): ClaimResult {
    const deaths = because === "crash" ? work.deaths : 0;
    const { isOpen: _, ...begun } = work;
    const next: ConversationRun = { ...begun, because: null, deaths, records };
    let logged: StoredConversation = { ...record, work: next };
    const why = because ?? "crash";
    // A run that never began has no journal: it is begun, and its log says so once.
    if (because === null)
      logged = this.log(logged, "run.start", startOfWork(record, work), now, { run: work.run });
    else logged = this.log(logged, "run.resumed", { because: why }, now, { run: work.run });
    logged = this.move(logged, "processing", now);
    const row = work.message === null ? undefined : this.messageRow(work.message);
    const message = row === undefined ? null : messageOf(row);
    return { kind: "resume", run: work.run, because: why, message, record: logged };
  }

  /** The message was handed out again: whoever took it is gone, and the run's process with it. */
  private afterDeath(
    record: StoredConversation,
    work: ConversationRun,
    { records, died: byItself }: Pick<TakeRun, "records" | "died">,
    now: number,
  ): ClaimResult {
    const before = records > work.records ? 0 : work.deaths;
    const deaths = byItself ? before + 1 : before;
    const died = this.closeOpen({ ...record, work: { ...work, deaths } }, work, now);
    const open = this.openInterrupt(record.id);
    if (open?.how === pausing) return { kind: "none", record: this.parked(died, open, now) };
    if (open !== undefined) return { kind: "none", record: this.stopped(died, work, "killed", now) };
    if (deaths < durableKinds.conversation.deaths)
      return this.resumeRun(died, { ...work, deaths }, "crash", records, now);
    const error = `its process died ${deaths} times at the same place`;
    return {
      kind: "failed",
      record: this.finish(died, work, { status: "failed", exitCode: null, error }, now),
    };
  }

  /** Ends a run. Who is not its owner any more gets a `StoreError` "taken". */
  end({ id, run, status, exitCode, error, outcome, how, now }: EndRun): StoredConversation {
    const record = this.mustFind(id);
    const { work } = record;
    if (work?.run !== run || record.state !== "processing")
      throw new StoreError("taken", `the conversation ${id} is not working on the run ${run}`);
    const open = this.openInterrupt(id);
    const isToPark = open?.how === pausing;
    if (status === "interrupted" || (open !== undefined && !isToPark))
      return this.stopped(this.closeOpen(record, work, now), work, how ?? "unwound", now);
    if (status === "resumable") {
      const closed = this.closeOpen({ ...record, work: { ...work, because: "crash" } }, work, now);
      if (isToPark) return this.parked(closed, open, now);
      const queued = this.move(closed, "queued", now, "stopped");
      this.send(id);
      return queued;
    }
    const ended = status === "waiting" ? record : this.closeOpen(record, work, now);
    const why = error ?? outcome?.why ?? null;
    const finished = this.finish(
      ended,
      work,
      { status, exitCode, error: why, ...(outcome && { outcome }) },
      now,
    );
    return isToPark ? this.parked(finished, open, now) : finished;
  }

  private finish(
    record: StoredConversation,
    work: ConversationRun,
    { status, exitCode, error, outcome }: Pick<EndRun, "status" | "exitCode" | "error" | "outcome">,
    now: number,
  ): StoredConversation {
    const { run } = work;
    const [known] = this.tx.rows("conversation_run", { run }, 1);
    if (known !== undefined)
      this.tx.write("conversation_run", { ...known, ended: status === "waiting" ? null : now, status });
    const settled = status === "waiting" ? record : this.settleMessages(record, work, status === "done");
    const data = { status, exit_code: exitCode, error, outcome: outcome?.status ?? null };
    const logged = this.log({ ...settled, outcome: data.outcome }, "run.end", data, now, { run });
    if (status === "waiting") {
      // An answer that came while it parked is not lost.
      if (this.isAnswered(run)) this.send(record.id);
      return this.move(logged, "waiting", now);
    }
    if (status === "failed") return this.move(logged, "failed", now, error ?? "");
    if (status === "interrupted") return this.move(logged, "interrupted", now);
    const left = { ...logged, work: null };
    if (left.queued === 0) return this.move(left, "idle", now, outcome?.why ?? "");
    this.send(record.id);
    return this.move(left, "queued", now);
  }

  /**
   * What the run received and did not come to say waits again; when it is resumed, its journal knows that it was received. Its
   * own message is answered.
   */
  private settleMessages(
    record: StoredConversation,
    { run, message }: ConversationRun,
    done: boolean,
  ): StoredConversation {
    let { queued } = record;
    for (const row of this.tx.rows("message", { conversation: record.id, state: "taken" }, 1000)) {
      if (row.run !== run) continue;
      if (row.id === message) {
        if (done) this.tx.write("message", { ...row, state: "said" });
        continue;
      }
      this.tx.write("message", { ...row, state: "queued", run: null });
      queued++;
    }
    return { ...record, queued };
  }

  /** Calls and loops that have no end in the log get one. */
  private closeOpen(record: StoredConversation, work: ConversationRun, now: number): StoredConversation {
    this.tx.remove("partial", { stream: record.id });
    const ends = openEnds(this.tx, record.id, work.since, work.run, now);
    if (ends.length === 0) return record;
    return this.put({ ...record, head: this.tx.append(record.id, ends) }, now);
  }

  // ── going on, stopping ────────────────────────────────────────────────────────────────────────────────────────

  /** Goes on with what was stopped or failed, else with what waits. */
  resume(id: string, now: number): StoredConversation {
    const record = this.mustFind(id);
    const { state, work } = record;
    if (state !== "interrupted" && state !== "paused" && state !== "failed")
      throw new StoreError("taken", `the conversation is ${state}: ${whyNoResume[state]}`);
    if (work === null && record.queued === 0)
      throw new StoreError("invalid", "nothing was stopped and nothing waits: say something");
    const queued = this.move({ ...record, work: askedToGoOn(work) }, "queued", now);
    this.send(id);
    return queued;
  }

  /** Asks for the run to be stopped; what only waits is stopped at once. The same again while one works on it. */
  interrupt(
    id: string,
    { interrupt, by, reason }: NewInterrupt,
    now: number,
  ): { readonly interrupt: RowOf<"interrupt"> | null; readonly record: StoredConversation } {
    const record = this.mustFind(id);
    const open = this.openInterrupt(id);
    if (open !== undefined) return { interrupt: open, record };
    const { state, work } = record;
    if (state !== "processing" && state !== "queued" && state !== "waiting")
      return { interrupt: null, record };
    const run = work?.run ?? null;
    const row = { id: interrupt, run, conversation: id, asked: now, by, reason, done: null, how: null };
    this.tx.write("interrupt", row);
    const logged = this.log(record, "interrupt.requested", { by, reason }, now, { run });
    if (state === "processing") return { interrupt: row, record: logged };
    this.clearMailbox(id);
    // What stands still in a call that asks will not come to its end.
    const closed = work === null ? logged : this.closeOpen(logged, work, now);
    const stopped = this.stopped(closed, work, "idle", now);
    return { interrupt: { ...row, done: now, how: "idle" }, record: stopped };
  }

  /**
   * Parks what works for a conversation, resumably: a run is asked to end where it is, what only waits stands still at once. Nothing
   * where nothing works or waits, or where somebody stops it already.
   */
  pause(
    id: string,
    { interrupt, by, reason }: NewInterrupt & { readonly reason: string },
    now: number,
  ): StoredConversation {
    const record = this.mustFind(id);
    const { state, work } = record;
    if (this.openInterrupt(id) !== undefined) return record;
    if (state === "queued" || state === "waiting") return this.standStill(record, reason, now);
    if (state !== "processing") return record;
    const run = work?.run ?? null;
    const row = { id: interrupt, run, conversation: id, asked: now, by, reason, done: null, how: pausing };
    this.tx.write("interrupt", row);
    return record;
  }

  /** The run that was to be parked has ended, or come to its questions: what is left stands still. */
  private parked(record: StoredConversation, open: RowOf<"interrupt">, now: number): StoredConversation {
    this.tx.write("interrupt", { ...open, done: now, how: "paused" });
    const isLeft = record.state !== "idle" && record.state !== "failed";
    return isLeft ? this.standStill(record, open.reason ?? "", now) : record;
  }

  private standStill(record: StoredConversation, why: string, now: number): StoredConversation {
    this.clearMailbox(record.id);
    const { work } = record;
    const isOpen = work !== null && isOpenRun(record, work);
    return this.move(isOpen ? { ...record, work: { ...work, isOpen } } : record, "paused", now, why);
  }

  /** The run is gone: everything about it is closed, and nothing of it comes after this. */
  private stopped(
    record: StoredConversation,
    work: ConversationRun | null,
    how: InterruptKind,
    now: number,
  ): StoredConversation {
    const open = this.openInterrupt(record.id);
    const { by, reason, asked } = open ?? { by: "server", reason: null, asked: now };
    if (open !== undefined) this.tx.write("interrupt", { ...open, done: now, how });
    const run = work?.run ?? null;
    let logged = run === null ? record : this.withdrawQuestions(record, run, by, now);
    const ms = Math.max(0, now - asked);
    logged = this.log(logged, "run.interrupted", { by, reason, how, ms }, now, { run });
    if (work === null || !isOpenRun(record, work)) return this.move(logged, "interrupted", now);
    return this.finish(logged, work, { status: "interrupted", exitCode: null, error: null }, now);
  }

  openInterrupt(conversation: string): RowOf<"interrupt"> | undefined {
    return this.tx.rows("interrupt", { conversation, done: null }, 1)[0];
  }

  // ── questions ─────────────────────────────────────────────────────────────────────────────────────────────────

  private questionRows(run: string) {
    const [row] = this.tx.rows("run", { name: run }, 1);
    return row === undefined ? [] : this.tx.rows("question", { run: row.id }, 1000);
  }

  private isAnswered(run: string): boolean {
    return this.questionRows(run).some(({ answer }) => answer !== null);
  }

  private withdrawQuestions(
    record: StoredConversation,
    run: string,
    by: string,
    now: number,
  ): StoredConversation {
    let logged = record;
    for (const row of this.questionRows(run)) {
      if (row.answer !== null) continue;
      const question = questionId(run, row.place);
      this.tx.remove("question", { run: row.run, place: row.place });
      this.tx.put(withdrawnSpace, question, { by, at: now });
      logged = this.log(logged, "question.withdrawn", { question }, now, { run });
    }
    return logged;
  }

  withdrawnAt(question: string): number | null {
    const mark = this.tx.get(withdrawnSpace, question) as { readonly at: number } | undefined;
    return mark?.at ?? null;
  }

  /** A question of a run was answered: its conversation is told, and one that waits is to go on. */
  answered(run: string, place: string, answer: Json, by: string, now: number): void {
    const [known] = this.tx.rows("conversation_run", { run }, 1);
    const record = known === undefined ? undefined : this.find(known.conversation);
    if (record === undefined) return;
    const question = questionId(run, place);
    const logged = this.log(
      record,
      "question.answered",
      { question, answer, by },
      now,
      { run },
      `${run}/${question}/answered`,
    );
    if (logged.state === ("waiting" satisfies ConversationState)) this.send(logged.id);
  }
}

const startOfWork = ({ agent }: StoredConversation, { message }: ConversationRun): Json => ({
  message,
  agent,
});
