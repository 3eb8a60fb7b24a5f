/** Rows of sub-agents, workers and daemons (agents.md §16 to §18). */
import { approvalFields, loopFields, permissionFields, policyFields } from "../../agent/index.ts";
import { type Field, field, fieldRowsOf, fieldTable } from "../../table/index.ts";
import { carryFields, executionFields, ofLoop, refused, subAgentRequestRows } from "./shared-fields.ts";
import { contextPolicyFields, workflowRunFields } from "./workflow-fields.ts";

const returnsFields = fieldTable(() => [field("schema", "dict", "What the answer must fit.")], {
  others: "the schema itself",
});

/** What is not an option of the child's loop. */
export const subAgentOwn = (): readonly Field[] => [
  field("name", "string", "What the child is called.", { default: '"sub-agent"' }),
  field("background", "bool", "Do not wait for it: gives a worker.", { default: "false" }),
  field("system", "string", "Its system text."),
  field(
    "allowed_tools",
    "string | list<string>",
    "The tools that it may call, under every ceiling around it.",
    {
      bounds: true,
    },
  ),
  field("policy", "dict", "The ceiling of what it may do.", { nested: policyFields, bounds: true }),
  field("returns", "dict", "`{schema}`: its answer is read as data.", { nested: returnsFields }),
  field("token_budget", "int", "Tokens that it may use.", { bounds: true, range: [0, null] }),
  field("carry", "dict", "What a second run under the same session takes along.", { nested: carryFields }),
  field("execution", "dict", "Where it works.", { nested: executionFields, bounds: true }),
  field("reminder_propagation", "bool", "It is told the pending reminders around it.", { default: "true" }),
  ...subAgentRequestRows(),
];

/** `sub_agent_run`: its own options, and those of the child's loop. */
export const subAgentFields = fieldTable(() => {
  const own = subAgentOwn();
  return [...own, ...fieldRowsOf(loopFields, ...own.map(({ name }) => name))];
}, ofLoop);

/** What a stage makes: its kind, and the schema that its answer has to fit. */
export const contractFields = fieldTable(() => [
  field("output_kinds", "list<string>", "Kinds of its artifacts."),
  field("schema", "dict", "What its answer must fit."),
]);

export const workerNodeFields = fieldTable(
  () => [
    field("id", "string", "What the stage is known by."),
    field("name", "string", "What it is called."),
    field("kind", "string", "`stage` or `subagent`.", { values: ["stage", "subagent"] }),
    field("mode", "string", "`llm` for one call, `agent` for a loop.", { values: ["llm", "agent"] }),
    field("prompt", "string", "What the model is told."),
    field("system", "string", "The system text."),
    field("task_label", "string", "What the task is called in its prompt."),
    field("tools", "any", "Tools that it may call.", { why: "a registry of tools in any of its forms" }),
    field("model_policy", "dict", "Options of its loop.", { nested: loopFields }),
    field("output_contract", "dict", "What it makes.", {
      nested: contractFields,
    }),
    field("context_policy", "dict", "What it is shown of the artifacts.", { nested: contextPolicyFields }),
    field("auto_compact", "bool | dict", "What is done with a conversation that grows too long."),
    field("capability_policy", "dict", "The ceiling of what it may do.", {
      nested: policyFields,
      bounds: true,
    }),
    field("approval_policy", "dict | bool", "What a person is asked about.", {
      nested: approvalFields,
      bounds: true,
    }),
    field("metadata", "dict", "Whatever belongs to it."),
  ],
  refused,
);

const workerOptionFields = fieldTable(
  () => [field("resume_when", "dict", "When a parked worker goes on."), ...fieldRowsOf(workflowRunFields)],
  ofLoop,
);

/** `spawn_agent`. */
export const spawnFields = fieldTable(
  () => [
    field("name", "string", "What the worker is called."),
    field("task", "string", "What it is to do."),
    field("node", "dict", "The stage that it runs.", { nested: workerNodeFields }),
    field("graph", "dict", "The workflow that it runs."),
    field("artifacts", "list", "What it begins with."),
    field("transcript", "any", "The conversation that it begins with.", {
      why: "the loop of the worker judges it",
    }),
    field("options", "dict", "Options of its loop or of its workflow.", { nested: workerOptionFields }),
    field("wait", "bool", "Wait for its end.", { default: "false" }),
    field("policy", "dict", "The ceiling of what it may do.", { nested: policyFields, bounds: true }),
    field("tools", "list<string>", "The tools that it may call.", { bounds: true }),
    field("permissions", "dict", "What may be called, call by call.", {
      nested: permissionFields,
      bounds: true,
    }),
    field("approval_policy", "dict | bool", "What a person is asked about.", {
      nested: approvalFields,
      bounds: true,
    }),
    field("carry", "dict", "What a next run takes along.", { nested: carryFields }),
    field("execution", "dict", "Where it works.", { nested: executionFields, bounds: true }),
    field("system", "string", "Its system text."),
    ...subAgentRequestRows(),
  ],
  refused,
);

export const conditionTimeoutFields = fieldTable(
  () => [
    field("duration_minutes", "int", "Minutes that it waits."),
    field("on_timeout", "string", "What is done then.", { default: '"resume_with_summary"' }),
  ],
  { strict: true, refusedByReader: true },
);

/** Conditions of going on. Their reader says what is wrong, in documented words. */
export const conditionFields = fieldTable(
  () => [
    field("trigger", "dict", "A trigger, as `trigger_register` takes it without a handler."),
    field("timeout", "dict", "After how long, and what then.", { nested: conditionTimeoutFields }),
    field("on_event", "string", "The event that it waits for."),
  ],
  { strict: true, refusedByReader: true },
);

export const suspendFields = fieldTable(() => [
  field("initiator", "string", "Who parks it.", {
    values: ["self_initiated", "parent", "operator", "triggered"],
  }),
  field("conditions", "dict", "When it goes on.", { nested: conditionFields }),
  field("propagate", "bool", "Whether workers below park too."),
]);

export const stopFields = fieldTable(() => [
  field("graceful", "bool", "Let it end its turn.", { default: "false" }),
  field("reason", "string", "Why; it is told."),
]);

export const lifecycleFields = fieldTable(() => [
  field("subagents", "bool", "The tools that park, resume and stop workers.", { default: "true" }),
  field("await_resumption", "bool", "The tool by which a loop parks itself.", { default: "false" }),
]);

/** What is not an option of a daemon's loop. */
export const daemonOwn = (): readonly Field[] => [
  field("name", "string", "What the daemon is called."),
  field("task", "string", "What it is to do."),
  field("prompt", "string", "Another name for `task`."),
  field("state_dir", "string", "The folder that its files lie in."),
  field("event_queue_capacity", "int", "Events that wait.", {
    default: "1024",
    bounds: true,
    range: [1, null],
  }),
];

/** `daemon_spawn`. */
export const daemonFields = fieldTable(() => [...daemonOwn(), ...fieldRowsOf(loopFields)], ofLoop);
