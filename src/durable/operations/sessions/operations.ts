/**
 * What can be done to a session, as operations. A run of a session is its token: begin and commit can be repeated by the run that
 * did them, and by nobody else.
 */
import type { Json } from "../../../effects/index.ts";
import { field } from "../../../table/index.ts";
import { defineOperations, operation } from "../../operation.ts";
import type { Tx } from "../../tx.ts";
import { type Batch, type Begun, beginRun } from "./begin-run.ts";
import { commitRun, failRun, type Outcome } from "./end-run.ts";
import type { SessionEvent } from "./events.ts";
import { type Learning, Learnings, type NewLearning } from "./learnings.ts";
import type { NewSession, Receipt, SessionRecord } from "./record.ts";
import { Sessions } from "./sessions.ts";
import type { StoredWake } from "./wake-table.ts";
import {
  abandonWork,
  beginWork,
  crashedWork,
  endWork,
  resumeWork,
  suspendWork,
  type WorkEnd,
} from "./work.ts";

interface Named {
  readonly name: string;
}
interface At extends Named {
  /** Milliseconds since the epoch, by the caller's clock. */
  readonly now: number;
}
interface OfRun extends At {
  readonly token: string;
}
interface OfWork extends At {
  readonly run: string;
}

export interface Commit extends OfRun {
  readonly outcome: Outcome;
  /** What the session remembers; null: as before. */
  readonly memory: Json;
  readonly learned: {
    readonly agent: string;
    readonly found: readonly NewLearning[];
    readonly promoteAfter: number;
  } | null;
}

const sessionScope = ({ name }: Named): readonly string[] => [`session:${name}`];
const agentScopes = ({ agent }: { readonly agent: string }): readonly string[] => [`agent:${agent}`];

const name = field("name", "string", "Name of the session.");
const now = field("now", "float", "The caller's time, in milliseconds since the epoch.");
const token = field("token", "string", "Whose run it is.");
const run = field("run", "string", "Name of the recorded run.");
const agent = field("agent", "string", "Name of the agent.");

const memorySpace = "session.memory";

export const sessionOperations = defineOperations("session", {
  create: operation({
    doc: "Makes a session, with its first message when there is one; gives the record.",
    args: [
      name,
      field("made", "dict", "Agent, script, folder and what else it has from the beginning."),
      field("message", "string | nil", "What it is told first."),
      now,
    ],
    scopes: sessionScope,
    run: (
      tx: Tx,
      one: At & { readonly made: NewSession; readonly message: string | null },
    ): SessionRecord => {
      const sessions = new Sessions(tx);
      const made = sessions.create(one.name, one.made, one.now);
      if (one.message === null) return made;
      sessions.send(one.name, one.message, one.now);
      return sessions.mustFind(one.name);
    },
  }),
  send: operation({
    doc: "Adds a message; gives the number of its event.",
    args: [name, field("text", "string", "What is said."), now],
    scopes: sessionScope,
    run: (tx: Tx, one: At & { readonly text: string }): number =>
      new Sessions(tx).send(one.name, one.text, one.now),
  }),
  result: operation({
    doc: "Gives the result of a custom tool that the session waits for; gives the number of its event.",
    args: [
      name,
      field("use", "string", "Id of the tool use."),
      field("content", "any", "The result."),
      field("isError", "bool", "It did not work."),
      now,
    ],
    scopes: sessionScope,
    run: (
      tx: Tx,
      one: At & { readonly use: string; readonly content: Json; readonly isError: boolean },
    ): number => new Sessions(tx).result(one.name, one.use, one, one.now),
  }),
  wake: operation({
    doc: "Queues a wake; one of the same key is replaced.",
    args: [name, field("wake", "dict", "Key, moment and reason."), now],
    scopes: sessionScope,
    run: (tx: Tx, one: At & { readonly wake: StoredWake }): null => {
      new Sessions(tx).wake(one.name, one.wake, one.now);
      return null;
    },
  }),
  cancel_wake: operation({
    doc: "Takes a waiting wake back.",
    args: [name, field("key", "string", "Key of the wake."), now],
    scopes: sessionScope,
    run: (tx: Tx, one: At & { readonly key: string }): null => {
      new Sessions(tx).cancelWake(one.name, one.key, one.now);
      return null;
    },
  }),
  fire_wakes: operation({
    doc: "Makes events of the wakes that are due; gives the record.",
    args: [name, now],
    scopes: sessionScope,
    run: (tx: Tx, one: At): SessionRecord => new Sessions(tx).fireWakes(one.name, one.now),
  }),
  remind: operation({
    doc: "Tells orchestration once more when it is due; gives the record.",
    args: [name, now],
    scopes: sessionScope,
    run: (tx: Tx, one: At): SessionRecord => new Sessions(tx).remind(one.name, one.now),
  }),
  close: operation({
    doc: "Closes a session; gives the record.",
    args: [name, now],
    scopes: sessionScope,
    run: (tx: Tx, one: At): SessionRecord => new Sessions(tx).close(one.name, one.now),
  }),
  begin: operation({
    doc: "Begins a run: hands out what is pending, and notes whose it is.",
    args: [name, token, field("batch", "dict", "Most events and characters that it handles."), now],
    scopes: sessionScope,
    run: (tx: Tx, one: OfRun & { readonly batch: Batch }): Begun =>
      beginRun(new Sessions(tx), one.name, one.token, one.batch, one.now),
  }),
  commit: operation({
    doc: "Writes what came of a run, with what it remembers and has learned; gives the receipt.",
    args: [
      name,
      token,
      field("outcome", "dict", "What the run came to."),
      field("memory", "dict | nil", "What the session remembers from now on."),
      field("learned", "dict | nil", "Agent, learnings, and after how many runs one is promoted."),
      now,
    ],
    scopes: (one: Commit) =>
      one.learned === null ? sessionScope(one) : [...sessionScope(one), ...agentScopes(one.learned)],
    run: (tx: Tx, one: Commit): Receipt =>
      commitRun(new Sessions(tx), one.name, one.token, one.outcome, one.now, (at) => {
        if (one.memory !== null) tx.put(memorySpace, one.name, { run: at, ...(one.memory as object) });
        if (one.learned === null) return [];
        const { agent: of, found, promoteAfter } = one.learned;
        return new Learnings(tx).learn(of, found, { session: one.name, now: one.now, promoteAfter });
      }),
  }),
  fail: operation({
    doc: "Notes that nothing came of a run; gives the record.",
    args: [name, token, field("message", "string", "Why."), now],
    scopes: sessionScope,
    run: (tx: Tx, one: OfRun & { readonly message: string }): SessionRecord =>
      failRun(new Sessions(tx), one.name, one.token, one.message, one.now),
  }),
  begin_work: operation({
    doc: "Notes the recorded run that is about to start; gives the record.",
    args: [name, run, now],
    scopes: sessionScope,
    run: (tx: Tx, one: OfWork): SessionRecord => beginWork(new Sessions(tx), one.name, one.run, one.now),
  }),
  suspend_work: operation({
    doc: "Notes that the recorded run waits for a person; gives the record.",
    args: [name, run, now],
    scopes: sessionScope,
    run: (tx: Tx, one: OfWork): SessionRecord => suspendWork(new Sessions(tx), one.name, one.run, one.now),
  }),
  resume_work: operation({
    doc: "Notes that the recorded run goes on; gives the record.",
    args: [name, run, now],
    scopes: sessionScope,
    run: (tx: Tx, one: OfWork): SessionRecord => resumeWork(new Sessions(tx), one.name, one.run, one.now),
  }),
  abandon_work: operation({
    doc: "Gives the recorded run up: what it began is pending again; gives the record.",
    args: [name, now],
    scopes: sessionScope,
    run: (tx: Tx, one: At): SessionRecord => abandonWork(new Sessions(tx), one.name, one.now),
  }),
  crashed_work: operation({
    doc: "Notes that the process of the recorded run ended without a word; gives the record.",
    args: [name, field("message", "string", "How."), now],
    scopes: sessionScope,
    run: (tx: Tx, one: At & { readonly message: string }): SessionRecord =>
      crashedWork(new Sessions(tx), one.name, one.message, one.now),
  }),
  end_work: operation({
    doc: "Notes that the recorded run has ended; gives the record.",
    args: [name, run, field("end", "dict", "Whether all went well, else what is wrong."), now],
    scopes: sessionScope,
    run: (tx: Tx, one: OfWork & { readonly end: WorkEnd }): SessionRecord =>
      endWork(new Sessions(tx), one.name, one.run, one.end, one.now),
  }),
  find: operation({
    doc: "The record of a session; nil when there is none.",
    args: [name],
    scopes: sessionScope,
    reads: true,
    run: (tx: Tx, one: Named): SessionRecord | null => new Sessions(tx).find(one.name) ?? null,
  }),
  names: operation({
    doc: "The names of all sessions, sorted.",
    args: [],
    scopes: () => ["sessions"],
    reads: true,
    run: (tx: Tx, _none: Record<string, never>): string[] => new Sessions(tx).names(),
  }),
  events: operation({
    doc: "The events of a session after a number, oldest first.",
    args: [
      name,
      field("after", "int", "Numbers up to and including this one are left out."),
      field("limit", "int", "How many at most."),
    ],
    scopes: sessionScope,
    reads: true,
    run: (tx: Tx, one: Named & { readonly after: number; readonly limit: number }): SessionEvent[] =>
      new Sessions(tx).events.after(one.name, one.after, one.limit),
  }),
  wakes: operation({
    doc: "The waiting wakes of a session, soonest first.",
    args: [name],
    scopes: sessionScope,
    reads: true,
    run: (tx: Tx, one: Named): StoredWake[] => new Sessions(tx).wakes.list(one.name),
  }),
  memory: operation({
    doc: "What a session remembers; nil when it never committed.",
    args: [name],
    scopes: sessionScope,
    reads: true,
    run: (tx: Tx, one: Named): Json => tx.get(memorySpace, one.name) ?? null,
  }),
  learnings: operation({
    doc: "What an agent has learned, the most useful first.",
    args: [agent],
    scopes: agentScopes,
    reads: true,
    run: (tx: Tx, one: { readonly agent: string }): Learning[] => new Learnings(tx).list(one.agent),
  }),
  promotions: operation({
    doc: "Learnings that are promoted and perhaps not in the agent's file yet.",
    args: [agent],
    scopes: agentScopes,
    reads: true,
    run: (tx: Tx, one: { readonly agent: string }): string[] => new Learnings(tx).promotions(one.agent),
  }),
  promoted: operation({
    doc: "Notes that these learnings are in the agent's file.",
    args: [agent, field("texts", "list<string>", "The learnings.")],
    scopes: agentScopes,
    run: (tx: Tx, one: { readonly agent: string; readonly texts: readonly string[] }): null => {
      new Learnings(tx).written(one.agent, one.texts);
      return null;
    },
  }),
});
