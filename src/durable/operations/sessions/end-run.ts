/**
 * The end of a run: `commitRun` writes what came of it, `failRun` that nothing did. Each is one transaction, and each can be
 * repeated by the run that did it (same token) and by nobody else: so a run that was killed anywhere goes on without losing
 * an event or handling one twice.
 *
 * Until the commit the cursor stays where it was. A run that is never committed leaves its events pending.
 */

import type { Json } from "../../../effects/index.ts";
import { backoffMs } from "../../../effects/index.ts";
import { StoreError } from "../../../store/index.ts";
import { durableKinds, retryBackoff } from "../status.ts";
import { dueOf } from "./due.ts";
import type { OutputEvent } from "./events.ts";
import {
  type InFlight,
  isAwaiting,
  type LastCommit,
  type ModelRoute,
  type PendingInput,
  type Receipt,
  type SessionRecord,
} from "./record.ts";
import type { Sessions } from "./sessions.ts";
import { maxWakes } from "./wake-table.ts";
import type { Wake } from "./wakes.ts";

export interface SessionOutcome {
  readonly text: string;
  readonly next: "sleep" | "continue";
  readonly wakes: readonly Wake[];
  readonly uses: readonly { readonly name: string; readonly input: Json }[];
  /** What could not be used of what the model said. */
  readonly problems: readonly string[];
  readonly route: ModelRoute | null;
  readonly maxContinues: number;
  /** Of all that is committed, memory and learnings too. */
  readonly digest: string;
}

/** `also` writes what belongs to the commit (memory, learnings), and gives the texts that were promoted. */
export function commitRun(
  sessions: Sessions,
  name: string,
  token: string,
  outcome: SessionOutcome,
  now: number,
  also: (run: number) => readonly string[],
): Receipt {
  const record = sessions.mustFind(name);
  if (record.last?.token === token) return receiptAgain(record.last, name, outcome.digest);
  const inFlight = mustBeOurRun(record, token);
  const promoted = also(record.runs + 1);
  const lost = queueWakes(sessions, name, outcome.wakes, now);
  const uses = runUsesOf(outcome, record.events);
  const { next, problem } = afterRun(record, inFlight, outcome, uses);
  const problems = [...outcome.problems, ...lost, ...(problem === undefined ? [] : [problem])];
  const written = sessions.note(next, eventsOf(outcome, uses, problems, next), now);
  const due = dueOf({ ...written, work: null }, sessions.wakes.nextDue(name));
  const receipt: Receipt = {
    run: next.runs,
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
}

/** Puts them into the table; gives what is to be said of those that have no room. */
function queueWakes(sessions: Sessions, name: string, wakes: readonly Wake[], now: number): string[] {
  const lost: string[] = [];
  for (const wake of wakes) {
    if (sessions.wakes.hasRoom(name, wake.key))
      sessions.wakes.put(name, { ...wake, queued: now, by: "agent" });
    else lost.push(`the wake ${wake.key} was not taken: ${maxWakes} are waiting`);
  }
  return lost;
}

/** Custom tool calls, each with an id made of its event's number: they stand after the message, if there is one. */
function runUsesOf({ text, uses }: SessionOutcome, events: number): PendingInput[] {
  const first = events + (text === "" ? 1 : 2);
  return uses.map(({ name, input }, at) => ({ id: `use_${first + at}`, name, input, answered: null }));
}

function eventsOf(
  outcome: SessionOutcome,
  uses: readonly PendingInput[],
  problems: readonly string[],
  { runs: run, status }: SessionRecord,
): OutputEvent[] {
  return [
    ...(outcome.text === "" ? [] : [{ type: "agent.message", text: outcome.text, run } as const]),
    ...uses.map(({ id, name, input }) => ({ type: "agent.custom_tool_use", id, name, input, run }) as const),
    ...problems.map((message) => ({ type: "session.error", message, run }) as const),
    { type: "session.status", status, run },
  ];
}

/** The record of the run, and what is to be said when the agent may not go on as it asked. */
function afterRun(
  record: SessionRecord,
  { count, through }: InFlight,
  { next: wish, maxContinues, route }: SessionOutcome,
  uses: readonly PendingInput[],
): { readonly next: SessionRecord; readonly problem: string | undefined } {
  const open = record.awaiting.filter(({ answered }) => answered === null || answered > through);
  const awaiting = [...open, ...uses];
  const pending = record.pending - count;
  const continues = wish === "continue" && count === 0 ? record.continues + 1 : 0;
  const resumes = wish === "continue" && continues <= maxContinues;
  const next: SessionRecord = {
    ...record,
    status: statusAfter(record, awaiting, resumes || pending > 0),
    cursor: through,
    pending,
    handled: record.handled + count,
    runs: record.runs + 1,
    continues: resumes ? continues : 0,
    failures: 0,
    retryAt: null,
    problem: null,
    awaiting,
    woken: false,
    inFlight: null,
    route: route ?? record.route,
  };
  const stopped = wish === "continue" && !resumes;
  const problem = stopped
    ? `it asked to continue ${continues} times in a row without anything new; it sleeps now`
    : undefined;
  return { next, problem };
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
  awaiting: readonly PendingInput[],
  resumes: boolean,
): SessionRecord["status"] {
  if (isAwaiting({ ...record, awaiting })) return "requires_action";
  return resumes ? "rescheduling" : "idle";
}

/** Nothing was handled: tried again later, a few times. */
export function failRun(
  sessions: Sessions,
  name: string,
  token: string,
  message: string,
  now: number,
): SessionRecord {
  const record = sessions.mustFind(name);
  if (record.failedToken === token) return record;
  mustBeOurRun(record, token);
  const marked = { ...record, failedToken: token };
  return sessions.change(name, now, () => failSession(sessions, marked, message, now));
}

/** The record with one more failure, and its event. Inside a transaction. */
export function failSession(
  sessions: Sessions,
  record: SessionRecord,
  message: string,
  now: number,
): SessionRecord {
  const failures = record.failures + 1;
  const gaveUp = failures >= durableKinds.session.failures;
  const status = gaveUp ? "failed" : record.status === "failed" ? "rescheduling" : record.status;
  const retryAt = gaveUp ? null : now + backoffMs(retryBackoff, failures);
  const next = { ...record, status, failures, retryAt, problem: message, inFlight: null } as const;
  return sessions.note(
    next,
    [
      { type: "session.error", message, run: record.runs + 1 },
      { type: "session.status", status: gaveUp ? "failed" : "rescheduling", run: record.runs + 1 },
    ],
    now,
  );
}

/** Somebody else has begun a run meanwhile: this one has lost its session and must not write into it. */
function mustBeOurRun(record: SessionRecord, token: string): InFlight {
  const { inFlight, name } = record;
  if (inFlight !== null && inFlight.token === token) return inFlight;
  throw new StoreError(
    "taken",
    `the session ${name} was taken over by another run; nothing of this one was written`,
    [`\`harn session show ${name}\` shows what happened`],
  );
}
