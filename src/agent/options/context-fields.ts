/** What a loop shows its model, and what it does with a conversation that grows (agents.md §3.3, §11.5–11.9). */

import { asideRows, routeRows } from "../../model/index.ts";
import { type Field, field, fieldTable } from "../../table/index.ts";
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
  field("compact_strategy", "string", "How messages are compacted.", { sets: ["session"] }),
  field("strategy", "string", "Another name for `compact_strategy`."),
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

export const projectionFields = fieldTable(() => [
  field("policy", "string", "What of the conversation is sent.", {
    values: [
      "raw",
      "clean_tool_repair",
      "squash_failed_calls",
      "summary_prefix",
      "reachability_gc",
      "custom",
    ],
    default: '"raw"',
  }),
  field(
    "keep_last",
    "int",
    "Messages (`summary_prefix`, 12) or turns (`reachability_gc`, 4) that stay as they are.",
    {
      range: [0, null],
    },
  ),
  field(
    "projector",
    "closure",
    "Takes `{messages, session_id, iteration, scratchpad}` and gives the messages, for `custom`.",
  ),
]);

export const padFields = fieldTable(() => [
  field("schema", "string", "The version of its form."),
  field("goals", "list", "`{text, source_ref}` each."),
  field("open_items", "list", "`{text, source_ref?}` each."),
  field("facts", "list", "`{text, source_ref}` each."),
  field("refs", "list", "`{id, kind, label, excerpt?}` each."),
]);

export const scratchpadFields = fieldTable(() => [
  field("enabled", "bool", "Keep a scratchpad.", { default: "true" }),
  field("recite", "bool", "It stands at the end of the system text.", { default: "true" }),
  field("reorganize_every", "int", "Turns between two reorganizations.", { default: "3", range: [1, null] }),
  field("max_recent_messages", "int", "Messages that the reorganizer is shown and may cite.", {
    default: "8",
    range: [1, null],
  }),
  field("schema_retries", "int", "Further tries when a reorganized pad does not fit.", {
    default: "1",
    range: [0, null],
  }),
  field("initial", "dict", "What it begins with; else the task as its goal.", { nested: padFields }),
  field("reorganizer", "dict | bool", "The model that reorganizes it; false for nobody.", {
    nested: fieldTable(() => [
      ...routeRows(),
      ...asideRows(),
      field("system", "string", "The system text of the reorganizer."),
    ]),
  }),
]);

export const narrowingFields = fieldTable(() => [
  field("enabled", "bool", "Hide tools that go unused.", { default: "true" }),
  field("window_turns", "int", "Turns in which a tool must be used to stay.", {
    default: "5",
    range: [1, null],
  }),
  field(
    "mode",
    "string",
    "`safe` hides the classes in `prune_classes`, `aggressive` all but those in `keep_classes`.",
    {
      values: ["safe", "aggressive"],
      default: '"safe"',
    },
  ),
  field("hard_keep", "list<string>", "Tools that always stay."),
  field("prune_classes", "list<string>", "Classes that may be hidden.", { default: '["read_only"]' }),
  field("keep_classes", "list<string>", "Classes that stay."),
  field("unknown_tool_policy", "string", "What becomes of tools without a class.", {
    values: ["keep", "prune"],
    default: '"keep"',
  }),
]);

export const providerFields = fieldTable(
  () => [
    field("id", "string", "What the part is called; `environment` and `guidance` are the runtime's."),
    field("provide", "closure", "`fn(ctx) -> text | nil`: gives the part."),
    field(
      "refresh",
      "string",
      "When it is asked: before the first turn, of every turn, or after a compaction again.",
      {
        values: ["once", "turn", "compaction"],
        default: '"once"',
      },
    ),
    field("max_chars", "int", "Characters of it at most.", { default: "8000", range: [1, null] }),
    field("root", "string", "Of `environment`: the folder that is listed."),
    field("max_entries", "int", "Of `environment`: entries that are listed.", {
      default: "100",
      range: [1, null],
    }),
    field("depth", "int", "Of `environment`: levels of folders that are listed.", {
      default: "2",
      range: [1, null],
    }),
  ],
  { strict: true, typedByReader: true },
);

export const jitRuleFields = fieldTable(
  () => [
    field("id", "string", "How it is called: letters, digits, `_`, `.`, `-`."),
    field("instruction", "string | closure", "What the model is told, or `fn(ctx)` that gives it."),
    field("condition", "closure", "`fn(ctx) -> bool`: whether it applies before this turn."),
    field("once", "bool", "Never again in its session.", { default: "true" }),
    field("spacing", "int", "Turns between two times, where it may fire again.", {
      default: "3",
      range: [1, null],
    }),
  ],
  { strict: true },
);

export const jitFields = fieldTable(
  () => [
    field("rules", "list<dict>", "Rules of your own, beside those of the runtime.", {
      nested: jitRuleFields,
    }),
    field("disable", "list<string>", "Ids of rules that are off."),
    field("max_per_turn", "int", "Instructions before one turn at most.", {
      default: "2",
      range: [1, null],
    }),
  ],
  { strict: true, form: "dict" },
);

export const progressToolFields = fieldTable(() => [
  field("name", "string", "What the tool is called.", { default: '"agent_progress"' }),
  field("description", "string", "What the model is told about it."),
  field("system_prompt_nudge", "string", "The sentence about it in the system text."),
]);

export const turnPolicyFields = fieldTable(() => [
  field("require_action_or_yield", "bool", "A turn must call a tool or say that it is done.", {
    default: "false",
  }),
  field("allow_done_sentinel", "bool", "The model may end the loop by the sentinel.", { default: "true" }),
  field("max_prose_chars", "int", "Characters of prose in a turn.", { range: [1, null] }),
]);

export const skillMatchFields = fieldTable(() => [
  field("strategy", "string", "How skills are found for a task.", {
    values: ["metadata", "host", "embedding", "catalog"],
    default: '"metadata"',
  }),
  field("top_n", "int", "Skills that may be active at once.", { default: "1", range: [1, null] }),
  field("sticky", "bool", "An active skill stays active.", { default: "true" }),
]);
