/** Rows of workflows, their nodes and artifacts (agents.md §19). */
import { approvalFields, approvalPolicyOf, loopFields, policyFields, readPolicy } from "../../agent/index.ts";
import { field, fieldRowsOf, fieldTable, row, rows } from "../../table/index.ts";
import type { List } from "../../values/index.ts";
import { executionFields, ofLoop } from "./shared-fields.ts";

const policyRow = (doc: string) =>
  row
    .either([row.dict(null).with({ nested: policyFields }), row.bool()], doc)
    .to(readPolicy)
    .bounds();
const approvalRow = (doc: string) =>
  row
    .either([row.dict(null).with({ nested: approvalFields }), row.bool()], doc)
    .to(approvalPolicyOf)
    .bounds();

/** The record of a run, or its path. */
const recordOrPath = (doc: string) =>
  row.either(
    [row.filled(), row.dict(null).where("run record", (one) => one.get("_type") === "run_record")],
    doc,
  );

/** What is not an option of the stages' loops. */
export const workflowOwnFields = rows(() => ({
  max_steps: row.int("Stages that may run.", null, { min: 1 }).bounds(),
  persist_path: row.filled("Where the record is written."),
  replay_run: recordOrPath("The record that is played again."),
  replay_path: row.filled("The path of that record."),
  replay_mode: row.oneOf(["deterministic"], "How it is played."),
  resume_run: recordOrPath("The record of the run that is resumed."),
  resume_path: row.filled("The path of that record."),
  parent_run_id: row.filled("The run that this one belongs to."),
  trigger_event: row.value("The event that started it.", "kept in the record as it is"),
  audit: row.value("What the record keeps about who started it.", "kept in the record as it is"),
  transcript: row.dict(null, "The conversation that the first stage sees."),
  policy: policyRow("The ceiling of what every stage may do."),
  approval_policy: approvalRow("What a person is asked about."),
  execution: row.dict(executionFields, "Where the run works.").bounds(),
}));

/** `workflow_execute`: its own options, and those of the loops of all stages. */
export const workflowRunFields = fieldTable(
  () => [
    ...workflowOwnFields.rows,
    field("limits", "dict", "What the whole run may spend.", { bounds: true }),
    field("budget", "dict", "What the whole run may spend.", { bounds: true }),
    ...fieldRowsOf(loopFields, "limits", "budget", ...workflowOwnFields.names()),
  ],
  ofLoop,
);

const count = (doc: string) => row.int(doc, null, { min: 0 });
const texts = (doc: string) => row.list(row.text(), doc, []);

const contextPolicyRows = () => ({
  max_artifacts: count("Artifacts at most.").or(Number.POSITIVE_INFINITY),
  max_tokens: count("Tokens that they may take.").or(Number.POSITIVE_INFINITY),
  reserve_tokens: row.int("Tokens that are kept free.", 0, { min: 0 }),
  include_kinds: texts("Only these kinds."),
  exclude_kinds: texts("Not these kinds."),
  prioritize_kinds: texts("These kinds first."),
  pinned_ids: texts("Artifacts that are always shown."),
  include_stages: texts("Only those of these stages."),
  prefer_recent: row.bool("Newer ones first.", false),
  prefer_fresh: row.bool("Fresher ones first.", false),
  render: row.oneOf(["text", "json"], "How they are shown.", "text"),
});
export const contextPolicyFields = rows(contextPolicyRows);

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

const asValidated = "workflow_validate tells all that is wrong in it";

/** What a stage makes: its kind, and the schema that its answer has to fit. */
export const contractFields = fieldTable(() => [
  field("output_kinds", "list<string>", "Kinds of its artifacts."),
  field("schema", "dict", "What its answer must fit."),
]);

export const inputContractFields = rows(() => ({
  min_inputs: row.int("Artifacts at least.", null, { min: 0 }),
  max_inputs: row.int("Artifacts at most.", null, { min: 0 }),
  input_kinds: row.list(row.text(), "Kinds that must be there.", []),
  require_transcript: row.bool("A conversation must be there.", false),
}));

export const mapPolicyFields = rows(() => ({
  items: row.handle<List>("list", "The items."),
  item_artifact_kind: row.text("Artifacts of this kind are the items."),
  output_kind: row.text("The kind of its artifacts."),
  max_items: row.int("Items at most.").bounds(),
  max_concurrent: row.int("Items that run at once.", 1, { min: 1 }).bounds(),
}));

export const reducePolicyFields = rows(() => ({
  strategy: row.oneOf(["concat"], "How they are joined.", "concat"),
  separator: row.text("What stands between them.").or("\n\n"),
  output_kind: row.text("The kind of its artifact."),
}));

export const verifyFields = rows(
  () => ({
    command: row.filled("A command that must end well."),
    expect_status: row.int("The status that it must end with.").usually("0"),
    assert_text: row.filled("A text that the output must contain."),
  }),
  { strict: true, refusedByReader: true },
);

const nodeFields = fieldTable(
  () => [
    field("id", "string", "What the node is known by."),
    field("name", "string", "What it is called."),
    field("kind", "string", "What it does: `stage`, `verify`, `condition`, `map`.", { default: '"stage"' }),
    field("mode", "string", "`llm` for one call, `agent` for a loop."),
    field("prompt", "string", "What the model is told."),
    field("system", "string", "The system text."),
    field("task_label", "string", "What the task is called in its prompt."),
    field("tools", "any", "Tools that it may call.", { why: "a registry of tools in any of its forms" }),
    field("model_policy", "dict", "Options of its loop.", { nested: loopFields }),
    field("context_policy", "dict", "What it is shown of the artifacts.", { nested: contextPolicyFields }),
    field("auto_compact", "bool | dict", "What is done with a conversation that grows too long."),
    field("output_visibility", "string", "Who sees its output: `public`, `internal`, `private`."),
    field("capability_policy", "dict | bool", "The ceiling of what it may do.", {
      nested: ceilingFields,
      bounds: true,
    }),
    field("approval_policy", "dict | bool", "What a person is asked about.", {
      nested: gradedApprovalFields,
      bounds: true,
    }),
    field("input_contract", "dict", "What it needs.", { nested: inputContractFields }),
    field("output_contract", "dict", "What it makes.", { nested: contractFields }),
    field("retry_policy", "dict", "How often it is tried.", {
      nested: fieldTable(() => [
        field("max_attempts", "int", "Tries at most.", { default: "1", bounds: true }),
        field("backoff_ms", "int | float", "Rest before the next."),
        field("backoff_multiplier", "int | float", "How much longer each rest is."),
        field("verify", "dict", "A failed check is a failed try."),
        field("repair", "bool", "A failed check leads to the repair."),
      ]),
    }),
    field("map_policy", "dict", "How a `map` runs its items.", {
      nested: mapPolicyFields,
    }),
    field("join_policy", "dict", "When a `join` or `map` goes on.", {
      nested: fieldTable(() => [
        field("strategy", "string", "`all`, `first` or `quorum`.", { default: '"all"' }),
        field("min_completed", "int", "So many, with `quorum`."),
        field("require_all_inputs", "bool", "A missing one is an error.", { default: "false" }),
      ]),
    }),
    field("reduce_policy", "dict", "How a `reduce` joins artifacts.", {
      nested: reducePolicyFields,
    }),
    field("escalation_policy", "any", "Who is asked, and how.", { why: "kept in the node as it is" }),
    field("branch_semantics", "string", "Which edges are taken: `all` or `first`."),
    field("verify", "dict", "What is checked after it.", {
      nested: verifyFields,
    }),
    field("metadata", "dict", "Whatever belongs to it."),
  ],
  { typedByReader: true },
);

/** A node by itself: `workflow_insert_node`. */
export const workflowNodeFields = nodeFields;

/** A graph, or the short form with one dict for each of the usual stages. */
export const graphFields = fieldTable(
  () => [
    field("_type", "string", "As a graph has it."),
    field("id", "string", "What the graph is known by."),
    field("name", "string", "What it is called.", { default: '"workflow"' }),
    field("version", "any", "Its version.", { default: "1", why: "kept as it is" }),
    field("entry", "string", "The node that it begins with."),
    field("nodes", "dict<string, any>", "The nodes, by id.", { nested: nodeFields }),
    field("edges", "list<dict>", "The edges between them.", {
      nested: fieldTable(
        () => [
          field("from", "string", "Where it begins."),
          field("to", "string", "Where it leads."),
          field("branch", "string", "The outcome that takes it."),
          field("label", "string", "What it is called."),
          field("condition", "any", "Kept with it.", { why: "kept with the edge" }),
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
      why: asValidated,
    }),
    field("approval_policy", "any", "What a person is asked about.", {
      nested: gradedApprovalFields,
      bounds: true,
      why: asValidated,
    }),
    field("metadata", "dict", "Whatever belongs to it."),
    field("audit_log", "list", "What was changed."),
  ],
  { others: "kept in the graph" },
);

export const resultRunFields = rows(
  () => ({
    workflow_id: row.text("The workflow that the record is of."),
    parent_run_id: row.text("The run that it belongs to."),
    metadata: row.dict(null, "Whatever belongs to it."),
    persist_path: row.text("Where the record is written."),
  }),
  { strict: true },
);

export const updateFields = fieldTable(() => [
  field("timeout_ms", "int | float", "How long the answer is waited for.", {
    bounds: true,
    range: [0, null],
  }),
]);

export const adaptiveFields = rows(() => ({
  ...contextPolicyRows(),
  microcompact_threshold: row.int("Tokens from which a text is cut.", 2000, { min: 0 }),
}));

export const assembleFields = rows(() => ({
  artifacts: row.handle<List>("list", "What there is."),
  budget_tokens: row.int("Tokens that the chunks may take.", 8000, { min: 0 }),
  microcompact_threshold: row.int("Tokens from which a text is cut into chunks.", 2000, { min: 1 }),
  dedup: row.oneOf(["chunked", "none", "semantic"], "How repeated chunks are found.", "chunked"),
  semantic_overlap: row
    .number("From what likeness two chunks are the same.", 0.85, { max: 1 })
    .where("a number above 0", (share) => share > 0),
  strategy: row.oneOf(["relevance", "recency", "round_robin"], "Which chunks come first.", "relevance"),
  query: row.text("What they are to be relevant to.").or(""),
  ranker_callback: row.closure("Gives every chunk its weight."),
}));
