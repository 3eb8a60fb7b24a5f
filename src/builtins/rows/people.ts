/** Rows of questions to people, triggers, waits and other things that happen outside of a run (builtins.md §2.22). */
import { autonomyTiers } from "../../agent/index.ts";
import { type Field, field, fieldTable } from "../../table/index.ts";

const limit = "int | float | duration";

export const askFields = fieldTable(
  () => [
    field("schema", "any", "Schema that the answer must fit."),
    field("timeout", "any", "How long the answer is waited for: a duration, or milliseconds.", {
      default: "24h",
      bounds: true,
    }),
    field("default", "any", "The answer when none comes in time; its type is what answers are read as."),
    field("choices", "list", "Answers that people are offered."),
    field("context", "any", "What people are shown beside the question."),
  ],
  { others: "kept with the question as metadata" },
);

export const approvalRequestFields = fieldTable(
  () => [
    field("quorum", "any", "So many people must approve.", { default: "1", bounds: true }),
    field("reviewers", "any", "Who may answer.", { bounds: true }),
    field("deadline", "any", "How long the answers are waited for.", { bounds: true }),
    field("timeout", "any", "Another name for `deadline`.", { bounds: true }),
    field("detail", "any", "What people are shown beside the action."),
    field("args", "any", "What the action is done with."),
    field("principal", "any", "Who wants it."),
    field("evidence_refs", "any", "What speaks for it."),
    field("capabilities_requested", "any", "What it needs."),
    field("undo_metadata", "any", "How it is undone."),
    field("choices", "list", "Answers that people are offered."),
    field("context", "any", "What people are shown beside the action."),
  ],
  { others: "kept with the request as metadata" },
);

const retryFields = fieldTable(() => [
  field("max", "any", "Deliveries that are tried again.", { default: "7", bounds: true }),
  field("backoff", "any", "How long is rested between them: `svix`, `immediate` or `exponential`.", {
    default: '"svix"',
  }),
  field("base_ms", "int | duration | string", "The first rest, with `exponential`.", { default: "1000" }),
]);

const whenBudgetFields = fieldTable(
  () => [
    field("max_cost_usd", "any", "Dollars that the predicate may cost."),
    field("tokens_max", "any", "Tokens that it may use."),
    field("max_tokens", "any", "Another name for `tokens_max`."),
    field("timeout", "any", "How long it may take: a duration, milliseconds, or a text such as `5s`."),
  ],
  { strict: true },
);

const triggerBudgetFields = fieldTable(
  () => [
    field("daily_cost_usd", "any", "Dollars that its handlers may cost in a day (UTC)."),
    field("hourly_cost_usd", "any", "Dollars that they may cost in an hour."),
    field("max_concurrent", "any", "Handlers that run at once."),
    field(
      "max_autonomous_decisions_per_hour",
      "any",
      "Events in an hour that go to its handlers while its tier is `act_auto`.",
    ),
    field("max_autonomous_decisions_per_day", "any", "And in a day (UTC)."),
    field(
      "on_budget_exhausted",
      "any",
      "What becomes of events then: `false` skips them, `retry_later` keeps them for `trigger_replay`, `fail` gives status `failed`, `warn` handles them.",
      {
        default: "false",
      },
    ),
    field("max_cost_usd", "any", "As in `when_budget`."),
    field("max_tokens", "any", "As in `when_budget`."),
  ],
  { strict: true },
);

const rateFields = fieldTable(
  () => [field("max", "any", "So many events"), field("window", "any", "in so long.")],
  { strict: true },
);

/** `trigger_register`. */
export const triggerFields = fieldTable(() => [
  field("id", "any", "What the trigger is called; made up unless given."),
  field("kind", "any", "What kind of source its events have; the provider unless given."),
  field("provider", "any", "Where its events come from."),
  field("handler", "any", "Who takes events: a function, or an `a2a://` or `worker://` address."),
  field("when", "any", "Asked whether an event is taken."),
  field("when_budget", "any", "What the question may cost.", { nested: whenBudgetFields, bounds: true }),
  field("retry", "any", "How often a failed delivery is tried again.", { nested: retryFields }),
  field("match", "any", "Which events are taken.", {
    nested: fieldTable(() => [field("events", "any", "Their kinds.")]),
  }),
  field("events", "any", "Short for `match: {events}`."),
  field("dedupe_key", "any", "What makes two events the same: a function or a path."),
  field(
    "filter",
    "any",
    "A function, a dict that events must contain, or a text such as `kind == issue.opened`.",
  ),
  field("budget", "any", "What its handlers may cost.", { nested: triggerBudgetFields, bounds: true }),
  field("rate_limit", "any", "So many events in so long.", { nested: rateFields, bounds: true }),
  field("tenant_id", "any", "Only events of this tenant are taken."),
  field(
    "autonomy_tier",
    "string",
    "The ceiling of what its handler and its predicate do by themselves: `shadow` nothing, `suggest` and `act_with_approval` only reading (with the latter, what `request_approval` was granted for runs), `act_auto` everything.",
    { default: '"act_auto"', values: autonomyTiers, bounds: true },
  ),
  field("tier", "string", "Another name for `autonomy_tier`.", { values: autonomyTiers, bounds: true }),
  field("allow_cleartext", "bool", "An `a2a://` address may be asked without TLS.", { default: "false" }),
  field("manifest_path", "any", "The manifest that it comes from."),
  field("package_name", "any", "The package that it comes from."),
  field("schedule", "any", "When it fires, as a cron line."),
  field("timezone", "any", "The time zone of the schedule."),
]);

export const waitpointFields = fieldTable(() => [
  field("id", "any", "What the waitpoint is called; made up unless given."),
  field("metadata", "any", "What is kept with it."),
  field("created_by", "any", "Who made it.", { default: '"system"' }),
  ...["_type", "status"].map((name) => field(name, "any", "As a waitpoint tells it; has no effect.")),
]);

export const settleFields = fieldTable(() => [
  field("by", "any", "Who settles it.", { default: '"system"' }),
  field("reason", "any", "Why."),
  field("value", "any", "What those who wait are given."),
]);

export const cancelFields = fieldTable(() => [
  field("by", "any", "Who settles it.", { default: '"system"' }),
  field("reason", "any", "Why."),
]);

export const waitFields = fieldTable(() => [
  field("timeout", limit, "How long it waits: a duration, or milliseconds.", { bounds: true }),
  field("wait_id", "any", "What the wait is called; made up unless given."),
]);

export const monitorFields = fieldTable(() => [
  field("wait_id", "any", "What the wait is called; made up unless given."),
  field("source", "any", "What is looked at.", {
    nested: fieldTable(() => [
      field("label", "any", "What it is called."),
      field("poll", "any", "Gives its state."),
      field("push_filter", "any", "Which trigger events lead to a look at once."),
    ]),
  }),
  field("condition", "any", "Takes the state and says whether the wait is over."),
  field("timeout", "any", "How long it waits.", { bounds: true }),
  field("poll_interval", "any", "Time between two looks."),
]);

export const eventReadFields = fieldTable(() => [
  field("topic", "any", "The topic."),
  field("from_cursor", "int", "Events after this one.", { default: "0" }),
  field("limit", "int", "Events that are given.", { range: [0, null] }),
  field("kind_prefix", "any", "Only kinds that begin so."),
]);

export const eventFollowFields = fieldTable(() => [
  field("topic", "any", "The topic."),
  field("from_cursor", "int", "Events after this one.", { default: "0" }),
]);

const restartFields = fieldTable(() => [
  field("mode", "any", "`never`, `always` or `on_failure`.", { default: '"on_failure"' }),
  field("max_restarts", "int", "So often at most,", { default: "3", bounds: true }),
  field("window_ms", "int", "in so long.", { default: "60000", bounds: true }),
  field("backoff_ms", "int", "Rest before the first restart.", { default: "0" }),
  field("max_backoff_ms", "int", "The longest rest.", { default: "60000" }),
  field("factor", "int | float", "How much longer each rest is.", { default: "2" }),
  field("jitter_ms", "int", "What is added by chance.", { default: "0" }),
  field("circuit_open_ms", "int", "Rest when there were too many restarts, in place of giving up."),
]);

const childFields = fieldTable(() => [
  field("name", "any", "What the child is called."),
  field("kind", "any", "A label.", { default: '"generic_task"' }),
  field("task", "any", "What it does: a function."),
  field("restart", "any", "When it is started again.", { default: '"never"', nested: restartFields }),
  field("active_lease", "any", "What it holds; shown in its state."),
]);

export const supervisorFields = fieldTable(() => [
  field("id", "any", "What the supervisor is known by."),
  field("name", "any", "What it is called."),
  field("strategy", "any", "Who else is restarted.", { default: '"one_for_one"' }),
  field("shutdown_ms", "int", "Milliseconds that children get to end.", { default: "5000" }),
  field("children", "any", "What it watches over.", { nested: childFields }),
]);

export const raceFields = fieldTable(() => [
  field("max_concurrent", "any", "Bodies that run at once; 0 for no limit.", { default: "0", bounds: true }),
]);

const placeRows = (what: string): readonly Field[] => [
  field("scope", "any", "Who shares it.", { default: '"task_group"' }),
  field("key", "any", `The name of the ${what}.`),
  field("_type", "any", "As a handle has it."),
];

export const cellFields = fieldTable(() => [
  ...placeRows("cell"),
  field("initial", "any", "What it holds at first."),
  field("value", "any", "Another name for `initial`."),
]);

export const mapFields = fieldTable(() => [
  ...placeRows("map"),
  field("initial", "any", "What it holds at first."),
]);

export const mailboxFields = fieldTable(() => [
  field("scope", "any", "Who shares it.", { default: '"task_group"' }),
  field("name", "any", "The name of the mailbox."),
  field("key", "any", "Another name for `name`."),
  field("capacity", "int", "Messages that it holds.", { default: "256" }),
]);

const packRows = (): readonly Field[] => [
  field("min_occurrences", "int", "Events of a kind that make a suggestion; less than 2 counts as 2.", {
    default: "2",
  }),
  field("owner", "any", "Who is to own the packs; the actor of the events unless given, else `team`."),
];

export const packFields = fieldTable(packRows);

export const frictionSinkFields = fieldTable(() => [
  field("enabled", "bool", "Record it at all.", { default: "true" }),
  field("log_path", "any", "A file that gets a line for each."),
  field("path", "any", "Another name for `log_path`."),
]);

export const frictionEventFields = fieldTable(() => [
  field("id", "any", "What it is known by."),
  field("kind", "any", "What kind of friction it is."),
  field("source", "any", "Where it was seen.", { sets: ["context"] }),
  field("actor", "any", "Who met it.", { sets: ["context"] }),
  field("tool", "any", "The tool that it is about.", { sets: ["context"] }),
  field("provider", "any", "The provider that it is about.", { sets: ["context"] }),
  field("redacted_summary", "any", "What happened, without secrets."),
  field("summary", "any", "Another name for `redacted_summary`."),
  field("message", "any", "Another name for `redacted_summary`."),
  field("raw_content", "any", "Dropped: raw texts are not kept."),
  field("raw_prompt", "any", "Dropped as well."),
  field("tenant_id", "any", "Whose it is.", { sets: ["context"] }),
  ...["task_id", "run_id", "workflow_id", "trace_id", "span_id"].map((name) =>
    field(name, "any", "The work in which it happened.", { sets: ["context"] }),
  ),
  field("links", "any", "Where more is to be read."),
  field("human_hypothesis", "any", "What a person believes to be the cause."),
  field("timestamp", "any", "When it happened; now unless given."),
  ...["_type", "schema_version"].map((name) => field(name, "any", "As an event tells it; has no effect.")),
  field("estimated_time_ms", "any", "Time that was lost."),
  field("estimated_cost_usd", "any", "Money that was lost."),
  field("recurrence_hints", "any", "By what it is recognised the next time."),
  field("metadata", "any", "Whatever else is known."),
]);

export const mockHostFields = fieldTable(
  () => [
    field("result", "any", "What the operation gives."),
    field("params", "any", "Only calls with these parameters."),
    field("error", "any", "The operation fails with this."),
  ],
  { others: "a value that is given as it is" },
);
