/** The activity: one attempt of a job on this worker, with its beats, and what its end means to the engine. */
import type { Context } from "@temporalio/activity";
import {
  type Attempt,
  AttemptOver,
  type Engine,
  type Job,
  JobCancelled,
  JobFailed,
  type JobProgress,
  type JobResult,
  NewerWork,
} from "../ports.ts";
import type { CarriedOrder } from "./order.ts";

type Sdk = typeof import("@temporalio/activity");

/** Failures are kept in the engine's history. */
const longestWords = 4000;
/** One that ended for a reason that is not its own is made again soon, however often that happened. */
const againMs = 1000;
/** What only a newer harn can do waits for one. */
const newerMs = 10_000;

/** Whether the engine still takes this attempt of a job for the one at work. */
export type IsCurrent = (name: string, runId: string, attempt: number) => Promise<boolean>;

interface Parts {
  readonly sdk: Sdk;
  readonly isCurrent: IsCurrent;
  readonly perform: Parameters<Engine["serve"]>[0]["perform"];
  readonly beatMs: number;
}

export class Attempts {
  private readonly parts: Parts;
  private readonly running = new Set<AbortController>();
  private ends: Set<string> | undefined;

  constructor(parts: Parts) {
    this.parts = parts;
  }

  /** Breaks off all that are at work. */
  stop(reason: AttemptOver): void {
    for (const controller of this.running) controller.abort(reason);
  }

  /** From now on the names of jobs that end are kept. */
  noteEnds(): void {
    this.ends = new Set();
  }

  endedNames(): Iterable<string> {
    return this.ends ?? [];
  }

  /** What the engine calls. */
  readonly perform = async (order: CarriedOrder): Promise<JobResult> => {
    const { Context, ApplicationFailure } = this.parts.sdk;
    const context = Context.current();
    const controller = new AbortController();
    this.running.add(controller);
    const beats = new Beats(context, this.parts.beatMs);
    const stopListening = followSignal(context, controller);
    try {
      const job = jobOf(order);
      await this.mustBeCurrent(job.name, context);
      const result = await this.parts.perform(job, portAttempt(context, controller.signal, beats));
      this.ends?.add(job.name);
      return result;
    } catch (error) {
      const { name, message } = error as Error;
      const words = { type: name, message: message.slice(0, longestWords) };
      if (error instanceof JobFailed || isCancelled(context)) this.ends?.add(order.job.name);
      if (error instanceof JobFailed) throw ApplicationFailure.create({ ...words, nonRetryable: true });
      throw this.failureOf(error, context, words);
    } finally {
      beats.stop();
      stopListening();
      this.running.delete(controller);
    }
  };

  /**
   * A worker that thaws finds attempts that it was given while it was frozen and that others have made since: they must not take the job
   * away from whoever has it. No clock tells: the clocks of two machines may be minutes apart.
   */
  private async mustBeCurrent(name: string, { info }: Context): Promise<void> {
    const runId = info.workflowExecution?.runId ?? info.activityRunId ?? "";
    if (!(await this.parts.isCurrent(name, runId, info.attempt)))
      throw new AttemptOver("the engine has given the job to another worker");
  }

  private failureOf(error: unknown, context: Context, words: { type: string; message: string }): Error {
    const { CancelledFailure, ApplicationFailure } = this.parts.sdk;
    const { paused, reset } = context.cancellationDetails ?? {};
    if (isCancelled(context) || paused === true || reset === true) return new CancelledFailure(words.message);
    if (!(error instanceof AttemptOver)) return ApplicationFailure.create(words);
    const nextRetryDelay = error instanceof NewerWork ? newerMs : againMs;
    return ApplicationFailure.create({ ...words, nextRetryDelay });
  }
}

const isCancelled = (context: Context): boolean => context.cancellationDetails?.cancelRequested === true;

/** Passes on that the engine wants the attempt to end, with why. */
function followSignal(context: Context, controller: AbortController): () => void {
  const { cancellationSignal: signal } = context;
  const pass = (): void => controller.abort(endReason(context));
  if (signal.aborted) pass();
  signal.addEventListener("abort", pass, { once: true });
  return () => signal.removeEventListener("abort", pass);
}

function endReason(context: Context): Error {
  const { cancelRequested, paused, reset, timedOut } = context.cancellationDetails ?? {};
  if (cancelRequested === true) return new JobCancelled("the job was cancelled");
  if (paused === true) return new AttemptOver("the job was paused in the engine");
  if (reset === true) return new AttemptOver("the job was reset in the engine");
  if (timedOut === true) return new AttemptOver("the attempt has taken longer than it may");
  return new AttemptOver("the engine has given the job to another worker, or ended it");
}

function portAttempt(context: Context, signal: AbortSignal, beats: Beats): Attempt {
  const { attempt, heartbeatDetails } = context.info;
  return {
    number: attempt,
    signal,
    before: lastProgress(heartbeatDetails),
    progress: (progress) => beats.report(progress),
  };
}

/** Tells the engine that the worker is there, as often as the lease wants it, and how far it has come. */
class Beats {
  private readonly context: Context;
  private readonly timer: NodeJS.Timeout;
  /** A beat without it would take away what an earlier attempt told. */
  private last: JobProgress | undefined;

  constructor(context: Context, beatMs: number) {
    this.context = context;
    this.last = lastProgress(context.info.heartbeatDetails);
    const everyMs = Math.min(beatMs, (context.info.heartbeatTimeoutMs ?? Infinity) / 3);
    this.timer = setInterval(() => this.beat(), everyMs);
  }

  report(progress: JobProgress): void {
    this.last = progress;
    this.beat();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private beat(): void {
    this.context.heartbeat(this.last);
  }
}

/** Who can write to the engine can write anything. */
function jobOf(order: unknown): Job {
  const { job } = (order ?? {}) as { readonly job?: Partial<Job> };
  if (job === undefined || typeof job.name !== "string" || !["run", "trials"].includes(job.kind ?? ""))
    throw new JobFailed("the engine carries something that is no job of harn");
  return job as Job;
}

function lastProgress(details: unknown): JobProgress | undefined {
  const { records, costUsd } = (details ?? {}) as Partial<JobProgress>;
  if (typeof records !== "number") return undefined;
  return { records, costUsd: typeof costUsd === "number" ? costUsd : null };
}
