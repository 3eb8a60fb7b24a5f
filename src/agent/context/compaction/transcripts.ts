/** Compaction of what scripts hold: transcripts and message lists (agents.md §3.3). */
import type { Task } from "../../../interp/index.ts";
import { newId } from "../../../interp/index.ts";
import { Conversation, llmCall, publishNamed } from "../../../model/index.ts";
import { at, refusal } from "../../../table/index.ts";
import { Dict, List, optionsDict, thrown, type Value } from "../../../values/index.ts";
import { type CompactionOptions, handOptions } from "../../options/compaction-options.ts";
import { ladderKeys } from "../../options/ladder-options.ts";
import { sourceAsset, sourceAssetId } from "../../session/compaction-source.ts";
import { controlRecord } from "../../session/control-record.ts";
import { restoredLedger } from "../../session/ledger.ts";
import { pendingReminders, survivesCompaction } from "../../session/reminder-value.ts";
import { seedConversation } from "../../session/seed-transcript.ts";
import {
  auditEvent,
  isTranscript,
  transcriptId,
  transcriptMessages,
  transcriptSummary,
  withAsset,
  withMessages,
} from "../../session/transcript-value.ts";
import { asksForLadder, callOptionsIn, climbTranscript, ladderByHand, performCompaction } from "./by-hand.ts";
import { type Compacted, compact, pickedFrom, planned } from "./engine.ts";
import { libraryText } from "./library.ts";
import { joinedSummary, passReport, passReportText, reportFields } from "./record.ts";
import { entryOfValue } from "./strategy.ts";

/** `transcript_compact`: the transcript with its older messages archived, or the same one when there is nothing to do. */
export async function transcriptCompact(task: Task, value: Value, input: Value): Promise<Value> {
  const caller = "transcript_compact";
  if (!isTranscript(value)) throw refusal(at(caller, "transcript"), "transcript", value);
  const dict = optionsDict(caller, input);
  if (asksForLadder(dict)) return climbed(task, value, dict, caller);
  const { options, own } = transcriptOptions(task, dict, caller);
  const entries = transcriptMessages(value).map(entryOfValue);
  const steps = compact(entries, options, pendingReminders(value));
  const compacted = await performCompaction(task, caller, steps, own);
  if (compacted === null) return value;
  const assetId = sourceAssetId(newId(task));
  const reason = options.threshold > 0 ? "threshold" : "manual";
  const report = passReport(compacted, options, { mode: "manual", reason, assetId });
  const fields = reportFields(report);
  const event = auditEvent({
    id: newId(task),
    kind: "compaction",
    text: passReportText(report),
    metadata: Dict.of(fields),
  });
  const shorter = withMessages(droppedReminders(value), withSummary(transcriptMessages(value), compacted), [
    event,
  ]);
  const summary = own ?? joinedSummary(transcriptSummary(value), compacted.summary);
  const source = sourceAsset(assetId, compacted.archived, value);
  await publishNamed(task, transcriptId(value), "transcript_compacted", Dict.of(fields));
  return withAsset(shorter, source).with("summary", summary);
}

/**
 * With the ladder: the view of a conversation that begins with the transcript. Plan, entries and what left the view are kept in
 * it (`compaction_plan`), so that a later pass adds to them, and a loop that begins with it reads everything back.
 */
async function climbed(task: Task, transcript: Dict, dict: Dict, caller: string): Promise<Dict> {
  const [ladder, callOptions] = ladderByHand(task, dict, caller);
  const conversation = new Conversation(transcriptId(transcript));
  seedConversation(conversation, transcript, caller);
  conversation.workItems = restoredLedger(transcript.get("work_items") ?? null);
  const before = conversation.audit.length;
  const made = await climbTranscript(task, caller, conversation, ladder, callOptions);
  if (made === null) return transcript;
  const added = conversation.audit.slice(before).map((event) => auditEvent({ id: newId(task), ...event }));
  const messages = conversation.shown.map((logged) => conversation.value(logged));
  const shorter = withMessages(droppedReminders(transcript), messages, added);
  const { compaction_plan = null, interventions = null } = controlRecord(conversation);
  return withAsset(shorter, sourceAsset(made.assetId, made.archived, transcript)).merge(
    Dict.of({
      summary: conversation.summary === "" ? undefined : conversation.summary,
      compaction_plan,
      interventions,
    }),
  );
}

/** `own`: the summary that the caller brings. */
function transcriptOptions(
  task: Task,
  dict: Dict,
  caller: string,
): { readonly options: CompactionOptions; readonly own: string | null } {
  const strategy = dict.get("strategy") ?? dict.get("compact_strategy") ?? null;
  const compactor = dict.get("custom_compactor") ?? dict.get("compact_callback") ?? null;
  if (strategy === "custom" && compactor === null)
    throw thrown(`${caller}: custom_compactor is required with strategy 'custom'`);
  const foreign = ladderKeys.find((key) => (dict.get(key) ?? null) !== null);
  if (foreign !== undefined)
    throw thrown(`${caller}: \`${foreign}\` is the ladder's; use strategy: "ladder" or leave it out`);
  const { read, options } = handOptions(dict, caller);
  const { strategy: engine } = options;
  if (options.summarizePrompt !== null && engine !== "llm")
    throw thrown(`${caller}: summarize_prompt is only supported with strategy 'llm'`);
  const { targetTokens: target, summary: own } = read;
  return {
    own,
    options: {
      ...options,
      threshold: target ?? 0,
      hardLimit: target ?? options.hardLimit,
      // Its own: who asks for a cut pays no model, however small the target is.
      hardStrategy: engine,
      llm: callOptionsIn(task, dict),
    },
  };
}

/** The messages with the summary among them. */
function withSummary(messages: readonly Dict[], { plan, summary }: Compacted): Dict[] {
  const view = messages.flatMap((message, index): Dict[] => {
    const decision = plan.decisions[index];
    const stays = decision?.kind === "include" || decision?.kind === "clear";
    const shown = decision?.kind === "clear" ? message.with("content", decision.text) : message;
    const said = index === plan.summaryAt ? [Dict.of({ role: "user", content: summary })] : [];
    return stays ? [...said, shown] : said;
  });
  if (plan.summaryAt === messages.length) view.push(Dict.of({ role: "user", content: summary }));
  return view;
}

/** Reminders that do not outlive a compaction are dropped. */
function droppedReminders(transcript: Dict): Dict {
  const events = transcript.get("events");
  if (!(events instanceof List)) return transcript;
  return transcript.with("events", new List(events.toArray().filter(survivesCompaction)));
}

/** `transcript_auto_compact`: the messages, shorter. */
export async function transcriptAutoCompact(task: Task, value: Value, input: Value): Promise<Value> {
  const caller = "transcript_auto_compact";
  if (!(value instanceof List)) throw refusal(at(caller, "messages"), "list", value);
  const messages = value.toArray().map((item, index) => {
    if (item instanceof Dict) return item;
    throw refusal(at(caller, `messages[${index}]`), "dict", item);
  });
  const dict = optionsDict(caller, input);
  if (asksForLadder(dict))
    throw thrown(
      `${caller}: the ladder keeps what leaves the view in a transcript, and a message list has no place for it; use transcript_compact(transcript_from_messages(messages), {strategy: "ladder"})`,
    );
  const { read, options: said } = handOptions(dict, caller);
  const options: CompactionOptions = {
    ...said,
    threshold: read.tokenThreshold ?? read.compactThreshold ?? 0,
    llm: callOptionsIn(task, dict),
  };
  const compacted = await performCompaction(task, caller, compact(messages.map(entryOfValue), options));
  if (compacted === null) return value;
  return new List(withSummary(messages, compacted));
}

// ── a model's summary of everything but the last messages (agents.md §3.2) ──

/** Messages that stay where nobody says how many. */
const usualKeepLast = 6;

/** The transcript with its last messages, the summary of the others, and how many those were. */
export async function transcriptSummarize(task: Task, value: Value, input: Value): Promise<Value> {
  const caller = "transcript_summarize";
  if (!isTranscript(value)) throw refusal(at(caller, "transcript"), "transcript", value);
  const options = optionsDict(caller, input);
  const keepLast = options.get("keep_last") ?? usualKeepLast;
  if (typeof keepLast !== "number" || keepLast < 0)
    throw refusal(at(caller, "keep_last"), "int >= 0", keepLast);
  const own = options.get("prompt") ?? null;
  if (own !== null && typeof own !== "string") throw refusal(at(caller, "prompt"), "string", own);
  const messages = transcriptMessages(value);
  const plan = planned(messages.map(entryOfValue), { keepFirst: 0, keepLast, unpinned: true }, "llm");
  const { gone } = plan;
  const archived = gone.length === 0 ? plan.messages : pickedFrom(plan);
  const prompt =
    own === null
      ? libraryText("summary_question", archived)
      : `${own}\n\n${libraryText("formatted", archived)}`;
  const answer = await llmCall(task, caller, {
    prompt,
    system: null,
    options: callOptionsIn(task, options),
  });
  const leaving = new Set(gone);
  const kept =
    gone.length === 0
      ? value
      : withMessages(
          value,
          messages.filter((_message, at) => !leaving.has(at)),
        );
  return kept.merge(
    Dict.of({
      summary: answer.get("visible_text") ?? answer.get("text") ?? "",
      archived_messages: gone.length,
    }),
  );
}
