/** Rows of reminders, and of what selects them. Their reader refuses with a code. */
import { row, rows } from "../../table/index.ts";

const coded = { strict: true, refusedByReader: true, typedByReader: true } as const;

export const reminderFields = rows(
  () => ({
    body: row.words("What the model is told.").required(),
    tags: row.list(row.text(), "By what it is found.", []).full(),
    dedupe_key: row.text("A newer one with the same key takes its place."),
    ttl_turns: row.int("Turns that it lives.", null, { min: 1 }),
    preserve_on_compact: row.bool("It outlives a compaction.", false),
    propagate: row.text("Who else is told: `all`, `session`, `none`.", "session"),
    role_hint: row.oneOf(
      ["system", "developer", "user_block", "ephemeral_cache"],
      "How it is told.",
      "system",
    ),
    fired_at_turn: row.int("The turn that it is told in.", null, { min: 0 }),
    source: row.oneOf(["stdlib_provider", "hook", "bridge", "in_pipeline", "inherited"], "Who tells it."),
  }),
  coded,
);

export const reminderSelectorFields = rows(
  () => ({
    id: row.text("The reminder's id."),
    tag: row.text("One of its tags."),
    dedupe_key: row.text("Its key."),
  }),
  coded,
);
