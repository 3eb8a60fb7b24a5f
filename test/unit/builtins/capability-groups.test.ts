/**
 * Every builtin that has effects names the capabilities it needs, or stands here with the reason why it needs none: a new
 * one can't be forgotten.
 */
import { describe, expect, it } from "vitest";
import { builtinTable, capabilityGroups, possibleGroupsOf } from "../../../src/builtins/index.ts";
import type { BuiltinSpec } from "../../../src/table/index.ts";

/** Why builtins with effects may be called in every run. */
const free: Readonly<Record<string, readonly string[]>> = {
  "looks at the clock, or waits": [
    ...["date_iso", "date_now", "date_now_iso", "elapsed", "monotonic_ms", "now_ms", "timestamp"],
    ...["sleep", "sleep_ms", "timer_start", "timer_end", "trace_start", "trace_end", "sync_metrics"],
    ...["jwt_sign", "jwt_verify", "cookie_round_trip"],
  ],
  "looks at the process, the machine or the terminal": [
    ...["arch", "platform", "pid", "hostname", "username", "home_dir", "temp_dir", "cwd", "path_to_native"],
    ...[
      "runtime_paths",
      "source_dir",
      "asset_root",
      "execution_root",
      "system_cpu",
      "system_gpus",
      "system_memory",
      "system_temperature",
    ],
    ...[
      "term_height",
      "term_width",
      "is_stdin_tty",
      "is_stdout_tty",
      "is_stderr_tty",
      "bold",
      "color",
      "dim",
    ],
  ],
  "reads the standard input that the run was given": ["read_line", "read_stdin"],
  "says what the program around the run offers": ["host_tools"],
  "makes keys": ["ed25519_keypair", "x25519_keypair", "http_server_tls_self_signed_dev"],
  // These live in the run; a file or SQLite file is chosen by the user's environment and asks the machine for fs.
  "works on the event log of the run": [
    ...["event_log_describe", "event_log_emit", "event_log_latest", "event_log_read", "event_log_topics"],
    ...["friction_record", "hitl_pending", "monitor_wait_for"],
    ...["trigger_fire", "trigger_inspect_action_graph", "trigger_inspect_dlq", "trigger_inspect_lifecycle"],
    ...["trigger_list", "trigger_register", "trigger_replay", "trigger_test_harness"],
    ...["waitpoint_cancel", "waitpoint_complete", "waitpoint_create", "waitpoint_wait"],
  ],
  "uses a connection that could not be made without the capability": [
    ...[
      "mcp_call",
      "mcp_disconnect",
      "mcp_release",
      "mcp_get_prompt",
      "mcp_list_prompts",
      "mcp_list_resource_templates",
    ],
    ...[
      "mcp_list_resources",
      "mcp_list_tools",
      "mcp_read_resource",
      "mcp_registry_status",
      "mcp_server_info",
    ],
    ...["sse_server_heartbeat", "sse_server_send"],
  ],
  "asks for what its operation needs": ["host_call"],
};

const specs = [...builtinTable().values()];
const hasEffects = ({ effect }: BuiltinSpec): boolean => effect !== "pure" && effect !== "state";

describe("capabilities of builtins", () => {
  it("are named by each that has effects, unless there is a reason", () => {
    const reasons = new Set(Object.values(free).flat());
    const silent = specs.filter((spec) => hasEffects(spec) && possibleGroupsOf(spec).length === 0);
    expect(silent.map(({ name }) => name).filter((name) => !reasons.has(name))).toEqual([]);
  });

  it("have no reason left that nobody needs", () => {
    const needless = Object.values(free)
      .flat()
      .filter((name) => {
        const spec = builtinTable().get(name);
        return spec === undefined || !hasEffects(spec) || possibleGroupsOf(spec).length > 0;
      });
    expect(needless).toEqual([]);
  });

  it("are groups that exist", () => {
    const unknown = specs.flatMap((spec) =>
      possibleGroupsOf(spec)
        .filter((group) => !capabilityGroups.includes(group))
        .map((group) => `${spec.name}: ${group}`),
    );
    expect(unknown).toEqual([]);
  });

  it("follow the class: calls of a model need `model`, questions `people`", () => {
    const group = { model: "model", human: "people" } as const;
    const wrong = specs.filter(
      (spec) =>
        (spec.effect === "model" || spec.effect === "human") &&
        !possibleGroupsOf(spec).includes(group[spec.effect]),
    );
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });
});
