/** What a loop shows its model, and what it does with a conversation that grows (agents.md §3.3, §11.5–11.9). */

import { asideCall, callRoute } from "../../model/index.ts";
import { type Field, inside, type Read, type ReadRow, refusal, row, rows } from "../../table/index.ts";
import { Dict } from "../../values/index.ts";
import { ladderKnobs } from "./ladder-fields.ts";
import { promptSourceRow } from "./prompt-source.ts";

export const compactionPolicyFields = rows(() => ({
  instructions: row.text("What the summary must heed.").or(""),
  mode: row.text("What the policy is called."),
  scope: row.text("Who is told of it.").or(""),
  preserve: row.texts("What the summary must keep."),
  drop: row.texts("What it may leave out."),
  extend_default_instructions: row.bool("The instructions stand beside the usual ones, not in their place."),
  author: row.text("Who made the policy."),
}));

const strategyRow = (doc: string) => row.either([row.text(), row.closure()], doc);

const count = (doc: string) => row.int(doc, null, { min: 0 });

const policyRow = (doc: string) => row.dict(null, doc).with({ nested: compactionPolicyFields });

export const engineStrategies = ["llm", "truncate", "observation_mask", "custom"] as const;
export type EngineStrategy = (typeof engineStrategies)[number];

/** Knobs of the engine, as every caller of it knows them. */
const engineKnobs = () => ({
  compact_strategy: strategyRow(
    "How messages are compacted: a name, or a strategy `fn(messages, room) -> steps`.",
  ).with({ sets: ["session"] }),
  strategy: strategyRow("Another name for `compact_strategy`."),
  compact_callback: row.closure("Takes the archived messages (and reminders, policy) and gives the summary."),
  custom_compactor: row.closure("Another name for `compact_callback`.").with({ sets: ["session"] }),
  keep_first: count("Messages at the beginning that stay; 0 by hand lets the first task go, too.")
    .usually("0")
    .with({ sets: ["session"] }),
  compact_keep_first: count("Another name for `keep_first`."),
  keep_last: count("Messages at the end that stay.")
    .usually("12")
    .with({ sets: ["session"] }),
  keep_last_n: count("Another name for `keep_last`."),
  compact_keep_last: count("Another name for `keep_last`."),
  token_threshold: count("Estimated tokens up to which nothing is done.").with({ sets: ["session"] }),
  compact_threshold: count("Another name for `token_threshold`."),
  threshold: count("Another name for `token_threshold`."),
  tool_output_max_chars: count("Characters of a tool result that stays.")
    .usually("16000")
    .with({ sets: ["session"] }),
  hard_limit_tokens: count("Estimated tokens that the result may have.").with({ sets: ["session"] }),
  hard_limit_strategy: row
    .oneOf(engineStrategies, "What is done about a summary beyond the hard limit.")
    .usually('"llm"')
    .with({ sets: ["session"] }),
  summarize_prompt: promptSourceRow("The summarizer's prompt: a path, `{text}`, `{path}` or a closure."),
  mask_callback: row
    .closure("Takes the archived messages and gives other words for some of them.")
    .with({ sets: ["session"] }),
  compress_callback: row
    .closure("Takes `{tool_name, output, max_chars}` and gives a shorter result.")
    .with({ sets: ["session"] }),
  policy: policyRow("What a summary must keep.").with({ sets: ["session"] }),
  compaction_policy: policyRow("Another name for `policy`.").with({ sets: ["session"] }),
});

/** The same with what a call by hand may say besides. */
export const handFields = rows(() => ({
  ...engineKnobs(),
  target_tokens: count("The size that it is compacted to."),
  summary: row.text("The summary, in place of one that is made."),
}));

const compactionKnobs = () => ({ ...engineKnobs(), ...callRoute() });

/** For tables whose rows have no types yet. */
export const compactionRows = (): readonly Field[] => rows(compactionKnobs).rows;

/** `compaction` and `auto_compact` of a loop. */
export const compactionFields = rows(() => ({
  enabled: row.bool("Compact at all.", true),
  ...compactionKnobs(),
  ...ladderKnobs(),
}));

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

export const padFields = rows(() => ({
  schema: row.text("The version of its form."),
  goals: row.handle("list", "`{text, source_ref}` each."),
  open_items: row.handle("list", "`{text, source_ref?}` each."),
  facts: row.handle("list", "`{text, source_ref}` each."),
  refs: row.handle("list", "`{id, kind, label, excerpt?}` each."),
}));

const reorganizerFields = rows(() => ({
  ...callRoute(),
  ...asideCall(),
  system: row.text("The system text of the reorganizer."),
}));

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

export const skillMatchFields = rows(() => ({
  strategy: row.oneOf(
    ["metadata", "host", "embedding", "catalog"],
    "How skills are found for a task.",
    "metadata",
  ),
  top_n: row.int("Skills that may be active at once.", 1, { min: 1 }),
  sticky: row.bool("An active skill stays active.", true),
}));
