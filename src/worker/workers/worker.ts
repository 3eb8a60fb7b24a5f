/**
 * A worker: an agent at work in a task of its own. It works in cycles, one task of the run each: the first begins with
 * `spawn_agent`, the others with `send_input` and `resume_agent`.
 *
 *     running ─▶ completed · failed · awaiting ─▶ running …      running ─▶ suspended ─▶ running · stopped · cancelled
 *
 * What scripts hold are dicts that were true when they were made (worker-handle.ts); this is the live state.
 */
import type { Task, Wait } from "../../interp/index.ts";
import type { Dict, Value } from "../../values/index.ts";
import type { TranscriptMode } from "../carry.ts";

export type WorkerStatus =
  | "running"
  | "awaiting"
  | "completed"
  | "failed"
  | "cancelled"
  | "suspended"
  | "stopped"
  | "interrupted";

/** What a cycle came to. */
export interface CycleEnd {
  readonly status: "completed" | "failed" | "suspended";
  readonly payload: Dict;
  readonly artifacts: readonly Value[];
  readonly error: string | null;
  readonly text: string;
}

/** What a worker does in one cycle. */
export type Cycle = (task: Task, worker: Worker, about: string) => Promise<CycleEnd>;

export interface Carry {
  readonly transcriptMode: TranscriptMode;
  readonly artifactMode: "inherit" | "none" | "reset";
  readonly persistState: boolean;
  readonly retriggerable: boolean;
}

/** How a worker was asked for. */
export interface WorkerPlan {
  readonly name: string;
  readonly task: string;
  readonly mode: "stage" | "sub_agent";
  readonly session: string;
  /** `request` of the handle: what the one who asks keeps for himself. */
  readonly request: Dict;
  readonly carry: Carry;
  readonly approvalPolicy: Value;
  /** As given, for the snapshot. */
  readonly spec: Dict;
  readonly cycle: Cycle;
}

export interface Suspension {
  readonly reason: string;
  readonly initiator: string;
  readonly suspendedAt: string;
}

export class Worker {
  readonly id: string;
  readonly plan: WorkerPlan;
  readonly parentWorker: string | null;
  readonly parentSession: string | null;
  readonly snapshotPath: string;
  readonly createdAt: string;
  status: WorkerStatus = "running";
  startedAt: string | null = null;
  finishedAt: string | null = null;
  awaitingSince: string | null = null;
  /** Tasks, oldest first; the last one is what it works on. */
  readonly history: string[] = [];
  /** Of the conversation that the next cycle goes on in. */
  session: string;
  result: Dict | null = null;
  error: string | null = null;
  lastText = "";
  transcript: Value = null;
  artifacts: readonly Value[] = [];
  suspension: Suspension | null = null;
  /** Asked to park before its next turn, and what for. */
  parking: {
    readonly end: "suspended" | "stopped";
    readonly reason: string;
    readonly initiator: string;
  } | null = null;
  /** The task of the cycle under way. */
  task: Task | null = null;
  private readonly watchers: Wait<void>[] = [];

  constructor(
    id: string,
    plan: WorkerPlan,
    around: { readonly worker: string | null; readonly session: string | null },
    snapshotPath: string,
    createdAt: string,
  ) {
    this.id = id;
    this.plan = plan;
    this.parentWorker = around.worker;
    this.parentSession = around.session;
    this.snapshotPath = snapshotPath;
    this.createdAt = createdAt;
    this.session = plan.session;
  }

  /** Something may still come without anybody asking for it. */
  get pending(): boolean {
    return this.status === "running" || this.status === "awaiting";
  }

  get latestTask(): string {
    return this.history.at(-1) ?? this.plan.task;
  }

  /** Waits in `waiter` for the next change of status. */
  change(waiter: Task, what: string): Promise<void> {
    return waiter.park<void>(what, (wait) => {
      this.watchers.push(wait);
      return () => {
        const at = this.watchers.indexOf(wait);
        if (at >= 0) this.watchers.splice(at, 1);
      };
    });
  }

  /** Whoever waits looks again. */
  changed(): void {
    for (const watcher of this.watchers.splice(0)) watcher.wake(undefined);
  }
}
