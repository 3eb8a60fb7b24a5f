/**
 * The service behind `harn daemon` and `harn serve`: one loop over durable work, whatever its kind.
 *
 *     begin ─▶ claim ─▶ handle (a run in a child) ─▶ ack │ defer │ dead-letter ─▶ claim … ─▶ drained ─▶ end
 *               └ nothing ─▶ rest: a message arrives, something of the kind's own wakes it, or a run ends
 *
 * Invariants:
 * - A claimed message is renewed until it is settled, and settled once. One that is lost is not settled: whoever claimed it
 *   after us does it.
 * - `stop(false)` drains: no more claims, what is in progress ends. `stop(true)` ends that too; it goes on another time.
 * - What a message means is the kind's (`WorkKindService`) alone.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type Dispatcher, type MailboxMessage, NoLongerOwner, type Write } from "../../durable/index.ts";
import { leaseMs, StoreError } from "../../store/index.ts";
import type { FullDiskWait } from "./full-disk.ts";

/** What is to become of a claimed message. */
export type Settled =
  /** Done, with what is written about it in the same transaction. */
  | { readonly kind: "ack"; readonly writes?: readonly Write[] }
  /**
   * Not done: handed out again, not before `dueInMs`. For `heldMs` it stays claimed first: messages that came after it do
   * not overtake it meanwhile.
   */
  | { readonly kind: "defer"; readonly dueInMs?: number; readonly heldMs?: number }
  | { readonly kind: "deadLetter"; readonly reason: string }
  /** The kind has settled it itself, together with what it wrote. */
  | { readonly kind: "settled" };

/** What the service asks of a kind of work. */
export interface WorkKindService {
  /** A mailbox, or all whose names begin alike (`session:*`). */
  readonly mailboxes: string;
  /** Messages that may be handled at once. */
  readonly jobs: number;
  /** Ends when nothing is due any more. */
  readonly once: boolean;
  /** It handles one thing alone: when a claim or its lease is lost, another process does its work, and it has to end. */
  readonly isExclusive: boolean;
  /** Nothing is claimed any more. */
  readonly isOver?: boolean;
  /** Takes what it needs. Throws when somebody else has it. */
  begin(): Promise<void>;
  /** `signal` aborts when the work is to end where it is. */
  handle(message: MailboxMessage, signal: AbortSignal): Promise<Settled>;
  /** What else wakes it: each enqueues a message of its own before it resolves. They reject with the signal. */
  wakes(signal: AbortSignal): readonly Promise<void>[];
  /** Every third of a lease. False: it is lost. */
  renew(): Promise<boolean>;
  /** It was lost: nothing more may be written. */
  lose(): void;
  /** The claim of a message in progress was lost: somebody else does it. Not called for an exclusive kind, which is lost with it. */
  loseMessage?(message: MailboxMessage): void;
  /** Gives back what `begin` took; not called when it is lost. */
  end(): Promise<void>;
  /** For whoever operates the service. */
  report(text: string): void;
  /** Where it waits for room on a full disk; absent: that ends the service. */
  readonly room?: FullDiskWait;
}

/** How long a service that ends waits for room on a full disk. */
const fullDiskMs = 10_000;

export class WorkService {
  private readonly dispatch: Dispatcher;
  private readonly work: WorkKindService;
  private readonly inFlight = new Map<MailboxMessage, Promise<void>>();
  private readonly stopping = new AbortController();
  /** Aborted when what is in progress is to end, too. */
  private readonly ending = new AbortController();
  private lost = false;
  private failure: { readonly thrown: unknown } | undefined;

  constructor(dispatch: Dispatcher, work: WorkKindService) {
    this.dispatch = dispatch;
    this.work = work;
  }

  begin(): Promise<void> {
    return this.work.begin();
  }

  /** How many messages are being handled. */
  get busy(): number {
    return this.inFlight.size;
  }

  /** Claims nothing more; `now`: ends what is in progress, which goes on another time. */
  stop(now: boolean): void {
    this.stopping.abort();
    if (now) this.ending.abort();
    setTimeout(() => this.work.room?.giveUp(), now ? 0 : fullDiskMs).unref();
  }

  private withRoom<T>(work: () => Promise<T>): Promise<T> {
    return this.work.room?.of(work) ?? work();
  }

  /** Until it is stopped, over, or lost; with `once` until nothing is due. */
  async run(): Promise<void> {
    const renewal = setInterval(() => this.beside(this.renew()), leaseMs / 3);
    try {
      while (this.isClaiming) {
        const isFull = this.busy >= this.work.jobs;
        const message = isFull
          ? undefined
          : await this.withRoom(async () =>
              this.isClaiming ? await this.dispatch.claim(this.work.mailboxes) : undefined,
            );
        if (message !== undefined) this.take(message);
        else if (this.work.once && this.busy === 0) break;
        else await this.rest(isFull || this.work.once);
      }
      await Promise.all(this.inFlight.values());
      if (this.failure !== undefined) throw this.failure.thrown;
    } catch (error) {
      if (!(error instanceof NoLongerOwner)) throw error;
      this.lose();
    } finally {
      clearInterval(renewal);
      if (!this.lost) await this.work.end();
    }
  }

  private get isClaiming(): boolean {
    return !this.stopping.signal.aborted && this.work.isOver !== true && this.failure === undefined;
  }

  private take(message: MailboxMessage): void {
    const handled = this.handle(message)
      .catch((thrown: unknown) => {
        this.failure ??= { thrown };
      })
      .finally(() => this.inFlight.delete(message));
    this.inFlight.set(message, handled);
  }

  private async handle(message: MailboxMessage): Promise<void> {
    try {
      const settled = await this.work.handle(message, this.ending.signal);
      await this.withRoom(() => this.settle(message, settled));
    } catch (error) {
      // One of several: its message is handed out again when the claim is over.
      if (this.work.isExclusive || !(error instanceof StoreError)) throw error;
      this.work.report(`${message.mailbox}: ${error.message}`);
    }
  }

  private async settle(message: MailboxMessage, settled: Settled): Promise<void> {
    const { dispatch } = this;
    switch (settled.kind) {
      case "ack": {
        const isOurs = await dispatch.ack(message, settled.writes);
        if (!isOurs && this.work.isExclusive) this.lose();
        return;
      }
      case "defer": {
        const { dueInMs, heldMs = 0 } = settled;
        await sleep(heldMs, undefined, { signal: this.stopping.signal }).catch(() => {});
        await dispatch.defer(message, dueInMs === undefined ? undefined : Date.now() + dueInMs);
        return;
      }
      case "deadLetter":
        await dispatch.deadLetter(message, settled.reason);
        return;
      case "settled":
    }
  }

  /** Until something may be due, or what is in progress has ended. Wakes leave messages, so that nothing is lost from here on. */
  private async rest(onlyForEnds: boolean): Promise<void> {
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, this.stopping.signal]);
    const rests: Promise<void>[] = [...this.inFlight.values()];
    if (!onlyForEnds)
      rests.push(this.dispatch.arrival(this.work.mailboxes, signal), ...this.work.wakes(signal));
    try {
      await Promise.race(rests);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      over.abort();
      for (const rest of rests) rest.catch(() => {});
    }
  }

  // ── what is owned ───────────────────────────────────────────────────────────────────────────────────────────────────

  private async renew(): Promise<void> {
    if (!(await this.work.renew())) return this.lose();
    for (const message of this.inFlight.keys()) {
      const isOurs = await this.dispatch.renew(message);
      if (isOurs) continue;
      if (this.work.isExclusive) this.ending.abort();
      else this.work.loseMessage?.(message);
    }
  }

  /** What goes on beside the work may find that it is lost, or that the store can't be written. */
  private beside(renewal: Promise<void>): void {
    renewal.catch((error: unknown) => {
      if (error instanceof NoLongerOwner) this.lose();
      else this.work.report(`cannot write: ${error instanceof Error ? error.message : String(error)}`);
    });
  }

  private lose(): void {
    if (this.lost) return;
    this.lost = true;
    this.work.lose();
    this.stop(true);
  }
}
