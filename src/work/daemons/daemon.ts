/**
 * A daemon of a run: a loop in a task of its own that idles between events, and the queue of those events.
 *
 * An event is done when the snapshot in which it is done is on disk: the snapshot names its number (`last_event_seq`), so an
 * event is neither lost nor handled twice wherever the process dies in between.
 */
import type { Mailbox } from "../../agent/index.ts";
import type { Runtime, Task } from "../../interp/index.ts";
import { Dict, jsonStringify, type ScriptError, uncaughtText, type Value } from "../../values/index.ts";
import { LiveWork } from "../work.ts";
import type { DaemonPlan } from "./daemon-plan.ts";
import { EventQueue } from "./event-queue.ts";

/** Its state on disk. */
export interface Keeping {
  /** Writes what has changed. */
  save(task: Task, daemon: Daemon): Promise<void>;
  /** As in `Mailbox`. */
  guard(task: Task, daemon: Daemon): Promise<() => void>;
}

export class Daemon extends LiveWork implements Mailbox {
  readonly plan: DaemonPlan;
  readonly session: string;
  /** How its loop ended; `null`: it has not, or was stopped. */
  endedAs: string | null = null;
  savedAt = "";
  /** Its events; the loop acks one by idling. */
  readonly events = new EventQueue();
  result: Dict | null = null;
  /** What its loop threw. */
  failure: ScriptError | null = null;
  /** The snapshot that was written last. */
  saved: Dict | null = null;
  private view: (() => Dict) | null = null;
  private wake: (() => void) | null = null;
  private readonly keeping: Keeping;

  constructor(runtime: Runtime, id: string, plan: DaemonPlan, session: string, keeping: Keeping) {
    super(runtime, { id, kind: "daemon", parent: null }, "running");
    this.plan = plan;
    this.session = session;
    this.keeping = keeping;
  }

  get name(): string {
    return this.plan.name;
  }

  get task(): string {
    return this.plan.prompt;
  }

  /** Its status for scripts: a daemon that idles runs, one that is over is what its loop came to. */
  override get statusWord(): string {
    if (this.isPending) return "running";
    return this.endedAs ?? this.status;
  }

  /** What its loop has come to. */
  get snapshot(): Dict {
    return this.view !== null && this.isPending ? this.view() : (this.saved ?? new Dict());
  }

  get daemonState(): string {
    if (this.status === "stopped") return "stopped";
    const state = this.snapshot.get("daemon_state");
    return typeof state === "string" ? state : this.statusWord;
  }

  get full(): boolean {
    return this.events.size >= this.plan.capacity;
  }

  /** Takes an event in: straight into work when the loop idles. */
  add(enqueuedAt: string, payload: Value): void {
    this.events.enqueue(enqueuedAt, payload);
    if (this.status === "idle") this.events.claim();
  }

  /** Lets an idle loop see what came. */
  rouse(): void {
    this.wake?.();
  }

  // ── as its loop sees it ─────────────────────────────────────────────────────────────────────────────────────────

  opened(snapshot: () => Dict): void {
    this.view = snapshot;
  }

  marks(state: string): Dict {
    return Dict.of({ last_event_seq: this.events.doneSeq(state === "idle") });
  }

  guard(task: Task): Promise<() => void> {
    return this.keeping.guard(task, this);
  }

  async idled(task: Task, snapshot: Dict): Promise<void> {
    if (!this.isPending) return;
    this.events.ack();
    this.move("idle");
    this.note(snapshot);
    this.events.claim();
    await this.keeping.save(task, this);
    this.changed();
  }

  async take(task: Task): Promise<string | null> {
    const before = this.events.claimed;
    const event = this.events.claim();
    if (event === null) return null;
    if (before === null) await this.keeping.save(task, this);
    this.events.deliver();
    return jsonStringify(event.payload);
  }

  busy(): void {
    if (this.isPending) this.move("running");
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
    return this.status !== "running" || this.saved !== null;
  }
}
