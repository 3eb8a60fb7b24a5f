/** A worker as scripts see it (agents.md §17.2): a dict that was true when it was made. */

import { statusWord, type WorkStatus } from "../../durable/index.ts";
import { Dict, List, type Value } from "../../values/index.ts";
import { placeDict } from "../execution/place.ts";
import type { Worker } from "./worker.ts";

/** The handle; `status` says what it is about to be. */
export function handleOf(worker: Worker, status: WorkStatus = worker.status): Dict {
  const { plan } = worker;
  return Dict.of({
    _type: "agent_handle",
    ...common(worker, status),
    history: new List([...worker.history]),
    request: plan.request,
    provenance: provenanceOf(worker),
    result: worker.result,
    error: worker.error,
    artifact_count: worker.artifacts.length,
    has_transcript: worker.transcript !== null,
    execution: executionOf(worker),
    audit: auditOf(worker),
    suspension: suspensionOf(worker) ?? undefined,
  });
}

/** What handle and snapshot say alike. */
export function common(worker: Worker, status: WorkStatus): Record<string, Value> {
  return {
    id: worker.id,
    name: worker.plan.name,
    task: worker.task,
    mode: worker.plan.mode,
    status: statusWord(worker.kind, status),
    created_at: worker.createdAt,
    started_at: worker.startedAt,
    finished_at: worker.finishedAt,
    awaiting_started_at: worker.awaitingSince,
    parent_worker_id: worker.parent,
    parent_stage_id: worker.plan.parentStage ?? null,
    child_run_id: worker.childRun?.id ?? null,
    child_run_path: worker.childRun?.path ?? null,
    snapshot_path: worker.snapshotPath,
  };
}

/** Where it works. */
export const executionOf = ({ place }: Worker): Dict => placeDict(place);

function provenanceOf(worker: Worker): Dict {
  return Dict.of({
    worker_id: worker.id,
    worker_name: worker.plan.name,
    mode: worker.plan.mode,
    parent_worker_id: worker.parent,
    parent_stage_id: worker.plan.parentStage ?? null,
    session_id: worker.session,
    parent_session_id: worker.parentSession,
    snapshot_path: worker.snapshotPath,
    run_id: worker.childRun?.id ?? null,
    run_path: worker.childRun?.path ?? null,
  });
}

export function auditOf(worker: Worker): Dict {
  return Dict.of({
    session_id: worker.session,
    parent_session_id: worker.parentSession,
    run_id: null,
    worker_id: worker.id,
    execution_kind: worker.plan.mode,
    mutation_scope: "read_only",
    approval_policy: worker.plan.approvalPolicy,
  });
}

export function suspensionOf({ suspension, snapshotPath }: Worker): Dict | null {
  if (suspension === null) return null;
  return Dict.of({
    reason: suspension.reason,
    initiator: suspension.initiator,
    suspended_at: suspension.suspendedAt,
    suspended_at_turn: suspension.turn,
    snapshot_ref: snapshotPath,
    conditions: suspension.conditions ?? undefined,
    auto_resume_trigger: suspension.trigger?.id,
  });
}
