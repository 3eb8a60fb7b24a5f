/** What a loop shows its model, and what it does with a conversation that grows (agents.md §3.3, §11.5–11.9). */

import { asideRows, routeRows } from "../../model/index.ts";
import {
  at,
  type Field,
  field,
  fieldTable,
  inside,
  type Read,
  type ReadRow,
  refusal,
  row,
  rows,
} from "../../table/index.ts";
import { Dict, type Value } from "../../values/index.ts";
import { ladderRows } from "./ladder-fields.ts";

export const compactionPolicyFields = fieldTable(() => [
  field("instructions", "string", "What the summary must heed."),
  field("mode", "string", "What the policy is called."),
  field("scope", "string", "Who is told of it."),
  field("preserve", "list | string", "What the summary must keep."),
  field("drop", "list | string", "What it may leave out."),
  field(
    "extend_default_instructions",
    "bool",
    "The instructions stand beside the usual ones, not in their place.",
  ),
  field("author", "string", "Who made the policy."),
]);

/** Which messages stay, and from which size on something is done at all. */
const keptMessageRows = (): readonly Field[] => [
  field("keep_first", "int", "Messages at the beginning that stay; 0 by hand lets the first task go, too.", {
    default: "0",
    sets: ["session"],
  }),
  field("compact_keep_first", "int", "Another name for `keep_first`.", { range: [0, null] }),
  field("keep_last", "int", "Messages at the end that stay.", { default: "12", sets: ["session"] }),
  field("keep_last_n", "int", "Another name for `keep_last`.", { range: [0, null] }),
  field("compact_keep_last", "int", "Another name for `keep_last`.", { range: [0, null] }),
  field("token_threshold", "int", "Estimated tokens up to which nothing is done.", {
    range: [0, null],
    sets: ["session"],
  }),
  field("compact_threshold", "int", "Another name for `token_threshold`.", { range: [0, null] }),
  field("threshold", "int", "Another name for `token_threshold`.", { range: [0, null] }),
];

/** Knobs of the engine, as every caller of it knows them. */
export const compactionRows = (): readonly Field[] => [
  field(
    "compact_strategy",
    "string | closure",
    "How messages are compacted: a name, or a strategy `fn(messages, room) -> steps`.",
    { sets: ["session"] },
  ),
  field("strategy", "string | closure", "Another name for `compact_strategy`."),
  field(
    "compact_callback",
    "closure",
    "Takes the archived messages (and reminders, policy) and gives the summary.",
  ),
  field("custom_compactor", "closure", "Another name for `compact_callback`.", { sets: ["session"] }),
  ...keptMessageRows(),
  field("tool_output_max_chars", "int", "Characters of a tool result that stays.", {
    default: "16000",
    range: [0, null],
    sets: ["session"],
  }),
  field("hard_limit_tokens", "int", "Estimated tokens that the result may have.", {
    range: [0, null],
    sets: ["session"],
  }),
  field("hard_limit_strategy", "string", "What is done about a summary beyond the hard limit.", {
    default: '"llm"',
    sets: ["session"],
  }),
  field("summarize_prompt", "any", "The summarizer's prompt: a path, `{text}`, `{path}` or a closure."),
  field("mask_callback", "closure", "Takes the archived messages and gives other words for some of them.", {
    sets: ["session"],
  }),
  field(
    "compress_callback",
    "closure",
    "Takes `{tool_name, output, max_chars}` and gives a shorter result.",
    { sets: ["session"] },
  ),
  field("policy", "dict", "What a summary must keep.", { nested: compactionPolicyFields, sets: ["session"] }),
  field("compaction_policy", "dict", "Another name for `policy`.", {
    nested: compactionPolicyFields,
    sets: ["session"],
  }),
  ...routeRows(),
];

/** `compaction` and `auto_compact` of a loop. */
export const compactionFields = fieldTable(() => [
  field("enabled", "bool", "Compact at all.", { default: "true" }),
  ...compactionRows(),
  ...ladderRows(),
]);

export const projectionPolicies = [
  "raw",
  "clean_tool_repair",
  "squash_failed_calls",
  "summary_prefix",
  "reachability_gc",
  "custom",
] as const;

const projectionRows = rows(() => ({
  policy: row.oneOf(projectionPolicies, "What of the conversation is sent.", "raw"),
  keep_last: row.int(
    "Messages (`summary_prefix`, 12) or turns (`reachability_gc`, 4) that stay as they are.",
    null,
    { min: 0 },
  ),
  projector: row.closure(
    "Takes `{messages, session_id, iteration, scratchpad}` and gives the messages, for `custom`.",
  ),
}));

/** `transcript_projection`: a policy by name, or a dict with its knobs; `null` for the conversation as it is. */
export const projectionRow = (doc: string) =>
  row
    .either([row.oneOf(projectionPolicies), row.exactly(false), row.dict(projectionRows)], doc)
    .to((read, place) => {
      if (read === false) return null;
      const { policy, projector, keepLast } =
        typeof read === "string" ? { ...projectionRows.usual, policy: read } : read;
      if (policy === "raw") return null;
      if (policy === "custom" && projector === null)
        throw refusal(inside(place, "projector"), "closure", null, { help: 'the policy is "custom"' });
      return { policy, projector, keepLast: keepLast ?? (policy === "reachability_gc" ? 4 : 12) };
    });
export type ProjectionOptions = NonNullable<ReadRow<typeof projectionRow>>;

/** The same, of a call that takes a projection. */
export const readProjection = (value: Value, caller: string): ProjectionOptions | null =>
  value === null ? null : projectionRow("").read(value, at(caller, "transcript_projection"));

export const padFields = fieldTable(() => [
  field("schema", "string", "The version of its form."),
  field("goals", "list", "`{text, source_ref}` each."),
  field("open_items", "list", "`{text, source_ref?}` each."),
  field("facts", "list", "`{text, source_ref}` each."),
  field("refs", "list", "`{id, kind, label, excerpt?}` each."),
]);

const reorganizerFields = fieldTable(() => [
  ...routeRows(),
  ...asideRows(),
  field("system", "string", "The system text of the reorganizer."),
]);

/** `scratchpad` (agents.md §11.9). */
export const scratchpadFields = rows(() => ({
  enabled: row.bool("Keep a scratchpad.", true),
  recite: row.bool("It stands at the end of the system text.", true),
  reorganize_every: row.int("Turns between two reorganizations.", 3, { min: 1 }),
  max_recent_messages: row.int("Messages that the reorganizer is shown and may cite.", 8, { min: 1 }),
  schema_retries: row.int("Further tries when a reorganized pad does not fit.", 1, { min: 0 }),
  initial: row.dict(null, "What it begins with; else the task as its goal.").with({ nested: padFields }),
  reorganizer: row
    .either(
      [row.dict(null).with({ nested: reorganizerFields }), row.bool()],
      "The model that reorganizes it; false for nobody.",
    )
    .to((read) => (read === false ? null : read === true ? new Dict() : read))
    .or(new Dict()),
}));
export type ScratchpadOptions = Read<typeof scratchpadFields>;

/** `tool_surface_narrowing` (agents.md §11.7). */
const narrowingFields = rows(() => ({
  enabled: row.bool("Hide tools that go unused.", true),
  window_turns: row.int("Turns in which a tool must be used to stay.", 5, { min: 1 }),
  mode: row.oneOf(
    ["safe", "aggressive"],
    "`safe` hides the classes in `prune_classes`, `aggressive` all but those in `keep_classes`.",
    "safe",
  ),
  hard_keep: row.list(row.text(), "Tools that always stay.", []),
  prune_classes: row.list(row.text(), "Classes that may be hidden.", ["read_only"]),
  keep_classes: row.list(row.text(), "Classes that stay."),
  unknown_tool_policy: row.oneOf(["keep", "prune"], "What becomes of tools without a class.", "keep"),
}));

const keptClasses = ["mutating", "approval", "session_control", "progress", "result_polling", "unknown"];

const narrowingOf = (read: Read<typeof narrowingFields>, isUsual: boolean) => ({
  ...read,
  isUsual,
  keepClasses: read.keepClasses ?? (read.mode === "aggressive" ? [] : keptClasses),
});

/** On unless it is switched off. `isUsual`: nobody asked for it; under `control`, and for what works for such an agent, it is off. */
export const narrowingRow = (doc: string) =>
  row
    .switched(narrowingFields, doc)
    .to((read) => (read === null ? null : narrowingOf(read, false)))
    .or(narrowingOf(narrowingFields.usual, true))
    .usually("true");
export type NarrowingOptions = NonNullable<ReadRow<typeof narrowingRow>>;

export const turnPolicyFields = rows(() => ({
  require_action_or_yield: row.bool("A turn must call a tool or say that it is done.", false),
  allow_done_sentinel: row.bool("The model may end the loop by the sentinel.", true),
  max_prose_chars: row.int("Characters of prose in a turn.", null, { min: 1 }),
}));

export const skillMatchFields = fieldTable(() => [
  field("strategy", "string", "How skills are found for a task.", {
    values: ["metadata", "host", "embedding", "catalog"],
    default: '"metadata"',
  }),
  field("top_n", "int", "Skills that may be active at once.", { default: "1", range: [1, null] }),
  field("sticky", "bool", "An active skill stays active.", { default: "true" }),
]);
