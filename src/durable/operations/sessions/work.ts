/**
 * The recorded run (`harn runs`) that works for a session. It is noted before it starts and taken off when it has ended, so
 * whoever runs the session next goes on with a run that was killed instead of beginning another one.
 */

import { failSession } from "./end-run.ts";
import type { SessionRecord } from "./record.ts";
import type { Sessions } from "./sessions.ts";

/** A run of this name is about to start. */
export function beginWork(sessions: Sessions, name: string, run: string, now: number): SessionRecord {
  return sessions.change(name, now, (record) => ({
    ...record,
    work: { run, parked: false, before: record.looks },
  }));
}

/** The run waits for a person; answered, it goes on. */
export const suspendWork = (sessions: Sessions, name: string, run: string, now: number): SessionRecord =>
  parked(sessions, name, run, now, true);

/** The run goes on. */
export const resumeWork = (sessions: Sessions, name: string, run: string, now: number): SessionRecord =>
  parked(sessions, name, run, now, false);

function parked(sessions: Sessions, name: string, run: string, now: number, waits: boolean): SessionRecord {
  return sessions.change(name, now, (record) =>
    record.work?.run === run ? { ...record, work: { ...record.work, parked: waits } } : record,
  );
}

/** The run is given up: what it began is pending again, and nobody failed. */
export function abandonWork(sessions: Sessions, name: string, now: number): SessionRecord {
  return sessions.change(name, now, (record) => ({ ...record, work: null, inFlight: null }));
}

/** Its process ended without a word. What it was at goes on with the next try, which is put off a little. */
export function crashedWork(sessions: Sessions, name: string, message: string, now: number): SessionRecord {
  return sessions.change(name, now, (record) => {
    const { inFlight } = record;
    return { ...failSession(sessions, record, message, now), inFlight };
  });
}

export type WorkEnd = { readonly ok: true } | { readonly ok: false; readonly message: string };

/**
 * The run has ended. What it begun and did not commit is pending again; a script that failed, or never looked at its
 * session, counts as a failure, unless the session has noted one.
 */
export function endWork(
  sessions: Sessions,
  name: string,
  run: string,
  end: WorkEnd,
  now: number,
): SessionRecord {
  return sessions.change(name, now, (record) => {
    const { work } = record;
    // A process that was frozen and comes back speaks of a run that somebody else has ended.
    if (work?.run !== run) return record;
    const rested = { ...record, work: null, inFlight: null };
    if (record.status === "closed") return rested;
    if (record.looks === work.before) {
      const message = end.ok ? "the script ended without calling session_run" : end.message;
      return failSession(sessions, rested, message, now);
    }
    if (record.inFlight === null) return rested;
    return failSession(
      sessions,
      rested,
      end.ok ? "the script ended in the middle of its run" : end.message,
      now,
    );
  });
}
