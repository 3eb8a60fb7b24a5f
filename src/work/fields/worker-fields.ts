/** Rows of sub-agents, workers and daemons (agents.md §16 to §18). */
import { approvalFields, loopFields, permissionFields, policyFields } from "../../agent/index.ts";
import {
  type At,
  field,
  fieldRowsOf,
  fieldTable,
  inside,
  oneOf,
  refusal,
  row,
  rows,
} from "../../table/index.ts";
import { List } from "../../values/index.ts";
import { carryFields, executionFields, ofLoop, refused, subAgentRequestRows } from "./shared-fields.ts";
import { contextPolicyFields, contractFields, workflowRunFields } from "./workflow-fields.ts";

const returnsFields = fieldTable(() => [field("schema", "dict", "What the answer must fit.")], {
  others: "the schema itself",
});

/** What is not an option of the child's loop. */
export const subAgentOwn = rows(
  () => ({
    name: row.text("What the child is called.", "sub-agent"),
    background: row.bool("Do not wait for it: gives a worker.", false),
    system: row.text("Its system text."),
    allowed_tools: row
      .either(
        [row.filled(), row.list(row.filled()).full()],
        "The tools that it may call, under every ceiling around it.",
      )
      .to((names) => new List([names].flat()))
      .bounds(),
    policy: row.dict(null, "The ceiling of what it may do.").with({ nested: policyFields, bounds: true }),
    returns: row
      .dict(null, "`{schema}`: its answer is read as data.")
      .with({ nested: returnsFields })
      .to((returns, place) => {
        const schema = returns.has("schema") ? (returns.get("schema") ?? null) : returns;
        return schema === null ? null : row.dict(null).read(schema, inside(place, "schema"));
      }),
    token_budget: row.int("Tokens that it may use.", null, { min: 0 }).bounds(),
    carry: row.dict(carryFields, "What a second run under the same session takes along."),
    execution: row.dict(executionFields, "Where it works.").bounds(),
    reminder_propagation: row.bool("It is told the pending reminders around it.").usually("true"),
  }),
  { beside: subAgentRequestRows },
);

/** `sub_agent_run`: its own options, and those of the child's loop. */
export const subAgentFields = fieldTable(
  () => [...subAgentOwn.rows, ...fieldRowsOf(loopFields, ...subAgentOwn.names())],
  ofLoop,
);

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

/** Beyond it there is no moment to wake at that a date could show for sure. */
const maxMinutes = 52_560_000;

const onTimeout = ["resume_with_summary", "fail", "resume_with_input"];

const ownCode = { strict: true, refusedByReader: true, typedByReader: true } as const;

const conditionTimeoutFields = rows(
  () => ({
    duration_minutes: row.int("Minutes that it waits.", null, { min: 1, max: maxMinutes }).required(),
    on_timeout: row.text("What is done then.", "resume_with_summary").to((action, place) => {
      if (onTimeout.includes(action)) return action;
      throw refusal({ ...suspensionPlace("HARN-SUS-008"), path: place.path }, oneOf(onTimeout), action);
    }),
  }),
  ownCode,
);

/** Conditions of going on. Their reader says what is wrong, with its code. */
export const conditionFields = rows(
  () => ({
    trigger: row.dict(null, "A trigger, as `trigger_register` takes it without a handler."),
    timeout: row.dict(conditionTimeoutFields, "After how long, and what then."),
    on_event: row.words("The event that it waits for."),
  }),
  ownCode,
);

/** Errors of suspending and going on carry their code in the text as well (agents.md §17.5). */
export const suspensionPlace = (code: string): At => ({
  caller: `${code}: invalid ResumeConditions`,
  path: "",
  codes: { value: code, name: code },
});

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
export const daemonOwn = rows(() => ({
  name: row.text("What the daemon is called.", "daemon"),
  task: row.text("What it is to do."),
  prompt: row.text("Another name for `task`."),
  state_dir: row.text("The folder that its files lie in."),
  event_queue_capacity: row.int("Events that wait.", 1024, { min: 1 }).bounds(),
}));

/** `daemon_spawn`. */
export const daemonFields = fieldTable(() => [...fieldRowsOf(daemonOwn), ...fieldRowsOf(loopFields)], ofLoop);
