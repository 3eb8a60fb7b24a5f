/**
 * What one run does to a session: `beginRun` hands out what is pending, `commitRun` writes what came of it, `failRun` that
 * nothing did. Each is one transaction, and each can be repeated by the run that did it (same token) and by nobody else:
 * so a run that was killed anywhere goes on without losing an event or handling one twice.
 *
 * Until the commit the cursor stays where it was. A run that is never committed leaves its events pending.
 */
import type { Json } from "../../effects/index.ts";
import { StoreError } from "../../store/index.ts";
import { dueOf, idleReason, mostFailures, retryAfterMs } from "./due.ts";
import { type EventBody, type InputEvent, isInput, type SessionEvent } from "./events.ts";
import {
  type Awaited,
  isAwaiting,
  type LastCommit,
  type Receipt,
  type Route,
  type SessionRecord,
} from "./record.ts";
import type { SessionStore } from "./session-store.ts";
import { mostWakes, type Wake } from "./wakes.ts";

export interface Batch {
  /** Most events that one run handles, and most characters of them; one event is always taken. */
  readonly events: number;
  readonly chars: number;
}

export type Begun =
  | { readonly ran: false; readonly reason: string; readonly record: SessionRecord }
  | {
      readonly ran: true;
      readonly record: SessionRecord;
      /** 1 for the first run. */
      readonly run: number;
      readonly events: readonly SessionEvent<InputEvent>[];
      /** Custom tool calls whose results are not there. */
      readonly open: readonly Awaited[];
    };

export function beginRun(
  sessions: SessionStore,
  name: string,
  token: string,
  batch: Batch,
  now: number,
): Begun {
  return sessions.store.transaction(() => {
    const known = sessions.mustFind(name);
    if (known.last?.token === token) return { ran: false, reason: "this run was committed", record: known };
    if (known.inFlight?.token === token) return begun(sessions, known);
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
      logged(sessions, { ...record, looks: record.looks + 1, inFlight }, now, [
        { type: "session.status", status: "running", run: record.runs + 1 },
      ]),
    );
    return begun(sessions, next);
  });
}

/** The run that is under way, with the events that were chosen when it began. */
function begun(sessions: SessionStore, record: SessionRecord): Extract<Begun, { ran: true }> {
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
  sessions: SessionStore,
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

// ── the end of a run ──────────────────────────────────────────────────────────────────────────────────────────────

export interface Outcome {
  readonly text: string;
  readonly next: "sleep" | "continue";
  readonly wakes: readonly Wake[];
  readonly uses: readonly { readonly name: string; readonly input: Json }[];
  /** What could not be used of what the model said. */
  readonly problems: readonly string[];
  readonly route: Route | null;
  readonly maxContinues: number;
  /** Of all that is committed, memory and learnings too. */
  readonly digest: string;
}

/** `also` writes what belongs to the commit (memory, learnings), and gives the texts that were promoted. */
export function commitRun(
  sessions: SessionStore,
  name: string,
  token: string,
  outcome: Outcome,
  now: number,
  also: (run: number) => readonly string[],
): Receipt {
  return sessions.store.transaction(() => {
    const record = sessions.mustFind(name);
    if (record.last?.token === token) return receiptAgain(record.last, name, outcome.digest);
    const { count, through } = mustBeOurs(record, token);
    const run = record.runs + 1;
    const promoted = also(run);
    const problems = [...outcome.problems];
    for (const wake of outcome.wakes) {
      if (sessions.wakes.hasRoom(name, wake.key))
        sessions.wakes.put(name, { ...wake, queued: now, by: "agent" });
      else problems.push(`the wake ${wake.key} was not taken: ${mostWakes} are waiting`);
    }
    const said: EventBody[] = outcome.text === "" ? [] : [{ type: "agent.message", text: outcome.text, run }];
    const uses = outcome.uses.map(({ name: tool, input }, at): Awaited => {
      const id = `use_${record.events + said.length + 1 + at}`;
      return { id, name: tool, input, answered: null };
    });
    const answered = (one: Awaited): boolean => one.answered !== null && one.answered <= through;
    const awaiting = [...record.awaiting.filter((one) => !answered(one)), ...uses];
    const pending = record.pending - count;
    const continues = outcome.next === "continue" && count === 0 ? record.continues + 1 : 0;
    const mayContinue = outcome.next === "continue" && continues <= outcome.maxContinues;
    if (outcome.next === "continue" && !mayContinue)
      problems.push(`it asked to continue ${continues} times in a row without anything new; it sleeps now`);
    const next: SessionRecord = {
      ...record,
      status: statusAfter(record, awaiting, mayContinue || pending > 0),
      cursor: through,
      pending,
      handled: record.handled + count,
      runs: run,
      continues: mayContinue ? continues : 0,
      failures: 0,
      retryAt: null,
      problem: null,
      awaiting,
      woken: false,
      inFlight: null,
      route: outcome.route ?? record.route,
    };
    const written = logged(sessions, next, now, [
      ...said,
      ...uses.map(
        ({ id, name: tool, input }): EventBody => ({
          type: "agent.custom_tool_use",
          id,
          name: tool,
          input,
          run,
        }),
      ),
      ...problems.map((message): EventBody => ({ type: "session.error", message, run })),
      { type: "session.status", status: next.status, run },
    ]);
    const due = dueOf({ ...written, work: null }, sessions.wakes.nextDue(name));
    const receipt: Receipt = {
      run,
      status: next.status,
      first: record.events + 1,
      last: written.events,
      uses,
      promoted,
      due: due === undefined ? null : Math.max(due, now),
      problems,
    };
    sessions.change(name, now, () => ({ ...written, last: { token, digest: outcome.digest, receipt } }));
    return receipt;
  });
}

/** Repeated, it gives what it gave; a fork of the recorded run is another run with the same token. */
function receiptAgain({ digest, receipt }: LastCommit, name: string, again: string): Receipt {
  if (digest === again) return receipt;
  throw new StoreError(
    "taken",
    `the session ${name} has the outcome of this run already, and this is another one; nothing of it was written`,
    ["a fork of a run of a session can't change what the session did"],
  );
}

function statusAfter(
  record: SessionRecord,
  awaiting: readonly Awaited[],
  goesOn: boolean,
): SessionRecord["status"] {
  if (isAwaiting({ ...record, awaiting })) return "requires_action";
  return goesOn ? "rescheduling" : "idle";
}

/** Nothing was handled: tried again later, a few times. */
export function failRun(
  sessions: SessionStore,
  name: string,
  token: string,
  message: string,
  now: number,
): SessionRecord {
  return sessions.store.transaction(() => {
    const record = sessions.mustFind(name);
    if (record.failedToken === token) return record;
    mustBeOurs(record, token);
    const marked = { ...record, failedToken: token };
    return sessions.change(name, now, () => failed(sessions, marked, message, now));
  });
}

/** The record with one more failure, and its event. Inside a transaction. */
export function failed(
  sessions: SessionStore,
  record: SessionRecord,
  message: string,
  now: number,
): SessionRecord {
  const failures = record.failures + 1;
  const gaveUp = failures >= mostFailures;
  const status = gaveUp ? "failed" : record.status === "failed" ? "rescheduling" : record.status;
  const retryAt = gaveUp ? null : now + retryAfterMs(failures);
  const next = { ...record, status, failures, retryAt, problem: message, inFlight: null } as const;
  return logged(sessions, next, now, [
    { type: "session.error", message, run: record.runs + 1 },
    { type: "session.status", status: gaveUp ? "failed" : "rescheduling", run: record.runs + 1 },
  ]);
}

/** Somebody else has begun a run meanwhile: this one has lost its session and must not write into it. */
function mustBeOurs(record: SessionRecord, token: string): NonNullable<SessionRecord["inFlight"]> {
  const { inFlight, name } = record;
  if (inFlight !== null && inFlight.token === token) return inFlight;
  throw new StoreError(
    "taken",
    `the session ${name} was taken over by another run; nothing of this one was written`,
    [`\`harn session show ${name}\` shows what happened`],
  );
}

/** Appends events that are not pending. */
function logged(
  sessions: SessionStore,
  record: SessionRecord,
  now: number,
  bodies: readonly EventBody[],
): SessionRecord {
  let n = record.events;
  for (const body of bodies) sessions.events.append(record.name, ++n, now, body);
  return { ...record, events: n };
}
