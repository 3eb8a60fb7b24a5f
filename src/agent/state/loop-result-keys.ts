/**
 * Every key that the result of `agent_loop` may have. `machine/result.ts` can write no other: its type says so.
 */
import { type KnownKeys, keysOf, type ValuesOf } from "../../table/index.ts";
import { loopStatuses } from "./loop-ends.ts";

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

/** What each is, and when it is there. */
export const loopResultDocs = {
  status: "How the loop ended.",
  final_status: "The same.",
  stop_reason: "Why.",
  error: "What failed: a dict, or a text for required tools; else nil.",
  error_envelope: "The failure as one record.",
  missing_required_tools:
    "Names of `require_successful_tools` that never succeeded; `a|b` for a list of which one was enough.",
  text: "All answers as they came, joined without a separator.",
  visible_text: "What a user may see of all turns, joined by line breaks.",
  answer:
    'What a user should read at the end: the text of the last turn without sentinel and protocol; of the turn before, where the last only claims to be done; `""` when there is none.',
  llm: "Figures of the loop's own model calls; `iterations` are turns, without retries, judges and summaries.",
  tools: "Names of tools that were called, that succeeded, that were refused; `mode` is the tool format.",
  deferred_user_messages: "What was said to the session and did not reach the model.",
  daemon_state: "The status, for daemons.",
  daemon_snapshot_path: "`persist_path`.",
  task_ledger: "The ledger, with `work_items`; else `{}`.",
  deliverables: "`[{item_id, title, content}]`: artifacts of the ledger, then those of the claim.",
  trace: "Counts of this loop (not of the run).",
  transcript: "The conversation; its id is the session's, its `summary` has what compactions said.",
  session_id: "The session.",
  task: "The prompt.",
  tokens_used: "Tokens of everything that ran inside the loop, children too.",
  cost_usd: "What all of it cost; nil when a price is not known.",
  started_at: "When it began.",
  acp_stop_reason: "`end_turn`, `max_tokens`, `max_turn_requests` or `refusal`.",
  data: "The parsed answer, with a schema.",
  thinking: "What the model thought in the last turn, if anything.",
  private_reasoning: "The same.",
  handle: "Of a suspended loop: what `resume_agent` takes.",
  worker: "The same.",
  reason: "Of a suspended loop: why.",
  initiator: "Who suspended it: `self`, `parent`, `operator` or `triggered`.",
  conditions: "When it goes on by itself.",
  resume_by: "When the timeout of its conditions is over.",
  iterations_completed: "Its turns so far.",
  outcome: "With `completion`, `work_items` or `contract`: how it ended. nil while it is suspended or idles.",
  completion:
    "With `completion`: whether it was claimed, with which words and evidence, in how many attempts.",
  work_items: "With `work_items`: the items.",
  contract: "With `contract`: contract, coverage and gap.",
  repeated_tool_calls: "With `stall_diagnostics`: calls that repeated the one before.",
  stall_warnings: "With `stall_diagnostics`: the warnings.",
  suspected_loop: "With `stall_diagnostics`: whether there was one.",
  completion_judge: "With `verify_completion_judge`: what it did.",
  done_judge: "With `done_judge`: what it did.",
  adaptive_budget: "With `iteration_budget.expose_decisions`: how the limit of turns moved.",
} as const satisfies Readonly<Record<keyof typeof loopResultKeys, string>>;

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
