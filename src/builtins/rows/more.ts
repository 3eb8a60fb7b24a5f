/** Rows of MCP, skills, evaluations and session runs. Most of their readers refuse what they do not know themselves. */

import { loopFields } from "../../agent/index.ts";
import { asideRows, callFields, routeRows } from "../../model/index.ts";
import { field, fieldRowsOf, fieldTable, providerBodies } from "../../table/index.ts";
import { sessionRunRows } from "../../work/index.ts";

const refused = { refusedByReader: true } as const;

export const mcpCallFields = fieldTable(() => [
  field("timeout_ms", "any", "Milliseconds that the call may take.", { bounds: true }),
]);

export const mcpResourceFields = fieldTable(() => [
  field("uri", "any", "What it is known by."),
  field("name", "any", "What it is called."),
  field("title", "any", "The same for people."),
  field("text", "any", "Its text."),
  field("handler", "any", "Gives its text."),
  field("description", "any", "What it is."),
  field("mime_type", "any", "What form it has."),
]);

export const mcpTemplateFields = fieldTable(() => [
  field("uri_template", "any", "The pattern of what they are known by."),
  field("name", "any", "What they are called."),
  field("title", "any", "The same for people."),
  field("handler", "any", "Gives the text of one."),
  field("description", "any", "What they are."),
  field("mime_type", "any", "What form they have."),
]);

export const mcpPromptFields = fieldTable(() => [
  field("name", "any", "What it is called."),
  field("title", "any", "The same for people."),
  field("handler", "any", "Gives its text or messages."),
  field("arguments", "any", "What it takes."),
  field("description", "any", "What it is for."),
]);

const suiteCases = fieldTable(() => [
  field("label", "any", "What the case is called."),
  field("run_path", "any", "The record that is judged."),
  field("fixture_path", "any", "What it must be like."),
  field("compare_to", "any", "The record that it must equal."),
]);

export const suiteFields = fieldTable(
  () => [
    field("_type", "any", "As a manifest has it."),
    field("id", "any", "What the suite is known by."),
    field("name", "any", "What it is called."),
    field("title", "any", "The same for people."),
    field("base_dir", "any", "The folder that its paths are under."),
    field("metadata", "any", "Whatever belongs to it."),
    field("cases", "any", "What is judged.", { nested: suiteCases }),
  ],
  { others: "kept in the manifest" },
);

/** Fields that the format does not know are kept, for the pack's own statements (agents.md §19). */
export const packFields = fieldTable(
  () => [
    field("_type", "any", "As a manifest has it."),
    field("version", "any", "The version of its form.", { default: "1" }),
    field("id", "any", "What the pack is known by."),
    field("name", "any", "What it is called."),
    field("title", "any", "The same for people."),
    field("description", "any", "What it is for."),
    field("base_dir", "any", "The folder that its paths are under."),
    field("baseline", "any", "The record that every case is compared with."),
    field("defaults", "any", "What holds for every case."),
    field("fixtures", "any", "Records and expectations, by id."),
    field("rubrics", "any", "What is judged, by id."),
    field("cases", "any", "What is run.", {
      nested: fieldTable(
        () => [
          field("id", "any", "What the case is known by."),
          field("label", "any", "What it is called."),
          field("run", "any", "The record that is judged."),
          field("fixture", "any", "What it must be like."),
          field("compare_to", "any", "The record that it must equal."),
          field("rubrics", "any", "What is judged."),
          field("thresholds", "any", "What it may use.", { bounds: true }),
          field("severity", "any", "What a failure means.", { default: '"blocking"' }),
        ],
        { others: "kept for the pack's own statements" },
      ),
    }),
  ],
  { others: "kept for the pack's own statements" },
);

export const sessionCreateFields = fieldTable(
  () => [
    field("agent", "any", "Whose session it is."),
    field("script", "any", "The script that works in it."),
    field("environment", "any", "Where it works."),
    field("resources", "any", "Files that belong to it."),
    field("message", "any", "What it begins with."),
  ],
  refused,
);

export const sessionResultFields = fieldTable(
  () => [field("failed", "any", "The call failed.", { default: "false" })],
  refused,
);

export const sessionEventsFields = fieldTable(
  () => [
    field("after", "any", "Events after this one.", { default: "0" }),
    field("limit", "any", "Events that are given.", { default: "1000" }),
  ],
  refused,
);

export const wakeFields = fieldTable(
  () => [
    field("after", "any", "When: so long from now."),
    field("at", "any", "When: a moment."),
    field("reason", "any", "Why."),
    field("key", "any", "A waiting wake of the same key is replaced."),
  ],
  refused,
);

export const promptFields = fieldTable(
  () => [
    field("prompts", "any", "Other words, by id."),
    field("prompt_overrides", "any", "Another name for `prompts`."),
  ],
  { others: "options of a loop" },
);

export const surfaceFields = fieldTable(
  () => [
    field("tools", "any", "The tools."),
    field("policy", "any", "The ceiling that they stand under.", { bounds: true }),
    field("approval_policy", "any", "What a person is asked about.", { bounds: true }),
    field("permissions", "any", "What may be called.", { bounds: true }),
    field("system", "any", "The system text."),
    field("prompt_texts", "any", "Texts that name tools."),
    field("tool_search", "any", "How tools are found."),
  ],
  { others: "options of a loop" },
);

/** `session_run`: its own options, and those of the loop. */
export const sessionRunFields = fieldTable(
  () => [...sessionRunRows(), ...fieldRowsOf(loopFields)],
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
    ].map((name) => field(name, "any", "Only requests with this value.")),
  ],
  refused,
);

export const riskFields = fieldTable(
  () => [
    field("system", "any", "The system text."),
    ...routeRows(),
    ...asideRows(),
    ...fieldRowsOf(callFields, ...[...routeRows(), ...asideRows()].map(({ name }) => name)),
  ],
  providerBodies,
);
