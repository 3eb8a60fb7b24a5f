/**
 * Where a recorded run can go on. What comes after that place (a request to stop and what unwound after it, the end) does
 * not count any more; what lies before it has happened and is never done again.
 */

import { History, validRecords } from "./history.ts";
import { interruptedCode } from "./in-doubt.ts";
import { introduces, type Journal, type JournalRecord, type ResultRecord } from "./journal.ts";

export interface ResumePoint {
  /** What counts. */
  readonly history: History;
  /** Why it did not go on by itself; `ended`: it did, there is nothing left to do. */
  readonly because: "cut off" | "stopped" | "parked" | "failed" | "ended";
  /** `path#number` of an effect whose failure ended the run: it is tried again. */
  readonly failed: string | undefined;
  /** Pieces of standard output that the run prints before it goes on from there, and that were seen. */
  readonly shown: number;
}

export function resumePoint(journal: Journal): ResumePoint {
  const records = validRecords(journal.records);
  const stop = records.findIndex(
    (record) => record.t === "stop" || (record.t === "decision" && record.k === "interrupt"),
  );
  if (stop >= 0) {
    const record = records[stop] as JournalRecord;
    const parked = record.t === "stop" && record.reason === "parked";
    const shown = shownUpTo(journal, record);
    return { ...point(journal, records.slice(0, stop), parked ? "parked" : "stopped"), shown };
  }
  const last = records.at(-1);
  if (last?.t !== "end") return point(journal, records, "cut off");
  // It was through, and nobody took what it printed last.
  if (last.reason === "output") return point(journal, records.slice(0, -1), "stopped");
  if (last.reason !== "error") return point(journal, records, "ended");
  return failedPoint(journal, records.slice(0, -1));
}

function point(
  journal: Journal,
  records: readonly JournalRecord[],
  because: ResumePoint["because"],
): ResumePoint {
  return { history: new History(journal, records), because, failed: undefined, shown: journal.shown ?? 0 };
}

/**
 * Pieces of standard output that were printed, and seen, before a record that counts. Large pieces of data carry the count,
 * too, though they are no events.
 */
export function shownUpTo(journal: Journal, last: JournalRecord | undefined): number {
  const counts: number[] = [];
  let printed = 0;
  for (const record of journal.records) {
    if (record.t === "resume") {
      counts.length = Math.min(counts.length, record.keep);
      printed = counts.at(-1) ?? 0;
    }
    if (record.t === "shown" || record.t === "resume") continue;
    if ("w" in record && record.w !== undefined) printed = record.w;
    if (record.t === "blob") continue;
    counts.push(printed);
    if (record === last) break;
  }
  return Math.min(journal.shown ?? 0, printed);
}

/**
 * When a failed effect was the last thing that happened before the error, it is what has to be tried again. One that was let fail
 * because nobody knows whether it happened is in doubt as before.
 */
function failedPoint(journal: Journal, records: readonly JournalRecord[]): ResumePoint {
  const plain = point(journal, records, "failed");
  const last = records.at(-1);
  if (last?.t !== "result" || !hasFailed(plain.history, last)) return plain;
  const kept = { ...point(journal, records.slice(0, -1), "failed"), shown: shownUpTo(journal, last) };
  return isInDoubt(plain.history, last) ? kept : { ...kept, failed: `${last.p}#${last.n}` };
}

function isInDoubt(history: History, { e }: ResultRecord): boolean {
  const error = e === undefined ? undefined : history.whole(e);
  return (error as { readonly code?: unknown } | null | undefined)?.code === interruptedCode;
}

/**
 * Where a run whose model did not answer goes on: at the last model call that failed, however the program went on after it. What
 * it did since is done again. Without such a call as `resumePoint`.
 */
export function retryPoint(journal: Journal): ResumePoint {
  const plain = resumePoint(journal);
  const { records } = plain.history;
  const at = records.findLastIndex((record) => record.t === "result" && isFailedCall(plain.history, record));
  const record = records[at];
  if (record?.t !== "result") return plain;
  // What was asked for at the same time and answered later is asked again, too.
  const kept = point(journal, records.slice(0, at), "failed");
  return { ...kept, failed: `${record.p}#${record.n}`, shown: shownUpTo(journal, record) };
}

/**
 * Where a run goes on that was ended while it waited for a model in vain: at the last call that failed or has no answer. What it did
 * since, its end included, is done again; a call without an answer is asked again as after a kill.
 */
export function waitingPoint(journal: Journal): ResumePoint {
  const failed = retryPoint(journal);
  const { history } = resumePoint(journal);
  const at = history.records.findLastIndex(
    (record) =>
      record.t === "intent" && record.c === "model" && history.at(record.p, record.n)?.result === undefined,
  );
  const record = history.records[at];
  const isLater = failed.failed === undefined || at >= failed.history.records.length;
  if (record === undefined || !isLater) return failed;
  return {
    ...point(journal, history.records.slice(0, at + 1), "cut off"),
    shown: shownUpTo(journal, record),
  };
}

function isFailedCall(history: History, result: ResultRecord): boolean {
  return history.at(result.p, result.n)?.print?.c === "model" && hasFailed(history, result);
}

/** It threw, or it was a model call that gave an error. */
function hasFailed(history: History, result: ResultRecord): boolean {
  if (result.e !== undefined) return true;
  if (history.at(result.p, result.n)?.print?.c !== "model") return false;
  const outcome = history.whole(result.v ?? null);
  return typeof outcome === "object" && outcome !== null && (outcome as { ok?: unknown }).ok === false;
}

/** One effect of a run as people count them: the first has the number 1. */
export interface HistoryStep {
  readonly number: number;
  /** `path#number` */
  readonly place: string;
  readonly effect: string;
  readonly kind: string;
  readonly args: unknown;
  readonly result: ResultRecord | undefined;
  /** Index of the record that first mentions it. */
  readonly at: number;
}

/** The effects of a run in the order in which they were asked for. */
export function stepsOf(history: History): HistoryStep[] {
  const steps: HistoryStep[] = [];
  for (const [at, record] of history.records.entries()) {
    if (!introduces(record)) continue;
    steps.push({
      number: steps.length + 1,
      place: `${record.p}#${record.n}`,
      effect: record.c ?? "",
      kind: record.k ?? "",
      args: record.a,
      result: history.at(record.p, record.n)?.result,
      at,
    });
  }
  return steps;
}

/** `1 step`, `3 steps` */
export const stepsInWords = ({ length }: readonly HistoryStep[]): string =>
  `${length} step${length === 1 ? "" : "s"}`;

/**
 * The history of a fork: everything before a step. With `own`, its own result follows: only its intent is kept, and the
 * result is given where it is asked for.
 */
export function historyBefore(journal: Journal, history: History, step: HistoryStep, own: boolean): History {
  const before = history.records.slice(0, step.at);
  if (!own) return new History(journal, before);
  const record = history.records[step.at];
  if (record?.t === "intent") return new History(journal, [...before, record]);
  if (!introduces(record)) return new History(journal, before);
  const { p, n, c, k, h, a = null } = record;
  return new History(journal, [...before, { t: "intent", p, n, c, k, h, a }]);
}
