/** Rows of reminders, and of what selects them. Their reader refuses unknown names itself, with a code. */
import { type FieldTable, field, fieldTable } from "../../table/index.ts";

const refused = { refusedByReader: true } as const;

export const reminderFields: FieldTable = fieldTable(
  () => [
    field("body", "any", "What the model is told."),
    field("tags", "any", "By what it is found."),
    field("dedupe_key", "any", "A newer one with the same key takes its place."),
    field("ttl_turns", "any", "Turns that it lives."),
    field("preserve_on_compact", "any", "It outlives a compaction."),
    field("propagate", "any", "Who else is told: `all`, `session`, `none`.", { default: '"session"' }),
    field("role_hint", "any", "How it is told.", { default: '"system"' }),
    field("fired_at_turn", "any", "The turn that it is told in."),
    field("source", "any", "Who tells it."),
  ],
  refused,
);

export const reminderSelectorFields: FieldTable = fieldTable(
  () => [
    field("id", "any", "The reminder's id."),
    field("tag", "any", "One of its tags."),
    field("dedupe_key", "any", "Its key."),
  ],
  refused,
);
