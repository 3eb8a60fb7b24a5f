/** Rows of MCP, skills, evaluations and session runs. Most of their readers refuse what they do not know themselves. */

import { loopFields } from "../../agent/index.ts";
import { asideRows, callFields, routeRows } from "../../model/index.ts";
import { fieldRowsOf, fieldTable, providerBodies, row, rows } from "../../table/index.ts";
import type { List, Value } from "../../values/index.ts";
import { sessionRunRows } from "../../work/index.ts";

const refused = { refusedByReader: true } as const;

export const mcpCallFields = rows(() => ({
  timeout_ms: row.duration("Milliseconds that the call may take.", null, { min: 1 }).bounds(),
}));

const suiteCases = rows(() => ({
  label: row.text("What the case is called."),
  run_path: row.text("The record that is judged."),
  fixture_path: row.text("What it must be like."),
  compare_to: row.text("The record that it must equal."),
}));

export const suiteFields = rows(
  () => ({
    _type: row.text("As a manifest has it."),
    id: row.text("What the suite is known by."),
    name: row.text("What it is called."),
    title: row.text("The same for people."),
    base_dir: row.text("The folder that its paths are under."),
    metadata: row.dict(null, "Whatever belongs to it."),
    cases: row.handle<List>("list", "What is judged.").with({ nested: suiteCases }),
  }),
  { others: "kept in the manifest" },
);

/** Fields that the format does not know are kept, for the pack's own statements (agents.md §19). */
export const packFields = rows(
  () => ({
    _type: row.text("As a manifest has it."),
    version: row.either([row.int(), row.text()], "The version of its form.").usually("1"),
    id: row.text("What the pack is known by."),
    name: row.text("What it is called."),
    title: row.text("The same for people."),
    description: row.text("What it is for."),
    base_dir: row.text("The folder that its paths are under."),
    baseline: row.either([row.text(), row.dict(null)], "The record that every case is compared with."),
    defaults: row.dict(null, "What holds for every case."),
    fixtures: row.handle<Value>("list | dict", "Records and expectations, by id."),
    rubrics: row.handle<Value>("list | dict", "What is judged, by id."),
    cases: row.handle<List>("list", "What is run.").with({
      nested: rows(
        () => ({
          id: row.text("What the case is known by."),
          label: row.text("What it is called."),
          run: row.either([row.text(), row.dict(null)], "The record that is judged."),
          fixture: row.either([row.text(), row.dict(null)], "What it must be like."),
          compare_to: row.either([row.text(), row.dict(null)], "The record that it must equal."),
          rubrics: row.handle<Value>("list | dict", "What is judged."),
          thresholds: row.dict(null, "What it may use.").bounds(),
          severity: row.text("What a failure means.", "blocking"),
        }),
        { others: "kept for the pack's own statements" },
      ),
    }),
  }),
  { others: "kept for the pack's own statements", typedByReader: true },
);

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
  refused,
);

export const promptFields = rows(
  () => ({
    prompts: row.dict(null, "Other words, by id."),
    prompt_overrides: row.dict(null, "Another name for `prompts`."),
  }),
  { others: "options of a loop" },
);

export const surfaceFields = rows(
  () => ({
    tools: row.value("The tools.", "a registry of tools in any of its forms"),
    policy: row.handle<Value>("dict | bool", "The ceiling that they stand under.").bounds(),
    approval_policy: row.handle<Value>("dict | bool", "What a person is asked about.").bounds(),
    permissions: row.dict(null, "What may be called.").bounds(),
    system: row.text("The system text."),
    prompt_texts: row.value("Texts that name tools.", "texts by any name"),
    tool_search: row.value("How tools are found.", "the loop judges it"),
  }),
  { others: "options of a loop" },
);

/** `session_run`: its own options, and those of the loop. */
export const sessionRunFields = fieldTable(
  () => [...fieldRowsOf(sessionRunRows), ...fieldRowsOf(loopFields)],
  providerBodies,
);

export const hitlFilterFields = rows(
  () => ({
    ...Object.fromEntries(
      [
        "request_id",
        "id",
        "request_kind",
        "kind",
        "agent",
        "prompt",
        "trace_id",
        "timestamp",
        "approvers",
        "metadata",
      ].map((name) => [name, row.value("Only requests with this value.", "compared as it is")]),
    ),
  }),
  refused,
);

export const riskFields = rows(() => ({ system: row.text("The system text.") }), {
  ...providerBodies,
  beside: () => [
    ...routeRows(),
    ...asideRows(),
    ...fieldRowsOf(callFields, ...[...routeRows(), ...asideRows()].map(({ name }) => name)),
  ],
});
