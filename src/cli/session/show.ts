/** `harn session list|show`: what sessions do, for people and programs. */

import { existsSync } from "node:fs";
import type { SessionRecord } from "../../durable/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import { exitCode, ownStateFolder, print, reportAsJson } from "../../host/command/index.ts";
import { onNewSessions, onSessions } from "../../work/service/index.ts";
import { eventView, listedView, type SessionStore, sessionView } from "../../work/session/index.ts";
import type { sessionShowFlags } from "../flags/serving.ts";
import { eventText, shortLine, whenText } from "./words.ts";

export type SessionShowFlags = FlagsOf<typeof sessionShowFlags>;

/** A damaged session does not hide the others. */
export async function listSessions(flags: SessionShowFlags): Promise<number> {
  if (!existsSync(ownStateFolder())) return noSessions(flags);
  return await onNewSessions((sessions) => {
    const now = Date.now();
    const names = sessions.names();
    if (names.length === 0) return noSessions(flags);
    const width = names.reduce((most, name) => Math.max(most, name.length), 0);
    for (const name of names) {
      const view = listedView(sessions, name, now);
      if (flags.json === true) reportAsJson(view);
      else if (view.status === "damaged") print(`${name.padEnd(width)}  damaged          ${view.problem}\n`);
      else print(`${name.padEnd(width)}  ${sessionSummary(sessions, sessions.mustFind(name), now)}\n`);
    }
    return exitCode.ok;
  });
}

function noSessions({ json }: SessionShowFlags): number {
  if (json !== true) print("no sessions; `harn session new NAME SCRIPT` makes one\n");
  return exitCode.ok;
}

function sessionSummary(sessions: SessionStore, record: SessionRecord, now: number): string {
  const view = sessionView(sessions, record, now);
  const next =
    typeof view.due === "string" ? `next ${whenText(Date.parse(view.due), now)}` : waitsFor(record);
  const pending = `${record.pending} pending`.padEnd(12);
  const problem = record.problem === null ? "" : `  ${shortLine(record.problem, 80)}`;
  return `${String(view.status).padEnd(15)}  ${pending}  run ${record.runs}  ${next}${problem}`;
}

/** What has to happen before it runs again. */
function waitsFor(record: SessionRecord): string {
  if (record.status === "closed") return "";
  if (record.work?.parked === true) return "waits for a person (`harn hitl`)";
  const open = record.awaiting.filter(({ answered }) => answered === null);
  if (open.length > 0) return `waits for ${open.map(({ id, name }) => `${id} (${name})`).join(", ")}`;
  return record.status === "failed" ? "given up: send a message, or run it" : "waits for a message";
}

export async function showSession(name: string, flags: SessionShowFlags): Promise<number> {
  const maxEvents = flags.events ?? 20;
  return await onSessions((sessions) => {
    const now = Date.now();
    const record = sessions.mustFind(name);
    const view = sessionView(sessions, record, now);
    const events = sessions.events({ name, after: Math.max(record.events - maxEvents, 0), limit: maxEvents });
    if (flags.json === true) {
      reportAsJson({ ...view, last_events: events.map(eventView) });
      return exitCode.ok;
    }
    print(`${name}  ${sessionSummary(sessions, record, now)}\n`);
    const rows: [string, string | null][] = [
      ["agent", record.agent],
      ["script", record.script],
      ["environment", record.environment],
      ["resources", record.resources.join(", ") || null],
      ["model", record.route === null ? null : `${record.route.provider} ${record.route.model}`],
      ["run by", sessions.holder(name) ?? null],
      ["recorded", record.work?.run ?? null],
    ];
    for (const [label, text] of rows) if (text !== null) print(`  ${label.padEnd(12)}${text}\n`);
    for (const wake of sessions.wakes({ name }))
      print(`  ${"wake".padEnd(12)}${wake.key} ${whenText(wake.due, now)}: ${shortLine(wake.reason)}\n`);
    for (const { id, name: tool, input, answered } of record.awaiting)
      if (answered === null)
        print(`  ${"open".padEnd(12)}${id} ${tool}(${shortLine(JSON.stringify(input))})\n`);
    if (events.length < record.events) print(`  … ${record.events - events.length} earlier events\n`);
    for (const event of events)
      print(
        `  ${String(event.n).padStart(5)}  ${new Date(event.at).toISOString().slice(0, 19)}  ${event.type.padEnd(23)} ${eventText(event)}\n`,
      );
    return exitCode.ok;
  });
}
