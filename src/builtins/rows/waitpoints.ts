/** Rows of waitpoints and of the event log (builtins.md §2.22). */
import { row, rows } from "../../table/index.ts";

export const waitpointFields = rows(() => ({
  id: row.shown("What the waitpoint is called; made up unless given."),
  metadata: row.dict(null, "What is kept with it."),
  created_by: row.shown("Who made it.", "system"),
  ...Object.fromEntries(
    ["_type", "status"].map((name) => [
      name,
      row.value("As a waitpoint tells it; has no effect.", "told back"),
    ]),
  ),
}));

const settleRows = () => ({
  by: row.shown("Who settles it.", "system"),
  reason: row.value("Why.", "told as it is"),
});

export const cancelFields = rows(settleRows);

export const settleFields = rows(() => ({
  ...settleRows(),
  value: row.value("What those who wait are given.", "given to those who wait, as it is"),
}));

export const waitFields = rows(() => ({
  timeout: row.duration("How long it waits: a duration, or milliseconds.").bounds(),
  wait_id: row.shown("What the wait is called; made up unless given."),
}));

const followRows = () => ({
  topic: row.filled("The topic.").required(),
  from_cursor: row.int("Events after this one.", 0),
});

export const eventFollowFields = rows(followRows);

export const eventReadFields = rows(() => ({
  ...followRows(),
  limit: row.int("Events that are given.", null, { min: 0 }),
  kind_prefix: row.text("Only kinds that begin so.", ""),
}));
