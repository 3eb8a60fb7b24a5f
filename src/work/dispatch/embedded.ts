/**
 * The dispatcher of one machine: queues, leases and entries of the project's store. Each call is one transaction, so
 * several processes may dispatch from one store at a time.
 */
import type { Json } from "../../effects/index.ts";
import type { Clock } from "../../host/index.ts";
import { describeOwner, type Item, leaseMs, type Store, StoreError } from "../../store/index.ts";
import {
  type Dispatcher,
  type Holder,
  type Holding,
  type Letter,
  MailboxFull,
  NoLongerOwner,
  type SendOptions,
  type Write,
} from "./dispatcher.ts";

/** How long other processes' letters may stay unnoticed. A look costs some 20 µs. */
const lookEveryMs = 40;

export interface EmbeddedOptions {
  /** How long letters and names stay with a process that stands still; at least 10 s outside tests. */
  readonly leaseMs?: number;
}

/** The store must stay open as long as the dispatcher is used. */
export function embeddedDispatcher(
  store: Store,
  clock: Pick<Clock, "now" | "sleep">,
  options: EmbeddedOptions = {},
): Dispatcher {
  return new EmbeddedDispatcher(store, clock, options.leaseMs ?? leaseMs);
}

class EmbeddedDispatcher implements Dispatcher {
  private readonly store: Store;
  private readonly clock: Pick<Clock, "now" | "sleep">;
  private readonly leaseMs: number;
  /** Those of this process who rest; letters of its own are noticed at once. */
  private readonly resting = new Set<() => void>();

  constructor(store: Store, clock: Pick<Clock, "now" | "sleep">, leaseMs: number) {
    this.store = store;
    this.clock = clock;
    this.leaseMs = leaseMs;
  }

  async send(box: string, body: Json, options: SendOptions = {}): Promise<number | undefined> {
    try {
      const seq = this.store.queues.enqueue(box, body, options);
      this.stir();
      return seq;
    } catch (error) {
      // A full disk is "full", too, but has advice of its own.
      if (error instanceof StoreError && error.fault === "full" && options.capacity !== undefined) {
        if (this.store.queues.length(box) >= options.capacity) throw new MailboxFull(error.message);
      }
      throw error;
    }
  }

  async take(boxes: string): Promise<Letter | undefined> {
    const item = this.store.queues.claim(boxes, this.leaseMs);
    return item === undefined ? undefined : letterOf(item);
  }

  async renew(letter: Letter): Promise<boolean> {
    return this.store.queues.renew(itemOf(letter), this.leaseMs);
  }

  async complete(letter: Letter, writes: readonly Write[] = []): Promise<boolean> {
    const done = this.store.transaction(() => {
      if (!this.store.queues.ack(itemOf(letter))) return false;
      this.apply(writes);
      return true;
    });
    this.stir();
    return done;
  }

  async postpone(letter: Letter, due?: number): Promise<boolean> {
    const kept = this.store.queues.release(itemOf(letter), due);
    this.stir();
    return kept;
  }

  async bury(letter: Letter, reason: string): Promise<boolean> {
    const buried = this.store.queues.giveUp(itemOf(letter), reason);
    this.stir();
    return buried;
  }

  async revive(seq: number): Promise<boolean> {
    const revived = this.store.queues.revive(seq);
    this.stir();
    return revived;
  }

  async letters(box: string): Promise<readonly Letter[]> {
    const { queues } = this.store;
    return [...queues.items(box), ...queues.dead(box)].sort((a, b) => a.seq - b.seq).map(letterOf);
  }

  async empty(box: string): Promise<number> {
    return this.store.queues.clear(box);
  }

  async arrival(boxes: string, signal?: AbortSignal): Promise<void> {
    for (let stirred = false; ; ) {
      signal?.throwIfAborted();
      stirred = await this.nap(this.untilDue(boxes), signal);
      if (stirred || this.untilDue(boxes) === 0) break;
    }
    signal?.throwIfAborted();
  }

  /** Milliseconds until the next letter that nobody has is due. */
  private untilDue(boxes: string): number {
    const due = this.store.queues.nextDue(boxes);
    return due === undefined ? Number.POSITIVE_INFINITY : Math.max(0, due - this.clock.now());
  }

  /** What is overdue and was not handed out waits for an owner elsewhere: it is looked at again like everything else. */
  private async nap(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
    const ended = new AbortController();
    let stirred = false;
    const stir = (): void => {
      stirred = true;
      ended.abort();
    };
    this.resting.add(stir);
    signal?.addEventListener("abort", stir, { once: true });
    try {
      await this.clock.sleep(ms === 0 ? lookEveryMs : Math.min(ms, lookEveryMs), ended.signal);
    } catch (error) {
      if (!ended.signal.aborted) throw error;
    } finally {
      this.resting.delete(stir);
      signal?.removeEventListener("abort", stir);
    }
    return stirred;
  }

  private stir(): void {
    for (const stir of [...this.resting]) stir();
  }

  async own(name: string): Promise<Holding | undefined> {
    return this.store.leases.take(name, this.leaseMs);
  }

  async keep(holding: Holding): Promise<boolean> {
    return this.store.leases.renew(holding, this.leaseMs);
  }

  async write(holding: Holding, writes: readonly Write[]): Promise<void> {
    try {
      this.store.transaction(() => {
        this.store.leases.mustHold(holding);
        this.apply(writes);
      });
    } catch (error) {
      if (error instanceof StoreError && error.fault === "taken") throw new NoLongerOwner(error.message);
      throw error;
    }
  }

  async disown(holding: Holding): Promise<void> {
    this.store.leases.release(holding);
  }

  async ownerOf(name: string): Promise<Holder | undefined> {
    const holder = this.store.leases.holder(name);
    if (holder === undefined) return undefined;
    const who = describeOwner(holder.owner);
    // A process elsewhere is described together with its machine.
    const pid = who.includes(" on ") ? undefined : Number(holder.owner.split("/")[1]);
    return { who, pid };
  }

  private apply(writes: readonly Write[]): void {
    for (const { space, key, value } of writes) {
      if (value === undefined) this.store.entries.delete(space, key);
      else this.store.entries.set(space, key, value);
    }
  }
}

const letterOf = ({ queue, enqueued, ...rest }: Item): Letter => ({ ...rest, box: queue, sent: enqueued });

const itemOf = ({ box, sent, ...rest }: Letter): Item => ({
  ...rest,
  body: rest.body as Json,
  queue: box,
  enqueued: sent,
});
