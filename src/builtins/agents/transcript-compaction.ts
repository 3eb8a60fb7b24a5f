/** Making transcripts and texts shorter (agents.md §3.2, §3.3). */

import {
  dictsOf,
  isTranscript,
  loadCompaction,
  strategyMeasures,
  transcriptMessages,
} from "../../agent/index.ts";
import { estimateMessages } from "../../model/index.ts";
import { at, defineBuiltins, refusal } from "../../table/index.ts";
import { List } from "../../values/index.ts";
import type { Argument } from "../arguments.ts";
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
        throw refusal(at("estimate_tokens", "messages"), "a list of messages or a transcript", value);
      },
    },
    microcompact: {
      doc: "A long text shortened to about `max` characters: head, tail, and lines that look like failures.",
      sig: "(text: any, max: int = 20000) -> string",
      effect: "pure",
      example: 'microcompact("short")  // short',
      run: (...args) => strategyMeasures.microcompact(...args),
    },
    compaction_clean: {
      doc: "Words of models and tools as one line of the runtime's: without control characters, tags that close its wrappers broken, cut at 2,000 characters.",
      sig: "(text: string) -> string",
      effect: "pure",
      example: 'compaction_clean("one\\n  two")  // one two',
      run: (...args) => strategyMeasures.compaction_clean(...args),
    },
    compaction_folded: {
      doc: "A text with one blank for any run of them, as compaction compares texts.",
      sig: "(text: string) -> string",
      effect: "pure",
      example: 'compaction_folded("port  8080")  // port 8080',
      run: (...args) => strategyMeasures.compaction_folded(...args),
    },
    compaction_ungrounded: {
      doc: "The numbers, paths, addresses, hashes and quotations of a text that stand in none of the sources.",
      sig: "(text: string, sources: list<string>) -> list<string>",
      effect: "pure",
      example: 'compaction_ungrounded("port 9090", ["port 8080"])  // [9090]',
      run: (...args) => strategyMeasures.compaction_ungrounded(...args),
    },
    compaction_head: {
      doc: "The first `chars` characters of a text as compaction counts them (UTF-16), never half of one; a shorter text as it is.",
      sig: "(text: string, chars: int) -> string",
      effect: "pure",
      example: 'compaction_head("observation", 3)  // obs',
      run: (...args) => strategyMeasures.compaction_head(...args),
    },
    compaction_failures: {
      doc: "The lines of a text that look like failures, at most 32, each cut.",
      sig: "(text: string) -> list<string>",
      effect: "pure",
      example: 'compaction_failures("fine\\nerror: it broke")  // [error: it broke]',
      run: (...args) => strategyMeasures.compaction_failures(...args),
    },
    compaction_weight: {
      doc: "What a text weighs: a quarter of it is the estimate of its tokens. A character of ASCII weighs 1, others 2 to 4.",
      sig: "(text: string) -> int",
      effect: "pure",
      example: 'compaction_weight("four")  // 4',
      run: (...args) => strategyMeasures.compaction_weight(...args),
    },
    compaction_groups: {
      doc: "A strategy's messages in groups that go or stay together, calls with their results: `{at, kind, pinned, from, to, ids, results, tokens}` each, `at` the number of the group, messages from position `from` up to `to`.",
      sig: "(messages: list<dict>) -> list<dict>",
      effect: "pure",
      example: 'compaction_groups([{id: "a", group: 0}, {id: "b", group: 0}])[0].ids  // [a, b]',
      fields: { messages: "data: what a strategy is given" },
      run: (...args) => strategyMeasures.compaction_groups(...args),
    },
    compaction_whole: {
      doc: "The part `[from, to]` of a strategy's messages, moved until no call is separated from its result: its beginning goes right, its end left, and right where nothing would be left of it.",
      sig: "(messages: list<dict>, from: int, to: int) -> list<int>",
      effect: "pure",
      example: 'compaction_whole([{calls: ["a"]}, {answers: "a"}, {}], 0, 1)  // [0, 2]',
      fields: { messages: "data: what a strategy is given" },
      run: (...args) => strategyMeasures.compaction_whole(...args),
    },
  },
  { transcript: "a transcript", messages: "messages, or a transcript" },
);
