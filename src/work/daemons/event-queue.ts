/**
 * The mailbox of a daemon of a run, in memory and deterministic: a replay fills and empties it in the same order. What lies
 * on disk is written from it (daemon-files.ts).
 *
 *     enqueue ─▶ waiting ─▶ claim ─▶ claimed ─▶ deliver (the model is told) ─▶ ack
 *                   ▲______________ defer ________│
 *
 * At most one event is claimed.
 */
import type { Value } from "../../values/index.ts";

export interface DaemonEvent {
  readonly seq: number;
  /** Seconds since the epoch. */
  readonly enqueuedAt: string;
  readonly payload: Value;
}

export class EventQueue {
  /** Oldest first. */
  private waiting: DaemonEvent[] = [];
  private taken: DaemonEvent | null = null;
  /** The model was told of what is claimed. */
  private delivered = false;
  private last = 0;
  private acked = 0;

  /** Takes up what another run left: events up to `ackedSeq` are done. */
  restore(events: readonly DaemonEvent[], lastSeq: number, ackedSeq: number): void {
    this.last = lastSeq;
    this.acked = ackedSeq;
    this.waiting = events.filter(({ seq }) => seq > ackedSeq);
  }

  enqueue(enqueuedAt: string, payload: Value): void {
    this.last++;
    this.waiting.push({ seq: this.last, enqueuedAt, payload });
  }

  /** The oldest event that waits, unless one is claimed already; gives what is claimed. */
  claim(): DaemonEvent | null {
    this.taken ??= this.waiting.shift() ?? null;
    return this.taken;
  }

  deliver(): void {
    this.delivered = this.taken !== null;
  }

  /** What was delivered is done. */
  ack(): void {
    if (this.taken === null || !this.delivered) return;
    this.acked = this.taken.seq;
    this.taken = null;
    this.delivered = false;
  }

  /** What is claimed waits again, before everything else. */
  defer(): void {
    if (this.taken !== null) this.waiting.unshift(this.taken);
    this.taken = null;
    this.delivered = false;
  }

  get pending(): readonly DaemonEvent[] {
    return this.waiting;
  }

  get claimed(): DaemonEvent | null {
    return this.taken;
  }

  /** Number of the last event that came. */
  get lastSeq(): number {
    return this.last;
  }

  /** Number of the last event that is done; with the one that is done as soon as its snapshot is on disk. */
  doneSeq(withDelivered: boolean): number {
    return withDelivered && this.delivered && this.taken !== null ? this.taken.seq : this.acked;
  }

  get size(): number {
    return this.waiting.length + (this.taken === null ? 0 : 1);
  }
}
