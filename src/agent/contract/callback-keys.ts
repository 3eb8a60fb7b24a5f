/** What `loop_control` (agents.md §11.4) and `post_turn_callback` (§10.7) are called with. For the checker. */
import { keysOf } from "../../table/index.ts";

/** Made in `completion/snapshot.ts`. */
export const controlStateKeys = {
  ...keysOf("iteration"),
  budget: keysOf("current_limit", "max", "remaining", "extension_count", "wall_clock_ms", "cost_usd"),
  turn: keysOf(
    "tool_call_count",
    "successful_tool_names",
    "rejected_tool_names",
    "text_chars",
    "native_fallback_used",
  ),
  completion: keysOf("proposed", "vetoed", "verdict", "feedback"),
  session: keysOf(
    "successful_tool_names",
    "rejected_tool_names",
    "required_tools_satisfied",
    "required_tools_missing",
  ),
  progress: keysOf("changed", "summary"),
};

/** Made in `completion/post-turn.ts`. */
export const turnKeys = {
  ...keysOf("iteration", "text", "visible_text", "session_id", "has_tool_calls", "tool_count"),
  ...keysOf("tool_results", "dispatch", "successful_tool_names", "rejected_tool_names"),
  ...keysOf("session_successful_tools", "session_rejected_tools"),
  session: keysOf("id"),
};
