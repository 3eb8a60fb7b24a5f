/** Rows of questions to people (builtins.md §2.22). */
import { row, rows } from "../../table/index.ts";
import type { List } from "../../values/index.ts";

/** How long people have. */
const limit = (doc: string) => row.duration(doc, null, { min: 0 }).bounds();

const shownRows = (what: string) => ({
  choices: row.handle<List>("list", "Answers that people are offered."),
  context: row.value(`What people are shown beside the ${what}.`, "shown to people as it is"),
});

export const askFields = rows(
  () => ({
    schema: row.dict(null, "Schema that the answer must fit."),
    timeout: limit("How long the answer is waited for: a duration, or milliseconds.").usually("24h"),
    default: row.value(
      "The answer when none comes in time; its type is what answers are read as.",
      "its type is what answers are read as",
    ),
    ...shownRows("question"),
  }),
  { others: "kept with the question as metadata" },
);

export const approvalRequestFields = rows(
  () => ({
    quorum: row.int("So many people must approve.", 1, { min: 1 }).bounds(),
    reviewers: row.list(row.text(), "Who may answer.", []).full().bounds(),
    deadline: limit("How long the answers are waited for."),
    timeout: limit("Another name for `deadline`."),
    detail: row.value("What people are shown beside the action.", "shown to people as it is"),
    args: row.value("What the action is done with.", "shown to people as it is"),
    principal: row.text("Who wants it."),
    evidence_refs: row.handle<List>("list", "What speaks for it."),
    capabilities_requested: row.handle<List>("list", "What it needs."),
    undo_metadata: row.value("How it is undone.", "kept as it is"),
    ...shownRows("action"),
  }),
  { others: "kept with the request as metadata" },
);

const compared = () => row.value("Only requests with this value.", "compared as it is");

/** The columns of `hitl_pending`, two of them with a short name. */
export const hitlFilterFields = rows(
  () => ({
    request_id: compared().alias("id"),
    request_kind: compared().alias("kind"),
    agent: compared(),
    prompt: compared(),
    trace_id: compared(),
    timestamp: compared(),
    approvers: compared(),
    metadata: compared(),
  }),
  { strict: true },
);
