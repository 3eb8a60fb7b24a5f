/**
 * A worker: an agent at work in a task of its own. It works in cycles, one task of the run each: the first begins with
 * `spawn_agent`, the others with `send_input` and `resume_agent`.
 *
 * What scripts hold are dicts that were true when they were made (worker-handle.ts); this is the live state.
 */
import type { Initiator } from "../../agent/index.ts";
import type { WorkKind, WorkStatus } from "../../durable/index.ts";
import type { Json } from "../../effects/index.ts";
import type { Runtime, Task, UnseenEnd } from "../../interp/index.ts";
import type { Dict, Value } from "../../values/index.ts";
import type { WorkPlace } from "../execution/place.ts";
import type { Carry, ExecutionOption } from "../fields/shared-fields.ts";
import { LiveWork } from "../work.ts";

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

/** `top_level_agent` is a loop of the program's own that suspended: a worker from then on. */
export type WorkerMode = "stage" | "workflow" | "sub_agent" | "top_level_agent";

const workKind = (mode: WorkerMode): WorkKind => (mode === "top_level_agent" ? "loop" : mode);

/** How a worker was asked for. */
export interface WorkerPlan {
  readonly name: string;
  readonly task: string;
  readonly mode: WorkerMode;
  readonly session: string;
  /** `request` of the handle: what the one who asks keeps for himself. */
  readonly request: Dict;
  readonly carry: Carry;
  readonly approvalPolicy: Value;
  /** Where it is to work, when that is not where the program does. */
  readonly execution: ExecutionOption | null;
  /** When it goes on by itself, unless somebody says otherwise. */
  readonly resumeWhen: Dict | null;
  /** The stage of a workflow that it works for. */
  readonly parentStage?: string;
  /** As given, for the snapshot. */
  readonly spec: Dict;
  readonly cycle: Cycle;
}

export interface Suspension {
  readonly reason: string;
  readonly initiator: Initiator;
  readonly suspendedAt: string;
  /** Turns that its loop had done. */
  readonly turn: number;
  readonly conditions: Dict | null;
  /** The trigger that resumes it. */
  trigger: { readonly id: string; retire(): void } | null;
}

/** Somebody asked it to stand still before its next turn. */
export interface HaltRequest {
  readonly end: "suspended" | "stopped";
  readonly reason: string;
  readonly initiator: Initiator;
  readonly conditions: Dict | null;
}

/** How a worker is made, or was when it is taken over from its file. */
export interface MadeWorker {
  readonly id: string;
  readonly parent: string | null;
  readonly parentSession: string | null;
  readonly snapshotPath: string;
  readonly createdAt: string;
  readonly status?: WorkStatus;
}

export class Worker extends LiveWork {
  readonly plan: WorkerPlan;
  readonly parentSession: string | null;
  readonly snapshotPath: string;
  readonly createdAt: string;
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
  /** The watch over its loop's progress when it was suspended. */
  streak: Json | null = null;
  transcript: Value = null;
  artifacts: readonly Value[] = [];
  /** The last run of its workflow, and where its record lies. */
  childRun: { readonly id: string; readonly path: string } | null = null;
  suspension: Suspension | null = null;
  /** Asked to suspend before its next turn, and what for. */
  haltRequest: HaltRequest | null = null;
  /** Where in the run's journal its loop stood still: `path#number`. A cold start goes on from there. */
  journalPlace: string | null = null;
  /** Somebody is about to resume it. */
  resuming = false;
  /** Where it works; made for its first cycle. */
  place: WorkPlace | null = null;
  /** Its file can't be written; that was said. */
  isUnkept = false;
  /** Its loop suspended in a call of the program and went on in that same call: it has no cycle around it. */
  inPlace = false;
  /** Stands for what was around a loop that became a worker when it suspended. */
  home: Task | null = null;
  /** Where a script spawned it; `null`: something else did, which looks at its end. */
  spawnedAt: string | null = null;
  /** Its failed end, until a script looks at it. */
  unseen: UnseenEnd | null = null;

  constructor(runtime: Runtime, plan: WorkerPlan, made: MadeWorker) {
    super(runtime, { id: made.id, kind: workKind(plan.mode), parent: made.parent }, made.status ?? "running");
    this.plan = plan;
    this.parentSession = made.parentSession;
    this.snapshotPath = made.snapshotPath;
    this.createdAt = made.createdAt;
    this.session = plan.session;
  }

  get name(): string {
    return this.plan.name;
  }

  get task(): string {
    return this.history.at(-1) ?? this.plan.task;
  }

  /** It stands still no longer, or will not go on any more. */
  endSuspension(): void {
    this.suspension?.trigger?.retire();
    this.suspension = null;
    this.journalPlace = null;
  }

  /** Nothing comes any more unless somebody begins another cycle. */
  get isOver(): boolean {
    return !this.isPending && this.status !== "suspended";
  }
}
