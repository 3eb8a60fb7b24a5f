/** Rows of questions to people, triggers, waits and other things that happen outside of a run (builtins.md §2.22). */

import { row, rows } from "../../table/index.ts";
import type { List, Value } from "../../values/index.ts";

const limit = "int | float | duration";

export const askFields = rows(
  () => ({
    schema: row.dict(null, "Schema that the answer must fit."),
    timeout: row
      .either(
        [row.duration(), row.number()],
        "How long the answer is waited for: a duration, or milliseconds.",
      )
      .usually("24h")
      .bounds(),
    default: row.value(
      "The answer when none comes in time; its type is what answers are read as.",
      "its type is what answers are read as",
    ),
    choices: row.handle<List>("list", "Answers that people are offered."),
    context: row.value("What people are shown beside the question.", "shown to people as it is"),
  }),
  { others: "kept with the question as metadata" },
);

export const approvalRequestFields = rows(
  () => ({
    quorum: row.int("So many people must approve.", 1, { min: 1 }).bounds(),
    reviewers: row.texts("Who may answer.").bounds(),
    deadline: row.either([row.duration(), row.number()], "How long the answers are waited for.").bounds(),
    timeout: row.either([row.duration(), row.number()], "Another name for `deadline`.").bounds(),
    detail: row.value("What people are shown beside the action.", "shown to people as it is"),
    args: row.value("What the action is done with.", "shown to people as it is"),
    principal: row.text("Who wants it."),
    evidence_refs: row.handle<List>("list", "What speaks for it."),
    capabilities_requested: row.handle<List>("list", "What it needs."),
    undo_metadata: row.value("How it is undone.", "kept as it is"),
    choices: row.handle<List>("list", "Answers that people are offered."),
    context: row.value("What people are shown beside the action.", "shown to people as it is"),
  }),
  { others: "kept with the request as metadata" },
);

export const waitpointFields = rows(() => ({
  id: row.value("What the waitpoint is called; made up unless given.", "shown as its text"),
  metadata: row.value("What is kept with it.", "kept as it is"),
  created_by: row.value("Who made it.", "shown as its text").usually('"system"'),
  ...Object.fromEntries(
    ["_type", "status"].map((name) => [
      name,
      row.value("As a waitpoint tells it; has no effect.", "told back"),
    ]),
  ),
}));

export const settleFields = rows(() => ({
  by: row.value("Who settles it.", "shown as its text").usually('"system"'),
  reason: row.value("Why.", "shown as its text"),
  value: row.value("What those who wait are given.", "given to those who wait, as it is"),
}));

export const cancelFields = rows(() => ({
  by: row.value("Who settles it.", "shown as its text").usually('"system"'),
  reason: row.value("Why.", "shown as its text"),
}));

export const waitFields = rows(() => ({
  timeout: row.handle<Value>(limit, "How long it waits: a duration, or milliseconds.").bounds(),
  wait_id: row.value("What the wait is called; made up unless given.", "shown as its text"),
}));

export const eventReadFields = rows(() => ({
  topic: row.text("The topic."),
  from_cursor: row.int("Events after this one.", 0),
  limit: row.int("Events that are given.", null, { min: 0 }),
  kind_prefix: row.text("Only kinds that begin so."),
}));

export const eventFollowFields = rows(() => ({
  topic: row.text("The topic."),
  from_cursor: row.int("Events after this one.", 0),
}));

const restartFields = rows(() => ({
  mode: row.text("`never`, `always` or `on_failure`.", "on_failure"),
  max_restarts: row.int("So often at most,", 3).bounds(),
  window_ms: row.int("in so long.", 60000).bounds(),
  backoff_ms: row.int("Rest before the first restart.", 0),
  max_backoff_ms: row.int("The longest rest.", 60000),
  factor: row.number("How much longer each rest is.", 2),
  jitter_ms: row.int("What is added by chance.", 0),
  circuit_open_ms: row.int("Rest when there were too many restarts, in place of giving up."),
}));

const childFields = rows(() => ({
  name: row.text("What the child is called."),
  kind: row.text("A label.", "generic_task"),
  task: row.closure("What it does: a function."),
  restart: row
    .handle<Value>("string | dict", "When it is started again.")
    .usually('"never"')
    .with({ nested: restartFields }),
  active_lease: row.value("What it holds; shown in its state.", "kept as it is"),
}));

export const supervisorFields = rows(() => ({
  id: row.text("What the supervisor is known by."),
  name: row.text("What it is called."),
  strategy: row.text("Who else is restarted.", "one_for_one"),
  shutdown_ms: row.int("Milliseconds that children get to end.", 5000),
  children: row.handle<List>("list", "What it watches over.").with({ nested: childFields }),
}));

export const raceFields = rows(() => ({
  max_concurrent: row.int("Bodies that run at once; 0 for no limit.", 0).bounds(),
}));

const placeRows = (what: string) => ({
  scope: row.value("Who shares it.", "shown as its text").usually('"task_group"'),
  key: row.value(`The name of the ${what}.`, "shown as its text"),
  _type: row.text("As a handle has it."),
});

export const cellFields = rows(() => ({
  ...placeRows("cell"),
  initial: row.value("What it holds at first.", "held as it is"),
  value: row.value("Another name for `initial`.", "held as it is"),
}));

export const mapFields = rows(() => ({
  ...placeRows("map"),
  initial: row.value("What it holds at first.", "held as it is"),
}));

export const mailboxFields = rows(() => ({
  scope: row.value("Who shares it.", "shown as its text").usually('"task_group"'),
  name: row.value("The name of the mailbox.", "shown as its text"),
  key: row.value("Another name for `name`.", "shown as its text"),
  capacity: row.int("Messages that it holds.", 256),
}));

const packRows = () => ({
  min_occurrences: row.int("Events of a kind that make a suggestion; less than 2 counts as 2.", 2),
  owner: row.text("Who is to own the packs; the actor of the events unless given, else `team`."),
});

export const packFields = rows(packRows);

export const frictionSinkFields = rows(() => ({
  enabled: row.bool("Record it at all.", true),
  log_path: row.text("A file that gets a line for each."),
  path: row.text("Another name for `log_path`."),
}));

export const frictionEventFields = rows(() => ({
  id: row.value("What it is known by.", "shown as its text"),
  kind: row.text("What kind of friction it is."),
  source: row.value("Where it was seen.", "shown as its text").with({ sets: ["context"] }),
  actor: row.value("Who met it.", "shown as its text").with({ sets: ["context"] }),
  tool: row.value("The tool that it is about.", "shown as its text").with({ sets: ["context"] }),
  provider: row.value("The provider that it is about.", "shown as its text").with({ sets: ["context"] }),
  redacted_summary: row.value("What happened, without secrets.", "shown as its text"),
  summary: row.value("Another name for `redacted_summary`.", "shown as its text"),
  message: row.value("Another name for `redacted_summary`.", "shown as its text"),
  raw_content: row.value("Dropped: raw texts are not kept.", "dropped, whatever it is"),
  raw_prompt: row.value("Dropped as well.", "dropped, whatever it is"),
  tenant_id: row.value("Whose it is.", "shown as its text").with({ sets: ["context"] }),
  ...Object.fromEntries(
    ["task_id", "run_id", "workflow_id", "trace_id", "span_id"].map((name) => [
      name,
      row.value("The work in which it happened.", "shown as its text").with({ sets: ["context"] }),
    ]),
  ),
  links: row.handle<Value>("list | dict | string", "Where more is to be read."),
  human_hypothesis: row.value("What a person believes to be the cause.", "kept as it is"),
  timestamp: row.value("When it happened; now unless given.", "shown as its text"),
  ...Object.fromEntries(
    ["_type", "schema_version"].map((name) => [
      name,
      row.value("As an event tells it; has no effect.", "told back"),
    ]),
  ),
  estimated_time_ms: row.number("Time that was lost."),
  estimated_cost_usd: row.number("Money that was lost."),
  recurrence_hints: row.handle<Value>("list | string", "By what it is recognised the next time."),
  metadata: row.dict(null, "Whatever else is known."),
}));
