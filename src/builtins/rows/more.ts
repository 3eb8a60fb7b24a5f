/** Rows of MCP, skills, evaluations and session runs. Most of their readers refuse what they do not know themselves. */

import { loopFields } from "../../agent/index.ts";
import { asideRows, callFields, routeRows } from "../../model/index.ts";
import { field, fieldRowsOf, fieldTable, providerBodies } from "../../table/index.ts";
import { sessionRunRows } from "../../work/index.ts";

const refused = { refusedByReader: true } as const;

export const mcpCallFields = fieldTable(() => [
  field("timeout_ms", "int | duration", "Milliseconds that the call may take.", { bounds: true }),
]);

export const mcpResourceFields = fieldTable(() => [
  field("uri", "string", "What it is known by."),
  field("name", "string", "What it is called."),
  field("title", "string", "The same for people."),
  field("text", "any", "Its text.", { why: "shown as its text" }),
  field("handler", "closure", "Gives its text."),
  field("description", "string", "What it is."),
  field("mime_type", "string", "What form it has."),
]);

export const mcpTemplateFields = fieldTable(() => [
  field("uri_template", "string", "The pattern of what they are known by."),
  field("name", "string", "What they are called."),
  field("title", "string", "The same for people."),
  field("handler", "closure", "Gives the text of one."),
  field("description", "string", "What they are."),
  field("mime_type", "string", "What form they have."),
]);

export const mcpPromptFields = fieldTable(() => [
  field("name", "string", "What it is called."),
  field("title", "string", "The same for people."),
  field("handler", "closure", "Gives its text or messages."),
  field("arguments", "list", "What it takes."),
  field("description", "string", "What it is for."),
]);

const suiteCases = fieldTable(() => [
  field("label", "string", "What the case is called."),
  field("run_path", "string", "The record that is judged."),
  field("fixture_path", "string", "What it must be like."),
  field("compare_to", "string", "The record that it must equal."),
]);

export const suiteFields = fieldTable(
  () => [
    field("_type", "string", "As a manifest has it."),
    field("id", "string", "What the suite is known by."),
    field("name", "string", "What it is called."),
    field("title", "string", "The same for people."),
    field("base_dir", "string", "The folder that its paths are under."),
    field("metadata", "dict", "Whatever belongs to it."),
    field("cases", "list", "What is judged.", { nested: suiteCases }),
  ],
  { others: "kept in the manifest" },
);

/** Fields that the format does not know are kept, for the pack's own statements (agents.md §19). */
export const packFields = fieldTable(
  () => [
    field("_type", "string", "As a manifest has it."),
    field("version", "int | string", "The version of its form.", { default: "1" }),
    field("id", "string", "What the pack is known by."),
    field("name", "string", "What it is called."),
    field("title", "string", "The same for people."),
    field("description", "string", "What it is for."),
    field("base_dir", "string", "The folder that its paths are under."),
    field("baseline", "string | dict", "The record that every case is compared with."),
    field("defaults", "dict", "What holds for every case."),
    field("fixtures", "list | dict", "Records and expectations, by id."),
    field("rubrics", "list | dict", "What is judged, by id."),
    field("cases", "list", "What is run.", {
      nested: fieldTable(
        () => [
          field("id", "string", "What the case is known by."),
          field("label", "string", "What it is called."),
          field("run", "string | dict", "The record that is judged."),
          field("fixture", "string | dict", "What it must be like."),
          field("compare_to", "string | dict", "The record that it must equal."),
          field("rubrics", "list | dict", "What is judged."),
          field("thresholds", "dict", "What it may use.", { bounds: true }),
          field("severity", "string", "What a failure means.", { default: '"blocking"' }),
        ],
        { others: "kept for the pack's own statements" },
      ),
    }),
  ],
  { others: "kept for the pack's own statements", typedByReader: true },
);

export const sessionCreateFields = fieldTable(
  () => [
    field("agent", "string", "Whose session it is."),
    field("script", "string", "The script that works in it."),
    field("environment", "string", "Where it works."),
    field("resources", "list<string>", "Files that belong to it."),
    field("message", "string", "What it begins with."),
  ],
  refused,
);

export const sessionResultFields = fieldTable(
  () => [field("failed", "bool", "The call failed.", { default: "false" })],
  refused,
);

export const sessionEventsFields = fieldTable(
  () => [
    field("after", "int", "Events after this one.", { default: "0" }),
    field("limit", "int", "Events that are given.", { default: "1000" }),
  ],
  refused,
);

export const wakeFields = fieldTable(
  () => [
    field("after", "int | float | duration | string", "When: so long from now."),
    field("at", "int | float | string", "When: a moment."),
    field("reason", "string", "Why."),
    field("key", "string", "A waiting wake of the same key is replaced."),
  ],
  refused,
);

export const promptFields = fieldTable(
  () => [
    field("prompts", "dict", "Other words, by id."),
    field("prompt_overrides", "dict", "Another name for `prompts`."),
  ],
  { others: "options of a loop" },
);

export const surfaceFields = fieldTable(
  () => [
    field("tools", "any", "The tools.", { why: "a registry of tools in any of its forms" }),
    field("policy", "dict | bool", "The ceiling that they stand under.", { bounds: true }),
    field("approval_policy", "dict | bool", "What a person is asked about.", { bounds: true }),
    field("permissions", "dict", "What may be called.", { bounds: true }),
    field("system", "string", "The system text."),
    field("prompt_texts", "any", "Texts that name tools.", { why: "texts by any name" }),
    field("tool_search", "any", "How tools are found.", { why: "the loop judges it" }),
  ],
  { others: "options of a loop" },
);

/** `session_run`: its own options, and those of the loop. */
export const sessionRunFields = fieldTable(
  () => [...fieldRowsOf(sessionRunRows), ...fieldRowsOf(loopFields)],
  providerBodies,
);

export const hitlFilterFields = fieldTable(
  () => [
    ...[
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
    ].map((name) => field(name, "any", "Only requests with this value.", { why: "compared as it is" })),
  ],
  refused,
);

export const riskFields = fieldTable(
  () => [
    field("system", "string", "The system text."),
    ...routeRows(),
    ...asideRows(),
    ...fieldRowsOf(callFields, ...[...routeRows(), ...asideRows()].map(({ name }) => name)),
  ],
  providerBodies,
);
