/** What a run did, for whoever started it. */

import { type SessionEvent, type SessionRecord, shownStatus } from "../../durable/index.ts";
import type { Json } from "../../effects/index.ts";
import { eventView, type SessionStore, sessionView } from "../../work/session/index.ts";
import { eventText, shortLine, whenText } from "./words.ts";

export interface RunReport {
  readonly name: string;
  /** As it was before the run. */
  readonly before: SessionRecord;
  /** The recorded run. */
  readonly recorded: string;
  readonly resumed: boolean;
  readonly now: number;
}

export function reportJson(sessions: SessionStore, report: RunReport): Json {
  const { record, events } = sessionAfter(sessions, report);
  return {
    ...sessionView(sessions, record, report.now),
    recorded_run: report.recorded,
    resumed: report.resumed,
    handled: handled(report.before, record),
    new_events: events.map(eventView),
  };
}

export function reportText(sessions: SessionStore, report: RunReport): string {
  const { name, before, now } = report;
  const { record, events } = sessionAfter(sessions, report);
  const lines = [headline(report, record)];
  const row = (label: string, text: string): void => void lines.push(`  ${label.padEnd(9)}${text}`);
  if (record.runs > before.runs) row("handled", countOfWhat(handled(before, record), "event"));
  for (const event of events) {
    if (event.type === "agent.message") row("said", eventText(event, 400));
    if (event.type === "agent.custom_tool_use")
      row("asks", `${eventText(event, 300)}\n           harn session send ${name} --result ${event.id} JSON`);
    if (event.type === "session.error") row("problem", eventText(event, 400));
  }
  for (const wake of sessions.wakes({ name }))
    row("wake", `${wake.key} ${whenText(wake.due, now)}: ${shortLine(wake.reason)}`);
  row("next", nextText(sessions, record, report));
  return `${lines.join("\n")}\n`;
}

function headline({ name, before, recorded, resumed }: RunReport, record: SessionRecord): string {
  const resumption = resumed ? " (went on where it was interrupted)" : "";
  const what = record.runs > before.runs ? `run ${record.runs}` : "no run";
  return `${name}: ${what}${resumption}, ${shownStatus(record, false)}  [${recorded}]`;
}

function nextText(sessions: SessionStore, record: SessionRecord, { name, now, recorded }: RunReport): string {
  if (record.status === "closed") return "nothing: it is closed";
  if (record.work?.parked === true)
    return `waits for a person: \`harn hitl list\`, then \`harn session run ${name}\``;
  if (record.work !== null) return `\`harn session run ${name}\` goes on with ${recorded}`;
  const wake = sessions.wakes({ name })[0];
  const pending = record.pending > 0 ? `, ${countOfWhat(record.pending, "event")} pending` : "";
  if (record.retryAt !== null)
    return `tried again ${whenText(record.retryAt, now)} (failure ${record.failures})`;
  if (record.status === "failed")
    return "given up after failures in a row; a message or `harn session run` tries again";
  if (record.status === "requires_action") return `waits for the result${pending}`;
  if (record.status === "rescheduling" || record.pending > 0) return `due now${pending}`;
  return wake === undefined
    ? "sleeps until a message"
    : `sleeps until a message, or ${whenText(wake.due, now)}`;
}

/** The record as it is now, and what has happened since. */
function sessionAfter(
  sessions: SessionStore,
  { name, before }: RunReport,
): { readonly record: SessionRecord; readonly events: SessionEvent[] } {
  const record = sessions.mustFind(name);
  return { record, events: [...sessions.eventsFrom(name, before.events)] };
}

/** Pending ones that are not pending any more; those that came meanwhile do not count. */
function handled(before: SessionRecord, now: SessionRecord): number {
  return now.cursor === before.cursor ? 0 : now.handled - before.handled;
}

const countOfWhat = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;
