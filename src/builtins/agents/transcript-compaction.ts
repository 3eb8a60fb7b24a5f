/** Making transcripts and texts shorter (agents.md §3.2, §3.3). */

import {
  dictsOf,
  isTranscript,
  loadCompaction,
  microcompact,
  transcriptMessages,
} from "../../agent/index.ts";
import { estimateMessages } from "../../model/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { List, thrown } from "../../values/index.ts";
import { type Argument, intOr, textOf } from "../arguments.ts";
import { compactFields, ladderCompactFields } from "../rows/agents.ts";

export const transcriptCompaction = defineBuiltins(
  "transcript_compaction",
  {
    transcript_summarize: {
      doc: "Asks a model for a summary of all but the last `keep_last` (6) messages; gives the transcript with those messages, `summary` and `archived_messages`. Options are those of `llm_call`, `keep_last` and `prompt`.",
      sig: "(transcript: dict, options: dict? = nil) -> dict",
      effect: "state",
      suspends: "may",
      capability: "model",
      fields: { options: () => compactFields },
      run: async (task, value: Argument, options: Argument) => {
        const { transcriptSummarize } = await task.runtime.effects.turns.hold(loadCompaction());
        return transcriptSummarize(task, value ?? null, options ?? null);
      },
    },
    transcript_compact: {
      doc:
        "Archives older messages and puts a summary in their place. Options: `strategy` (observation_mask, truncate, llm, custom, ladder), `keep_first`, " +
        "`keep_last` (12), `target_tokens` (nothing happens below it), `summary` (the text to use), `summarize_prompt`, " +
        "`custom_compactor`, `mask_callback`, `compress_callback`, `tool_output_max_chars`, `policy`, and for `llm` those of `llm_call`. " +
        'With `strategy: "ladder"` those of the context ladder instead; what leaves the view is kept in the transcript.',
      sig: "(transcript: dict, options: dict? = nil) -> dict",
      effect: "state",
      mayNeed: "model",
      suspends: "may",
      fields: { options: () => ladderCompactFields },
      run: async (task, value: Argument, options: Argument) => {
        const { transcriptCompact } = await task.runtime.effects.turns.hold(loadCompaction());
        return transcriptCompact(task, value ?? null, options ?? null);
      },
    },
    transcript_auto_compact: {
      doc:
        "A message list with a summary in the place of its older messages. Options: `keep_first`, `keep_last` (12), `token_threshold`, " +
        "`compact_strategy`, `compact_callback`, `tool_output_max_chars`, `hard_limit_tokens`, `hard_limit_strategy`, `summarize_prompt`.",
      sig: "(messages: list, options: dict? = nil) -> list",
      effect: "state",
      mayNeed: "model",
      suspends: "may",
      fields: { options: () => compactFields },
      run: async (task, value: Argument, options: Argument) => {
        const { transcriptAutoCompact } = await task.runtime.effects.turns.hold(loadCompaction());
        return transcriptAutoCompact(task, value ?? null, options ?? null);
      },
    },
    estimate_tokens: {
      doc: "An estimate of the tokens of messages: characters of content, reasoning and tool calls, divided by 4.",
      sig: "(messages: list | dict) -> int",
      effect: "pure",
      example: 'estimate_tokens([{role: "user", content: "12345678"}])  // 2',
      run: (_task, value: Argument) => {
        if (isTranscript(value)) return estimateMessages(transcriptMessages(value));
        if (value instanceof List) return estimateMessages(dictsOf(value));
        throw thrown("estimate_tokens: argument must be a message list or transcript");
      },
    },
    microcompact: {
      doc: "A long text shortened to about `max` characters: head, tail, and lines that look like failures.",
      sig: "(text: any, max: int = 20000) -> string",
      effect: "pure",
      example: 'microcompact("short")  // short',
      run: (_task, text: Argument, max: Argument) => microcompact(textOf(text), intOr(max, 20_000)),
    },
  },
  { transcript: "a transcript", messages: "messages, or a transcript" },
);
