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
import type { Dispatcher, MailboxMessage } from "../../durable/index.ts";
import { leaseMs, StoreError } from "../../store/index.ts";
import type { MessageSettlement, WorkKindService } from "./work-kind.ts";

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
    setTimeout(() => this.work.room.giveUp(), now ? 0 : fullDiskMs).unref();
  }

  private withRoom<T>(work: () => Promise<T>): Promise<T> {
    return this.work.isExclusive ? work() : this.work.room.of(work);
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
      if (!this.isLoss(error)) throw error;
      this.lose();
    } finally {
      clearInterval(renewal);
      if (!this.lost) await this.work.end();
    }
  }

  private get isClaiming(): boolean {
    return !this.stopping.signal.aborted && !this.work.isOver && this.failure === undefined;
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

  private async settle(message: MailboxMessage, settled: MessageSettlement): Promise<void> {
    const { dispatch } = this;
    switch (settled.kind) {
      case "ack": {
        const isOurs = await dispatch.ack(message);
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
      else this.work.loseMessage(message);
    }
  }

  /** What goes on beside the work may find that it is lost, or that the store can't be written. */
  private beside(renewal: Promise<void>): void {
    renewal.catch((error: unknown) => {
      if (this.isLoss(error)) this.lose();
      else this.work.report(`cannot write: ${error instanceof Error ? error.message : String(error)}`);
    });
  }

  private isLoss(error: unknown): boolean {
    return this.work.isExclusive && error instanceof StoreError && error.fault === "taken";
  }

  private lose(): void {
    if (this.lost) return;
    this.lost = true;
    this.work.lose();
    this.stop(true);
  }
}
