/** Keys of what commands come to, whoever runs them. */
import { keysOf } from "../../table/index.ts";

/** How `process.exec` tells the end of a command, and a policy that it blocked one. */
export const commandResultKeys = {
  ...keysOf("command_id", "status", "pid", "process_group_id", "handle_id", "started_at", "ended_at"),
  ...keysOf("duration_ms", "exit_code", "signal", "timed_out", "stdout", "stderr", "combined"),
  ...keysOf("exit_status", "legacy_status", "success", "audit_id"),
  command_policy: keysOf("context", "decisions", "annotation"),
} as const;
