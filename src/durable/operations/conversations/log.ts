/**
 * The log of a run's loops, its unfinished texts, and the history that the model is told next time: written by the process that
 * owns the run, and by nobody who was taken over.
 */
import type { Json } from "../../../effects/index.ts";
import { StoreError } from "../../../store/index.ts";
import type { Tx } from "../../tx.ts";
import { Conversations } from "./conversations.ts";
import type { ConversationTotals, StoredConversation } from "./record.ts";

/** Which process writes: the run and its fence. */
export interface RunOwner {
  readonly run: string;
  readonly fence: number;
}

export interface NewLogEvent {
  readonly at: number;
  readonly type: string;
  /** `RUN:LOOP:K` */
  readonly origin: string;
  /** `{loop, parent, turn, call, data}`, without what is null. */
  readonly body: { readonly [key: string]: Json };
}

/** A long text of an event, kept by its content. */
export interface LogPiece {
  /** SHA-256 of `text`, hexadecimal. */
  readonly hash: string;
  /** The text as JSON. */
  readonly text: string;
}

export interface HistoryEntry {
  /** `msg_N` */
  readonly id: string;
  /** The message with its origin. */
  readonly message: { readonly [key: string]: Json };
}

export interface StoredEntry extends HistoryEntry {
  readonly n: number;
  readonly run: string | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The names of streams. */
export const streamOfRun = (run: string): string => `run:${run}`;
const conversationStream = /^c_/;

const keptSpace = "conversation.kept";
const pageSize = 500;

/** Throws a `StoreError` "taken" when the run belongs to another process by now. */
function mustOwn(tx: Tx, { run, fence }: RunOwner): void {
  const [row] = tx.rows("run", { name: run }, 1);
  if (row?.fence === fence) return;
  throw new StoreError("taken", `the run ${run} was taken over by another process`);
}

/** Appends what the stream does not have; gives the number of its last event. */
export function appendLog(
  tx: Tx,
  stream: string,
  owner: RunOwner | null,
  events: readonly NewLogEvent[],
  pieces: readonly LogPiece[],
): number {
  if (owner !== null) mustOwn(tx, owner);
  for (const { hash, text } of pieces)
    tx.write("piece_holder", { holder: stream, piece: tx.keepPiece(hash, text) });
  const head = tx.append(stream, events);
  for (const { type, body } of events)
    if (type === "message.end") tx.remove("partial", { stream, message: messageAddress(body) });
  if (conversationStream.test(stream)) noteIn(tx, stream, head, events);
  return head;
}

/** `LOOP/TURN`: an unfinished text is that of one answer. */
export const messageAddress = (place: { readonly loop?: unknown; readonly turn?: unknown }): string =>
  `${place.loop ?? ""}/${place.turn ?? 0}`;

/** The record's head, totals and gauge follow the log. */
function noteIn(tx: Tx, id: string, head: number, events: readonly NewLogEvent[]): void {
  const conversations = new Conversations(tx);
  const record = conversations.find(id);
  if (record === undefined || head <= record.head) return;
  const fresh = events.slice(Math.max(0, events.length - (head - record.head)));
  conversations.put({ ...withTotals(record, fresh), head }, fresh.at(-1)?.at ?? record.changed);
}

interface UsageData {
  readonly answer: { readonly input: number; readonly output: number; readonly cost_usd: number | null };
}

function withTotals(record: StoredConversation, events: readonly NewLogEvent[]): StoredConversation {
  let { totals, gauge, mode } = record;
  for (const { type, body } of events) {
    const data = body.data as unknown;
    if (type === "mode.changed" && (body.parent ?? null) === null)
      mode = String((data as { to: unknown }).to);
    else if (type === "usage") totals = plusAnswer(totals, data as UsageData);
    else if (type === "turn.start") totals = { ...totals, turns: totals.turns + 1 };
    else if (type === "tool.start") totals = { ...totals, tool_calls: totals.tool_calls + 1 };
    else if (type === "context.usage" && (body.parent ?? null) === null) {
      const { used, window, ratio, threshold } = data as NonNullable<StoredConversation["gauge"]>;
      gauge = { used, window, ratio, threshold };
    }
  }
  return { ...record, totals, gauge, mode };
}

const plusAnswer = (before: ConversationTotals, { answer }: UsageData): ConversationTotals => ({
  ...before,
  input: before.input + answer.input,
  output: before.output + answer.output,
  cost_usd: before.cost_usd === null || answer.cost_usd === null ? null : before.cost_usd + answer.cost_usd,
});

// ── history ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** What was said before, oldest first, with what its owner keeps about it (compaction plan, ledger, contract, coverage). */
export function readHistory(
  tx: Tx,
  id: string,
): { readonly entries: readonly StoredEntry[]; readonly kept: Json } {
  const record = new Conversations(tx).mustFind(id);
  const shared =
    record.parent === null || record.parent.history === 0
      ? []
      : readHistory(tx, record.parent.conversation).entries.filter(isShared(record));
  return { entries: [...shared, ...ownHistory(tx, id)], kept: tx.get(keptSpace, id) ?? null };
}

/** Whether a fork has a message of the conversation that it comes from. */
const isShared =
  ({ parent }: StoredConversation) =>
  ({ n }: StoredEntry): boolean =>
    n <= (parent?.history ?? 0);

function ownHistory(tx: Tx, id: string): StoredEntry[] {
  const rows = tx.rows("history", { conversation: id }, 1_000_000);
  return rows.map(({ n, id: entry, run, at, body }) => ({
    n,
    id: entry,
    run,
    at,
    message: JSON.parse(body) as HistoryEntry["message"],
  }));
}

export interface AppendHistory {
  readonly id: string;
  readonly owner: RunOwner | null;
  /** Messages that there were before: who resumes a run writes them again as the same. */
  readonly after: number;
  readonly entries: readonly HistoryEntry[];
  /** Null: as before. */
  readonly kept: Json;
  /** People's messages that are part of the history now. */
  readonly said: readonly string[];
  readonly now: number;
}

/** Appends what became final; gives the number of the last one. What is there already stays. */
export function appendHistory(tx: Tx, { id, owner, after, entries, kept, said, now }: AppendHistory): number {
  if (owner !== null) mustOwn(tx, owner);
  const conversations = new Conversations(tx);
  const record = conversations.mustFind(id);
  let history = record.history;
  for (const [at, entry] of entries.entries()) {
    const n = after + at + 1;
    if (n <= record.history) continue;
    const body = JSON.stringify(entry.message);
    tx.write("history", { conversation: id, n, id: entry.id, run: owner?.run ?? null, at: now, body });
    history = n;
  }
  if (kept !== null) tx.put(keptSpace, id, kept);
  for (const message of said) {
    const row = conversations.messageRow(message);
    if (row?.state === "taken") tx.write("message", { ...row, state: "said" });
  }
  if (history > record.history) conversations.put({ ...record, history }, now);
  return history;
}

/** Messages that a run received while it worked: they wait no longer. Gives how many still do. */
export function receiveMessages(
  tx: Tx,
  id: string,
  owner: RunOwner,
  messages: readonly string[],
  now: number,
): number {
  mustOwn(tx, owner);
  const conversations = new Conversations(tx);
  let record = conversations.mustFind(id);
  for (const message of messages) {
    const row = conversations.messageRow(message);
    if (row?.conversation !== id || row.state !== "queued") continue;
    const { run } = owner;
    tx.write("message", { ...row, state: "taken", run });
    record = conversations.log({ ...record, queued: record.queued - 1 }, "message.taken", { message }, now, {
      run,
    });
  }
  return record.queued;
}

// ── removing, sharing ───────────────────────────────────────────────────────────────────────────────────────────

/** Removes a conversation with everything of it; forks keep what they share. Gives its runs, and its folder when nobody else has it. */
export function removeConversation(
  tx: Tx,
  record: StoredConversation,
): { readonly workspace: string | null; readonly runs: readonly string[] } {
  const { id } = record;
  const workspace = keepForForks(tx, record) ? null : record.workspace;
  const runs = tx.rows("conversation_run", { conversation: id }, 1_000_000).map(({ run }) => run);
  for (const table of ["history", "message", "conversation_run", "interrupt"] as const)
    tx.remove(table, { conversation: id });
  tx.remove("partial", { stream: id });
  tx.remove("piece_holder", { holder: id });
  tx.remove("conversation", { id });
  tx.clearStream(id);
  tx.put(keptSpace, id, undefined);
  return { workspace, runs };
}

/** Forks get copies of the messages that they share with a conversation that goes. Whether another one works in its folder. */
function keepForForks(tx: Tx, { id, workspace }: StoredConversation): boolean {
  const conversations = new Conversations(tx);
  let isUsed = false;
  for (let before: string | null = null; ; ) {
    const rows: readonly { readonly id: string }[] = tx.latest(
      "conversation",
      {},
      { before, limit: pageSize },
    );
    for (const row of rows) {
      const fork = conversations.mustFind(row.id);
      isUsed ||= fork.id !== id && workspace !== null && fork.workspace === workspace;
      if (fork.parent?.conversation !== id) continue;
      const shared = readHistory(tx, id).entries.filter(isShared(fork));
      for (const { n, id: entry, run, at, message } of shared)
        tx.write("history", { conversation: fork.id, n, id: entry, run, at, body: JSON.stringify(message) });
      conversations.put({ ...fork, parent: { ...fork.parent, history: 0 } }, fork.changed);
    }
    if (rows.length < pageSize) return isUsed;
    before = rows.at(-1)?.id ?? null;
  }
}

// ── logs of runs that somebody looked at ────────────────────────────────────────────────────────────────────────

/** Stream of a run ▸ when its log was made or looked at, in milliseconds since the epoch. */
const lookedSpace = "log.looked";

export function noteLook(tx: Tx, stream: string, now: number): void {
  tx.put(lookedSpace, stream, now);
}

/** Removes the logs that nobody has looked at since `before`, with their long texts; gives their streams. */
export function sweepLogs(tx: Tx, before: number): readonly string[] {
  const swept: string[] = [];
  for (let after: string | null = null; ; ) {
    const page: readonly { readonly key: string; readonly value: Json }[] = tx.page(
      lookedSpace,
      after,
      pageSize,
    );
    for (const { key: stream, value } of page) {
      if (Number(value) >= before) continue;
      tx.remove("piece_holder", { holder: stream });
      tx.clearStream(stream);
      tx.put(lookedSpace, stream, undefined);
      swept.push(stream);
    }
    if (page.length < pageSize) return swept;
    after = page.at(-1)?.key ?? after;
  }
}

export const keptOf = (tx: Tx, id: string): Json => tx.get(keptSpace, id) ?? null;
export const keep = (tx: Tx, id: string, kept: Json): void => tx.put(keptSpace, id, kept ?? undefined);
