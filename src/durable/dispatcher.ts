/**
 * Orchestration: what runs now, what is due, who may do it. One port with two engines: tables of the embedded store
 * (`embedded-dispatcher.ts`) now, a cluster's later. Nothing here says what a message means.
 *
 *     enqueue ─▶ mailbox ─▶ claim ─▶ (renew …) ─▶ ack │ defer │ deadLetter ─▶ redrive
 *                                              acquire ─▶ (renewLease …) ─▶ release
 *
 * Invariants that every engine keeps:
 * - A mailbox hands out one message at a time, the oldest due one. Nothing is lost when whoever claimed it dies: it can be
 *   claimed again, with a higher `claims`.
 * - A message counts as done exactly when it was acknowledged. What was written with it is there then, and only then.
 * - Whoever was taken over (a frozen process that comes back) can't ack, defer or dead-letter any more, nor write under its lease.
 */
import type { Json } from "../effects/index.ts";
import type { EnqueueOptions, Lease, LeaseOwner, MailboxMessage } from "../store/index.ts";

export type { EnqueueOptions, Lease, LeaseOwner, MailboxMessage } from "../store/index.ts";

export interface Dispatcher {
  /**
   * Durable when it resolves: the message's number, or `undefined` when one with its key is there already. A `StoreError` "full": the
   * mailbox takes no more.
   */
  enqueue(mailbox: string, body: Json, options?: EnqueueOptions): Promise<number | undefined>;
  /** The oldest due message of a mailbox that has none claimed; of all whose names begin alike when `mailboxes` ends with `*`. */
  claim(mailboxes: string): Promise<MailboxMessage | undefined>;
  /** Every third of a lease, from a process that stays responsive. False: lost, stop working on it. */
  renew(message: MailboxMessage): Promise<boolean>;
  /** Done. False: the claim was lost. What is written with it is an operation that acknowledges it (`OperateOptions`). */
  ack(message: MailboxMessage): Promise<boolean>;
  /** Not done: it keeps its place and is handed out again from `due` on (default: now). */
  defer(message: MailboxMessage, due?: number): Promise<boolean>;
  /** Given up: kept apart with the reason, until somebody redrives it. */
  deadLetter(message: MailboxMessage, reason: string): Promise<boolean>;
  /** A dead letter waits again, at its old place. */
  redrive(seq: number): Promise<boolean>;
  /** What waits, is claimed, or was dead-lettered; oldest first. */
  messages(mailbox: string): Promise<readonly MailboxMessage[]>;
  /** Removes everything; gives how many messages that were. */
  clear(mailbox: string): Promise<number>;
  /**
   * Rests until `claim(mailboxes)` may have something: a message came, a due time arrived, an owner may have gone. May
   * resolve too early, never much too late; rejects with the signal's reason.
   */
  arrival(mailboxes: string, signal?: AbortSignal): Promise<void>;

  /** A lease that is free, or whose owner is gone; `undefined` while somebody else has it. */
  acquire(name: string): Promise<Lease | undefined>;
  /** As `renew`. */
  renewLease(lease: Lease): Promise<boolean>;
  release(lease: Lease): Promise<void>;
  ownerOf(name: string): Promise<LeaseOwner | undefined>;
}
