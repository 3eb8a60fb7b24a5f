/**
 * Every key that the result of `agent_loop` may have. `machine/result.ts` can write no other: its type says so.
 */
import { type KnownKeys, keysOf, type ValuesOf } from "../../table/index.ts";

/** How a loop ends; `loop_control` may give states of its own. */
export const loopStatuses = [
  "done",
  "stuck",
  "stalled",
  "budget_exhausted",
  "verify_capped",
  "verify_exhausted",
  "provider_error",
  "suspended",
  "failed",
  "idle",
  "watchdog",
  "blocked",
  "stopped",
  "error",
] as const;

const traceKeys = {
  status: loopStatuses,
  ...keysOf(
    "iterations",
    "total_duration_ms",
    "llm_calls",
    "tool_executions",
    "tool_rejections",
    "interventions",
    "compactions",
    "native_text_tool_fallbacks",
    "native_text_tool_fallback_rejections",
    "empty_completion_retries",
    "schema_stream_aborts",
    "typed_checkpoints",
    "typed_checkpoint_failures",
    "total_input_tokens",
    "total_output_tokens",
    "total_llm_duration_ms",
    "total_tool_duration_ms",
    "tools_used",
  ),
} as const;

const judgeKeys = keysOf("invocations", "vetoes", "max_invocations", "cap_reached");

const outcomeKeys = {
  status: ["done", "stalled", "failed"],
  ...keysOf("kind", "message", "verified", "complete", "turn_count", "coverage", "refusals"),
} as const;

export const loopResultKeys = {
  status: loopStatuses,
  final_status: loopStatuses,
  stop_reason: null,
  error: null,
  error_envelope: keysOf(
    "schema_version",
    "kind",
    "reason",
    "missing",
    "successful_tool_names",
    "iterations",
    "category",
  ),
  missing_required_tools: null,
  text: null,
  visible_text: null,
  answer: null,
  llm: keysOf("iterations", "duration_ms", "input_tokens", "output_tokens"),
  tools: keysOf("calls", "successful", "rejected", "mode"),
  deferred_user_messages: null,
  daemon_state: null,
  daemon_snapshot_path: null,
  task_ledger: null,
  deliverables: null,
  trace: traceKeys,
  transcript: null,
  session_id: null,
  task: null,
  tokens_used: null,
  cost_usd: null,
  started_at: null,
  acp_stop_reason: null,
  data: null,
  thinking: null,
  private_reasoning: null,
  handle: null,
  worker: null,
  reason: null,
  initiator: null,
  conditions: null,
  resume_by: null,
  iterations_completed: null,
  outcome: outcomeKeys,
  completion: keysOf("claimed", "summary", "evidence", "attempts"),
  work_items: null,
  contract: null,
  repeated_tool_calls: null,
  stall_warnings: null,
  suspected_loop: null,
  completion_judge: judgeKeys,
  done_judge: judgeKeys,
  adaptive_budget: keysOf("mode", "initial", "max", "final_limit", "extensions_used", "decisions"),
} as const satisfies KnownKeys;

/** What other runtimes call keys of it. */
export const loopOtherKeys: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["output", "final_output", "final_answer", "content", "result", "response", "message", "value"].map(
      (name) => [name, "answer"],
    ),
  ),
  iterations: "llm.iterations",
  turns: "llm.iterations",
  steps: "llm.iterations",
  usage: "llm",
  duration_ms: "llm.duration_ms",
  tool_calls: "tools.calls",
  tools_used: "tools.calls",
  successful_tools: "tools.successful",
  rejected_tools: "tools.rejected",
  tool_calling_mode: "tools.mode",
  messages: "transcript",
  history: "transcript",
  cost: "cost_usd",
  finish_reason: "stop_reason",
  ok: 'status == "done"',
  success: 'status == "done"',
};

/** `agent_turn`: a loop that says besides what its turns and its judge came to. */
export const turnResultKeys = { ...loopResultKeys, iterations: null, judge_decisions: null } as const;

/** Values by their keys in the result. */
export type LoopResultPart<V> = { readonly [K in keyof ValuesOf<typeof loopResultKeys>]?: V };
