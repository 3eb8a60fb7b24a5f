/**
 * What can be done to a session, as operations. A run of a session is its token: begin and commit can be repeated by the run that
 * did them, and by nobody else.
 */
import type { Json } from "../../../effects/index.ts";
import { defineOperations, operation } from "../../operation.ts";
import type { Tx } from "../../tx.ts";
import { type Batch, beginRun, type RunBeginning } from "./begin-run.ts";
import { commitRun, failRun, failSession, type SessionOutcome } from "./end-run.ts";
import type { SessionEvent } from "./events.ts";
import { type Learning, Learnings, type NewLearning } from "./learnings.ts";
import type { NewSession, Receipt, SessionRecord } from "./record.ts";
import { Sessions } from "./sessions.ts";
import type { StoredWake } from "./wake-table.ts";
import { endWork, parkWork, type SessionWorkKey, type WorkEnd } from "./work.ts";

export interface OfSession {
  readonly name: string;
}
export interface SessionMoment extends OfSession {
  /** Milliseconds since the epoch, by the caller's clock. */
  readonly now: number;
}
export interface OfRun extends SessionMoment {
  readonly token: string;
}

export interface Commit extends OfRun {
  readonly outcome: SessionOutcome;
  /** What the session remembers; null: as before. */
  readonly memory?: Json;
  readonly learned?: {
    readonly agent: string;
    readonly found: readonly NewLearning[];
    readonly promoteAfter: number;
  } | null;
}

const sessionScope = ({ name }: OfSession): readonly string[] => [`session:${name}`];
const agentScopes = ({ agent }: { readonly agent: string }): readonly string[] => [`agent:${agent}`];

const memorySpace = "session.memory";

export const sessionOperations = defineOperations("session", {
  create: operation({
    doc: "Makes a session, with its first message when there is one; gives the record.",
    scopes: sessionScope,
    run: (
      tx: Tx,
      one: SessionMoment & { readonly made: NewSession; readonly message?: string | null },
    ): SessionRecord => {
      const sessions = new Sessions(tx);
      const made = sessions.create(one.name, one.made, one.now);
      if (one.message === undefined || one.message === null) return made;
      sessions.send(one.name, one.message, one.now);
      return sessions.mustFind(one.name);
    },
  }),
  send: operation({
    doc: "Adds a message; gives the number of its event.",
    scopes: sessionScope,
    run: (tx: Tx, one: SessionMoment & { readonly text: string }): number =>
      new Sessions(tx).send(one.name, one.text, one.now),
  }),
  result: operation({
    doc: "Gives the result of a custom tool that the session waits for; gives the number of its event.",
    scopes: sessionScope,
    run: (
      tx: Tx,
      one: SessionMoment & { readonly use: string; readonly content: Json; readonly isError: boolean },
    ): number => new Sessions(tx).result(one.name, one.use, one, one.now),
  }),
  wake: operation({
    doc: "Queues a wake; one of the same key is replaced.",
    scopes: sessionScope,
    run: (tx: Tx, one: SessionMoment & { readonly wake: StoredWake }): null => {
      new Sessions(tx).wake(one.name, one.wake, one.now);
      return null;
    },
  }),
  cancelWake: operation({
    doc: "Takes a waiting wake back.",
    scopes: sessionScope,
    run: (tx: Tx, one: SessionMoment & { readonly key: string }): null => {
      new Sessions(tx).cancelWake(one.name, one.key, one.now);
      return null;
    },
  }),
  fireWakes: operation({
    doc: "Makes events of the wakes that are due; gives the record.",
    scopes: sessionScope,
    run: (tx: Tx, one: SessionMoment): SessionRecord => new Sessions(tx).fireWakes(one.name, one.now),
  }),
  remind: operation({
    doc: "Tells orchestration once more when it is due; gives the record.",
    scopes: sessionScope,
    run: (tx: Tx, one: SessionMoment): SessionRecord => new Sessions(tx).remind(one.name, one.now),
  }),
  close: operation({
    doc: "Closes a session; gives the record.",
    scopes: sessionScope,
    run: (tx: Tx, one: SessionMoment): SessionRecord => new Sessions(tx).close(one.name, one.now),
  }),
  begin: operation({
    doc: "Begins a run: hands out what is pending, and notes whose it is.",
    scopes: sessionScope,
    run: (tx: Tx, one: OfRun & { readonly batch: Batch }): RunBeginning =>
      beginRun(new Sessions(tx), one.name, one.token, one.batch, one.now),
  }),
  commit: operation({
    doc: "Writes what came of a run, with what it remembers and has learned; gives the receipt.",
    scopes: (one: Commit) =>
      one.learned ? [...sessionScope(one), ...agentScopes(one.learned)] : sessionScope(one),
    run: (tx: Tx, one: Commit): Receipt =>
      commitRun(new Sessions(tx), one.name, one.token, one.outcome, one.now, (at) => {
        if (one.memory) tx.put(memorySpace, one.name, { run: at, ...(one.memory as object) });
        if (!one.learned) return [];
        const { agent: of, found, promoteAfter } = one.learned;
        return new Learnings(tx).learn(of, found, { session: one.name, now: one.now, promoteAfter });
      }),
  }),
  fail: operation({
    doc: "Notes that nothing came of a run; gives the record.",
    scopes: sessionScope,
    run: (tx: Tx, one: OfRun & { readonly message: string }): SessionRecord =>
      failRun(new Sessions(tx), one.name, one.token, one.message, one.now),
  }),
  beginWork: operation({
    doc: "Notes the recorded run that is about to start; gives the record.",
    scopes: sessionScope,
    run: (tx: Tx, { name, run, now }: SessionWorkKey): SessionRecord =>
      new Sessions(tx).change(name, now, (record) => ({
        ...record,
        work: { run, parked: false, before: record.looks },
      })),
  }),
  suspendWork: operation({
    doc: "Notes that the recorded run waits for a person; gives the record.",
    scopes: sessionScope,
    run: (tx: Tx, one: SessionWorkKey): SessionRecord => parkWork(new Sessions(tx), one, true),
  }),
  resumeWork: operation({
    doc: "Notes that the recorded run goes on; gives the record.",
    scopes: sessionScope,
    run: (tx: Tx, one: SessionWorkKey): SessionRecord => parkWork(new Sessions(tx), one, false),
  }),
  abandonWork: operation({
    doc: "Gives the recorded run up: what it began is pending again; gives the record.",
    scopes: sessionScope,
    run: (tx: Tx, { name, now }: SessionMoment): SessionRecord =>
      new Sessions(tx).change(name, now, (record) => ({ ...record, work: null, inFlight: null })),
  }),
  crashedWork: operation({
    doc: "Notes that the process of the recorded run ended without a word; gives the record.",
    scopes: sessionScope,
    run: (tx: Tx, { name, message, now }: SessionMoment & { readonly message: string }): SessionRecord => {
      const sessions = new Sessions(tx);
      // What it was at goes on with the next try, which is put off a little.
      return sessions.change(name, now, (record) => {
        const { inFlight } = record;
        return { ...failSession(sessions, record, message, now), inFlight };
      });
    },
  }),
  endWork: operation({
    doc: "Notes that the recorded run has ended; gives the record.",
    scopes: sessionScope,
    run: (tx: Tx, one: SessionWorkKey & { readonly end: WorkEnd }): SessionRecord =>
      endWork(new Sessions(tx), one),
  }),
  find: operation({
    doc: "The record of a session; nil when there is none.",
    scopes: sessionScope,
    reads: true,
    run: (tx: Tx, one: OfSession): SessionRecord | undefined => new Sessions(tx).find(one.name),
  }),
  names: operation({
    doc: "The names of all sessions, sorted.",
    scopes: () => ["sessions"],
    reads: true,
    run: (tx: Tx): string[] => new Sessions(tx).names(),
  }),
  events: operation({
    doc: "The events of a session after a number, oldest first.",
    scopes: sessionScope,
    reads: true,
    run: (tx: Tx, one: OfSession & { readonly after: number; readonly limit: number }): SessionEvent[] =>
      new Sessions(tx).events.after(one.name, one.after, one.limit),
  }),
  wakes: operation({
    doc: "The waiting wakes of a session, soonest first.",
    scopes: sessionScope,
    reads: true,
    run: (tx: Tx, one: OfSession): StoredWake[] => new Sessions(tx).wakes.list(one.name),
  }),
  memory: operation({
    doc: "What a session remembers; nil when it never committed.",
    scopes: sessionScope,
    reads: true,
    run: (tx: Tx, one: OfSession): Json => tx.get(memorySpace, one.name) ?? null,
  }),
  learnings: operation({
    doc: "What an agent has learned, the most useful first.",
    scopes: agentScopes,
    reads: true,
    run: (tx: Tx, one: { readonly agent: string }): Learning[] => new Learnings(tx).list(one.agent),
  }),
  promotions: operation({
    doc: "Learnings that are promoted and perhaps not in the agent's file yet.",
    scopes: agentScopes,
    reads: true,
    run: (tx: Tx, one: { readonly agent: string }): string[] => new Learnings(tx).promotions(one.agent),
  }),
  promoted: operation({
    doc: "Notes that these learnings are in the agent's file.",
    scopes: agentScopes,
    run: (tx: Tx, one: { readonly agent: string; readonly texts: readonly string[] }): null => {
      new Learnings(tx).written(one.agent, one.texts);
      return null;
    },
  }),
});
