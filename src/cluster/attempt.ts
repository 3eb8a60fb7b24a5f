/**
 * One attempt of a job on a worker, whatever its kind:
 *
 *     take (fence + 1) ─▶ begin ─▶ a child of the pool ─▶ how did it end? ─▶ end noted ─▶ result
 *                          │ over already: noted           │ stopped: noted, no further attempt
 *                          │ refused: JobFailed            │ not the job's fault: AttemptOver, made again and not counted
 *                                                          └ died: made again; the third one without a new record fails for good
 *
 * A child that is frozen for longer than the lease is killed. It writes under the fence; who was taken over is refused before its next
 * effect. Of two attempts of a job on one worker the earlier one makes way first: they share what the job has here.
 */
import { setTimeout as later } from "node:timers/promises";
import { JournalProblem } from "../effects/index.ts";
import { exitCode } from "../host/command/index.ts";
import type { ChildEnd, ChildPool, JobChild, PoolJob } from "../host/index.ts";
import { ChildOutput, jobEndText } from "../server/service/index.ts";
import { isDiskFull, isFrozen, StoreError } from "../store/index.ts";
import type { ChildWord, RestWord } from "./child-words.ts";
import {
  type Attempt,
  AttemptOver,
  type ClusterSettings,
  type Job,
  JobCancelled,
  JobFailed,
  type JobResult,
  type Journals,
  maxDeaths,
  NewerWork,
  type TakenJob,
} from "./ports.ts";

/** How a job ended, with what its sender is to have of it (`Journals.end`). */
export type EndedJob = JobResult & { readonly result?: Uint8Array };

/** What a kind of jobs makes of one that was taken. */
export interface JobWork {
  /**
   * Puts what was taken where the child finds it. Gives what the child is to do; or the end that an earlier attempt came to, and could
   * not note. Throws a `JobFailed` where the job is none for this worker.
   */
  begin(): Promise<{ readonly child: PoolJob } | { readonly ended: EndedJob }>;
  /** Records that count: what tells whether an attempt got on. */
  records(): number;
  /** What is noted at the end of a child that ended by itself; `undefined`: the job has not ended. */
  end(exitCode: number): EndedJob | undefined;
  /** Nothing more is done here. `isOver`: and nowhere else. */
  close(isOver: boolean): Promise<void> | void;
}

/** An attempt at work on this worker. */
export interface JobAtWork {
  /** For good. */
  stop(why: string): void;
  /** Somebody else has the job: resolves when nothing of this attempt is left. */
  makeWay(): Promise<void>;
}

export interface AttemptPorts {
  readonly settings: Pick<ClusterSettings, "leaseMs">;
  readonly journals: Journals;
  readonly pool: Pick<ChildPool, "run">;
  /** Names this worker in the database. */
  readonly worker: string;
  readonly work: (job: Job, taken: TakenJob) => JobWork;
  /** Jobs at work, so that a request to stop reaches them. */
  readonly atWork: Map<string, JobAtWork>;
  /** For whoever operates the worker. */
  readonly report: (line: string) => void;
}

/** How long what was asked to stop may unwind: all of it is over within 2 s. */
const unwindMs = 1500;
/** How long a child has to write what it has when the job goes on elsewhere. */
const restMs = 5000;
/** Between two looks whether a child is frozen. */
const lookMs = 1000;
const lastWords = 600;

export async function attemptJob(job: Job, attempt: Attempt, ports: AttemptPorts): Promise<JobResult> {
  const taken = await orAttemptOver(() => ports.journals.take(job.name, ports.worker));
  return await new JobAttempt(job, attempt, ports, taken).perform();
}

/** What fails in the database is no fault of the job. */
async function orAttemptOver<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreError && error.fault === "missing") throw new JobFailed(error.message);
    throw verdictOn(error) ?? new AttemptOver((error as Error).message, { cause: error });
  }
}

/** What an error says of the job: that nobody can do it, or this worker can't now. `undefined`: nothing. */
function verdictOn(error: unknown): JobFailed | AttemptOver | undefined {
  if (error instanceof JobFailed || error instanceof AttemptOver) return error;
  if (error instanceof JournalProblem) return new JobFailed(error.message);
  if (!(error instanceof StoreError) && !isDiskFull(error)) return undefined;
  const { message, advice = [], fault } = error as Error & Partial<StoreError>;
  const Over = fault === "newer" ? NewerWork : AttemptOver;
  return new Over([message, ...advice].join("\n  "), { cause: error });
}

class JobAttempt implements JobAtWork {
  private readonly job: Job;
  private readonly attempt: Attempt;
  private readonly ports: AttemptPorts;
  private readonly taken: TakenJob;
  private readonly work: JobWork;
  private child: JobChild | undefined;
  private ending: Exclude<ChildWord, { readonly type: "progress" }> | undefined;
  /** Somebody wants the job to end. */
  private stopped: string | undefined;
  /** Another attempt on this worker has the job. */
  private lost: AttemptOver | undefined;
  private frozenSince: number | undefined;
  private isOver = false;
  private readonly gone = Promise.withResolvers<void>();

  constructor(job: Job, attempt: Attempt, ports: AttemptPorts, taken: TakenJob) {
    this.job = job;
    this.attempt = attempt;
    this.ports = ports;
    this.taken = taken;
    this.work = ports.work(job, taken);
  }

  async perform(): Promise<JobResult> {
    const { atWork } = this.ports;
    const { name } = this.job;
    const { signal } = this.attempt;
    const onAbort = (): void => this.aborted();
    const earlier = atWork.get(name);
    atWork.set(name, this);
    signal.addEventListener("abort", onAbort);
    const look = setInterval(() => this.look(), lookMs);
    try {
      await earlier?.makeWay();
      if (this.taken.stop !== undefined) this.stopped = this.taken.stop;
      if (signal.aborted) this.aborted();
      return await this.settled(() => this.performed());
    } finally {
      clearInterval(look);
      signal.removeEventListener("abort", onAbort);
      await this.closed();
      if (atWork.get(name) === this) atWork.delete(name);
      this.gone.resolve();
    }
  }

  /** What can't be removed is no part of how the job ended. */
  private async closed(): Promise<void> {
    try {
      await this.work.close(this.isOver);
    } catch (error) {
      const { name } = this.job;
      this.ports.report(`what ${name} left on this worker can't be removed: ${(error as Error).message}`);
    }
  }

  makeWay(): Promise<void> {
    this.lost = new AttemptOver("the engine has given the job to this worker once more");
    this.child?.kill();
    return this.gone.promise;
  }

  /** An attempt that ends for a reason that is not the job's says so, that nobody takes it for a death. */
  private async settled(perform: () => Promise<JobResult>): Promise<JobResult> {
    try {
      return await perform();
    } catch (error) {
      const { journals } = this.ports;
      const { name } = this.job;
      const { fence } = this.taken;
      const verdict = verdictOn(error);
      // Else the database would count it among what is to be handed out again. Nobody loses by its staying there.
      if (verdict instanceof JobFailed)
        await journals.end(name, fence, this.endWith(exitCode.failed)).catch(() => {});
      // Where it can't be said now, `journals` says it before it takes the next job.
      if (verdict instanceof AttemptOver) await journals.leave(name, fence).catch(() => {});
      throw verdict ?? error;
    }
  }

  private async performed(): Promise<JobResult> {
    if (this.taken.unreadable !== undefined) throw this.taken.unreadable;
    const begun = await this.work.begin();
    if ("ended" in begun) return await this.ended(begun.ended);
    if (this.taken.isAbandoned) await this.mustGetOn("its worker was gone");
    if (this.stopped !== undefined) return await this.ended(this.endWith(exitCode.terminated));
    this.mustGoOn();
    const output = new ChildOutput(() => {});
    const end = await this.ports.pool.run(begun.child, {
      onOutput: (text) => output.add(text),
      onMessage: (word) => this.listen(word as ChildWord),
      onStart: (_mark, child) => this.started(child),
    });
    output.end();
    this.child = undefined;
    return await this.childEnded(end, output.error() ?? output.last(lastWords));
  }

  private started(child: JobChild): void {
    this.child = child;
    // It may have been asked for while the child was made.
    if (this.stopped !== undefined || this.lost !== undefined) child.kill();
    else if (this.attempt.signal.aborted) this.rest();
  }

  private async childEnded(end: ChildEnd, words: string): Promise<JobResult> {
    if (this.stopped !== undefined) {
      const unwound = end.kind === "ended" ? this.work.end(end.exitCode) : undefined;
      return await this.ended(unwound ?? this.endWith(exitCode.terminated));
    }
    if (end.kind === "ended" && this.ending === undefined) {
      const noted = this.work.end(end.exitCode);
      if (noted !== undefined) return await this.ended(noted);
    }
    this.mustGoOn();
    if (this.ending?.type === "over") throw new AttemptOver(this.ending.words);
    if (this.ending?.type === "failed") throw new JobFailed(this.ending.words);
    const how = jobEndText(end);
    return await this.mustGetOn(words === "" ? how : `${how}: ${words}`, true);
  }

  /** Counts a death: of this attempt, or of the one before, of which nobody has said how it ended. */
  private async mustGetOn(how: string): Promise<void>;
  private async mustGetOn(how: string, isThisOne: true): Promise<never>;
  private async mustGetOn(how: string, isThisOne = false): Promise<void> {
    const { journals } = this.ports;
    const deaths = await orAttemptOver(() => journals.died(this.job.name, this.work.records()));
    if (deaths >= maxDeaths)
      throw new JobFailed(`${maxDeaths} attempts in a row ended without getting on, the last one so: ${how}`);
    if (isThisOne) throw new Error(how);
  }

  private async ended(end: EndedJob): Promise<JobResult> {
    const { journals } = this.ports;
    await orAttemptOver(() => journals.end(this.job.name, this.taken.fence, end));
    this.isOver = true;
    const { exitCode: code, records } = end;
    return { exitCode: code, records };
  }

  /** Of a job that did not come to an end of its own. */
  private endWith(code: number): JobResult {
    return { exitCode: code, records: this.recordsThere() };
  }

  /** None of one that was refused before it lay here. */
  private recordsThere(): number {
    try {
      return this.work.records();
    } catch (error) {
      if (error instanceof JournalProblem || (error instanceof StoreError && error.fault === "missing"))
        return 0;
      throw error;
    }
  }

  // ── what comes from outside while it lasts ────────────────────────────────────────────────────────────────────────

  private listen(word: ChildWord): void {
    if (word.type !== "progress") this.ending = word;
    else this.attempt.progress({ records: word.records, costUsd: word.costUsd });
  }

  /** The engine hears of the worker, whatever its child does. */
  private look(): void {
    if (this.child === undefined || !isFrozen(this.child.pid)) {
      this.frozenSince = undefined;
      return;
    }
    this.frozenSince ??= performance.now();
    if (performance.now() - this.frozenSince > this.ports.settings.leaseMs) this.child.kill();
  }

  /** For good: it unwinds, and is killed with all that it started. */
  stop(why: string): void {
    if (this.stopped !== undefined) return;
    this.stopped = why;
    this.child?.interrupt(unwindMs);
  }

  private aborted(): void {
    const { reason } = this.attempt.signal;
    if (reason instanceof JobCancelled) this.stop(reason.message);
    else this.rest();
  }

  /** Another attempt goes on with it. */
  private rest(): void {
    const { child } = this;
    if (child === undefined) return;
    child.send({ type: "rest" } satisfies RestWord);
    void later(restMs, undefined, { ref: false }).then(() => child.kill());
  }

  private mustGoOn(): void {
    if (this.lost !== undefined) throw this.lost;
    const { aborted, reason } = this.attempt.signal;
    if (!aborted || this.stopped !== undefined) return;
    throw reason instanceof AttemptOver ? reason : new AttemptOver(String(reason));
  }
}
