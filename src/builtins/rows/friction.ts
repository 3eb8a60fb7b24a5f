/** Rows of friction and context packs (builtins.md §2.21). */
import { row, rows } from "../../table/index.ts";
import type { List, Value } from "../../values/index.ts";

export const suggestionFields = rows(() => ({
  min_occurrences: row.int("Events of a kind that make a suggestion; less than 2 counts as 2.", 2),
  owner: row.text("Who is to own the packs; the actor of the events unless given, else `team`."),
}));

export const evalFixtureFields = rows(() => ({
  events: row.handle<List>("list", "Events, as `friction_event` takes them.").required(),
  options: row.dict(suggestionFields, "As of `context_pack_suggestions`.").or(suggestionFields.usual),
  expected_suggestions: row.list(row.dict(null), "What must be suggested.", []).full(),
}));

export const frictionSinkFields = rows(() => ({
  enabled: row.bool("Record it at all.", true),
  log_path: row.text("A file that gets a line for each.").alias("path"),
}));

export const frictionKinds = [
  "repeated_query",
  "repeated_clarification",
  "approval_stall",
  "missing_context",
  "manual_handoff",
  "tool_gap",
  "failed_assumption",
  "expensive_model_used_for_deterministic_step",
  "human_hypothesis",
] as const;

const context = (doc: string) => row.value(doc, "kept without secrets").with({ sets: ["context"] });

const worked = () => context("The work in which it happened.");

export const frictionEventFields = rows(() => ({
  id: row.value("What it is known by.", "kept as it is"),
  kind: row.oneOf(frictionKinds, "What kind of friction it is.").required(),
  source: context("Where it was seen."),
  actor: context("Who met it."),
  tool: context("The tool that it is about."),
  provider: context("The provider that it is about."),
  tenant_id: context("Whose it is."),
  task_id: worked(),
  run_id: worked(),
  workflow_id: worked(),
  trace_id: worked(),
  span_id: worked(),
  redacted_summary: row.shown("What happened, without secrets."),
  summary: row.shown("The same, where it is not given."),
  message: row.shown("The same, where neither is given."),
  raw_content: row.value("Dropped: raw texts are not kept.", "dropped, whatever it is"),
  raw_prompt: row.value("Dropped as well.", "dropped, whatever it is"),
  links: row.handle<Value>("list | dict | string", "Where more is to be read."),
  human_hypothesis: row.handle<Value>("dict | string", "What a person believes to be the cause."),
  timestamp: row.value("When it happened; now unless given.", "kept as it is"),
  estimated_time_ms: row.handle<Value>("float", "Time that was lost."),
  estimated_cost_usd: row.handle<Value>("float", "Money that was lost."),
  recurrence_hints: row.handle<Value>("list | string", "By what it is recognised the next time."),
  metadata: row.dict(null, "Whatever else is known."),
  ...Object.fromEntries(
    ["_type", "schema_version"].map((name) => [
      name,
      row.value("As an event tells it; has no effect.", "told back"),
    ]),
  ),
}));
