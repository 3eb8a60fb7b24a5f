/** Rows of supervisors, races, shared cells and maps, and mailboxes (builtins.md §2.16). */
import { row, rows } from "../../table/index.ts";

const restartModes = ["never", "always", "on_failure"] as const;

export const restartFields = rows(() => ({
  mode: row.oneOf(restartModes, "When it is started again.", "on_failure"),
  max_restarts: row.int("So often at most,", 3).bounds(),
  window_ms: row.int("in so long.", 60000).bounds(),
  backoff_ms: row.int("Rest before the first restart.", 0),
  max_backoff_ms: row.int("The longest rest.", 60000),
  factor: row.number("How much longer each rest is.", 2),
  jitter_ms: row.int("What is added by chance.", 0),
  circuit_open_ms: row.int("Rest when there were too many restarts, in place of giving up."),
}));

const restartOf = (mode: (typeof restartModes)[number]) => ({ ...restartFields.usual, mode });

const childFields = rows(() => ({
  name: row.text("What the child is called."),
  kind: row.text("A label.", "generic_task"),
  task: row.closure("What it does: a function.").required(),
  restart: row
    .either([row.oneOf(restartModes).to(restartOf), row.dict(restartFields)], "When it is started again.")
    .usually('"never"')
    .or(restartOf("never")),
  active_lease: row.value("What it holds; shown in its state.", "kept as it is"),
}));

export const supervisorFields = rows(() => ({
  id: row.text("What the supervisor is known by."),
  name: row.text("What it is called."),
  strategy: row.oneOf(
    ["one_for_one", "one_for_all", "rest_for_one", "escalate_to_parent"],
    "Who else is restarted.",
    "one_for_one",
  ),
  shutdown_ms: row.int("Milliseconds that children get to end.", 5000),
  children: row.list(row.dict(childFields), "What it watches over.").full().required(),
}));

export const raceFields = rows(() => ({
  max_concurrent: row.int("Bodies that run at once; 0 for no limit.", 0).bounds(),
}));

const placeRows = (what: string) => ({
  scope: row.shown("Who shares it.", "task_group"),
  key: row.shown(`The name of the ${what}.`),
  _type: row.text("As a handle has it."),
});

export const cellFields = rows(() => ({
  ...placeRows("cell"),
  initial: row.value("What it holds at first.", "held as it is").alias("value"),
}));

export const mapFields = rows(() => ({
  ...placeRows("map"),
  initial: row.dict(null, "What it holds at first."),
}));

export const mailboxFields = rows(() => ({
  scope: row.shown("Who shares it.", "task_group"),
  name: row.shown("The name of the mailbox.").alias("key"),
  capacity: row.int("Messages that it holds.").usually("256"),
}));
