/**
 * The dispatcher of one machine: mailboxes, leases and entries of the project's store. Each call is one transaction, so
 * several processes may dispatch from one store at a time.
 */
import type { Json } from "../effects/index.ts";
import { describeOwner, isDiskFull, leaseMs, processOf, type Store, StoreError } from "../store/index.ts";
import {
  type Dispatcher,
  type EnqueueOptions,
  type Lease,
  MailboxFull,
  type MailboxMessage,
  NoLongerOwner,
  type OwnerProcess,
  type Write,
} from "./dispatcher.ts";
import type { WaitClock } from "./ledger.ts";
import { lookEveryMs, Waiters } from "./waiters.ts";

export interface EmbeddedOptions {
  /** How long messages and leases stay with a process that stands still; at least 10 s outside tests. */
  readonly leaseMs?: number;
}

/** The store must stay open as long as the dispatcher is used. */
export function embeddedDispatcher(
  store: Store,
  clock: WaitClock,
  options: EmbeddedOptions = {},
  waiters = new Waiters(),
): Dispatcher {
  return new EmbeddedDispatcher(store, clock, options.leaseMs ?? leaseMs, waiters);
}

class EmbeddedDispatcher implements Dispatcher {
  private readonly store: Store;
  private readonly clock: WaitClock;
  private readonly leaseMs: number;
  private readonly waiters: Waiters;

  constructor(store: Store, clock: WaitClock, leaseMs: number, waiters: Waiters) {
    this.store = store;
    this.clock = clock;
    this.leaseMs = leaseMs;
    this.waiters = waiters;
  }

  async enqueue(mailbox: string, body: Json, options: EnqueueOptions = {}): Promise<number | undefined> {
    try {
      const seq = this.store.mailboxes.enqueue(mailbox, body, options);
      this.waiters.wake();
      return seq;
    } catch (error) {
      if (error instanceof StoreError && error.fault === "full" && !isDiskFull(error))
        throw new MailboxFull(error.message);
      throw error;
    }
  }

  async claim(mailboxes: string): Promise<MailboxMessage | undefined> {
    return this.store.mailboxes.claim(mailboxes, this.leaseMs);
  }

  async renew(message: MailboxMessage): Promise<boolean> {
    return this.store.mailboxes.renew(message, this.leaseMs);
  }

  async ack(message: MailboxMessage, writes: readonly Write[] = []): Promise<boolean> {
    const done = this.store.transaction(() => {
      if (!this.store.mailboxes.ack(message)) return false;
      this.apply(writes);
      return true;
    });
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
    return this.store.leases.take(name, this.leaseMs);
  }

  async renewLease(lease: Lease): Promise<boolean> {
    return this.store.leases.renew(lease, this.leaseMs);
  }

  async write(lease: Lease, writes: readonly Write[]): Promise<void> {
    try {
      this.store.transaction(() => {
        this.store.leases.mustHold(lease);
        this.apply(writes);
      });
    } catch (error) {
      if (error instanceof StoreError && error.fault === "taken") throw new NoLongerOwner(error.message);
      throw error;
    }
  }

  async release(lease: Lease): Promise<void> {
    this.store.leases.release(lease);
  }

  async ownerOf(name: string): Promise<OwnerProcess | undefined> {
    const found = this.store.leases.leaseOwner(name);
    if (found === undefined) return undefined;
    return { who: describeOwner(found.owner), pid: processOf(found.owner) };
  }

  private apply(writes: readonly Write[]): void {
    for (const { space, key, value } of writes) {
      if (value === undefined) this.store.entries.delete(space, key);
      else this.store.entries.set(space, key, value);
    }
  }
}
