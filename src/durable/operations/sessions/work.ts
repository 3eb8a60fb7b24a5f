/**
 * The recorded run (`harn runs`) that works for a session. It is noted before it starts and taken off when it has ended, so
 * whoever runs the session next goes on with a run that was killed instead of beginning another one.
 */

import { failSession } from "./end-run.ts";
import type { SessionRecord } from "./record.ts";
import type { Sessions } from "./sessions.ts";

export interface SessionWorkKey {
  readonly name: string;
  readonly run: string;
  /** Milliseconds since the epoch, by the caller's clock. */
  readonly now: number;
}

/** The run waits for a person, or goes on. */
export const parkWork = (
  sessions: Sessions,
  { name, run, now }: SessionWorkKey,
  parked: boolean,
): SessionRecord =>
  sessions.change(name, now, (record) =>
    record.work?.run === run ? { ...record, work: { ...record.work, parked } } : record,
  );

export type WorkEnd = { readonly ok: true } | { readonly ok: false; readonly message: string };

/**
 * The run has ended. What it begun and did not commit is pending again; a script that failed, or never looked at its
 * session, counts as a failure, unless the session has noted one.
 */
export function endWork(
  sessions: Sessions,
  { name, run, end, now }: SessionWorkKey & { readonly end: WorkEnd },
): SessionRecord {
  return sessions.change(name, now, (record) => {
    const { work } = record;
    // A process that was frozen and comes back speaks of a run that somebody else has ended.
    if (work?.run !== run) return record;
    const rested = { ...record, work: null, inFlight: null };
    const hasLooked = record.looks !== work.before;
    if (record.status === "closed" || (hasLooked && record.inFlight === null)) return rested;
    const why = `the script ended ${hasLooked ? "in the middle of its run" : "without calling session_run"}`;
    return failSession(sessions, rested, end.ok ? why : end.message, now);
  });
}
