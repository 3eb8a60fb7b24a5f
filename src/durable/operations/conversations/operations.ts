/** What can be done to a conversation, as operations. */
import type { Json } from "../../../effects/index.ts";
import { StoreError } from "../../../store/index.ts";
import { field } from "../../../table/index.ts";
import { conversationStateNames } from "../../conversation-states.ts";
import { defineOperations, operation } from "../../operation.ts";
import type { PartialRow } from "../../server-tables.ts";
import type { Tx } from "../../tx.ts";
import {
  type ConversationChanges,
  Conversations,
  conversationBox,
  type Delivery,
  deliveries,
  messageOf,
  type NewMessage,
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
import { type ConversationRecord, conversationOf, type NewConversation } from "./record.ts";
import { ConversationRuns, type EndRun, runEnds, type TakeRun } from "./runs.ts";

interface OfConversation {
  readonly id: string;
}
interface At extends OfConversation {
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

const id = field("id", "string", "Id of the conversation.");
const now = field("now", "float", "The caller's time, in milliseconds since the epoch.");
const run = field("run", "string", "Name of the run.");
const by = field("by", "string", "Name of the principal.");
const stream = field("stream", "string", "Name of the stream: the id of a conversation, or `run:RUN`.");
const owner = field("owner", "dict | nil", "The run and the fence of its owner; nil: nobody is asked.");
const reason = field("reason", "string | nil", "Why, in the words of who asks.");

export const conversationOperations = defineOperations("conversation", {
  create: operation({
    doc: "Makes a conversation, with its first message when there is one; gives the record.",
    args: [
      id,
      field("made", "dict", "Agent, owner, title, mode, config and workspace."),
      field("message", "dict | nil", "What is said first."),
      now,
    ],
    scopes: conversationScope,
    run: (
      tx: Tx,
      one: At & { readonly made: NewConversation; readonly message: NewMessage | null },
    ): ConversationRecord => {
      const conversations = new Conversations(tx);
      const made = conversations.create(one.id, one.made, one.now);
      if (one.message === null) return made;
      conversations.say(one.id, one.message, one.now);
      return conversations.mustFind(one.id);
    },
  }),
  get: operation({
    doc: "The record of a conversation; nil when there is none.",
    args: [id],
    scopes: conversationScope,
    reads: true,
    run: (tx: Tx, one: OfConversation): ConversationRecord | null =>
      new Conversations(tx).find(one.id) ?? null,
  }),
  list: operation({
    doc: "Conversations, the newest first, with the id after which the list goes on.",
    args: [
      field("owner", "string | nil", "Only of this principal."),
      field("agent", "string | nil", "Only of this agent."),
      field("state", "string | nil", "Only in this state.", { values: conversationStateNames }),
      field("archived", "bool | nil", "Only those that are, or are not."),
      field("q", "string", "Only with these words in the title."),
      field("after", "string | nil", "Id of the last one that is known."),
      field("limit", "int", "How many at most."),
    ],
    scopes: () => ["conversations"],
    reads: true,
    run: listed,
  }),
  count: operation({
    doc: "How many conversations a principal has, counted up to a limit.",
    args: [field("owner", "string", "Name of the principal."), field("limit", "int", "Where counting ends.")],
    scopes: () => ["conversations"],
    reads: true,
    run: (tx: Tx, one: { readonly owner: string; readonly limit: number }): number =>
      tx.rows("conversation", { owner: one.owner }, one.limit).length,
  }),
  change: operation({
    doc: "Changes title, mode, configuration, or puts it aside; gives the record.",
    args: [
      id,
      field("changes", "dict", "`title`, `mode`, `config`, `archived`; those that are not there stay."),
      field("version", "int | nil", "Refused when the record has another one."),
      by,
      now,
    ],
    scopes: conversationScope,
    run: changed,
  }),
  remove: operation({
    doc: "Removes a conversation that no run works for; gives its runs, and its workspace unless another one works there.",
    args: [id],
    scopes: conversationScope,
    run: (
      tx: Tx,
      one: OfConversation,
    ): { readonly workspace: string | null; readonly runs: readonly string[] } => {
      const record = new Conversations(tx).mustFind(one.id);
      if (record.state === "processing")
        throw new StoreError("taken", `the conversation ${one.id} is being worked on`);
      tx.withdraw(conversationBox(one.id));
      return removeConversation(tx, record);
    },
  }),

  say: operation({
    doc: "Adds a message; gives it with how many wait before it.",
    args: [
      id,
      field("message", "string", "Id of the message."),
      field("text", "string", "What is said."),
      field("attachments", "list<any>", "What comes with it."),
      field("delivery", "string", "When a run that works hears it.", { values: deliveries }),
      by,
      now,
    ],
    scopes: conversationScope,
    run: (tx: Tx, one: At & NewMessage): { readonly message: SaidMessage; readonly position: number } =>
      new Conversations(tx).say(one.id, one, one.now),
  }),
  withdraw: operation({
    doc: "Takes a message back that waits; gives the record.",
    args: [id, field("message", "string", "Id of the message."), now],
    scopes: conversationScope,
    run: (tx: Tx, one: At & { readonly message: string }): ConversationRecord =>
      new Conversations(tx).withdraw(one.id, one.message, one.now),
  }),
  messages: operation({
    doc: "What people said, in the order in which it came, after a number.",
    args: [
      id,
      field("after", "int", "Numbers up to and including this one are left out."),
      field("limit", "int", "How many at most."),
    ],
    scopes: conversationScope,
    reads: true,
    run: (
      tx: Tx,
      one: OfConversation & { readonly after: number; readonly limit: number },
    ): SaidMessage[] => {
      const rows = tx.rows("message", { conversation: one.id }, one.after + one.limit);
      return rows.filter(({ n }) => n > one.after).map(messageOf);
    },
  }),
  message: operation({
    doc: "A message that somebody said; nil when there is none.",
    args: [field("message", "string", "Id of the message.")],
    scopes: (one: { readonly message: string }) => [`message:${one.message}`],
    reads: true,
    run: (tx: Tx, one: { readonly message: string }): SaidMessage | null => {
      const row = new Conversations(tx).messageRow(one.message);
      return row === undefined ? null : messageOf(row);
    },
  }),
  waiting: operation({
    doc: "Messages that wait, in the order in which they came.",
    args: [id],
    scopes: conversationScope,
    reads: true,
    run: (tx: Tx, one: OfConversation): SaidMessage[] => new Conversations(tx).waiting(one.id).map(messageOf),
  }),
  history: operation({
    doc: "What the model is told of a conversation next time, with what is kept about it.",
    args: [id],
    scopes: conversationScope,
    reads: true,
    run: (tx: Tx, one: OfConversation) => readHistory(tx, one.id),
  }),
  said: operation({
    doc: "Appends messages that became final to the history; gives how many there are.",
    args: [
      id,
      owner,
      field("after", "int", "How many there were before these."),
      field("entries", "list<dict>", "`{id, message}`, oldest first."),
      field("kept", "any", "What is kept about the history from now on; nil: as before."),
      field("said", "list<string>", "Ids of people's messages that are among them."),
      now,
    ],
    scopes: conversationScope,
    commit: "process",
    run: (tx: Tx, one: AppendHistory): number => appendHistory(tx, one),
  }),

  receive: operation({
    doc: "A run has received messages while it worked: they wait no longer; gives how many still do.",
    args: [id, owner, field("messages", "list<string>", "Their ids."), now],
    scopes: conversationScope,
    commit: "process",
    run: (tx: Tx, one: At & { readonly owner: RunOwner; readonly messages: readonly string[] }): number =>
      receiveMessages(tx, one.id, one.owner, one.messages, one.now),
  }),

  take: operation({
    doc: "What whoever has the conversation's queued message is to do: start a run, go on with one, or nothing.",
    args: [
      id,
      run,
      field("records", "int", "Records of the journal of the run at work."),
      field("died", "bool", "Its process ended by itself, under this server."),
      now,
    ],
    scopes: conversationScope,
    run: (tx: Tx, one: TakeRun) => new ConversationRuns(tx).take(one),
  }),
  end: operation({
    doc: "The run of a conversation has ended; gives the record.",
    args: [
      id,
      run,
      field("status", "string", "How.", { values: runEnds }),
      field("exitCode", "int | nil", "Of its process."),
      field("error", "string | nil", "In words."),
      field("outcome", "dict | nil", "How its agent ended that did not do its work: `status`, `why`."),
      field("how", "string | nil", "Of one that was stopped.", { values: ["unwound", "killed"] }),
      now,
    ],
    scopes: conversationScope,
    run: (tx: Tx, one: EndRun): ConversationRecord => new ConversationRuns(tx).end(one),
  }),
  resume: operation({
    doc: "Goes on with what was stopped or has failed; gives the record.",
    args: [id, now],
    scopes: conversationScope,
    run: (tx: Tx, one: At): ConversationRecord => new ConversationRuns(tx).resume(one.id, one.now),
  }),
  interrupt: operation({
    doc: "Asks for the run to be stopped; gives the request, nil when nothing runs or waits, and the record.",
    args: [id, field("interrupt", "string", "Id of the request."), by, reason, now],
    scopes: conversationScope,
    run: (
      tx: Tx,
      one: At & { readonly interrupt: string; readonly by: string; readonly reason: string | null },
    ) => new ConversationRuns(tx).interrupt(one.id, one, one.now),
  }),
  pause: operation({
    doc: "Parks what works or waits, until somebody asks it to go on; gives the record.",
    args: [
      id,
      field("interrupt", "string", "Id of the request."),
      by,
      field("reason", "string", "In words."),
      now,
    ],
    scopes: conversationScope,
    run: (
      tx: Tx,
      one: At & { readonly interrupt: string; readonly by: string; readonly reason: string },
    ): ConversationRecord => new ConversationRuns(tx).pause(one.id, one, one.now),
  }),
  fork: operation({
    doc: "Makes a conversation that goes on from a place of another one; gives the record.",
    args: [
      id,
      field("from", "string", "Id of the other one."),
      field("event", "int", "Number of the last event that both share."),
      field("run", "string", "Name of the new run."),
      field("step", "int", "Number of the first step that is done anew."),
      field("provider", "string | nil", "Model provider from there on."),
      field("model", "string | nil", "Model from there on."),
      field("set", "dict<string, string>", "Variables of the environment from there on."),
      field("result", "string | nil", "What the step gives, as JSON text, instead of doing it."),
      field("owner", "string", "Name of the principal."),
      field("title", "string | nil", "Another title."),
      field("workspace", "string | nil", "Its folder."),
      now,
    ],
    scopes: (one: Fork) => [`conversation:${one.id}`, `conversation:${one.from}`],
    run: (tx: Tx, one: Fork): ConversationRecord => forkDurableConversation(tx, one),
  }),

  append_events: operation({
    doc: "Appends events to a log, except those that it has; gives the number of its last one.",
    args: [
      stream,
      owner,
      field("events", "list<dict>", "`{at, type, origin, body}`, oldest first."),
      field("pieces", "list<dict>", "`{hash, text}` of long texts."),
    ],
    scopes: streamScopes,
    commit: "process",
    run: (
      tx: Tx,
      one: {
        readonly stream: string;
        readonly owner: RunOwner | null;
        readonly events: readonly NewLogEvent[];
        readonly pieces: readonly LogPiece[];
      },
    ): number => appendLog(tx, one.stream, one.owner, one.events, one.pieces),
  }),
  partial: operation({
    doc: "Keeps what has been said of a message that is not finished; nil: it is not kept any more.",
    args: [
      stream,
      field("message", "string", "Address of the message: `LOOP/TURN`."),
      field("body", "dict | nil", "Where it is said, and the text."),
      now,
    ],
    scopes: streamScopes,
    commit: "process",
    run: (
      tx: Tx,
      one: { readonly stream: string; readonly message: string; readonly body: Json; readonly now: number },
    ): null => {
      const { stream: name, message } = one;
      if (one.body === null) tx.remove("partial", { stream: name, message });
      else tx.write("partial", { stream: name, message, body: JSON.stringify(one.body), at: one.now });
      return null;
    },
  }),
  partials: operation({
    doc: "What has been said of messages that are not finished.",
    args: [stream],
    scopes: streamScopes,
    reads: true,
    run: (tx: Tx, one: { readonly stream: string }): readonly PartialRow[] =>
      tx.rows("partial", { stream: one.stream }, 1000),
  }),
  piece: operation({
    doc: "A long text of a log by its name, as JSON text; nil when the log has none.",
    args: [stream, field("ref", "string", "Its name.")],
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

  note_look: operation({
    doc: "Notes that the log of a run was made or looked at.",
    args: [run, now],
    scopes: runScopes,
    commit: "process",
    run: (tx: Tx, one: { readonly run: string; readonly now: number }): null => {
      noteLook(tx, streamOfRun(one.run), one.now);
      return null;
    },
  }),
  sweep_logs: operation({
    doc: "Removes logs of runs that nobody has looked at since a time, in milliseconds since the epoch; gives their streams. They can be made again.",
    args: [field("before", "int", "Looked at last before it.")],
    scopes: () => ["run:"],
    run: (tx: Tx, { before }: { readonly before: number }): readonly string[] => sweepLogs(tx, before),
  }),

  interrupts: operation({
    doc: "Requests to stop that nobody has carried out, oldest first.",
    args: [],
    scopes: () => ["interrupts"],
    reads: true,
    run: (tx: Tx, _none: Record<string, never>) =>
      [...tx.rows("interrupt", { done: null }, 10_000)].sort((a, b) => a.asked - b.asked),
  }),
  interrupt_run: operation({
    doc: "Asks for a run that works for no conversation to be stopped; gives the request.",
    args: [run, field("interrupt", "string", "Id of the request."), by, reason, now],
    scopes: runScopes,
    run: (
      tx: Tx,
      one: {
        readonly run: string;
        readonly interrupt: string;
        readonly by: string;
        readonly reason: string | null;
        readonly now: number;
      },
    ) => {
      const [open] = tx.rows("interrupt", { run: one.run, done: null }, 1);
      if (open !== undefined) return open;
      const { interrupt, now: asked } = one;
      const row = { id: interrupt, run: one.run, conversation: null, asked, by: one.by, reason: one.reason };
      const made = { ...row, done: null, how: null };
      tx.write("interrupt", made);
      return made;
    },
  }),
  interrupted_run: operation({
    doc: "The run of a request was stopped, outside of conversations.",
    args: [field("interrupt", "string", "Id of the request."), field("how", "string", "How."), now],
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
    args: [id],
    scopes: conversationScope,
    reads: true,
    run: (tx: Tx, one: OfConversation): ConversationQuestion[] =>
      tx
        .rows("conversation_run", { conversation: one.id }, 10_000)
        .flatMap((known) => questionsOf(tx, known.run, one.id))
        .sort((a, b) => a.asked - b.asked),
  }),
  withdrawn_question: operation({
    doc: "When a question was withdrawn, because its run was stopped; nil for others.",
    args: [field("question", "string", "Id of the question.")],
    scopes: (one: { readonly question: string }) => [`question:${one.question}`],
    reads: true,
    run: (tx: Tx, one: { readonly question: string }): number | null =>
      new ConversationRuns(tx).withdrawnAt(one.question),
  }),
  of_run: operation({
    doc: "The conversation that a run works for, and the message; nil for other runs.",
    args: [run],
    scopes: runScopes,
    reads: true,
    run: (tx: Tx, one: { readonly run: string }) =>
      tx.rows("conversation_run", { run: one.run }, 1)[0] ?? null,
  }),
  runs: operation({
    doc: "The runs of a conversation with their messages, oldest first.",
    args: [id],
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
  one: ConversationFilter & { readonly after: string | null; readonly limit: number },
): { readonly items: readonly ConversationRecord[]; readonly next: string | null } {
  const where = {
    ...(one.owner === null ? {} : { owner: one.owner }),
    ...(one.agent === null ? {} : { agent: one.agent }),
    ...(one.state === null ? {} : { state: one.state }),
  };
  const words = one.q.toLowerCase();
  const items: ConversationRecord[] = [];
  const size = Math.max(one.limit + 1, 50);
  for (let before = one.after; ; ) {
    const rows = tx.latest("conversation", where, { before, limit: size });
    for (const row of rows) {
      const record = conversationOf(row);
      if (one.archived !== null && record.archived !== one.archived) continue;
      if (words !== "" && !record.title.toLowerCase().includes(words)) continue;
      if (items.length === one.limit) return { items, next: items.at(-1)?.id ?? null };
      items.push(record);
    }
    if (rows.length < size) return { items, next: null };
    before = rows.at(-1)?.id ?? null;
  }
}

function changed(
  tx: Tx,
  one: At & {
    readonly changes: ConversationChanges;
    readonly version: number | null;
    readonly by: string;
  },
): ConversationRecord {
  const conversations = new Conversations(tx);
  const record = conversations.mustFind(one.id);
  if (one.version !== null && one.version !== record.version)
    throw new StoreError("taken", `the conversation was changed: it has version ${record.version}`);
  const { title, mode, config, archived } = one.changes;
  const wanted = { title, mode, config, archived } as ConversationChanges;
  return conversations.change(record, wanted, one.now);
}

export type { Delivery };
