/** The types that scripts are told under (`agent_subscribe`), with the fields of each beside `type` and `session_id`. */

const skillFields = "agents.md §15";
const searchFields = "agents.md §9";
const asNamed = "of middleware (agents.md §13)";

/** They may emit others themselves (`agent_emit_event`). */
export const liveEvents = {
  loop_start: "`task provider model max_turns`; only under the control plane",
  loop_end: "`turn max_turns status stop_reason error?`; only under the control plane",
  iteration_start: "`iteration` (from 1), `provider model`, `max_turns?`",
  iteration_end:
    "`iteration`, `max_turns?`, `iteration_info {tool_count text provider model response_ms input_tokens output_tokens thinking_chars cost_usd wall_clock_ms}`",
  agent_message_chunk: "`content`: once per answer, whole and without protocol (hosts get pieces)",
  agent_thought_chunk: "`content`: once per answer, whole and without protocol (hosts get pieces)",
  tool_call: '`tool_call_id tool_name kind raw_input`, `status: "pending"`',
  tool_call_update:
    '`tool_call_id tool_name`, `status` `in_progress`, then `completed` or `failed` with `raw_input raw_output error? error_category? execution_duration_ms executor?` (`{kind: "harn_builtin" | "host_bridge" | "provider_native"}`, `{kind: "mcp_server", server_name}`; absent for refused calls)',
  tool_call_audit: "`tool_call_id tool_name audit`",
  plan: "`plan` (list of entries), or `text path`",
  progress_reported: "`message entries replace metadata`",
  feedback_injected: "`kind content`",
  budget_exhausted: "`max_iterations`",
  budget_circuit_breaker: "`reason limit used`",
  loop_stuck: "`max_nudges last_iteration tail_excerpt`",
  daemon_watchdog_tripped: "`attempts elapsed_ms`",
  judge_decision:
    "`iteration` (of the judged turn, from 0), `verdict reasoning next_step judge_duration_ms trigger?`",
  step_judge_decision: "agents.md §11.3",
  loop_control_decision: "`iteration action oldLimit newLimit reason status`",
  agent_loop_stall_warning: "the warning (agents.md §11.5)",
  skill_matched: skillFields,
  skill_activated: skillFields,
  skill_deactivated: skillFields,
  skill_scope_tools: skillFields,
  skill_narrow: "agents.md §11.7",
  "skill.loaded": skillFields,
  tool_search_query: searchFields,
  tool_search_result: searchFields,
  transcript_compacted: "agents.md §3.3",
  compaction_started: "`trigger tokens budget turn max_turns`",
  compaction_completed:
    "`trigger before after freed rungs retention outcome duration_ms turn max_turns`; `outcome` is `committed`, `rolled_back` or `nothing`",
  compaction_degraded: "`failures turns maker`",
  agent_scratchpad_reorganization: "agents.md §11.9",
  tool_format_override: "`requested effective reason`: a session keeps its first format",
  capability_gap:
    "`requested effective reason`: native tools were asked for on a route of which nobody knows that it has them",
  typed_checkpoint: "`name status reason?`; `status` is `ok`, `cached` or `invalid`",
  cache_hit: asNamed,
  cache_miss: asNamed,
  llm_fallback_attempt: "`fallback_index fallback_total ok status provider model`",
  llm_shadow_diff: asNamed,
  llm_routing_decision: "`policy route_name used_default candidates`",
  llm_call_log: asNamed,
  worker_update:
    "`worker_id worker_name worker_task worker_mode event status metadata audit?` (agents.md §17.2)",
  sub_agent_start: "in the parent's session (agents.md §17.4)",
  sub_agent_result: "in the parent's session (agents.md §17.4)",
  handoff: "`artifact_id handoff`",
  loop_checkpoint:
    "`checkpoint` (`iteration_start pre_compact post_compact pre_tool_dispatch post_tool_dispatch loop_exit`), `iteration`, `drained_messages`",
  completion_claimed: "`summary evidence attempt`",
  completion_refused: "`gate reason attempt`",
  context_pressure: "`level tokens budget turn max_turns`",
  continuation_prompt: "`count max turn max_turns`",
  contract_checked: "`met total cached`",
  control_intervention: "an intervention, as `agent_interventions` gives it",
  deliverables_updated: "`item_id title role level turn max_turns`",
  doom_detected: "`pattern period calls strike action`",
  mode_changed: "`from to by`",
  repair: "`tool call turn repaired`",
  stall_detected: "`pattern turns action turn max_turns`",
  work_item_changed: "`item_id change status completion_percentage turn? max_turns?`",
  "transcript.reminder.injected": "agents.md §4.4",
  "transcript.reminder.fired": "agents.md §4.4",
  "transcript.reminder.deduped": "agents.md §4.4",
  "transcript.reminder.expired": "agents.md §4.4",
  "transcript.reminder.dropped": "agents.md §4.4",
  "transcript.reminder.inherited": "agents.md §4.4",
  "transcript.reminder.provider_evaluated": "agents.md §4.4",
} as const satisfies Readonly<Record<string, string>>;

export const liveEventTypes: readonly string[] = Object.keys(liveEvents);
