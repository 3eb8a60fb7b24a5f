/** What can be done to a conversation, as operations. */
import type { Json } from "../../../effects/index.ts";
import { StoreError } from "../../../store/index.ts";
import { defineOperations, operation } from "../../operation.ts";
import type { RowOf } from "../../tables.ts";
import type { Tx } from "../../tx.ts";
import {
  type ConversationChanges,
  Conversations,
  messageOf,
  type NewConversationMessage,
  type SaidMessage,
} from "./conversations.ts";
import { type Fork, forkDurableConversation } from "./forks.ts";
import {
  type AppendHistory,
  appendHistory,
  appendLog,
  type LogPiece,
  type NewLogEvent,
  noteLook,
  type RunOwner,
  readHistory,
  receiveMessages,
  removeConversation,
  streamOfRun,
  sweepLogs,
} from "./log.ts";
import { questionId } from "./questions.ts";
import { conversationOf, type NewConversation, type StoredConversation } from "./record.ts";
import { ConversationRuns, type EndRun, type NewInterrupt, type TakeRun } from "./runs.ts";

export interface OfConversation {
  readonly id: string;
}
export interface ConversationMoment extends OfConversation {
  /** Milliseconds since the epoch, by the caller's clock. */
  readonly now: number;
}

export interface ConversationFilter {
  /** Null: everybody's. */
  readonly owner: string | null;
  readonly agent: string | null;
  readonly state: string | null;
  readonly archived: boolean | null;
  /** Words of the title, whatever their case; "": any. */
  readonly q: string;
}

export interface ConversationQuestion {
  readonly id: string;
  readonly conversation: string | null;
  readonly run: string;
  readonly place: string;
  /** As it was asked. */
  readonly body: Json;
  /** Milliseconds since the epoch. */
  readonly asked: number;
  readonly answer: Json | null;
  readonly answered: number | null;
  readonly by: string | null;
}

const conversationScope = ({ id }: OfConversation): readonly string[] => [`conversation:${id}`];
const runScopes = ({ run: name }: { readonly run: string }): readonly string[] => [`run:${name}`];
const streamScopes = ({ stream }: { readonly stream: string }): readonly string[] => [`stream:${stream}`];

export const conversationOperations = defineOperations("conversation", {
  create: operation({
    doc: "Makes a conversation, with its first message when there is one; gives the record.",
    scopes: conversationScope,
    run: (
      tx: Tx,
      one: ConversationMoment & {
        readonly made: NewConversation;
        readonly message?: NewConversationMessage | null;
      },
    ): StoredConversation => {
      const conversations = new Conversations(tx);
      const made = conversations.create(one.id, one.made, one.now);
      if (one.message === undefined || one.message === null) return made;
      conversations.say(one.id, one.message, one.now);
      return conversations.mustFind(one.id);
    },
  }),
  get: operation({
    doc: "The record of a conversation; nil when there is none.",
    scopes: conversationScope,
    reads: true,
    run: (tx: Tx, one: OfConversation): StoredConversation | undefined => new Conversations(tx).find(one.id),
  }),
  list: operation({
    doc: "Conversations, the newest first, with the id after which the list goes on.",
    scopes: () => ["conversations"],
    reads: true,
    run: listed,
  }),
  count: operation({
    doc: "How many conversations a principal has, counted up to a limit.",
    scopes: () => ["conversations"],
    reads: true,
    run: (tx: Tx, one: { readonly owner: string; readonly limit: number }): number =>
      tx.rows("conversation", { owner: one.owner }, one.limit).length,
  }),
  change: operation({
    doc: "Changes title, mode, configuration, or puts it aside; gives the record.",
    scopes: conversationScope,
    run: changed,
  }),
  remove: operation({
    doc: "Removes a conversation that no run works for; gives its runs, and its workspace unless another one works there.",
    scopes: conversationScope,
    run: (
      tx: Tx,
      one: OfConversation,
    ): { readonly workspace: string | null; readonly runs: readonly string[] } => {
      const conversations = new Conversations(tx);
      const record = conversations.mustFind(one.id);
      if (record.state === "processing")
        throw new StoreError("taken", `the conversation ${one.id} is being worked on`);
      conversations.clearMailbox(one.id);
      return removeConversation(tx, record);
    },
  }),

  say: operation({
    doc: "Adds a message; gives it with how many wait before it.",
    scopes: conversationScope,
    run: (
      tx: Tx,
      one: ConversationMoment & NewConversationMessage,
    ): { readonly message: SaidMessage; readonly position: number } =>
      new Conversations(tx).say(one.id, one, one.now),
  }),
  withdraw: operation({
    doc: "Takes a message back that waits; gives the record.",
    scopes: conversationScope,
    run: (tx: Tx, one: ConversationMoment & { readonly message: string }): StoredConversation =>
      new Conversations(tx).withdraw(one.id, one.message, one.now),
  }),
  messages: operation({
    doc: "What people said, in the order in which it came, after a number.",
    scopes: conversationScope,
    reads: true,
    run: (
      tx: Tx,
      { id, after = 0, limit = 50 }: OfConversation & { readonly after?: number; readonly limit?: number },
    ): SaidMessage[] => {
      const rows = tx.rows("message", { conversation: id }, after + limit);
      return rows.filter(({ n }) => n > after).map(messageOf);
    },
  }),
  message: operation({
    doc: "A message that somebody said; nil when there is none.",
    scopes: (one: { readonly message: string }) => [`message:${one.message}`],
    reads: true,
    run: (tx: Tx, one: { readonly message: string }): SaidMessage | undefined => {
      const row = new Conversations(tx).messageRow(one.message);
      return row === undefined ? undefined : messageOf(row);
    },
  }),
  waiting: operation({
    doc: "Messages that wait, in the order in which they came.",
    scopes: conversationScope,
    reads: true,
    run: (tx: Tx, one: OfConversation): SaidMessage[] => new Conversations(tx).waiting(one.id).map(messageOf),
  }),
  history: operation({
    doc: "What the model is told of a conversation next time, with what is kept about it.",
    scopes: conversationScope,
    reads: true,
    run: (tx: Tx, one: OfConversation) => readHistory(tx, one.id),
  }),
  said: operation({
    doc: "Appends messages that became final to the history; gives how many there are.",
    scopes: conversationScope,
    commit: "process",
    run: (tx: Tx, one: AppendHistory): number => appendHistory(tx, one),
  }),

  receive: operation({
    doc: "A run has received messages while it worked: they wait no longer; gives how many still do.",
    scopes: conversationScope,
    commit: "process",
    run: (
      tx: Tx,
      one: ConversationMoment & { readonly owner: RunOwner; readonly messages: readonly string[] },
    ): number => receiveMessages(tx, one.id, one.owner, one.messages, one.now),
  }),

  take: operation({
    doc: "What whoever has the conversation's queued message is to do: start a run, go on with one, or nothing.",
    scopes: conversationScope,
    run: (tx: Tx, one: TakeRun) => new ConversationRuns(tx).take(one),
  }),
  end: operation({
    doc: "The run of a conversation has ended; gives the record.",
    scopes: conversationScope,
    run: (tx: Tx, one: EndRun): StoredConversation => new ConversationRuns(tx).end(one),
  }),
  resume: operation({
    doc: "Goes on with what was stopped or has failed; gives the record.",
    scopes: conversationScope,
    run: (tx: Tx, one: ConversationMoment): StoredConversation =>
      new ConversationRuns(tx).resume(one.id, one.now),
  }),
  interrupt: operation({
    doc: "Asks for the run to be stopped; gives the request, nil when nothing runs or waits, and the record.",
    scopes: conversationScope,
    run: (tx: Tx, one: ConversationMoment & NewInterrupt) =>
      new ConversationRuns(tx).interrupt(one.id, one, one.now),
  }),
  pause: operation({
    doc: "Parks what works or waits, until somebody asks it to go on; gives the record.",
    scopes: conversationScope,
    run: (tx: Tx, one: ConversationMoment & NewInterrupt & { readonly reason: string }): StoredConversation =>
      new ConversationRuns(tx).pause(one.id, one, one.now),
  }),
  fork: operation({
    doc: "Makes a conversation that goes on from a place of another one; gives the record.",
    scopes: (one: Fork) => [`conversation:${one.id}`, `conversation:${one.from}`],
    run: (tx: Tx, one: Fork): StoredConversation => forkDurableConversation(tx, one),
  }),

  appendEvents: operation({
    doc: "Appends events to a log, except those that it has; gives the number of its last one.",
    scopes: streamScopes,
    commit: "process",
    run: (
      tx: Tx,
      one: {
        readonly stream: string;
        readonly owner: RunOwner | null;
        readonly events: readonly NewLogEvent[];
        readonly pieces?: readonly LogPiece[];
      },
    ): number => appendLog(tx, one.stream, one.owner, one.events, one.pieces ?? []),
  }),
  partial: operation({
    doc: "Keeps what has been said of a message that is not finished; nil: it is not kept any more.",
    scopes: streamScopes,
    commit: "process",
    run: (
      tx: Tx,
      one: {
        readonly stream: string;
        /** Address of the message: `LOOP/TURN`. */
        readonly message: string;
        readonly body: object | null;
        readonly now: number;
      },
    ): null => {
      const { stream: name, message } = one;
      if (one.body === null) tx.remove("partial", { stream: name, message });
      else tx.write("partial", { stream: name, message, body: JSON.stringify(one.body), at: one.now });
      return null;
    },
  }),
  partials: operation({
    doc: "What has been said of messages that are not finished.",
    scopes: streamScopes,
    reads: true,
    run: (tx: Tx, one: { readonly stream: string }): readonly RowOf<"partial">[] =>
      tx.rows("partial", { stream: one.stream }, 1000),
  }),
  piece: operation({
    doc: "A long text of a log by its name, as JSON text; nil when the log has none.",
    scopes: streamScopes,
    reads: true,
    run: (tx: Tx, one: { readonly stream: string; readonly ref: string }): string | null => {
      if (!/^[0-9a-f]{64}$/.test(one.ref)) return null;
      const piece = tx.pieceOf(one.ref);
      if (piece === undefined || tx.rows("piece_holder", { holder: one.stream, piece }, 1).length === 0)
        return null;
      return tx.piece(piece) ?? null;
    },
  }),

  noteLook: operation({
    doc: "Notes that the log of a run was made or looked at.",
    scopes: runScopes,
    commit: "process",
    run: (tx: Tx, one: { readonly run: string; readonly now: number }): null => {
      noteLook(tx, streamOfRun(one.run), one.now);
      return null;
    },
  }),
  sweepLogs: operation({
    doc: "Removes logs of runs that nobody has looked at since a time, in milliseconds since the epoch; gives their streams. They can be made again.",
    scopes: () => ["run:"],
    run: (tx: Tx, { before }: { readonly before: number }): readonly string[] => sweepLogs(tx, before),
  }),

  interrupts: operation({
    doc: "Requests to stop that nobody has carried out, oldest first.",
    scopes: () => ["interrupts"],
    reads: true,
    run: (tx: Tx) => [...tx.rows("interrupt", { done: null }, 10_000)].sort((a, b) => a.asked - b.asked),
  }),
  interruptRun: operation({
    doc: "Asks for a run that works for no conversation to be stopped; gives the request.",
    scopes: runScopes,
    run: (tx: Tx, one: NewInterrupt & { readonly run: string; readonly now: number }) => {
      const [open] = tx.rows("interrupt", { run: one.run, done: null }, 1);
      if (open !== undefined) return open;
      const { interrupt, now: asked } = one;
      const row = { id: interrupt, run: one.run, conversation: null, asked, by: one.by, reason: one.reason };
      const made = { ...row, done: null, how: null };
      tx.write("interrupt", made);
      return made;
    },
  }),
  interruptedRun: operation({
    doc: "The run of a request was stopped, outside of conversations.",
    scopes: (one: { readonly interrupt: string }) => [`interrupt:${one.interrupt}`],
    run: (tx: Tx, one: { readonly interrupt: string; readonly how: string; readonly now: number }): null => {
      const [row] = tx.rows("interrupt", { id: one.interrupt }, 1);
      if (row !== undefined && row.done === null)
        tx.write("interrupt", { ...row, done: one.now, how: one.how });
      return null;
    },
  }),

  questions: operation({
    doc: "Questions of the runs of a conversation, oldest first: `{id, run, place, body, asked, answer, answered, by}`.",
    scopes: conversationScope,
    reads: true,
    run: (tx: Tx, one: OfConversation): ConversationQuestion[] =>
      tx
        .rows("conversation_run", { conversation: one.id }, 10_000)
        .flatMap((known) => questionsOf(tx, known.run, one.id))
        .sort((a, b) => a.asked - b.asked),
  }),
  withdrawnQuestion: operation({
    doc: "When a question was withdrawn, because its run was stopped; nil for others.",
    scopes: (one: { readonly question: string }) => [`question:${one.question}`],
    reads: true,
    run: (tx: Tx, one: { readonly question: string }): number | null =>
      new ConversationRuns(tx).withdrawnAt(one.question),
  }),
  ofRun: operation({
    doc: "The conversation that a run works for, and the message; nil for other runs.",
    scopes: runScopes,
    reads: true,
    run: (tx: Tx, one: { readonly run: string }) => tx.rows("conversation_run", { run: one.run }, 1)[0],
  }),
  runs: operation({
    doc: "The runs of a conversation with their messages, oldest first.",
    scopes: conversationScope,
    reads: true,
    run: (tx: Tx, one: OfConversation) =>
      [...tx.rows("conversation_run", { conversation: one.id }, 10_000)].sort((a, b) => a.began - b.began),
  }),
});

function questionsOf(tx: Tx, name: string, conversation: string | null): ConversationQuestion[] {
  const [row] = tx.rows("run", { name }, 1);
  if (row === undefined) return [];
  return tx.rows("question", { run: row.id }, 1000).map((one) => ({
    id: questionId(name, one.place),
    conversation,
    run: name,
    place: one.place,
    body: JSON.parse(one.body) as Json,
    asked: one.asked,
    answer: one.answer === null ? null : (JSON.parse(one.answer) as Json),
    answered: one.answered,
    by: one.answered_by,
  }));
}

function listed(
  tx: Tx,
  {
    owner = null,
    agent = null,
    state = null,
    archived = null,
    q = "",
    after = null,
    limit = 50,
  }: Partial<ConversationFilter> & { readonly after?: string | null; readonly limit?: number },
): { readonly items: readonly StoredConversation[]; readonly next: string | null } {
  const where = {
    ...(owner === null ? {} : { owner }),
    ...(agent === null ? {} : { agent }),
    ...(state === null ? {} : { state }),
  };
  const words = q.toLowerCase();
  const items: StoredConversation[] = [];
  const size = Math.max(limit + 1, 50);
  for (let before = after; ; ) {
    const rows = tx.latest("conversation", where, { before, limit: size });
    for (const row of rows) {
      const record = conversationOf(row);
      if (archived !== null && record.archived !== archived) continue;
      if (words !== "" && !record.title.toLowerCase().includes(words)) continue;
      if (items.length === limit) return { items, next: items.at(-1)?.id ?? null };
      items.push(record);
    }
    if (rows.length < size) return { items, next: null };
    before = rows.at(-1)?.id ?? null;
  }
}

function changed(
  tx: Tx,
  one: ConversationMoment & {
    readonly changes: ConversationChanges;
    readonly version?: number | null;
    readonly by: string;
  },
): StoredConversation {
  const conversations = new Conversations(tx);
  const record = conversations.mustFind(one.id);
  if ((one.version ?? record.version) !== record.version)
    throw new StoreError("taken", `the conversation was changed: it has version ${record.version}`);
  const { title, mode, config, archived } = one.changes;
  const wanted = { title, mode, config, archived } as ConversationChanges;
  return conversations.change(record, wanted, one.now);
}
