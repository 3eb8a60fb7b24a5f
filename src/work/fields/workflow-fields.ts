/** Rows of workflows, their nodes and artifacts (agents.md §19). */
import { approvalFields, loopFields, policyFields } from "../../agent/index.ts";
import { type Field, field, fieldRowsOf, fieldTable } from "../../table/index.ts";
import { executionFields, ofLoop, refused } from "./shared-fields.ts";

/** What is not an option of the stages' loops. */
export const runOwn = (): readonly Field[] => [
  field("max_steps", "any", "Stages that may run.", { bounds: true }),
  field("persist_path", "any", "Where the record is written."),
  field("replay_run", "any", "The record that is played again."),
  field("replay_path", "any", "The path of that record."),
  field("replay_mode", "any", "How it is played: `deterministic`."),
  field("resume_run", "any", "The record of the run that is resumed."),
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
    field("verify", "any", "What is checked after it.", {
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
