/** Keys of what sub-agents and workers give their parents. */
import { keysOf } from "../table/index.ts";

export const envelopeKeys = {
  ...keysOf(
    "ok",
    "finished",
    "stop_reason",
    "summary",
    "artifacts",
    "evidence_added",
    "tokens_used",
    "budget_exceeded",
    "session_id",
  ),
  transcript: null,
  usage: keysOf("input_tokens", "output_tokens", "total_tokens"),
  ...keysOf("files_written", "data"),
  error: keysOf("category", "message", "tool"),
  handle: null,
} as const;

/** As handles say them; `running` and `awaiting` are no ends. */
const workerStatuses = [
  "running",
  "awaiting",
  "suspended",
  "completed",
  "failed",
  "cancelled",
  "stopped",
  "interrupted",
] as const;

export const handleKeys = {
  ...keysOf("_type", "id", "name", "task", "mode"),
  status: workerStatuses,
  ...keysOf("created_at", "started_at", "finished_at", "awaiting_started_at"),
  ...keysOf("parent_worker_id", "parent_stage_id", "child_run_id", "child_run_path", "snapshot_path"),
  ...keysOf("history", "request", "provenance", "result", "error", "artifact_count", "has_transcript"),
  execution: keysOf("cwd", "env", "worktree"),
  audit: null,
  suspension: keysOf(
    "reason",
    "initiator",
    "suspended_at",
    "suspended_at_turn",
    "snapshot_ref",
    "conditions",
    "auto_resume_trigger",
  ),
} as const;

/** `agent_stop`: a handle, or what was stopped in good order leaves. */
export const stoppedKeys = { ...handleKeys, ...keysOf("handoff", "children", "handoffs", "worker") } as const;

/** `sub_agent_run`: an envelope, or the handle of one in the background. */
export const subAgentResultKeys = { ...handleKeys, ...envelopeKeys } as const;
