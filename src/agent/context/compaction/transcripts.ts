/** Compaction of what scripts hold: transcripts and message lists (agents.md §3.3). */
import type { Task } from "../../../interp/index.ts";
import { newId } from "../../../interp/index.ts";
import { Conversation, publishNamed } from "../../../model/index.ts";
import { Dict, List, optionsDict, thrown, typeOf, type Value } from "../../../values/index.ts";
import { type CompactionOptions, defaultKeepLast, KnobReader } from "../../options/compaction-options.ts";
import { ladderKeys } from "../../options/ladder-options.ts";
import { sourceAsset, sourceAssetId } from "../../session/compaction-source.ts";
import { controlRecord } from "../../session/control-record.ts";
import { readLedgerRecord } from "../../session/ledger.ts";
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
import { type Compacted, compact } from "./engine.ts";
import { entryOfValue } from "./entries.ts";
import { asksForLadder, climbByHand, readLadderByHand } from "./ladder/session.ts";
import { callOptionsIn, performCompaction } from "./perform.ts";
import { applyPlan } from "./plan.ts";
import { compactionFields, compactionText, joinedSummary } from "./record.ts";

/** `transcript_compact`: the transcript with its older messages archived, or the same one when there is nothing to do. */
export async function transcriptCompact(task: Task, value: Value, input: Value): Promise<Value> {
  const caller = "transcript_compact";
  if (!isTranscript(value)) throw thrown(`${caller}: first argument must be a transcript`);
  const dict = optionsDict(caller, input);
  if (asksForLadder(dict)) return climbTranscript(task, value, dict, caller);
  const options = transcriptOptions(task, dict, caller);
  const own = dict.get("summary") ?? null;
  if (own !== null && typeof own !== "string")
    throw thrown(`${caller}: \`summary\` must be a string or nil; got ${typeOf(own)}`);
  const entries = transcriptMessages(value).map(entryOfValue);
  const steps = compact(entries, options, pendingReminders(value));
  const compacted = await performCompaction(task, caller, steps, own);
  if (compacted === null) return value;
  const assetId = sourceAssetId(newId(task));
  const reason = options.threshold > 0 ? "threshold" : "manual";
  const fields = compactionFields(compacted, options, { mode: "manual", reason, snapshotAssetId: assetId });
  const event = auditEvent({
    id: newId(task),
    kind: "compaction",
    text: compactionText(compacted),
    metadata: Dict.of(fields),
  });
  const shorter = withMessages(droppedReminders(value), compactedMessages(value, compacted), [event]);
  const summary = own ?? joinedSummary(transcriptSummary(value), compacted.summary);
  const source = sourceAsset(assetId, compacted.archived, value);
  await publishNamed(task, transcriptId(value), "transcript_compacted", Dict.of(fields));
  return withAsset(shorter, source).with("summary", summary);
}

/**
 * With the ladder: the view of a conversation that begins with the transcript. Plan, entries and what left the view are kept in
 * it (`compaction_plan`), so that a later pass adds to them, and a loop that begins with it reads everything back.
 */
async function climbTranscript(task: Task, transcript: Dict, dict: Dict, caller: string): Promise<Dict> {
  const [ladder, callOptions] = readLadderByHand(task, dict, caller);
  const conversation = new Conversation(transcriptId(transcript));
  seedConversation(conversation, transcript, caller);
  conversation.workItems = readLedgerRecord(transcript.get("work_items") ?? null);
  const before = conversation.audit.length;
  const made = await climbByHand(task, conversation, ladder, { caller, mode: "manual", callOptions });
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

function transcriptOptions(task: Task, dict: Dict, caller: string): CompactionOptions {
  const strategy = dict.get("strategy") ?? dict.get("compact_strategy") ?? null;
  const compactor = dict.get("custom_compactor") ?? dict.get("compact_callback") ?? null;
  if (strategy === "custom" && compactor === null)
    throw thrown(`${caller}: custom_compactor is required with strategy 'custom'`);
  const foreign = ladderKeys.find((key) => (dict.get(key) ?? null) !== null);
  if (foreign !== undefined)
    throw thrown(`${caller}: \`${foreign}\` is the ladder's; use strategy: "ladder" or leave it out`);
  const read = new KnobReader(dict, caller);
  const { asked, ...common } = read.common();
  const engine = asked ?? "observation_mask";
  if (common.summarizePrompt !== null && engine !== "llm")
    throw thrown(`${caller}: summarize_prompt is only supported with strategy 'llm'`);
  const target = read.count(["target_tokens"]);
  return {
    ...common,
    strategy: engine,
    label: engine,
    keepFirst: read.count(["keep_first"]) ?? 0,
    keepLast: read.count(["keep_last"]) ?? defaultKeepLast,
    threshold: target ?? 0,
    hardLimit: target ?? common.hardLimit,
    // Its own: who asks for a cut pays no model, however small the target is.
    hardStrategy: engine,
    llm: callOptionsIn(task, dict),
  };
}

function compactedMessages(transcript: Dict, compacted: Compacted): Dict[] {
  return applyPlan(
    transcriptMessages(transcript),
    compacted.plan,
    (message, body) => message.with("content", body),
    () => Dict.of({ role: "user", content: compacted.summary }),
  );
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
  if (!(value instanceof List)) throw thrown(`${caller}: first argument must be a message list`);
  const messages = value.toArray().map((item, index) => {
    if (item instanceof Dict) return item;
    throw thrown(`${caller}: messages[${index}] must be a dict; got ${typeOf(item)}`);
  });
  const dict = optionsDict(caller, input);
  if (asksForLadder(dict))
    throw thrown(
      `${caller}: the ladder keeps what leaves the view in a transcript, and a message list has no place for it; use transcript_compact(transcript_from_messages(messages), {strategy: "ladder"})`,
    );
  const read = new KnobReader(dict, caller);
  const { asked, ...common } = read.common();
  const strategy = asked ?? "observation_mask";
  const options: CompactionOptions = {
    ...common,
    strategy,
    label: strategy,
    keepFirst: read.count(["keep_first"]) ?? 0,
    keepLast: read.count(["keep_last"]) ?? defaultKeepLast,
    threshold: read.count(["token_threshold", "compact_threshold"]) ?? 0,
    llm: callOptionsIn(task, dict),
  };
  const compacted = await performCompaction(task, caller, compact(messages.map(entryOfValue), options));
  if (compacted === null) return value;
  return new List(
    applyPlan(
      messages,
      compacted.plan,
      (message, body) => message.with("content", body),
      () => Dict.of({ role: "user", content: compacted.summary }),
    ),
  );
}
