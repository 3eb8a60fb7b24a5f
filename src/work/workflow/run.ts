/**
 * A run of a workflow at work: what its stages did and made so far. `recordOf` shows it as a record at any moment, so what
 * lies on disk is always a run that can go on.
 */

import type { Task } from "../../interp/index.ts";
import { newId } from "../../interp/index.ts";
import { Dict, List, type Value } from "../../values/index.ts";
import { makeRecord, plainDict, summedUsage } from "./record/record.ts";
import { dictItemsOf, field } from "./record/record-fields.ts";
import { spansNow } from "./record/spans.ts";
import { type EndedStage, Schedule, type StageStep } from "./schedule.ts";

export type WorkflowRunStatus = "running" | "completed" | "failed" | "paused" | "suspended";

export type CheckpointReason = "start" | "stage_complete" | "finalize";

export interface RunStart {
  readonly id: string;
  readonly about: string;
  readonly graph: Dict;
  readonly path: string;
  readonly parentRun: string | null;
  readonly rootRun: string | null;
  readonly startedAt: string;
  readonly metadata: Dict;
  readonly inputs: readonly Dict[];
  readonly transcript: Value;
}

export class WorkflowRun {
  readonly start: RunStart;
  readonly schedule: Schedule;
  status: WorkflowRunStatus = "running";
  finishedAt: string | null = null;
  readonly stages: Dict[] = [];
  readonly transitions: Dict[] = [];
  readonly checkpoints: Dict[] = [];
  readonly childRuns: Dict[] = [];
  readonly toolRecordings: Dict[] = [];
  readonly questions: Dict[] = [];
  /** Everything that there is, by id: a later artifact of the same id takes the place of the earlier. */
  readonly artifacts = new Map<Value, Dict>();
  /** Of the last stage that had one. */
  transcript: Value;
  /** A stage that was begun and is still to be done: its agent was suspended, or the run could not pay it. */
  undone: { readonly node: string; readonly session: string | null } | null = null;
  /** By the parts of the run before this one, and in the end by all: more than its stages used when one was not paid. */
  spentBefore: Dict = new Dict();
  /** Trace spans from before this run, and from earlier parts of it. */
  spansBefore = 0;
  readonly spans: Dict[] = [];
  /** Where it works, as records show it. */
  execution: Dict = new Dict();
  private readonly policy: Dict;
  private readonly rounds = new Map<string, number>();

  constructor(start: RunStart) {
    const { graph, inputs, metadata, transcript } = start;
    this.start = { ...start, metadata: plainDict(metadata) };
    this.schedule = new Schedule(graph);
    this.transcript = transcript instanceof Dict ? plainDict(transcript) : null;
    this.policy = plainDict(
      Dict.of({
        capability_policy: field(graph, "capability_policy"),
        approval_policy: field(graph, "approval_policy"),
      }),
    );
    for (const artifact of inputs) this.artifacts.set(field(artifact, "id"), plainDict(artifact));
  }

  get id(): string {
    return this.start.id;
  }

  /** How often a node has run. */
  roundsOf(node: string): number {
    return this.rounds.get(node) ?? 0;
  }

  /** What stages may work from. */
  get offered(): Dict[] {
    return [...this.artifacts.values()].filter((artifact) => visibilityOf(artifact) !== "private");
  }

  /** What the run gives back. */
  get results(): Dict[] {
    return [...this.artifacts.values()].filter((artifact) => visibilityOf(artifact) === "public");
  }

  /** A stage is over; gives the edges that it takes. */
  add(ended: Dict): StageStep[] {
    const stage = plainDict(ended);
    this.stages.push(stage);
    const node = String(field(stage, "node_id"));
    this.rounds.set(node, this.roundsOf(node) + 1);
    for (const artifact of dictItemsOf(stage, "artifacts"))
      this.artifacts.set(field(artifact, "id"), artifact);
    const transcript = field(stage, "transcript");
    if (transcript !== null) this.transcript = transcript;
    return this.schedule.ended(endedStage(stage));
  }

  follow(task: Task, steps: readonly StageStep[]): void {
    for (const { from, to } of steps)
      this.transitions.push(
        Dict.of({
          id: newId(task),
          from_stage_id: from.id,
          from_node_id: from.node,
          to_node_id: to,
          branch: from.branch,
          timestamp: newId(task),
          consumed_artifact_ids: new List([...from.consumed]),
          produced_artifact_ids: new List([...from.produced]),
        }),
      );
  }

  checkpoint(task: Task, reason: CheckpointReason): void {
    this.checkpoints.push(
      Dict.of({
        id: newId(task),
        reason,
        ready_nodes: new List(this.schedule.pending),
        completed_nodes: new List(this.completed),
        last_stage_id: this.stages.at(-1)?.get("id") ?? null,
        persisted_at: newId(task),
      }),
    );
  }

  private get completed(): Value[] {
    return [...new Set(this.stages.map((stage) => field(stage, "node_id")))];
  }

  /** The record as it is now, complete. */
  recordOf(task: Task): Dict {
    return makeRecord(task, "workflow_execute", this.draft(task));
  }

  /**
   * The record as it is now, without what can be made of it at any time. Its parts are plain and stay the same values, so
   * that nobody has to look at them again.
   */
  draft(task: Task): Dict {
    const { start } = this;
    const { graph } = start;
    return Dict.of({
      _type: "run_record",
      id: start.id,
      workflow_id: field(graph, "id"),
      workflow_name: field(graph, "name"),
      task: start.about,
      status: this.status,
      started_at: start.startedAt,
      finished_at: this.finishedAt,
      parent_run_id: start.parentRun,
      root_run_id: start.rootRun,
      stages: new List(this.stages),
      transitions: new List(this.transitions),
      checkpoints: new List(this.checkpoints),
      pending_nodes: new List(this.schedule.pending),
      completed_nodes: new List(this.completed),
      child_runs: new List(this.childRuns),
      artifacts: new List(this.results),
      policy: this.policy,
      execution: this.execution,
      transcript: this.transcript,
      usage: summedUsage(this.stages),
      trace_spans: new List([...this.spans, ...spansNow(task).slice(this.spansBefore)]),
      tool_recordings: new List(this.toolRecordings),
      hitl_questions: new List(this.questions),
      metadata: this.metadata,
      persisted_path: start.path,
    });
  }

  private get metadata(): Dict {
    const { undone, spentBefore } = this;
    const own = this.start.metadata.without("undone").without("spent");
    const spent = spentBefore.size === 0 ? own : own.with("spent", spentBefore);
    if (undone === null) return spent;
    return spent.with("undone", Dict.of({ node_id: undone.node, session_id: undone.session }));
  }
}

export function visibilityOf(artifact: Dict): string {
  const metadata = artifact.get("metadata");
  const said = metadata instanceof Dict ? metadata.get("visibility") : null;
  return said === "private" || said === "internal" ? said : "public";
}

/** A stage of a record, for the schedule. */
export function endedStage(stage: Dict): EndedStage {
  const texts = (name: string): string[] => {
    const value = field(stage, name);
    return value instanceof List ? value.toArray().map(String) : [];
  };
  const branch = field(stage, "branch");
  return {
    id: String(field(stage, "id")),
    node: String(field(stage, "node_id")),
    branch: typeof branch === "string" ? branch : null,
    failed: field(stage, "status") === "failed",
    consumed: texts("consumed_artifact_ids"),
    produced: texts("produced_artifact_ids"),
  };
}
