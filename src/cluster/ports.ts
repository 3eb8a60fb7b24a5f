/**
 * What runs and trials on many machines are made of (docs/cluster.md): an engine that hands out jobs, a database that holds the copies
 * of journals at work, and workers. Nobody but `src/cluster/engine/` names the engine's client, nobody but `src/cluster/journals/` SQL.
 */
import type { Json } from "../effects/index.ts";
import { UsageError } from "../host/command/index.ts";
import type { CarriedRun } from "../store/copies/index.ts";

export type { CarriedRun };

/** `[cluster]` of harn.toml, with what it names of the environment. Secrets in it are for the two connections only. */
export interface ClusterSettings {
  readonly engine: {
    /** host:port */
    readonly address: string;
    readonly namespace: string;
    readonly tls: boolean;
    /** PEM: who signs the engine's certificate, where that is none of the usual authorities. */
    readonly ca?: string | undefined;
    /** PEM: what this side shows of itself. */
    readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
    readonly apiKey?: string | undefined;
  };
  /** `postgres://…`; with its password. */
  readonly journals: string;
  readonly queue: string;
  /** How long nothing may be heard of a worker; milliseconds. */
  readonly leaseMs: number;
  /** Tells projects apart that share an engine or a database: part of every name in both. */
  readonly project: string;
}

export type JobKind = "run" | "trials";

/** How a job is to be done; the database keeps it too, so that it can be handed out again when the engine has lost it. */
export interface JobOrder {
  /** Flags of a run that the sender gave (model, provider, limits …): never what the worker may do. */
  readonly flags: Json;
}

/** What the engine carries: small. What it is about lies in the database, under the same name. */
export interface Job extends JobOrder {
  readonly kind: JobKind;
  /** Of the run, or of the chunk of trials: one at a time of a name. */
  readonly name: string;
}

export interface JobResult {
  readonly exitCode: number;
  /** Records of its journals. */
  readonly records: number;
}

/** What the engine is told while a job is at work. */
export interface JobProgress {
  readonly records: number;
  readonly costUsd: number | null;
}

export type JobEnd =
  | { readonly kind: "done"; readonly result: JobResult }
  | { readonly kind: "cancelled" }
  /** For good: `words` are the last of it. */
  | { readonly kind: "failed"; readonly words: string };

/** One attempt of a job, to the worker that makes it. */
export interface Attempt {
  readonly number: number;
  /**
   * Aborted with `JobCancelled` when the job was cancelled: what `perform` returns then is the job's end all the same. With
   * `AttemptOver` when it goes on elsewhere: the worker stops at once, somebody paused it, or the engine took it for dead.
   */
  readonly signal: AbortSignal;
  /** What an earlier attempt told last. */
  readonly before: JobProgress | undefined;
  progress(progress: JobProgress): void;
}

/** An attempt that ended for a reason that is not the job's (worker drained, database away): it is made again, and is not counted. */
export class AttemptOver extends Error {
  override name = "AttemptOver";
}

/** What this worker can't do, and a newer harn can. */
export class NewerWork extends AttemptOver {
  override name = "NewerWork";
}

/** Whether an engine says that it knows no job of this name. */
export const isUnknownJob = (error: unknown): boolean =>
  error instanceof UsageError && error.code === "HARN-CLU-010";

/** Why the signal of an attempt is aborted when somebody cancelled the job. */
export class JobCancelled extends Error {
  override name = "JobCancelled";
}

/** Failed for good: no further attempt. */
export class JobFailed extends Error {
  override name = "JobFailed";
}

export interface Engine {
  /** When there is one of that name at work, that one is meant. */
  start(job: Job): Promise<void>;
  /** Waits; also while the engine is away. Throws when there is no such job. */
  ended(name: string, signal?: AbortSignal): Promise<JobEnd>;
  cancel(name: string): Promise<void>;
  /** Whether a job of that name is at work or waits. */
  isOpen(name: string): Promise<boolean>;
  /** Takes jobs, at most `jobs` at once, until `stop`. `perform` may throw `AttemptOver`, `JobFailed` or anything (a death). */
  serve(options: {
    readonly jobs: number;
    readonly queues: readonly string[];
    readonly perform: (job: Job, attempt: Attempt) => Promise<JobResult>;
  }): Promise<ServedJobs>;
  /** For `harn cluster check`: lines about version and rights. Throws when it can't be reached. */
  check(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface ServedJobs {
  /** Takes no more; resolves when those at work have ended. `now`: their attempts are aborted, others go on with them. */
  drain(now?: boolean): Promise<void>;
  /** When it ended by itself: with an error when it could not go on. */
  readonly ended: Promise<void>;
}

/** What is put into the database before a job is handed out. */
export interface JobGoods {
  readonly name: string;
  readonly kind: JobKind;
  /** Questions of its run that people have answered, by place, as the sender's store keeps them (`Questions.kept`). */
  readonly answers?: Readonly<Record<string, Json>>;
  /** How it is to be done, for the day that the engine has lost it. */
  readonly order?: JobOrder | undefined;
  /** Of a chunk: a set file. */
  readonly file?: Uint8Array;
  /** The runs that it begins with. */
  readonly runs: readonly CarriedRun[];
}

/** A job that is this process's until somebody else takes it. */
export interface TakenJob extends JobGoods {
  /** Whoever has the highest may write. */
  readonly fence: number;
  /** The attempt before this one said nothing of its end (`died`, `leave`, `end`): its worker is gone. */
  readonly isAbandoned: boolean;
  /** Somebody had asked to stop it before it was taken: why. */
  readonly stop?: string | undefined;
  /** Why nothing of it is here: it is damaged, a newer harn wrote it, or nobody lived to say how it ended who has read it. */
  readonly unreadable?: unknown;
}

/** Attempts in a row that may die without a new record. */
export const maxDeaths = 3;

export interface UnfinishedJob {
  readonly name: string;
  readonly kind: JobKind;
  readonly began: Date;
  /** As it was put; none where it was put without one. */
  readonly order?: JobOrder | undefined;
}

export interface OutputPiece {
  readonly at: number;
  readonly stream: "stdout" | "stderr";
  readonly text: string;
}

/** The database of journals at work, to senders and workers; `openJournals` in `journals/`. */
export interface Journals {
  /**
   * New, or another attempt of one that is over (its runs go on where they are; answers are added). One that is at work is meant, and goes
   * on, unless what is brought goes further. What goes another way replaces what its sender has closed; else it is a `StoreError`.
   * Removes those that ended a week ago.
   */
  put(goods: JobGoods): Promise<void>;
  /**
   * Raises the fence and gives all that there is, with its paths as they are on this machine; or why it can't be read, for then the
   * attempt has to say how it ended as well.
   */
  take(name: string, worker: string): Promise<TakenJob>;
  /** The same without taking: of a job that is over, for the sender. `undefined` when there is none of that name. */
  fetch(name: string): Promise<(JobGoods & { readonly result?: Uint8Array | undefined }) | undefined>;
  /** What was printed after `at`. */
  output(name: string, after: number): Promise<readonly OutputPiece[]>;
  /** Notes the end, while `fence` holds. `result`: a set file of a chunk; of a run the questions that it waits with. */
  end(name: string, fence: number, end: JobResult & { readonly result?: Uint8Array }): Promise<void>;
  /**
   * Counts attempts that died without a new record: gives how many in a row. 0 when there are new ones. Of the oldest attempt that has not
   * told its end: one that was abandoned first, then one's own.
   */
  died(name: string, records: number): Promise<number>;
  /** Its sender has it back: who works on it is refused from here on, and nobody takes it until it is put once more. */
  closeJob(name: string): Promise<void>;
  /**
   * The attempt that has `fence` ended for a reason that is not the job's (`AttemptOver`): it is no death. What can't be said now is said
   * before the next job is taken.
   */
  leave(name: string, fence: number): Promise<void>;
  /** Asks whoever works on it to stop; told within a bell's time, or with the next look. */
  stop(name: string, reason: string): Promise<void>;
  /** Calls back when a job that this process has taken is asked to stop. */
  onStop(listener: (name: string, reason: string) => void): () => void;
  /** Jobs that are not over. */
  unfinished(): Promise<readonly UnfinishedJob[]>;
  /** Removes those that ended so long ago. */
  removeEnded(olderThanMs: number): Promise<number>;
  /** For `harn cluster check`: lines about version, rights, fsync. Throws when it can't be reached. */
  check(): Promise<readonly string[]>;
  close(): Promise<void>;
}
