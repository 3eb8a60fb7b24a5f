/** What passes between a worker and the child that does a job: how far it is, why it ended without an end, that it is to rest. */
import { JournalProblem } from "../effects/index.ts";
import { UsageError } from "../host/command/index.ts";
import { isDiskFull, StoreError } from "../store/index.ts";
import type { OpenMirror } from "./journals/mirror.ts";
import { AttemptOver, JobFailed, type JobProgress } from "./ports.ts";

/** What a child tells of its job. */
export type ChildWord =
  | ({ readonly type: "progress" } & JobProgress)
  /** Why it ended without the job having ended: another attempt goes on. */
  | { readonly type: "over"; readonly words: string }
  /** Why no other attempt would come further. */
  | { readonly type: "failed"; readonly words: string };

/** What a child is told: to end where it is, for another attempt to go on. */
export interface RestWord {
  readonly type: "rest";
}

/** What a job works with. */
export interface JobPorts {
  readonly mirror: OpenMirror;
  /** Aborted when the job goes on elsewhere: it ends where it is. */
  readonly rest: AbortSignal;
  readonly report: (word: ChildWord) => void;
}

const reportEveryMs = 1000;

/** Calls `report`, not more often than anybody wants to know how far a job is. */
export function notTooOften<T extends readonly unknown[]>(
  report: (...what: T) => void,
): (...what: T) => void {
  let reportedAt = -reportEveryMs;
  return (...what) => {
    if (performance.now() - reportedAt < reportEveryMs) return;
    reportedAt = performance.now();
    report(...what);
  };
}

/** Somebody else has it, the database is away, the disk is full: others go on. Everything else they would come to as well. */
export const problemWord = (problem: JournalProblem): ChildWord => ({
  type: problem.kind === "unwritable" ? "over" : "failed",
  words: [problem.message, ...problem.details].join("\n  "),
});

/** `undefined`: nobody knows what it means for the job, and the attempt counts as a death. */
export function childFailureWord(error: unknown): ChildWord | undefined {
  if (error instanceof JournalProblem) return problemWord(error);
  if (error instanceof StoreError || error instanceof AttemptOver || isDiskFull(error))
    return { type: "over", words: (error as Error).message };
  if (error instanceof JobFailed) return { type: "failed", words: error.message };
  if (!(error instanceof UsageError)) return undefined;
  return { type: error.code === "HARN-CLI-026" ? "over" : "failed", words: error.text };
}
