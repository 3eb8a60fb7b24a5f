/**
 * The conversations of a project inside one transaction: record, messages, events, and the message (`conversation:ID`) by which a
 * server sees that there is something to do.
 *
 *      say            take                     end: waiting
 *  idle ──▶ queued ──────▶ processing ───────────────────▶ waiting
 *   ▲ end    ▲  ▲ end: more │ interrupted   ▲──── take ────── │ answer
 *   └────────┴──┴───────────┴──▶ interrupted · paused · failed ── say │ resume ─▶ queued
 *
 * Every method is told the time by its caller.
 */

import type { Json } from "../../../effects/index.ts";
import { StoreError } from "../../../store/index.ts";
import type { ConversationState } from "../../conversation-states.ts";
import { messageLimits } from "../../limits.ts";
import type { RowOf } from "../../tables.ts";
import type { Tx } from "../../tx.ts";
import { DurableWork } from "../durable-work.ts";
import {
  type ConversationRun,
  conversationRow,
  type NewConversation,
  newConversation,
  type StoredConversation,
} from "./record.ts";

/** Work that goes on because somebody asked for it. */
export const askedToGoOn = (work: ConversationRun | null): ConversationRun | null =>
  work === null ? null : { ...work, because: "asked", deaths: 0 };

const titleChars = 80;

export const deliveries = ["queue", "step", "now"] as const;
export type MessageDelivery = (typeof deliveries)[number];

export interface NewConversationMessage {
  /** `m_…` */
  readonly message: string;
  readonly text: string;
  readonly attachments: readonly Json[];
  readonly delivery: MessageDelivery;
  /** Name of the principal. */
  readonly by: string;
}

export interface SaidMessage extends Omit<NewConversationMessage, "message"> {
  readonly id: string;
  readonly n: number;
  /** `taken`: its run works on it; `said`: it is part of the history. */
  readonly state: "queued" | "taken" | "said" | "withdrawn";
  readonly run: string | null;
  /** When it came, in milliseconds since the epoch. */
  readonly at: number;
}

/** Where in a run an event happened. */
export interface EventOf {
  readonly run?: string | null;
  readonly loop?: string | null;
  readonly parent?: Json;
  readonly turn?: number;
  readonly call?: string | null;
}

export class Conversations extends DurableWork<StoredConversation> {
  constructor(tx: Tx) {
    super(tx, conversationRow);
  }

  create(id: string, made: NewConversation, now: number): StoredConversation {
    if (this.find(id) !== undefined) throw new StoreError("exists", `there is a conversation ${id} already`);
    const record = this.put(newConversation(id, made, now), now);
    const { agent, title, owner, mode, config } = made;
    return this.log(record, "conversation.created", { agent, title, owner, mode, config, parent: null }, now);
  }

  put(record: StoredConversation, now: number): StoredConversation {
    return this.keep({ ...record, changed: now });
  }

  /** Writes an event of the conversation, and its record with the new head. */
  log(
    record: StoredConversation,
    type: string,
    data: Json,
    now: number,
    of: EventOf = {},
    origin?: string,
  ): StoredConversation {
    const body = { ...(of as { [key: string]: Json }), data };
    const head = this.tx.append(record.id, [
      { at: now, type, body, ...(origin === undefined ? {} : { origin }) },
    ]);
    return this.put({ ...record, head }, now);
  }

  /** Another state, told. */
  move(record: StoredConversation, state: ConversationState, now: number, why = ""): StoredConversation {
    if (record.state === state && record.why === why) return this.put(record, now);
    const next = this.way(record, { ...record, state, why, version: record.version + 1 });
    return this.log(next, "conversation.state", { state, why }, now);
  }

  /** A server has something to do here. */
  send(id: string): void {
    this.notify(id, { conversation: id }, { key: "due" });
  }

  // ── messages ──────────────────────────────────────────────────────────────────────────────────────────────────

  /** Gives the message and how many wait before it. */
  say(
    id: string,
    said: NewConversationMessage,
    now: number,
  ): { readonly message: SaidMessage; readonly position: number } {
    const before = this.mustFind(id);
    checkMessageText(said.text);
    if (before.queued >= messageLimits.queuedMessages)
      throw new StoreError("full", `${before.queued} messages of this conversation wait already`);
    if (this.messageRow(said.message) !== undefined)
      throw new StoreError("exists", `there is a message ${said.message} already`);
    const n = before.messages + 1;
    const row: RowOf<"message"> = {
      conversation: id,
      n,
      id: said.message,
      body: JSON.stringify({ text: said.text, attachments: said.attachments }),
      delivery: said.delivery,
      by: said.by,
      queued: now,
      state: "queued",
      run: null,
    };
    this.tx.write("message", row);
    let record: StoredConversation = { ...before, messages: n, queued: before.queued + 1 };
    const { message, text, attachments, delivery, by } = said;
    record = this.log(record, "message.queued", { message, by, text, attachments, delivery }, now);
    if (record.title === "") record = this.change(record, { title: titleOfText(text) }, now);
    this.begun(record, now);
    return { message: messageOf(row), position: before.queued };
  }

  /** Something new waits: the conversation is queued unless a run works or stands still. */
  private begun(record: StoredConversation, now: number): void {
    const { state } = record;
    if (state === "processing" || state === "waiting") return;
    // What was stopped, or failed, is not resumed: what is said now begins anew. What was parked goes on first.
    const parked = state === "paused" ? askedToGoOn(record.work) : null;
    if (state !== "queued") this.move({ ...record, work: parked }, "queued", now);
    this.send(record.id);
  }

  /** Takes a message back that waits. */
  withdraw(id: string, message: string, now: number): StoredConversation {
    const row = this.messageRow(message);
    if (row === undefined || row.conversation !== id)
      throw new StoreError("missing", `there is no message ${message} in this conversation`);
    if (row.state !== "queued") throw new StoreError("taken", `the message ${message} waits no longer`);
    this.tx.write("message", { ...row, state: "withdrawn" });
    const before = this.mustFind(id);
    const record = this.log({ ...before, queued: before.queued - 1 }, "message.withdrawn", { message }, now);
    if (record.queued > 0 || record.work?.because != null) return record;
    if (record.state === "paused" && record.work === null) return this.move(record, "idle", now);
    if (record.state !== "queued" && record.state !== "interrupted") return record;
    this.clearMailbox(id);
    return this.move({ ...record, work: null }, "idle", now);
  }

  messageRow(id: string): RowOf<"message"> | undefined {
    return this.tx.rows("message", { id }, 1)[0];
  }

  /** Those that wait, in the order in which they came. */
  waiting(id: string): readonly RowOf<"message">[] {
    return this.tx.rows("message", { conversation: id, state: "queued" }, messageLimits.queuedMessages);
  }

  // ── changes by people ─────────────────────────────────────────────────────────────────────────────────────────

  change(record: StoredConversation, changes: ConversationChanges, now: number): StoredConversation {
    const changed = Object.fromEntries(
      Object.entries(changes).filter(
        ([key, value]) =>
          value !== undefined &&
          JSON.stringify(value) !== JSON.stringify(record[key as keyof ConversationChanges]),
      ),
    ) as { readonly [key: string]: Json };
    if (Object.keys(changed).length === 0) return record;
    const modeChanges = record.modeChanges + (changed.mode === undefined ? 0 : 1);
    const version = record.version + 1;
    const next = { ...record, ...(changed as ConversationChanges), modeChanges, version };
    return this.log(next, "conversation.changed", changed, now);
  }
}

export interface ConversationChanges {
  readonly title?: string;
  readonly mode?: string | null;
  readonly config?: { readonly [key: string]: Json };
  readonly archived?: boolean;
}

export function messageOf(row: RowOf<"message">): SaidMessage {
  const { id, n, by, queued: at, run } = row;
  const { text, attachments } = JSON.parse(row.body) as {
    readonly text: string;
    readonly attachments: readonly Json[];
  };
  const state = row.state as SaidMessage["state"];
  return { id, n, text, attachments, delivery: row.delivery as MessageDelivery, by, state, run, at };
}

function checkMessageText(text: string): void {
  if (text.trim() === "") throw new StoreError("invalid", "a message must say something");
  if (text.length > messageLimits.message)
    throw new StoreError("invalid", `a message has at most ${messageLimits.message} characters`);
}

/** The beginning of the first line, as a title. */
function titleOfText(text: string): string {
  const line = text.trim().split("\n", 1)[0]?.trim() ?? "";
  const characters = [...line];
  return characters.length <= titleChars ? line : `${characters.slice(0, titleChars - 1).join("")}…`;
}
