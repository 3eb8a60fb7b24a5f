/**
 * The options of `agent_loop` (agents.md §10.1): its own, and those that it hands to every model call. Who adds an option
 * adds a row here and reads it in `loop-options.ts`; the report of unknown names, `harn check`, `harn doc agent_loop` and
 * the reference page follow.
 */

import { callFields, toolSearchFields } from "../../model/index.ts";
import {
  type Below,
  below,
  type Field,
  type FieldTable,
  field,
  fieldRowsOf,
  fieldTable,
  keysOf,
  providerBodies,
} from "../../table/index.ts";
import { controlStateKeys, turnKeys } from "../contract/callback-keys.ts";
import { eventTypes, type HookTopic, hookTimes, isAboutTools } from "../contract/index.ts";
import {
  approvalFields,
  iterationBudgetFields,
  limitFields,
  permissionFields,
  policyFields,
} from "../policy/bound-fields.ts";
import { completionFields } from "./completion-options.ts";
import {
  compactionFields,
  jitFields,
  narrowingFields,
  progressToolFields,
  projectionFields,
  providerFields,
  scratchpadFields,
  skillMatchFields,
  turnPolicyFields,
} from "./context-fields.ts";
import { contractFields } from "./contract-options.ts";
import { controlModes } from "./control-options.ts";
import { judgeFields, stepJudgeFields } from "./judge-fields.ts";
import { repetitionRows } from "./watching/repetition-options.ts";
import { workItemFields } from "./work-item-options.ts";

const ends = (because: string): Below => ({ ends: because });

/** Why options end with the agent, by what they are about. */
const ofItsEnd = ends(
  "it decides when this agent's work is over; a delegate's answer is the result of a call",
);
const ofItsConversation = ends("it is about what is said in this agent's conversation");
const ofItsTools = ends("which tools a delegate has is said where it is made");
const ofItsTurns = ends("turns are counted for each agent by itself");

const hookFields = fieldTable(
  () => [
    ...Object.entries(hookTimes).map(([topic, when]) =>
      field(topic, "closure | list<closure>", `Called ${when} (docs/agent-loop.md, "Hooks").`, {
        below: isAboutTools(topic as HookTopic)
          ? "holds"
          : ends("it is about this agent's own turns; hooks around tools see what a delegate does"),
      }),
    ),
    field(
      "pre_tool",
      "closure | list<closure>",
      "Asked before a call of a tool runs, as the hooks of `register_tool_hook`; may refuse it.",
      { below: "holds" },
    ),
    field(
      "post_tool",
      "closure | list<closure>",
      "Told what a call gave; may change the text that the model is told.",
      { below: "holds" },
    ),
    field(
      "agent_stop",
      "closure | list<closure>",
      "Asked before the loop ends as done, as `PreFinish`; may keep it going.",
      { below: ofItsEnd },
    ),
  ],
  { strict: true },
);

const running = (): readonly Field[] => [
  field("profile", "string", "Defaults for a kind of agent.", {
    values: ["tool_using", "researcher", "verifier", "completer"],
    default: '"tool_using"',
    fixed: true,
    sets: ["several answers"],
  }),
  field("system", "string", "The system text, where it is not given as an argument."),
  field("loop_until_done", "bool", "A turn without calls goes on until the model says that it is done.", {
    default: "false",
    sets: ["several answers"],
  }),
  field("persistent", "bool", "Another name for `loop_until_done`.", { sets: ["several answers"] }),
  field("done_sentinel", "string", "The word by which the model says so; nil for none.", { fixed: true }),
  field("max_iterations", "int", "Turns at most; by profile 50, 30, 5 or 1.", {
    range: [1, null],
    bounds: true,
    sets: ["agent"],
  }),
  field("max_turns", "int", "Another name for `max_iterations`.", {
    range: [1, null],
    bounds: true,
    sets: ["agent"],
  }),
  field("iteration_budget", "string | dict", "Turns, time and money of the loop.", {
    nested: iterationBudgetFields,
    bounds: true,
    fixed: true,
    sets: ["several answers"],
  }),
  field("limits", "dict", "Tool calls and tokens of the loop.", {
    nested: limitFields,
    bounds: true,
    fixed: true,
    below: ends("calls are counted for each agent by itself; tokens hold"),
  }),
  field("loop_control", "closure", "Asked after every turn: extend, stop, or nil.", {
    sets: ["several answers"],
    calledWith: () => ({ keys: controlStateKeys }),
  }),
  field(
    "max_nudges",
    "int",
    "Turns without progress in a row before the loop ends as `stuck`; by profile 8, 4 or 0.",
    {
      range: [0, null],
      bounds: true,
      sets: ["agent"],
    },
  ),
  field("nudge", "string", "What the model is told then.", { sets: ["agent"] }),
  field("turn_policy", "dict", "What a turn must look like.", {
    nested: turnPolicyFields,
    sets: ["several answers", "agent"],
  }),
  field(
    "modes",
    "bool",
    "The loop plans first: in the mode `plan` nothing can be called that changes something.",
    {
      default: "false",
      bounds: true,
      fixed: true,
      below: "holds",
    },
  ),
  field(
    "mode",
    "string",
    "With `modes`: `plan` or `execute`, where the loop begins. What rules of an approval policy see as `mode`.",
    { below: "holds" },
  ),
  field("agent", "string", "What rules of an approval policy see as `agent`.", { below: "holds" }),
  field("persona", "string", "What rules of an approval policy see as `persona`.", { below: "holds" }),
];

const calling = (): readonly Field[] => [
  field("llm_options", "dict", "Options of the model calls that stand over those of the loop.", {
    nested: callFields,
    sets: ["reasoning"],
    below: "delegates",
  }),
  field("llm_caller", "closure", "Makes the model calls: `fn(call)`, built from std/llm/handlers.", {
    below: "holds",
  }),
  field(
    "tool_caller",
    "closure",
    "Makes the tool calls: `fn(call, next)`, built from std/llm/tool_middleware.",
    { below: "holds" },
  ),
  field("prefetch_next_turn", "bool", "Take a caller's early answer to the next turn.", {
    default: "false",
    below: ofItsTurns,
  }),
];

const tools = (): readonly Field[] => [
  field("tool_retries", "int", "Further tries of a tool call that fails.", {
    default: "0",
    range: [0, null],
    sets: ["agent"],
    below: "delegates",
  }),
  field("tool_backoff_ms", "int", "Rest before the first of them; doubles with each.", {
    default: "1000",
    range: [0, null],
    sets: ["agent"],
    below: "delegates",
  }),
  field("tool_timeout_ms", "int", "Milliseconds that a tool call may take.", {
    range: [1, null],
    bounds: true,
    below: "delegates",
  }),
  field("tool_output_max_chars", "int", "Characters of a tool result that the model is shown.", {
    range: [200, null],
    below: "delegates",
  }),
  field("max_concurrent_tools", "int", "Tool calls of a turn that run at once.", {
    default: "1",
    range: [1, null],
    bounds: true,
    below: ofItsTurns,
  }),
  field("stop_after_successful_tools", "list<string> | string", "Tools whose success ends the loop.", {
    sets: ["several answers"],
    below: ofItsEnd,
  }),
  field(
    "require_successful_tools",
    "list | string",
    "Tools that must succeed before the loop may be done; one of each inner list.",
    { sets: ["several answers"], below: ofItsEnd },
  ),
  field("native_tool_fallback", "string", "What is done about calls in the text of a native loop.", {
    values: ["allow", "allow_once", "reject"],
    default: '"allow"',
    sets: ["agent"],
    below: "delegates",
  }),
  field("tool_surface_narrowing", "bool | dict", "Hide tools that go unused.", {
    default: "true",
    nested: narrowingFields,
    below: ends(
      "unused is what this agent does not call; under `control` it is off for all that works for the agent",
    ),
  }),
  field("mcp_servers", "any", "MCP servers whose tools the loop may call.", {
    sets: ["several answers"],
    below: ofItsTools,
  }),
  field("progress_tool", "bool | dict", "A tool by which the model reports progress.", {
    nested: progressToolFields,
    fixed: true,
    sets: ["several answers"],
    below: ends("progress is reported by the agent that somebody watches"),
  }),
  field("subagents", "bool", "The model may park, resume and stop workers.", {
    default: "false",
    fixed: true,
    sets: ["agent"],
    below: ofItsTools,
  }),
  field("subagent_tools", "bool", "Another name for `subagents`.", {
    fixed: true,
    sets: ["agent"],
    below: ofItsTools,
  }),
  field("skills", "any", "A registry of skills, a list of registries and entries, or false.", {
    fixed: true,
    sets: ["several answers"],
    below: "sub-agents",
  }),
  field("skill_match", "dict", "How skills are found for the task.", {
    nested: skillMatchFields,
    fixed: true,
    below: "sub-agents",
  }),
  field("working_files", "list<string> | string", "Files that skills are matched with.", {
    fixed: true,
    below: ofItsConversation,
  }),
];

const bounds = (): readonly Field[] => [
  field("policy", "dict | bool", "The ceiling of what tools may do.", {
    nested: policyFields,
    bounds: true,
    fixed: true,
  }),
  field("command_policy", "dict", "The ceiling of what commands may do; see `command_policy`.", {
    bounds: true,
  }),
  field("permissions", "dict | bool", "What may be called, decided call by call.", {
    nested: permissionFields,
    bounds: true,
    fixed: true,
  }),
  field("approval_policy", "dict | bool", "What a person is asked about.", {
    nested: approvalFields,
    bounds: true,
    fixed: true,
  }),
];

/** In the dict of `control`. What it can't hold, its reader refuses in documented words. */
const controlFields: FieldTable = fieldTable(
  () => [
    field("mode", "string", "Whether somebody watches.", {
      values: controlModes,
      default: '"interactive"',
    }),
    ...fieldRowsOf(loopFields, "control", "mode"),
  ],
  { refusedByReader: true, takesOuterRows: true },
);

const judging = (): readonly Field[] => [
  field(
    "control",
    "bool | string | dict",
    '`"interactive"` (or true) or `"autonomous"` switches the parts of the control plane on; a dict holds `mode` and further options (docs/control-plane.md).',
    { nested: controlFields, bounds: true, fixed: true, sets: ["brings a contract", "several answers"] },
  ),
  field("max_continuation_prompts", "int", "Short for `completion: {max_continuation_prompts}`.", {
    range: [0, null],
    fixed: true,
  }),
  field("work_items", "bool | list<dict> | dict", "A ledger that the agent keeps of its work.", {
    nested: workItemFields,
    fixed: true,
    sets: ["several answers"],
  }),
  field("contract", "dict", "What must be true at the end; each claim is checked against it.", {
    nested: contractFields,
    fixed: true,
    sets: ["brings a contract", "several answers"],
  }),
  field(
    "completion",
    "bool | dict",
    "The loop ends by a claim (`work_complete`), and the claim is checked.",
    {
      nested: completionFields,
      fixed: true,
      sets: ["several answers"],
    },
  ),
  field(
    "verify_completion",
    "closure",
    "Asked when the loop would be done: nil or true accepts, a text vetoes.",
    { sets: ["several answers"] },
  ),
  field("verify_completion_judge", "bool | dict", "A model that is asked when the loop would be done.", {
    nested: judgeFields,
    sets: ["several answers"],
  }),
  field("done_judge", "bool | dict", "A model that is asked when the model says that it is done.", {
    nested: judgeFields,
    sets: ["several answers"],
  }),
  field("max_verify_attempts", "int", "Vetoes of `verify_completion` before the loop ends.", {
    default: "20",
    range: [1, null],
    bounds: true,
  }),
  field("step_judge", "bool | dict", "A model that is asked about every turn before its calls run.", {
    nested: stepJudgeFields,
    sets: ["several answers"],
  }),
  ...repetitionRows.rows,
];

const contextField = (): readonly Field[] => [
  field(
    "post_turn_callback",
    "closure",
    "Called after every turn: a string is told to the model; {message, user_message, stop, stop_reason, next_options, llm_options} tells it, speaks as the user, ends the loop, changes options.",
    { sets: ["several answers"], calledWith: () => ({ keys: turnKeys }) },
  ),
  field("context_callback", "closure", "Changes the messages and the system text before every call.", {
    sets: ["agent"],
  }),
  field("context_filter", "closure", "Another name for `context_callback`.", { sets: ["agent"] }),
  field("message_decorator", "closure", "Changes every message on its way to the model."),
  field("timestamp_messages", "bool", "Messages of the user carry their time.", { default: "false" }),
  field("compaction", "string | bool | dict", "What is done with a conversation that grows too long.", {
    default: '"hybrid"',
    nested: compactionFields,
  }),
  field("auto_compact", "string | bool | dict", "Another name for `compaction`.", {
    nested: compactionFields,
  }),
  field("compact_strategy", "string", "Short for `compaction: {strategy}`.", { sets: ["compaction"] }),
  field("compact_callback", "closure", "Short for `compaction: {compact_callback}`.", {
    sets: ["compaction"],
  }),
  field("compact_threshold", "int", "Short for `compaction: {token_threshold}`.", {
    range: [0, null],
    sets: ["compaction"],
  }),
  field("compact_keep_first", "int", "Short for `compaction: {keep_first}`.", {
    range: [0, null],
    sets: ["compaction"],
  }),
  field("compact_keep_last", "int", "Short for `compaction: {keep_last}`.", {
    range: [0, null],
    sets: ["compaction"],
  }),
  field("max_input_tokens", "int", 'Short for `compaction: {strategy: "ladder", max_input_tokens}`.', {
    range: [100, null],
  }),
  field("context_window", "int", "Tokens that the model takes in, where nobody knows it.", {
    range: [1000, null],
    below: "delegates",
  }),
  field("soft_threshold_percent", "float", 'Short for `compaction: {strategy: "ladder", soft}`.', {
    range: [0, 1],
  }),
  field("transcript_projection", "string | bool | dict", "What of the conversation is sent.", {
    nested: projectionFields,
  }),
  field(
    "context_providers",
    "list",
    "Parts of the system text with owners: `environment`, `guidance`, dicts, closures (docs/control-plane.md).",
    { nested: providerFields },
  ),
  field("sandbox_path", "string", "The folder that the agent works in: the provider `environment` lists it."),
  field("jit", "bool | list | dict", "Tell the model rules when they matter (docs/control-plane.md).", {
    nested: jitFields,
    sets: ["several answers"],
  }),
  field("scratchpad", "bool | dict", "Goals, open items and facts that the model keeps in sight.", {
    nested: scratchpadFields,
    sets: ["several answers"],
  }),
  field("prompts", "dict | bool", "Other words for the runtime's prompts, by id (std/agent/prompts).", {
    below: "delegates",
  }),
  field("prompt_overrides", "dict | bool", "Another name for `prompts`.", { below: "delegates" }),
];

const watching = (): readonly Field[] => [
  field("hooks", "dict", "Closures by topic.", {
    nested: hookFields,
    fixed: true,
    sets: ["several answers"],
    below: "holds",
  }),
  field("on_event", "closure", "Called with every event of the loop.", {
    fixed: true,
    below: ends("a delegate's events are its own; `agent_subscribe` and the run's log have them"),
    calledWith: () => ({
      keys: { type: eventTypes, ...keysOf("v", "n", "at", "session", "parent", "data") },
    }),
  }),
];

const daemon = (): readonly Field[] => [
  field("daemon", "bool", "Idle after a turn without tool calls, where other loops end.", {
    default: "false",
  }),
  field("persist_path", "string", "Where snapshots are written, on idle and at the end."),
  field("resume_path", "string", "The snapshot that the loop goes on from.", { sets: ["brings a contract"] }),
  field("wake_interval_ms", "int | duration", "An idle loop looks around so often."),
  field("watch_paths", "list<string> | string", "Files and folders whose changes wake it."),
  field("consolidate_on_idle", "bool", "Compact when it idles.", { default: "false" }),
  field("idle_watchdog_attempts", "int | duration", "Empty ticks in a row after which it ends.", {
    bounds: true,
  }),
];

/** The stall options of an older line (agents.md §0.2). */
const older = (): readonly Field[] =>
  ["loop_detect_warn", "loop_detect_block", "loop_detect_skip"].map((name) =>
    field(name, "any", "An older way to watch for stalls.", { deprecated: "`stall_diagnostics`" }),
  );

/** Read by the loop itself. */
const ownRows = (): readonly Field[] => [
  ...below(ofItsTurns, running()),
  ...below("holds", bounds()),
  ...calling(),
  ...tools(),
  ...below(ends("it judges or measures the work of this agent"), judging()),
  ...below(ofItsConversation, contextField()),
  ...watching(),
  ...below(ends("a delegate does not idle: it answers a call"), daemon()),
  ...below(ends("it judges or measures the work of this agent"), older()),
];

/** Of the options of a call, those that a loop reads itself too, or reads otherwise. */
const sharedRows = (): readonly Field[] => [
  field(
    "tools",
    "any",
    "Tools that the model may call: a registry, or a list of definitions and registries.",
    { fixed: true, sets: ["several answers", "agent"], below: ofItsTools },
  ),
  field("tool_format", "string", "How the model calls tools.", {
    values: ["native", "text", "json", "auto"],
    fixed: true,
    sets: ["agent"],
    below: "delegates",
  }),
  field("tool_search", "bool | string | dict", "Show deferred tools only when the model looks for them.", {
    nested: toolSearchFields,
    sets: ["several answers"],
    below: ofItsTools,
  }),
  field(
    "llm_retries",
    "int",
    "Further tries of a model call after failures that pass; where it is not set, one after an answer that took too long.",
    { default: "2", range: [0, null], below: "delegates" },
  ),
  field("llm_backoff_ms", "int", "Rest before the first of them; doubles with each.", {
    default: "2000",
    range: [0, null],
    below: "delegates",
  }),
  field(
    "schema_retries",
    "int",
    "Further tries when an answer does not fit its schema; 3 for the profile `verifier`.",
    {
      default: "0",
      range: [0, null],
      below: ends("it is about the form of this agent's answer"),
    },
  ),
  ...below(ofItsConversation, sharedSessionRows()),
];

/** Of these, the ones about the conversation. */
const sharedSessionRows = (): readonly Field[] => [
  field("session_id", "string", "The conversation that the loop goes on with, or begins.", {
    fixed: true,
    sets: ["brings a contract"],
  }),
  field(
    "session_busy",
    "string",
    "What it does when another loop holds that session: waits, throws, or works on a copy.",
    {
      values: ["wait", "fail", "fork"],
      default: '"wait"',
    },
  ),
  field("llm_transcript_dir", "string", "Folder that gets a record of every request and answer.", {
    fixed: true,
  }),
  field("transcript", "any", "A conversation that it begins with.", {
    fixed: true,
    sets: ["brings a contract"],
  }),
  field("messages", "any", "Messages that the conversation begins with.", { fixed: true }),
];

const loopRows = (): readonly Field[] => {
  const own = [...ownRows(), ...sharedRows()];
  return [...own, ...fieldRowsOf(callFields, ...own.map(({ name }) => name))];
};

/** `agent_loop(…, options)`. */
export const loopFields: FieldTable = fieldTable(loopRows, {
  ...providerBodies,
  meant: { max_steps: "max_iterations" },
});

let own: ReadonlySet<string> | undefined;

/** Names that the loop reads itself: a callback that changes options changes the loop's, all others go to its calls. */
export function ownOptions(): ReadonlySet<string> {
  own ??= new Set([
    ...ownRows().map((row) => row.name),
    ...sharedRows().map((row) => row.name),
    "budget",
    "structural_experiment",
  ]);
  return own;
}
