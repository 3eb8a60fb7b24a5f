/**
 * Orchestration: what runs now, what is due, who may do it. One port with two engines: tables of the embedded store
 * (`embedded-dispatcher.ts`) now, a cluster's later. Nothing here says what a message means.
 *
 *     enqueue ─▶ mailbox ─▶ claim ─▶ (renew …) ─▶ ack │ defer │ deadLetter ─▶ redrive
 *                                              acquire ─▶ (renewLease …) ─▶ write ─▶ release
 *
 * Invariants that every engine keeps:
 * - A mailbox hands out one message at a time, the oldest due one. Nothing is lost when whoever claimed it dies: it can be
 *   claimed again, with a higher `claims`.
 * - A message counts as done exactly when `ack` gave true. The writes that went with it are there then, and only then.
 * - Whoever was taken over (a frozen process that comes back) can't ack, defer, dead-letter or write any more.
 */
import type { Json } from "../effects/index.ts";
import type { EnqueueOptions, Lease, MailboxMessage } from "../store/index.ts";

export type { EnqueueOptions, Lease, MailboxMessage } from "../store/index.ts";

/** A value in the store, written together with something else. `undefined` removes it. */
export interface Write {
  readonly space: string;
  readonly key: string;
  readonly value: Json | undefined;
}

/** Who has a lease now, in words: `process 4711`. */
export interface OwnerProcess {
  readonly who: string;
  /** On this machine; `undefined` elsewhere. */
  readonly pid: number | undefined;
}

export interface Dispatcher {
  /** Durable when it resolves: the message's number, or `undefined` when one with its key is there already. */
  enqueue(mailbox: string, body: Json, options?: EnqueueOptions): Promise<number | undefined>;
  /** The oldest due message of a mailbox that has none claimed; of all whose names begin alike when `mailboxes` ends with `*`. */
  claim(mailboxes: string): Promise<MailboxMessage | undefined>;
  /** Every third of a lease, from a process that stays responsive. False: lost, stop working on it. */
  renew(message: MailboxMessage): Promise<boolean>;
  /** Done, with what was to be written about it. False, and nothing is written: the claim was lost. */
  ack(message: MailboxMessage, writes?: readonly Write[]): Promise<boolean>;
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
  /** Writes as the owner; throws `NoLongerOwner`, and nothing is written, when that is somebody else by now. */
  write(lease: Lease, writes: readonly Write[]): Promise<void>;
  release(lease: Lease): Promise<void>;
  ownerOf(name: string): Promise<OwnerProcess | undefined>;
}

/** The mailbox takes no more: whoever sends has to wait. */
export class MailboxFull extends Error {
  override readonly name = "MailboxFull";
}

/** Somebody else owns the lease by now. */
export class NoLongerOwner extends Error {
  override readonly name = "NoLongerOwner";
}
