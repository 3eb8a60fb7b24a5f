/**
 * The beginning of a run: hands out what is pending, and notes whose it is. One transaction, which the run that did it (same
 * token) can repeat; any other one takes the session over.
 */
import { idleReason } from "./due.ts";
import { type InputEvent, isInput, type SessionEvent } from "./events.ts";
import type { PendingInput, SessionRecord } from "./record.ts";
import type { Sessions } from "./sessions.ts";

export interface Batch {
  /** Most events that one run handles, and most characters of them; one event is always taken. */
  readonly events: number;
  readonly chars: number;
}

export type RunBeginning =
  | { readonly ran: false; readonly reason: string; readonly record: SessionRecord }
  | {
      readonly ran: true;
      readonly record: SessionRecord;
      /** 1 for the first run. */
      readonly run: number;
      readonly events: readonly SessionEvent<InputEvent>[];
      /** Custom tool calls whose results are not there. */
      readonly open: readonly PendingInput[];
    };

export function beginRun(
  sessions: Sessions,
  name: string,
  token: string,
  batch: Batch,
  now: number,
): RunBeginning {
  const known = sessions.mustFind(name);
  if (known.last?.token === token) return { ran: false, reason: "this run was committed", record: known };
  if (known.inFlight?.token === token) return runBegun(sessions, known);
  const record = sessions.fireWakes(name, now);
  const reason = idleReason(record);
  if (reason !== undefined) {
    const rested = { failures: 0, retryAt: null, problem: null };
    const looked = sessions.change(name, now, () => ({ ...record, ...rested, looks: record.looks + 1 }));
    return { ran: false, reason, record: looked };
  }
  const taken = take(sessions, record, batch);
  const inFlight = { token, began: now, through: taken.through, count: taken.events.length };
  const next = sessions.change(name, now, () =>
    sessions.note(
      { ...record, looks: record.looks + 1, inFlight },
      [{ type: "session.status", status: "running", run: record.runs + 1 }],
      now,
    ),
  );
  return runBegun(sessions, next);
}

/** The run that is in progress, with the events that were chosen when it began. */
function runBegun(sessions: Sessions, record: SessionRecord): Extract<RunBeginning, { ran: true }> {
  const through = record.inFlight?.through ?? record.cursor;
  const events: SessionEvent<InputEvent>[] = [];
  for (const event of sessions.pending(record)) {
    if (event.n > through) break;
    if (isInput(event)) events.push(event);
  }
  const open = record.awaiting.filter(({ answered }) => answered === null);
  return { ran: true, record, run: record.runs + 1, events, open };
}

/** The pending events that fit, and the number up to which a commit moves the cursor. */
function take(
  sessions: Sessions,
  record: SessionRecord,
  batch: Batch,
): { readonly events: SessionEvent<InputEvent>[]; readonly through: number } {
  const events: SessionEvent<InputEvent>[] = [];
  let chars = 0;
  for (const event of sessions.pending(record)) {
    if (!isInput(event)) continue;
    chars += JSON.stringify(event).length;
    if (events.length > 0 && (events.length >= batch.events || chars > batch.chars)) break;
    events.push(event);
  }
  return { events, through: events.at(-1)?.n ?? record.cursor };
}
