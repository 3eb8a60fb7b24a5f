/**
 * The dispatcher of one machine: mailboxes, leases and entries of the project's store. Each call is one transaction, so
 * several processes may dispatch from one store at a time.
 */
import type { Json } from "../effects/index.ts";
import type { Store } from "../store/index.ts";
import type { Dispatcher, EnqueueOptions, Lease, LeaseOwner, MailboxMessage } from "./dispatcher.ts";
import type { WaitClock } from "./ledger.ts";
import { lookEveryMs, Waiters } from "./waiters.ts";

/** The store must stay open as long as the dispatcher is used. */
export const embeddedDispatcher = (store: Store, clock: WaitClock): Dispatcher =>
  new EmbeddedDispatcher(store, clock);

class EmbeddedDispatcher implements Dispatcher {
  private readonly store: Store;
  private readonly clock: WaitClock;
  private readonly waiters = new Waiters();

  constructor(store: Store, clock: WaitClock) {
    this.store = store;
    this.clock = clock;
  }

  async enqueue(mailbox: string, body: Json, options: EnqueueOptions = {}): Promise<number | undefined> {
    const seq = this.store.mailboxes.enqueue(mailbox, body, options);
    this.waiters.wake();
    return seq;
  }

  async claim(mailboxes: string): Promise<MailboxMessage | undefined> {
    return this.store.mailboxes.claim(mailboxes);
  }

  async renew(message: MailboxMessage): Promise<boolean> {
    return this.store.mailboxes.renew(message);
  }

  async ack(message: MailboxMessage): Promise<boolean> {
    const done = this.store.mailboxes.ack(message);
    this.waiters.wake();
    return done;
  }

  async defer(message: MailboxMessage, due?: number): Promise<boolean> {
    const kept = this.store.mailboxes.defer(message, due);
    this.waiters.wake();
    return kept;
  }

  async deadLetter(message: MailboxMessage, reason: string): Promise<boolean> {
    const done = this.store.mailboxes.deadLetter(message, reason);
    this.waiters.wake();
    return done;
  }

  async redrive(seq: number): Promise<boolean> {
    const done = this.store.mailboxes.redrive(seq);
    this.waiters.wake();
    return done;
  }

  async messages(mailbox: string): Promise<readonly MailboxMessage[]> {
    const { mailboxes } = this.store;
    return [...mailboxes.messages(mailbox), ...mailboxes.deadLetters(mailbox)].sort((a, b) => a.seq - b.seq);
  }

  async clear(mailbox: string): Promise<number> {
    return this.store.mailboxes.clear(mailbox);
  }

  async arrival(mailboxes: string, signal?: AbortSignal): Promise<void> {
    for (let isWoken = false; ; ) {
      signal?.throwIfAborted();
      // What is overdue and was not handed out waits for an owner elsewhere: it is looked at again like everything else.
      const ms = this.untilDue(mailboxes);
      isWoken = await this.waiters.wait(this.clock, ms === 0 ? lookEveryMs : ms, signal);
      if (isWoken || this.untilDue(mailboxes) === 0) break;
    }
    signal?.throwIfAborted();
  }

  /** Milliseconds until the next message that nobody has claimed is due. */
  private untilDue(mailboxes: string): number {
    const due = this.store.mailboxes.nextDue(mailboxes);
    return due === undefined ? Number.POSITIVE_INFINITY : Math.max(0, due - this.clock.now());
  }

  async acquire(name: string): Promise<Lease | undefined> {
    return this.store.leases.take(name);
  }

  async renewLease(lease: Lease): Promise<boolean> {
    return this.store.leases.renew(lease);
  }

  async release(lease: Lease): Promise<void> {
    this.store.leases.release(lease);
  }

  async ownerOf(name: string): Promise<LeaseOwner | undefined> {
    return this.store.leases.leaseOwner(name);
  }
}
