/** Rows of durable sessions (docs/sessions.md). */
import { loopFields } from "../../agent/index.ts";
import { fieldRowsOf, fieldTable, providerBodies, row, rows } from "../../table/index.ts";
import type { Value } from "../../values/index.ts";
import { sessionRunRows } from "../../work/index.ts";

export const sessionCreateFields = rows(
  () => ({
    agent: row.text("Whose session it is."),
    script: row.text("The script that works in it."),
    environment: row.text("Where it works."),
    resources: row.list(row.text(), "Files that belong to it.", []),
    message: row.text("What it begins with."),
  }),
  { strict: true },
);

export const sessionResultFields = rows(() => ({ failed: row.bool("The call failed.", false) }), {
  strict: true,
});

export const sessionEventsFields = rows(
  () => ({ after: row.int("Events after this one.", 0), limit: row.int("Events that are given.", 1000) }),
  { strict: true },
);

export const wakeFields = rows(
  () => ({
    after: row.handle<Value>("int | float | duration | string", "When: so long from now."),
    at: row.handle<Value>("int | float | string", "When: a moment."),
    reason: row.text("Why."),
    key: row.text("A waiting wake of the same key is replaced."),
  }),
  { refusedByReader: true },
);

/** `session_run`: its own options, and those of the loop. */
export const sessionRunFields = fieldTable(
  () => [...fieldRowsOf(sessionRunRows), ...fieldRowsOf(loopFields)],
  providerBodies,
);
