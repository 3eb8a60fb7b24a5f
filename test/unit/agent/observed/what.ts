/**
 * Everything of the agent runtime that a golden program must observe: read from the runtime's own tables where there is
 * one, listed here where only the documents have it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { eventTypes, hookTopics, sessionEvents } from "../../../../src/agent/index.ts";
import { ownOptions } from "../../../../src/agent/options/loop-fields.ts";
import { builtinTable } from "../../../../src/builtins/index.ts";
import { callFields } from "../../../../src/model/index.ts";
import {
  type Mutant,
  withoutBuiltin,
  withoutCallOption,
  withoutContractEvent,
  withoutFunction,
  withoutHookTopic,
  withoutLiveEvent,
  withoutOption,
  withoutResult,
  withoutSessionHook,
  withoutTranscriptEvent,
  withoutWord,
} from "../../../support/golden-mutants.ts";
import { projectRoot } from "../../../support/project.ts";

/** One thing to observe. */
export interface Item {
  readonly name: string;
  /** The word that a golden about it mentions. */
  readonly word: string;
  readonly mutant: () => Mutant;
}

export interface Group {
  readonly items: readonly Item[];
  /** Names without a golden, each with the reason. */
  readonly exceptions: Readonly<Record<string, string>>;
}

/** `transcript.inject_reminder` is what programs write for `transcript_inject_reminder`. */
const lastWord = (name: string): string =>
  name
    .replace(/^transcript_(\w+_reminders?)$/, "$1")
    .split(/[./]/)
    .at(-1) as string;

function group(
  names: Iterable<string>,
  mutant: (name: string) => Mutant,
  exceptions: Readonly<Record<string, string>> = {},
): Group {
  const items = [...names]
    .filter((name) => !Object.hasOwn(exceptions, name))
    .map((name) => ({ name, word: lastWord(name), mutant: () => mutant(name) }));
  return { items, exceptions };
}

/** Keys inside of options, as agents.md §10 and §11 name them. */
const innerOptions: Readonly<Record<string, string>> = {
  iteration_budget:
    "mode initial max extend_by expose_decisions wall_clock_ms total_cost_usd consecutive_failures consecutive_failures.max consecutive_failures.kinds consecutive_failures.paused_for_ms",
  turn_policy: "require_action_or_yield allow_done_sentinel max_prose_chars",
  verify_completion_judge: "provider model system feedback_fallback max_invocations max_feedback fail_open",
  done_judge:
    "provider model system feedback_fallback max_invocations max_feedback fail_open cadence.every cadence.when cadence.max_invocations cadence.min_iterations_before_first",
  step_judge:
    "provider model system rubric on_veto max_attempts skip_when_empty skip_when_stalled skip_when_iterations_remaining fail_open feedback_fallback",
  stall_diagnostics:
    "enabled threshold inject_feedback max_feedback exempt_tools allow_repeated_tools include_arguments",
  tool_surface_narrowing:
    "enabled window_turns mode hard_keep prune_classes keep_classes unknown_tool_policy",
  progress_tool: "name description system_prompt_nudge",
  scratchpad: "enabled recite reorganize_every max_recent_messages schema_retries initial reorganizer",
  compaction: "strategy keep_last_n keep_first policy enabled",
  auto_compact: "policy",
  transcript_projection: "policy keep_last projector",
  policy:
    "tools capabilities workspace_roots read_only_roots side_effect_level recursion_limit tool_arg_constraints tool_annotations",
  permissions: "allow deny on_escalation",
  approval_policy:
    "rules auto_approve auto_deny require_approval write_path_allowlist allow_sensitive_paths sensitive_path_patterns allow_external_paths external_roots repeat_limit repeat_action",
  skill_match: "strategy top_n sticky",
  tool_search: "variant mode strategy always_loaded budget_tokens name include_stub_listing",
  limits: "tool_calls tokens",
  budget: "max_cost_usd max_input_tokens max_output_tokens total_budget_usd",
};

const nested = Object.entries(innerOptions).flatMap(([option, keys]) =>
  keys.split(" ").map((key) => `${option}.${key}`),
);

const options = group([...ownOptions(), ...nested], withoutOption, {
  loop_detect_warn: "of an older line; ignored (agents.md §0.2)",
  loop_detect_block: "of an older line; ignored (agents.md §0.2)",
  loop_detect_skip: "of an older line; ignored (agents.md §0.2)",
});

const callOptions = group(new Set(callFields.names()), withoutCallOption);

const results = group(
  (
    "status final_status stop_reason error error_envelope missing_required_tools text visible_text deferred_user_messages " +
    "daemon_state daemon_snapshot_path task_ledger trace transcript session_id task tokens_used cost_usd started_at " +
    "acp_stop_reason data thinking private_reasoning handle reason initiator conditions iterations_completed " +
    "repeated_tool_calls stall_warnings suspected_loop completion_judge done_judge adaptive_budget iterations " +
    "judge_decisions llm.iterations llm.duration_ms llm.input_tokens llm.output_tokens tools.calls tools.successful " +
    "tools.rejected tools.mode trace.tool_executions trace.tool_rejections trace.interventions trace.compactions " +
    "trace.native_text_tool_fallbacks trace.native_text_tool_fallback_rejections trace.empty_completion_retries"
  ).split(" "),
  withoutResult,
);

const statuses = group(
  "done stuck budget_exhausted verify_capped verify_exhausted provider_error failed suspended blocked idle watchdog".split(
    " ",
  ),
  (word) => withoutWord("status", word),
);

const stopReasons = group(
  (
    "natural sentinel post_turn_stop required_tools_satisfied stalled_done_judge wait_for_user max_nudges max_iterations " +
    "wall_clock_ms total_cost_usd circuit_breaker tool_calls tokens budget_exhausted completion_judge_cap_reached " +
    "done_judge_cap_reached provider_error missing_required_tools user_prompt_submit_blocked loop_control suspended idle watchdog"
  ).split(" "),
  (word) => withoutWord("stop_reason", word),
);

const contractHooks = group(hookTopics, withoutHookTopic);
const contractEvents = group(eventTypes, withoutContractEvent);
const hooksOfSessions = group(sessionEvents, withoutSessionHook);

const liveEvents = group(
  (
    "iteration_start iteration_end agent_message_chunk agent_thought_chunk tool_call tool_call_update tool_call_audit plan " +
    "progress_reported feedback_injected budget_exhausted budget_circuit_breaker loop_stuck judge_decision step_judge_decision " +
    "loop_control_decision agent_loop_stall_warning skill_matched skill_activated skill_deactivated skill_scope_tools " +
    "skill_narrow tool_search_query tool_search_result transcript_compacted agent_scratchpad_reorganization " +
    "tool_format_override capability_gap typed_checkpoint cache_hit cache_miss llm_fallback_attempt llm_shadow_diff llm_routing_decision llm_call_log " +
    "worker_update handoff loop_checkpoint daemon_watchdog_tripped " +
    "transcript.reminder.injected transcript.reminder.fired transcript.reminder.deduped transcript.reminder.expired " +
    "transcript.reminder.dropped transcript.reminder.inherited sub_agent_start sub_agent_result"
  ).split(" "),
  withoutLiveEvent,
);

/** agents.md §3.1. */
const transcriptEvents = group(
  (
    "message tool_result provider_payload private_reasoning compaction transcript_fork transcript_reset transcript_archive " +
    "transcript_abandon transcript_resume system_reminder suspension resumption PermissionGrant PermissionDeny " +
    "PermissionEscalation plan skill_matched skill_activated skill_deactivated skill_scope_tools skill.loaded skill_narrow " +
    "tool_search_query tool_search_result native_tool_fallback agent_scratchpad sub_agent_start sub_agent_result"
  ).split(" "),
  withoutTranscriptEvent,
);

const prefixes =
  /^(agent_session_|agent_|transcript_|transcript|skill_|skills_|tool_|sub_agent_|load_skill|render_always|conversation$|add_(message|user|assistant|system|tool_result)$|microcompact|estimate_tokens|register_|clear_tool_hooks|clear_session_hooks)/;

const builtins = group(
  [...builtinTable().values()].filter((spec) => prefixes.test(spec.name)).map((spec) => spec.name),
  withoutBuiltin,
);

const modules = [
  ...readdirSync(join(projectRoot, "stdlib/agent")).map((file) => `std/agent/${file.slice(0, -5)}`),
  ...readdirSync(join(projectRoot, "stdlib/llm")).map((file) => `std/llm/${file.slice(0, -5)}`),
  "std/tools",
  "std/plan",
];

const exportsOf = (module: string): string[] =>
  [
    ...readFileSync(join(projectRoot, "stdlib", `${module.slice(4)}.harn`), "utf8").matchAll(
      /^pub fn (\w+)/gm,
    ),
  ].map((match) => `${module}/${match[1]}`);

const functions = group(modules.flatMap(exportsOf), (name) => {
  const slash = name.lastIndexOf("/");
  return withoutFunction(name.slice(0, slash), name.slice(slash + 1));
});

export const groups: Readonly<Record<string, Group>> = {
  options,
  "options of model calls": callOptions,
  results,
  statuses,
  "stop reasons": stopReasons,
  "hook topics": contractHooks,
  "contract events": contractEvents,
  "session hooks": hooksOfSessions,
  "live events": liveEvents,
  "transcript events": transcriptEvents,
  builtins,
  "functions of modules": functions,
};
