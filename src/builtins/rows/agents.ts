/** Rows of agents, sub-agents, workers, workflows, tools, skills, transcripts and artifacts (agents.md). */
import {
  approvalFields,
  compactionPolicyFields,
  compactionRows,
  loopFields,
  permissionFields,
  policyFields,
} from "../../agent/index.ts";
import { callFields } from "../../model/index.ts";
import { type Field, field, fieldRowsOf, fieldTable, providerBodies } from "../../table/index.ts";

/** Options of a loop: it looks at their types itself, in documented words. */
const ofLoop = { ...providerBodies, typedByReader: true } as const;

/** Names that mean nothing are refused by the reader, in documented words. */
const refused = { refusedByReader: true } as const;

// ---------------------------------------------------------------- sub-agents and workers

const worktreeFields = fieldTable(
  () => [
    field("repo", "any", "The repository.", { default: '"."' }),
    field("path", "any", "Where the copy lies."),
    field("branch", "any", "Its branch."),
    field("base_ref", "any", "What it begins with.", { default: '"HEAD"' }),
    field("cleanup", "any", "`preserve` it, or `remove` it at the end.", { default: '"preserve"' }),
  ],
  refused,
);

const executionFields = fieldTable(
  () => [
    field("cwd", "any", "The folder that the work is done in."),
    field("env", "any", "Variables that its processes get."),
    field("worktree", "any", "A copy of a repository of its own.", { nested: worktreeFields }),
  ],
  { strict: true, refusedByReader: true },
);

const carryFields = fieldTable(
  () => [
    field("transcript_mode", "any", "What a next run takes of the conversation.", { default: '"inherit"' }),
    field("artifact_mode", "any", "What it takes of the artifacts.", { default: '"inherit"' }),
    field("persist_state", "any", "Keep the state when it ends.", { default: "true" }),
    field("retriggerable", "any", "It may be started again.", { default: "false" }),
    field("resume_workflow", "any", "A workflow goes on where it was.", { default: "true" }),
  ],
  refused,
);

const subAgentRequestRows = (): readonly Field[] => [
  field("request", "any", "Kept as the payload of the request; made of the lists below when left out."),
  ...[
    ["research_questions", "questions"],
    ["action_items", "actions"],
    ["workflow_stages", "stages"],
    ["verification_steps", "verification"],
  ].flatMap(([name = "", short = ""]) => [
    field(name, "any", "Kept in the request, for whoever asked."),
    field(short, "any", `The same as \`${name}\`.`),
  ]),
];

const returnsFields = fieldTable(() => [field("schema", "any", "What the answer must fit.")], {
  others: "the schema itself",
});

const subAgentOwn = (): readonly Field[] => [
  field("name", "any", "What the child is called.", { default: '"sub-agent"' }),
  field("background", "bool", "Do not wait for it: gives a worker.", { default: "false" }),
  field("system", "any", "Its system text."),
  field("allowed_tools", "any", "The tools that it may call, under every ceiling around it.", {
    bounds: true,
  }),
  field("policy", "any", "The ceiling of what it may do.", { nested: policyFields, bounds: true }),
  field("returns", "any", "`{schema}`: its answer is read as data.", { nested: returnsFields }),
  field("token_budget", "any", "Tokens that it may use.", { bounds: true }),
  field("carry", "any", "What a second run under the same session takes along.", { nested: carryFields }),
  field("execution", "any", "Where it works.", { nested: executionFields, bounds: true }),
  field("reminder_propagation", "any", "It is told the pending reminders around it.", { default: "true" }),
  ...subAgentRequestRows(),
];

/** `sub_agent_run`: its own options, and those of the child's loop. */
export const subAgentFields = fieldTable(() => {
  const own = subAgentOwn();
  return [...own, ...fieldRowsOf(loopFields, ...own.map(({ name }) => name))];
}, ofLoop);

const workerNodeFields = fieldTable(
  () => [
    field("id", "any", "What the stage is known by."),
    field("name", "any", "What it is called."),
    field("kind", "any", "`stage` or `subagent`."),
    field("mode", "any", "`llm` for one call, `agent` for a loop."),
    field("prompt", "any", "What the model is told."),
    field("system", "any", "The system text."),
    field("task_label", "any", "What the task is called in its prompt."),
    field("tools", "any", "Tools that it may call."),
    field("model_policy", "any", "Options of its loop.", { nested: loopFields }),
    field("output_contract", "any", "What it makes.", {
      nested: fieldTable(() => [
        field("output_kinds", "any", "Kinds of its artifacts."),
        field("schema", "any", "What its answer must fit."),
      ]),
    }),
    field("context_policy", "any", "What it is shown of the artifacts.", { nested: contextPolicyFields }),
    field("auto_compact", "any", "What is done with a conversation that grows too long."),
    field("capability_policy", "any", "The ceiling of what it may do.", {
      nested: policyFields,
      bounds: true,
    }),
    field("approval_policy", "any", "What a person is asked about.", {
      nested: approvalFields,
      bounds: true,
    }),
    field("metadata", "any", "Whatever belongs to it."),
  ],
  refused,
);

const workerOptionFields = fieldTable(
  () => [field("resume_when", "any", "When a parked worker goes on."), ...fieldRowsOf(workflowRunFields)],
  ofLoop,
);

/** `spawn_agent`. */
export const spawnFields = fieldTable(
  () => [
    field("name", "any", "What the worker is called."),
    field("task", "any", "What it is to do."),
    field("node", "any", "The stage that it runs.", { nested: workerNodeFields }),
    field("graph", "any", "The workflow that it runs."),
    field("artifacts", "any", "What it begins with."),
    field("transcript", "any", "The conversation that it begins with."),
    field("options", "any", "Options of its loop or of its workflow.", { nested: workerOptionFields }),
    field("wait", "any", "Wait for its end.", { default: "false" }),
    field("policy", "any", "The ceiling of what it may do.", { nested: policyFields, bounds: true }),
    field("tools", "any", "The tools that it may call.", { bounds: true }),
    field("permissions", "any", "What may be called, call by call.", {
      nested: permissionFields,
      bounds: true,
    }),
    field("approval_policy", "any", "What a person is asked about.", {
      nested: approvalFields,
      bounds: true,
    }),
    field("carry", "any", "What a next run takes along.", { nested: carryFields }),
    field("execution", "any", "Where it works.", { nested: executionFields, bounds: true }),
    field("system", "any", "Its system text."),
    ...subAgentRequestRows(),
  ],
  refused,
);

const conditionTimeoutFields = fieldTable(
  () => [
    field("duration_minutes", "any", "Minutes that it waits."),
    field("on_timeout", "any", "What is done then.", { default: '"resume_with_summary"' }),
  ],
  { strict: true, refusedByReader: true },
);

/** Conditions of going on. Their reader says what is wrong, in documented words. */
export const conditionFields = fieldTable(
  () => [
    field("trigger", "any", "A trigger, as `trigger_register` takes it without a handler."),
    field("timeout", "any", "After how long, and what then.", { nested: conditionTimeoutFields }),
    field("on_event", "any", "The event that it waits for."),
  ],
  { strict: true, refusedByReader: true },
);

export const suspendFields = fieldTable(() => [
  field("initiator", "any", "Who parks it."),
  field("conditions", "any", "When it goes on.", { nested: conditionFields }),
  field("propagate", "any", "Whether workers below park too."),
]);

export const stopFields = fieldTable(() => [
  field("graceful", "bool", "Let it end its turn.", { default: "false" }),
  field("reason", "any", "Why; it is told."),
]);

export const lifecycleFields = fieldTable(() => [
  field("subagents", "bool", "The tools that park, resume and stop workers.", { default: "true" }),
  field("await_resumption", "bool", "The tool by which a loop parks itself.", { default: "false" }),
]);

/** `daemon_spawn`. */
export const daemonFields = fieldTable(
  () => [
    field("name", "any", "What the daemon is called."),
    field("task", "any", "What it is to do."),
    field("prompt", "any", "Another name for `task`."),
    field("state_dir", "any", "The folder that its files lie in."),
    field("event_queue_capacity", "any", "Events that wait.", { default: "1024", bounds: true }),
    ...fieldRowsOf(loopFields),
  ],
  ofLoop,
);

// ---------------------------------------------------------------- workflows

const runOwn = (): readonly Field[] => [
  field("max_steps", "any", "Stages that may run.", { bounds: true }),
  field("persist_path", "any", "Where the record is written."),
  field("replay_run", "any", "The record that is played again."),
  field("replay_path", "any", "The path of that record."),
  field("replay_mode", "any", "How it is played: `deterministic`."),
  field("resume_run", "any", "The record that is gone on with."),
  field("resume_path", "any", "The path of that record."),
  field("parent_run_id", "any", "The run that this one belongs to."),
  field("trigger_event", "any", "The event that started it."),
  field("audit", "any", "What the record keeps about who started it."),
  field("transcript", "any", "The conversation that the first stage sees."),
  field("policy", "any", "The ceiling of what every stage may do.", { nested: policyFields, bounds: true }),
  field("approval_policy", "any", "What a person is asked about.", { nested: approvalFields, bounds: true }),
  field("execution", "any", "Where the run works.", { nested: executionFields, bounds: true }),
];

/** `workflow_execute`: its own options, and those of the loops of all stages. */
export const workflowRunFields = fieldTable(() => {
  const own = runOwn();
  return [
    ...own,
    field("limits", "any", "What the whole run may spend.", { bounds: true }),
    field("budget", "any", "What the whole run may spend.", { bounds: true }),
    ...fieldRowsOf(loopFields, "limits", "budget", ...own.map(({ name }) => name)),
  ];
}, ofLoop);

export const contextPolicyFields = fieldTable(() => [
  field("max_artifacts", "any", "Artifacts at most."),
  field("max_tokens", "any", "Tokens that they may take."),
  field("reserve_tokens", "any", "Tokens that are kept free.", { default: "0" }),
  field("include_kinds", "any", "Only these kinds."),
  field("exclude_kinds", "any", "Not these kinds."),
  field("prioritize_kinds", "any", "These kinds first."),
  field("pinned_ids", "any", "Artifacts that are always shown."),
  field("include_stages", "any", "Only those of these stages."),
  field("prefer_recent", "bool", "Newer ones first.", { default: "false" }),
  field("prefer_fresh", "bool", "Fresher ones first.", { default: "false" }),
  field("render", "any", "`text` or `json`.", { default: '"text"' }),
]);

/** What is wrong in the policies of a graph is told by `workflow_validate`, all of it together. */
const ceilingFields = fieldTable(() => policyFields.rows, {
  strict: true,
  refusedByReader: true,
  typedByReader: true,
});
const gradedApprovalFields = fieldTable(() => approvalFields.rows, {
  strict: true,
  refusedByReader: true,
  typedByReader: true,
});

const nodeFields = fieldTable(
  () => [
    field("id", "any", "What the node is known by."),
    field("name", "any", "What it is called."),
    field("kind", "any", "What it does: `stage`, `verify`, `condition`, `map`.", { default: '"stage"' }),
    field("mode", "any", "`llm` for one call, `agent` for a loop."),
    field("prompt", "any", "What the model is told."),
    field("system", "any", "The system text."),
    field("task_label", "any", "What the task is called in its prompt."),
    field("tools", "any", "Tools that it may call."),
    field("model_policy", "any", "Options of its loop.", { nested: loopFields }),
    field("context_policy", "any", "What it is shown of the artifacts.", { nested: contextPolicyFields }),
    field("auto_compact", "any", "What is done with a conversation that grows too long."),
    field("output_visibility", "any", "Who sees its output: `public`, `internal`, `private`."),
    field("capability_policy", "any", "The ceiling of what it may do.", {
      nested: ceilingFields,
      bounds: true,
    }),
    field("approval_policy", "any", "What a person is asked about.", {
      nested: gradedApprovalFields,
      bounds: true,
    }),
    field("input_contract", "any", "What it needs.", {
      nested: fieldTable(() => [
        field("min_inputs", "any", "Artifacts at least."),
        field("max_inputs", "any", "Artifacts at most."),
        field("input_kinds", "any", "Kinds that must be there."),
        field("require_transcript", "any", "A conversation must be there."),
      ]),
    }),
    field("output_contract", "any", "What it makes.", {
      nested: fieldTable(() => [
        field("output_kinds", "any", "Kinds of its artifacts."),
        field("schema", "any", "What its answer must fit."),
      ]),
    }),
    field("retry_policy", "any", "How often it is tried.", {
      nested: fieldTable(() => [
        field("max_attempts", "any", "Tries at most.", { default: "1", bounds: true }),
        field("backoff_ms", "any", "Rest before the next."),
        field("backoff_multiplier", "any", "How much longer each rest is."),
        field("verify", "any", "A failed check is a failed try."),
        field("repair", "any", "A failed check leads to the repair."),
      ]),
    }),
    field("map_policy", "any", "How a `map` runs its items.", {
      nested: fieldTable(() => [
        field("items", "any", "The items."),
        field("item_artifact_kind", "any", "Artifacts of this kind are the items."),
        field("output_kind", "any", "The kind of its artifacts."),
        field("max_items", "any", "Items at most.", { bounds: true }),
        field("max_concurrent", "any", "Items that run at once.", { bounds: true }),
      ]),
    }),
    field("join_policy", "any", "When a `join` or `map` goes on.", {
      nested: fieldTable(() => [
        field("strategy", "any", "`all`, `first` or `quorum`.", { default: '"all"' }),
        field("min_completed", "any", "So many, with `quorum`."),
        field("require_all_inputs", "any", "A missing one is an error.", { default: "false" }),
      ]),
    }),
    field("reduce_policy", "any", "How a `reduce` joins artifacts.", {
      nested: fieldTable(() => [
        field("strategy", "any", "`concat`.", { default: '"concat"' }),
        field("separator", "any", "What stands between them."),
        field("output_kind", "any", "The kind of its artifact."),
      ]),
    }),
    field("escalation_policy", "any", "Who is asked, and how."),
    field("branch_semantics", "any", "Which edges are taken: `all` or `first`."),
    field("verify", "any", "What is checked behind it.", {
      nested: fieldTable(
        () => [
          field("command", "any", "A command that must end well."),
          field("expect_status", "any", "The status that it must end with.", { default: "0" }),
          field("assert_text", "any", "A text that the output must contain."),
        ],
        { strict: true, refusedByReader: true },
      ),
    }),
    field("metadata", "any", "Whatever belongs to it."),
  ],
  {},
);

/** A node by itself: `workflow_insert_node`. */
export const workflowNodeFields = nodeFields;

/** A graph, or the short form with one dict for each of the usual stages. */
export const graphFields = fieldTable(
  () => [
    field("_type", "any", "As a graph has it."),
    field("id", "any", "What the graph is known by."),
    field("name", "any", "What it is called.", { default: '"workflow"' }),
    field("version", "any", "Its version.", { default: "1" }),
    field("entry", "any", "The node that it begins with."),
    field("nodes", "dict<string, any>", "The nodes, by id.", { nested: nodeFields }),
    field("edges", "any", "The edges between them.", {
      nested: fieldTable(
        () => [
          field("from", "any", "Where it begins."),
          field("to", "any", "Where it leads."),
          field("branch", "any", "The outcome that takes it."),
          field("label", "any", "What it is called."),
          field("condition", "any", "Kept with it."),
        ],
        { others: "kept in the edge" },
      ),
    }),
    ...["act", "verify", "repair"].map((name) =>
      field(name, "any", "The stage of the short form.", { nested: nodeFields }),
    ),
    field("capability_policy", "any", "The ceiling of what every node may do.", {
      nested: ceilingFields,
      bounds: true,
    }),
    field("approval_policy", "any", "What a person is asked about.", {
      nested: gradedApprovalFields,
      bounds: true,
    }),
    field("metadata", "any", "Whatever belongs to it."),
    field("audit_log", "any", "What was changed."),
  ],
  { others: "kept in the graph" },
);

export const resultRunFields = fieldTable(
  () => [
    field("workflow_id", "any", "The workflow that the record is of."),
    field("parent_run_id", "any", "The run that it belongs to."),
    field("metadata", "any", "Whatever belongs to it."),
    field("persist_path", "any", "Where the record is written."),
  ],
  refused,
);

export const updateFields = fieldTable(() => [
  field("timeout_ms", "any", "How long the answer is waited for.", { bounds: true }),
]);

export const adaptiveFields = fieldTable(() => [
  ...contextPolicyFields.rows,
  field("microcompact_threshold", "any", "Tokens from which a text is cut.", { default: "2000" }),
]);

export const assembleFields = fieldTable(() => [
  field("artifacts", "any", "What there is."),
  field("budget_tokens", "any", "Tokens that the chunks may take.", { default: "8000" }),
  field("microcompact_threshold", "any", "Tokens from which a text is cut into chunks.", { default: "2000" }),
  field("dedup", "any", "How repeated chunks are found.", { default: '"chunked"' }),
  field("semantic_overlap", "any", "From what likeness two chunks are the same.", { default: "0.85" }),
  field("strategy", "any", "Which chunks come first.", { default: '"relevance"' }),
  field("query", "any", "What they are to be relevant to."),
  field("ranker_callback", "any", "Gives every chunk its weight."),
]);

// ---------------------------------------------------------------- tools and skills

/** `tool_define`. Its reader says what is wrong, in documented words. */
export const toolFields = fieldTable(
  () => [
    field("parameters", "any", "The parameters: by name, or as a JSON Schema."),
    field("handler", "any", "What the tool does."),
    field("returns", "any", "What it gives: a type, or a schema."),
    field("outputSchema", "any", "Another form of `returns`."),
    field(
      "annotations",
      "any",
      "What it touches: kind, side effects, capabilities, arguments that are paths.",
    ),
    field("executor", "any", "Who runs it: `harn`, `host_bridge`, `mcp_server` or `provider_native`."),
    field("host_capability", "any", "The host's operation, for `host_bridge`."),
    field("mcp_server", "any", "The server, for `mcp_server`."),
    field("defer_loading", "any", "Models must search for it.", { default: "false" }),
    field("namespace", "any", "The group that it is found under."),
    field("timeout_ms", "any", "Milliseconds that a call may take.", { bounds: true }),
  ],
  { others: "kept in the tool's entry" },
);

export const synthesisFields = fieldTable(() => [
  field("name", "any", "What the tool is called; `synth_` and words of the description unless given."),
  field("description", "any", "What it does."),
  field("parameters", "any", "Its parameters."),
  field("params", "any", "The same as `parameters`."),
  field("executor", "any", "`dry_run`, `host_bridge` or `mcp_server`.", { default: '"dry_run"' }),
  field("capabilities", "any", "What it needs.", { bounds: true }),
  field("side_effect_level", "any", "The most that it does; from the capabilities unless given.", {
    bounds: true,
  }),
  field("return_type", "any", "What it gives."),
  field("returns", "any", "The same as `return_type`."),
  field("host_tool", "any", "The host's `capability.operation`; the name unless given."),
  field("mcp_tool", "any", "The server's tool; the name unless given."),
  field("mcp_client", "any", "The connection to that server (`mcp_connect`)."),
  field("mcp_server", "any", "The server's name, for the record."),
  field("handler", "any", "Refused: handlers belong to `tool_define`."),
  field("body", "any", "Refused, too."),
]);

export const loadSkillFields = fieldTable(() => [
  field("require_signature", "bool", "Only a skill that is signed.", { default: "false", bounds: true }),
  field("arguments", "any", "What stands for `$ARGUMENTS` and `$1`."),
]);

export const toolHookFields = fieldTable(
  () => [
    field("pattern", "any", "The tools that it holds for.", { default: '"*"' }),
    field("deny", "any", "Refuse their calls, with this reason."),
    field("max_output", "any", "Characters of a result."),
    field("pre", "any", "Called before a call."),
    field("post", "any", "Called behind it."),
  ],
  { strict: true, refusedByReader: true },
);

export const batchFields = fieldTable(
  () => [
    ...fieldRowsOf(loopFields).filter(({ name }) =>
      /^(tool_|max_concurrent|policy|permissions|approval_policy|command_policy|session_id|agent|persona|mode|native_)/.test(
        name,
      ),
    ),
  ],
  { others: "options of the loop that the batch stands for", typedByReader: true },
);

export const agentFields = fieldTable(
  () => [
    field("system", "any", "The system text."),
    field("description", "any", "What the agent is for."),
    field("role", "any", "What it is called by others."),
    ...fieldRowsOf(loopFields, "system"),
  ],
  { others: "kept in the agent's record", typedByReader: true },
);

// ---------------------------------------------------------------- transcripts and sessions

export const forkFields = fieldTable(() => [
  field("retain_messages", "bool", "The copy has the messages.", { default: "true" }),
  field("retain_summary", "bool", "The copy has the summary.", { default: "true" }),
]);

export const resetFields = fieldTable(() => [field("metadata", "any", "What is kept with it.")]);

const compactRows = (): readonly Field[] => [
  ...compactionRows(),
  field("target_tokens", "int", "The size that it is compacted to.", { range: [0, null] }),
  field("summary", "any", "The summary, in place of one that is made."),
  field("instructions", "any", "What the summary must heed."),
  field("prompt", "any", "What `transcript_summarize` asks, in place of the usual prompt."),
  ...compactionPolicyFields.rows.filter(({ name }) => name !== "instructions"),
  ...fieldRowsOf(callFields, ...compactionRows().map(({ name }) => name)),
];

/** `transcript_compact` and its kin: knobs of the engine, and options of the summarizing call. */
export const compactFields = fieldTable(compactRows, ofLoop);

export const sessionOpenFields = fieldTable(
  () => [
    field("workspace_anchor", "any", "The folder that its tools work in.", {
      nested: fieldTable(() => [
        field("primary", "any", "The folder."),
        field("additional_roots", "any", "Further folders: paths, or `{path, mount_mode}`."),
      ]),
      bounds: true,
    }),
  ],
  { strict: true, refusedByReader: true },
);

export const padChangeFields = fieldTable(() => [
  field("source", "any", "Who changes it."),
  field("reason", "any", "Why."),
  field("metadata", "any", "Kept in the event."),
]);

export const seedFields = fieldTable(
  () => [
    field("session_id", "any", "The session's id; made up unless given."),
    field("provider", "any", "Whose form the file has."),
    field("model", "any", "The model that wrote it."),
    field("truncate_to_last", "any", "Only the last so many messages."),
    field("drop_tool_calls", "any", "Without calls and results.", { default: "false" }),
    field("validate", "any", "Check that calls and results fit together.", { default: "true" }),
  ],
  refused,
);
