/**
 * The names that `agent_loop` understands: its own, and those whose subsystem comes with a later issue; those it hands
 * to every model call are `llm_call`'s. An unknown one is reported once with a suggestion and handed on (decisions.md).
 */
import type { Task } from "../../interp/index.ts";
import { Dict, ScriptError, type Value } from "../../values/index.ts";
import { knownCallOptions } from "../llm-call/call-options.ts";
import { reportOptions } from "../model-call/index.ts";

/** Read by the loop itself. */
export const ownOptions: ReadonlySet<string> = new Set([
  "profile",
  "llm_caller",
  "tool_caller",
  "prefetch_next_turn",
  "tool_surface_narrowing",
  "policy",
  "command_policy",
  "permissions",
  "approval_policy",
  "agent",
  "persona",
  "mode",
  "loop_until_done",
  "persistent",
  "done_sentinel",
  "max_iterations",
  "iteration_budget",
  "loop_control",
  "max_nudges",
  "nudge",
  "llm_retries",
  "llm_backoff_ms",
  "llm_options",
  "schema_retries",
  "tools",
  "structural_experiment",
  "tool_search",
  "mcp_servers",
  "tool_format",
  "tool_retries",
  "tool_backoff_ms",
  "tool_timeout_ms",
  "tool_output_max_chars",
  "max_concurrent_tools",
  "stop_after_successful_tools",
  "require_successful_tools",
  "turn_policy",
  "native_tool_fallback",
  "verify_completion",
  "verify_completion_judge",
  "done_judge",
  "max_verify_attempts",
  "step_judge",
  "post_turn_callback",
  "context_callback",
  "context_filter",
  "message_decorator",
  "timestamp_messages",
  "stall_diagnostics",
  "compaction",
  "compact_threshold",
  "compact_keep_first",
  "compact_keep_last",
  "compact_strategy",
  "compact_callback",
  "auto_compact",
  "transcript_projection",
  "scratchpad",
  "llm_transcript_dir",
  "transcript",
  "prompts",
  "prompt_overrides",
  "progress_tool",
  "daemon",
  "persist_path",
  "resume_path",
  "wake_interval_ms",
  "watch_paths",
  "consolidate_on_idle",
  "idle_watchdog_attempts",
  "session_id",
  "skills",
  "skill_match",
  "working_files",
  "system",
  "budget",
  "limits",
  "hooks",
  "on_event",
  "subagents",
  "subagent_tools",
  // The stall options of an older line; `stall_diagnostics` took their place (agents.md §0.2).
  "loop_detect_warn",
  "loop_detect_block",
  "loop_detect_skip",
]);

/**
 * Their subsystems are not built yet, and a loop that runs without them does something else than was asked: a policy
 * that does not hold, a caller that is not called. Asking for one is an error, switching it off is not.
 */
export const refusedOptions: ReadonlySet<string> = new Set(["messages"]);

/** What switches a subsystem off, and so is true already. */
function isOff(value: Value): boolean {
  if (value === null || value === false || value === "none" || value === "off") return true;
  return value instanceof Dict && value.get("enabled") === false;
}

/** Looks at the names of an options dict. `providers` are names under which vendors' own fields may stand. */
export function checkNames(task: Task, options: Dict, caller: string, providers: readonly string[]): void {
  for (const [name, value] of options.entries()) {
    if (!refusedOptions.has(name) || isOff(value)) continue;
    const text = `${caller}: option \`${name}\` is not available yet in this version; leave it out or set it to nil`;
    throw new ScriptError("thrown", text, { code: "HARN-ORC-090" });
  }
  const known = new Set([...ownOptions, ...refusedOptions, ...knownCallOptions(providers)]);
  reportOptions(task, caller, options, known);
}
