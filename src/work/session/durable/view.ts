/** A session as scripts and `--json` show it. */

import type { SessionEvent } from "../../../durable/index.ts";
import { dueOf, isAtWork, type SessionRecord, shownStatus } from "../../../durable/index.ts";
import type { Json } from "../../../effects/index.ts";
import { StoreError } from "../../../store/index.ts";
import type { SessionStore } from "./session-store.ts";

const isoMoment = (ms: number): string => new Date(ms).toISOString();

type SessionView = { readonly [name: string]: Json };

/** `now` stands for "due at once". */
export function sessionView(sessions: SessionStore, record: SessionRecord, now: number): SessionView {
  const { name } = record;
  // Whoever holds it between runs, or after its commit, is about to let it go.
  const holder = isAtWork(record) ? sessions.holder(name) : undefined;
  const wakes = sessions.wakes({ name });
  const due = dueOf(record, wakes[0]?.due);
  return {
    name,
    agent: record.agent,
    status: shownStatus(record, holder !== undefined),
    script: record.script,
    cwd: record.cwd,
    environment: record.environment,
    resources: record.resources,
    created: isoMoment(record.created),
    runs: record.runs,
    events: record.events,
    pending: record.pending,
    handled: record.handled,
    due: due === undefined || holder !== undefined ? null : isoMoment(Math.max(due, now)),
    wakes: wakes.map(({ key, due: at, reason, by }) => ({ key, due: isoMoment(at), reason, by })),
    open_tool_calls: record.awaiting
      .filter(({ answered }) => answered === null)
      .map(({ id, name: tool, input }) => ({ id, name: tool, input })),
    failures: record.failures,
    problem: record.problem,
    route: record.route === null ? null : { ...record.route },
    recorded_run: record.work?.run ?? null,
    held_by: holder ?? null,
  };
}

/** As a list shows it: a damaged session does not hide the others. */
export function listedView(sessions: SessionStore, name: string, now: number): SessionView {
  try {
    return sessionView(sessions, sessions.mustFind(name), now);
  } catch (error) {
    if (error instanceof StoreError) return { name, status: "damaged", problem: error.message };
    throw error;
  }
}

/** With times as text. */
export function eventView(event: SessionEvent): SessionView {
  const { at, ...rest } = event;
  const due = "due" in rest ? { due: isoMoment(rest.due) } : {};
  return { ...rest, ...due, at: isoMoment(at) } as unknown as SessionView;
}
