/** Rows of questions to people, triggers, waits and other things that happen outside of a run (builtins.md §2.22). */
import { autonomyTiers } from "../../agent/index.ts";
import { type Field, field, fieldTable } from "../../table/index.ts";

const limit = "int | float | duration";

export const askFields = fieldTable(
  () => [
    field("schema", "dict", "Schema that the answer must fit."),
    field(
      "timeout",
      "int | float | duration",
      "How long the answer is waited for: a duration, or milliseconds.",
      {
        default: "24h",
        bounds: true,
      },
    ),
    field("default", "any", "The answer when none comes in time; its type is what answers are read as.", {
      why: "its type is what answers are read as",
    }),
    field("choices", "list", "Answers that people are offered."),
    field("context", "any", "What people are shown beside the question.", {
      why: "shown to people as it is",
    }),
  ],
  { others: "kept with the question as metadata" },
);

export const approvalRequestFields = fieldTable(
  () => [
    field("quorum", "int", "So many people must approve.", { default: "1", bounds: true }),
    field("reviewers", "string | list<string>", "Who may answer.", { bounds: true }),
    field("deadline", "int | float | duration", "How long the answers are waited for.", { bounds: true }),
    field("timeout", "int | float | duration", "Another name for `deadline`.", { bounds: true }),
    field("detail", "any", "What people are shown beside the action.", { why: "shown to people as it is" }),
    field("args", "any", "What the action is done with.", { why: "shown to people as it is" }),
    field("principal", "string", "Who wants it."),
    field("evidence_refs", "list", "What speaks for it."),
    field("capabilities_requested", "list", "What it needs."),
    field("undo_metadata", "any", "How it is undone.", { why: "kept as it is" }),
    field("choices", "list", "Answers that people are offered."),
    field("context", "any", "What people are shown beside the action.", { why: "shown to people as it is" }),
  ],
  { others: "kept with the request as metadata" },
);

const retryFields = fieldTable(() => [
  field("max", "int", "Deliveries that are tried again.", { default: "7", bounds: true }),
  field("backoff", "string", "How long is rested between them: `svix`, `immediate` or `exponential`.", {
    default: '"svix"',
  }),
  field("base_ms", "int | duration | string", "The first rest, with `exponential`.", { default: "1000" }),
]);

const whenBudgetFields = fieldTable(
  () => [
    field("max_cost_usd", "int | float", "Dollars that the predicate may cost."),
    field("tokens_max", "int | float", "Tokens that it may use."),
    field("max_tokens", "int | float", "Another name for `tokens_max`."),
    field(
      "timeout",
      "int | float | duration | string",
      "How long it may take: a duration, milliseconds, or a text such as `5s`.",
    ),
  ],
  { strict: true },
);

const triggerBudgetFields = fieldTable(
  () => [
    field("daily_cost_usd", "int | float", "Dollars that its handlers may cost in a day (UTC)."),
    field("hourly_cost_usd", "int | float", "Dollars that they may cost in an hour."),
    field("max_concurrent", "int", "Handlers that run at once."),
    field(
      "max_autonomous_decisions_per_hour",
      "int",
      "Events in an hour that go to its handlers while its tier is `act_auto`.",
    ),
    field("max_autonomous_decisions_per_day", "int", "And in a day (UTC)."),
    field(
      "on_budget_exhausted",
      "string | bool",
      "What becomes of events then: `false` skips them, `retry_later` keeps them for `trigger_replay`, `fail` gives status `failed`, `warn` handles them.",
      {
        default: "false",
      },
    ),
    field("max_cost_usd", "int | float", "As in `when_budget`."),
    field("max_tokens", "int | float", "As in `when_budget`."),
  ],
  { strict: true },
);

const rateFields = fieldTable(
  () => [field("max", "int", "So many events"), field("window", "int | duration | string", "in so long.")],
  { strict: true },
);

/** `trigger_register`. */
export const triggerFields = fieldTable(() => [
  field("id", "any", "What the trigger is called; made up unless given.", { why: "shown as its text" }),
  field("kind", "string", "What kind of source its events have; the provider unless given."),
  field("provider", "string", "Where its events come from."),
  field(
    "handler",
    "closure | string",
    "Who takes events: a function, or an `a2a://` or `worker://` address.",
  ),
  field("when", "closure", "Asked whether an event is taken."),
  field("when_budget", "dict", "What the question may cost.", { nested: whenBudgetFields, bounds: true }),
  field("retry", "dict", "How often a failed delivery is tried again.", { nested: retryFields }),
  field("match", "dict", "Which events are taken.", {
    nested: fieldTable(() => [field("events", "list<string> | string", "Their kinds.")]),
  }),
  field("events", "list<string> | string", "Short for `match: {events}`."),
  field("dedupe_key", "closure | string", "What makes two events the same: a function or a path."),
  field(
    "filter",
    "closure | dict | string",
    "A function, a dict that events must contain, or a text such as `kind == issue.opened`.",
  ),
  field("budget", "dict", "What its handlers may cost.", { nested: triggerBudgetFields, bounds: true }),
  field("rate_limit", "dict", "So many events in so long.", { nested: rateFields, bounds: true }),
  field("tenant_id", "any", "Only events of this tenant are taken.", { why: "shown as its text" }),
  field(
    "autonomy_tier",
    "string",
    "The ceiling of what its handler and its predicate do by themselves: `shadow` nothing, `suggest` and `act_with_approval` only reading (with the latter, what `request_approval` was granted for runs), `act_auto` everything.",
    { default: '"act_auto"', values: autonomyTiers, bounds: true },
  ),
  field("tier", "string", "Another name for `autonomy_tier`.", { values: autonomyTiers, bounds: true }),
  field("allow_cleartext", "bool", "An `a2a://` address may be asked without TLS.", { default: "false" }),
  field("manifest_path", "any", "The manifest that it comes from.", { why: "shown as its text" }),
  field("package_name", "any", "The package that it comes from.", { why: "shown as its text" }),
  field("schedule", "string", "When it fires, as a cron line."),
  field("timezone", "string", "The time zone of the schedule."),
]);

export const waitpointFields = fieldTable(() => [
  field("id", "any", "What the waitpoint is called; made up unless given.", { why: "shown as its text" }),
  field("metadata", "any", "What is kept with it.", { why: "kept as it is" }),
  field("created_by", "any", "Who made it.", { default: '"system"', why: "shown as its text" }),
  ...["_type", "status"].map((name) =>
    field(name, "any", "As a waitpoint tells it; has no effect.", { why: "told back" }),
  ),
]);

export const settleFields = fieldTable(() => [
  field("by", "any", "Who settles it.", { default: '"system"', why: "shown as its text" }),
  field("reason", "any", "Why.", { why: "shown as its text" }),
  field("value", "any", "What those who wait are given.", { why: "given to those who wait, as it is" }),
]);

export const cancelFields = fieldTable(() => [
  field("by", "any", "Who settles it.", { default: '"system"', why: "shown as its text" }),
  field("reason", "any", "Why.", { why: "shown as its text" }),
]);

export const waitFields = fieldTable(() => [
  field("timeout", limit, "How long it waits: a duration, or milliseconds.", { bounds: true }),
  field("wait_id", "any", "What the wait is called; made up unless given.", { why: "shown as its text" }),
]);

export const monitorFields = fieldTable(() => [
  field("wait_id", "any", "What the wait is called; made up unless given.", { why: "shown as its text" }),
  field("source", "dict", "What is looked at.", {
    nested: fieldTable(() => [
      field("label", "string", "What it is called."),
      field("poll", "closure", "Gives its state."),
      field("push_filter", "closure | dict", "Which trigger events lead to a look at once."),
    ]),
  }),
  field("condition", "closure", "Takes the state and says whether the wait is over."),
  field("timeout", "int | float | duration", "How long it waits.", { bounds: true }),
  field("poll_interval", "int | float | duration", "Time between two looks."),
]);

export const eventReadFields = fieldTable(() => [
  field("topic", "string", "The topic."),
  field("from_cursor", "int", "Events after this one.", { default: "0" }),
  field("limit", "int", "Events that are given.", { range: [0, null] }),
  field("kind_prefix", "string", "Only kinds that begin so."),
]);

export const eventFollowFields = fieldTable(() => [
  field("topic", "string", "The topic."),
  field("from_cursor", "int", "Events after this one.", { default: "0" }),
]);

const restartFields = fieldTable(() => [
  field("mode", "string", "`never`, `always` or `on_failure`.", { default: '"on_failure"' }),
  field("max_restarts", "int", "So often at most,", { default: "3", bounds: true }),
  field("window_ms", "int", "in so long.", { default: "60000", bounds: true }),
  field("backoff_ms", "int", "Rest before the first restart.", { default: "0" }),
  field("max_backoff_ms", "int", "The longest rest.", { default: "60000" }),
  field("factor", "int | float", "How much longer each rest is.", { default: "2" }),
  field("jitter_ms", "int", "What is added by chance.", { default: "0" }),
  field("circuit_open_ms", "int", "Rest when there were too many restarts, in place of giving up."),
]);

const childFields = fieldTable(() => [
  field("name", "string", "What the child is called."),
  field("kind", "string", "A label.", { default: '"generic_task"' }),
  field("task", "closure", "What it does: a function."),
  field("restart", "string | dict", "When it is started again.", {
    default: '"never"',
    nested: restartFields,
  }),
  field("active_lease", "any", "What it holds; shown in its state.", { why: "kept as it is" }),
]);

export const supervisorFields = fieldTable(() => [
  field("id", "string", "What the supervisor is known by."),
  field("name", "string", "What it is called."),
  field("strategy", "string", "Who else is restarted.", { default: '"one_for_one"' }),
  field("shutdown_ms", "int", "Milliseconds that children get to end.", { default: "5000" }),
  field("children", "list", "What it watches over.", { nested: childFields }),
]);

export const raceFields = fieldTable(() => [
  field("max_concurrent", "int", "Bodies that run at once; 0 for no limit.", { default: "0", bounds: true }),
]);

const placeRows = (what: string): readonly Field[] => [
  field("scope", "any", "Who shares it.", { default: '"task_group"', why: "shown as its text" }),
  field("key", "any", `The name of the ${what}.`, { why: "shown as its text" }),
  field("_type", "string", "As a handle has it."),
];

export const cellFields = fieldTable(() => [
  ...placeRows("cell"),
  field("initial", "any", "What it holds at first.", { why: "held as it is" }),
  field("value", "any", "Another name for `initial`.", { why: "held as it is" }),
]);

export const mapFields = fieldTable(() => [
  ...placeRows("map"),
  field("initial", "any", "What it holds at first.", { why: "held as it is" }),
]);

export const mailboxFields = fieldTable(() => [
  field("scope", "any", "Who shares it.", { default: '"task_group"', why: "shown as its text" }),
  field("name", "any", "The name of the mailbox.", { why: "shown as its text" }),
  field("key", "any", "Another name for `name`.", { why: "shown as its text" }),
  field("capacity", "int", "Messages that it holds.", { default: "256" }),
]);

const packRows = (): readonly Field[] => [
  field("min_occurrences", "int", "Events of a kind that make a suggestion; less than 2 counts as 2.", {
    default: "2",
  }),
  field("owner", "string", "Who is to own the packs; the actor of the events unless given, else `team`."),
];

export const packFields = fieldTable(packRows);

export const frictionSinkFields = fieldTable(() => [
  field("enabled", "bool", "Record it at all.", { default: "true" }),
  field("log_path", "string", "A file that gets a line for each."),
  field("path", "string", "Another name for `log_path`."),
]);

export const frictionEventFields = fieldTable(() => [
  field("id", "any", "What it is known by.", { why: "shown as its text" }),
  field("kind", "string", "What kind of friction it is."),
  field("source", "any", "Where it was seen.", { sets: ["context"], why: "shown as its text" }),
  field("actor", "any", "Who met it.", { sets: ["context"], why: "shown as its text" }),
  field("tool", "any", "The tool that it is about.", { sets: ["context"], why: "shown as its text" }),
  field("provider", "any", "The provider that it is about.", { sets: ["context"], why: "shown as its text" }),
  field("redacted_summary", "any", "What happened, without secrets.", { why: "shown as its text" }),
  field("summary", "any", "Another name for `redacted_summary`.", { why: "shown as its text" }),
  field("message", "any", "Another name for `redacted_summary`.", { why: "shown as its text" }),
  field("raw_content", "any", "Dropped: raw texts are not kept.", { why: "dropped, whatever it is" }),
  field("raw_prompt", "any", "Dropped as well.", { why: "dropped, whatever it is" }),
  field("tenant_id", "any", "Whose it is.", { sets: ["context"], why: "shown as its text" }),
  ...["task_id", "run_id", "workflow_id", "trace_id", "span_id"].map((name) =>
    field(name, "any", "The work in which it happened.", { sets: ["context"], why: "shown as its text" }),
  ),
  field("links", "list | dict | string", "Where more is to be read."),
  field("human_hypothesis", "any", "What a person believes to be the cause.", { why: "kept as it is" }),
  field("timestamp", "any", "When it happened; now unless given.", { why: "shown as its text" }),
  ...["_type", "schema_version"].map((name) =>
    field(name, "any", "As an event tells it; has no effect.", { why: "told back" }),
  ),
  field("estimated_time_ms", "int | float", "Time that was lost."),
  field("estimated_cost_usd", "int | float", "Money that was lost."),
  field("recurrence_hints", "list | string", "By what it is recognised the next time."),
  field("metadata", "dict", "Whatever else is known."),
]);
