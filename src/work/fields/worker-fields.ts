/** Rows of sub-agents, workers and daemons (agents.md §16 to §18). */
import { approvalFields, loopFields, permissionFields, policyFields } from "../../agent/index.ts";
import { type Field, field, fieldRowsOf, fieldTable } from "../../table/index.ts";
import { carryFields, executionFields, ofLoop, refused, subAgentRequestRows } from "./shared-fields.ts";
import { contextPolicyFields, workflowRunFields } from "./workflow-fields.ts";

const returnsFields = fieldTable(() => [field("schema", "any", "What the answer must fit.")], {
  others: "the schema itself",
});

/** What is not an option of the child's loop. */
export const subAgentOwn = (): readonly Field[] => [
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

/** What a stage makes: its kind, and the schema that its answer has to fit. */
export const contractFields = fieldTable(() => [
  field("output_kinds", "any", "Kinds of its artifacts."),
  field("schema", "any", "What its answer must fit."),
]);

export const workerNodeFields = fieldTable(
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
      nested: contractFields,
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

export const conditionTimeoutFields = fieldTable(
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

/** What is not an option of a daemon's loop. */
export const daemonOwn = (): readonly Field[] => [
  field("name", "any", "What the daemon is called."),
  field("task", "any", "What it is to do."),
  field("prompt", "any", "Another name for `task`."),
  field("state_dir", "any", "The folder that its files lie in."),
  field("event_queue_capacity", "any", "Events that wait.", { default: "1024", bounds: true }),
];

/** `daemon_spawn`. */
export const daemonFields = fieldTable(() => [...daemonOwn(), ...fieldRowsOf(loopFields)], ofLoop);
