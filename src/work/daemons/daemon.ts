/**
 * A daemon of a run: a loop in a task of its own that idles between events, and the queue of those events.
 *
 *     trigger ─▶ pending ─▶ in flight (the model is told) ─▶ the loop idles again: done
 *                   ▲____________ stopped, or died meanwhile
 *
 * At most one event is in flight. It is done when the snapshot in which it is done is on disk: the snapshot names its number
 * (`last_event_seq`), so an event is neither lost nor handled twice wherever the process dies in between.
 */
import type { Mailbox } from "../../agent/index.ts";
import type { Task } from "../../interp/index.ts";
import { Dict, jsonStringify, type ScriptError, uncaughtText, type Value } from "../../values/index.ts";
import { Watchers } from "../watchers.ts";
import type { DaemonPlan } from "./daemon-plan.ts";

export interface DaemonEvent {
  readonly seq: number;
  /** Seconds since the epoch. */
  readonly enqueuedAt: string;
  readonly payload: Value;
}

/** Its state on disk. */
export interface Keeping {
  /** Writes what has changed. */
  save(task: Task, daemon: Daemon): Promise<void>;
  /** As in `Mailbox`. */
  guard(task: Task, daemon: Daemon): Promise<() => void>;
}

export class Daemon implements Mailbox {
  readonly id: string;
  readonly plan: DaemonPlan;
  readonly session: string;
  /** `running`, `stopped`, or how its loop ended. */
  status = "running";
  savedAt = "";
  pending: DaemonEvent[] = [];
  inflight: DaemonEvent | null = null;
  lastSeq = 0;
  /** The last event that a snapshot holds. */
  doneSeq = 0;
  result: Dict | null = null;
  /** What its loop threw. */
  failure: ScriptError | null = null;
  /** The snapshot that was written last. */
  saved: Dict | null = null;
  /** The task of its loop. */
  task: Task | null = null;
  private idle = false;
  /** The model was told of what is in flight. */
  private delivered = false;
  private view: (() => Dict) | null = null;
  private wake: (() => void) | null = null;
  private readonly keeping: Keeping;
  private readonly watchers = new Watchers();

  constructor(id: string, plan: DaemonPlan, session: string, keeping: Keeping) {
    this.id = id;
    this.plan = plan;
    this.session = session;
    this.keeping = keeping;
  }

  get running(): boolean {
    return this.status === "running";
  }

  /** What its loop has come to. */
  get snapshot(): Dict {
    return this.view !== null && this.running ? this.view() : (this.saved ?? new Dict());
  }

  get daemonState(): string {
    if (this.status === "stopped") return "stopped";
    const state = this.snapshot.get("daemon_state");
    return typeof state === "string" ? state : this.status;
  }

  get full(): boolean {
    return this.pending.length + (this.inflight === null ? 0 : 1) >= this.plan.capacity;
  }

  /** Takes an event in: straight into work when the loop idles. */
  add(enqueuedAt: string, payload: Value): void {
    this.lastSeq++;
    this.pending.push({ seq: this.lastSeq, enqueuedAt, payload });
    if (this.idle) this.next();
  }

  /** Lets an idle loop see what came. */
  rouse(): void {
    this.wake?.();
  }

  private next(): void {
    this.inflight ??= this.pending.shift() ?? null;
  }

  /** What was in flight waits again, in front of everything else. */
  requeue(): void {
    if (this.inflight !== null) this.pending.unshift(this.inflight);
    this.inflight = null;
    this.delivered = false;
    this.idle = false;
  }

  private get handled(): DaemonEvent | null {
    return this.delivered ? this.inflight : null;
  }

  // ── as its loop sees it ─────────────────────────────────────────────────────────────────────────────────────────

  opened(snapshot: () => Dict): void {
    this.view = snapshot;
  }

  marks(state: string): Dict {
    const handled = state === "idle" ? this.handled : null;
    return Dict.of({ last_event_seq: handled?.seq ?? this.doneSeq });
  }

  guard(task: Task): Promise<() => void> {
    return this.keeping.guard(task, this);
  }

  async idled(task: Task, snapshot: Dict): Promise<void> {
    if (!this.running) return;
    const { handled } = this;
    if (handled !== null) {
      this.doneSeq = handled.seq;
      this.inflight = null;
      this.delivered = false;
    }
    this.idle = true;
    this.note(snapshot);
    this.next();
    await this.keeping.save(task, this);
    this.changed();
  }

  async take(task: Task): Promise<string | null> {
    if (this.inflight === null) {
      this.next();
      if (this.inflight !== null) await this.keeping.save(task, this);
    }
    const { inflight } = this;
    if (inflight === null) return null;
    this.delivered = true;
    return jsonStringify((inflight as DaemonEvent).payload);
  }

  busy(): void {
    this.idle = false;
  }

  onArrival(wake: () => void): () => void {
    this.wake = wake;
    return () => {
      if (this.wake === wake) this.wake = null;
    };
  }

  // ── for those who wait ──────────────────────────────────────────────────────────────────────────────────────────

  note(snapshot: Dict): void {
    this.saved = snapshot;
    const savedAt = snapshot.get("saved_at");
    if (typeof savedAt === "string") this.savedAt = savedAt;
  }

  get error(): string | null {
    const { failure } = this;
    if (failure === null) return null;
    return typeof failure.value === "string" ? failure.value : uncaughtText(failure);
  }

  /** It idles for the first time, or is over. */
  get settled(): boolean {
    return this.idle || !this.running || this.saved !== null;
  }

  change(waiter: Task): Promise<void> {
    return this.watchers.next(waiter, `the daemon ${this.plan.name}`);
  }

  changed(): void {
    this.watchers.changed();
  }
}
